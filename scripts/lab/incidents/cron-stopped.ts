import type { LabIncident } from '../incident.ts';

export const incident: LabIncident = {
  name: 'cron-stopped',
  seen: false,
  what: 'the cron job price-import is no longer started',
  truth: {
    says: 'price-import, which ran every minute, was not started again after its run at T: its '
      + 'last start stands still, too, and no run failed. The other jobs run, so cron itself '
      + 'and the push gateway work; somebody removed or suspended the job.',
    alerts: ['CronJobLate'],
    cause: /not (been )?(run|start)|no longer (run|start)|did not|stopped|stand\w* still|suspend/,
    culprit: /price-import/,
    holds: [/last_(start|success)/, /schedul|cron/],
    isFalse: [
      /(run|job|it) (fail|crash)|runs? longer|takes longer/, /traffic|more requests/,
      /release|version/, /host|network/, /database|postgres/,
      /invoice-export|session-cleanup/, /exporter|push gateway.*(down|stopped)/,
    ],
    mayNotBeRuledOut: /not (run|start)|schedul|suspend|stopped/,
    step: /cron|price-import|schedul|last_start/,
    // What can be seen is the first run that is missing, up to a minute after the cause.
    hasNoOnset: true,
  },
  firesWithinSeconds: 260,
  cause: (shop) => void shop.cron.stopped.add('price-import'),
  end: () => undefined,
};
