import type { LabIncident } from '../incident.ts';

let hook = (): void => undefined;
const name = 'cronjob_last_success_timestamp_seconds';

export const incident: LabIncident = {
  name: 'metric-vanished',
  seen: true,
  what: 'the push gateway no longer has the series of invoice-export; it is scraped as before',
  truth: {
    says: 'The series of invoice-export vanished at T, last seen from app-1:9091, which is '
      + 'up and still exposes other jobs. The data are missing; whether the job runs is '
      + 'not known.',
    alerts: ['InvoiceExportUnknown'],
    classifications: ['data_problem', 'actionable'],
    cause: /vanish|disappear|no longer|gone|missing|absent|not exposed/,
    culprit: /invoice-export/,
    holds: [/exposes/],
    isFalse: [/target.*(down|not scraped)/, /refused/, /release|version/, /restart/],
    mayNotBeRuledOut: /no longer|renamed|vanish|stopped expos/,
    step: /app-1:9091|metrics|invoice-export|curl/,
  },
  rules: [{
    alert: 'InvoiceExportUnknown', for: '10s', severity: 'critical',
    expr: `absent(${name}{cronjob="invoice-export"})`,
  }],
  cause: (shop) => {
    shop.cron.stopped.add('invoice-export');
    const labels = { cronjob: 'invoice-export' };
    hook = () => {
      for (const each of [name, 'cronjob_last_start_timestamp_seconds',
        'cronjob_last_duration_seconds', 'cronjob_failures_total']) {
        shop.cron.metrics.remove(each, labels);
      }
    };
    shop.each.add(hook);
  },
  end: (shop) => void shop.each.delete(hook),
};
