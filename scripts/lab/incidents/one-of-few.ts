import type { LabIncident } from '../incident.ts';

const failed = 'sum(rate(admin_requests_total{status="500"}[30s])) by (path)';
const all = 'sum(rate(admin_requests_total[30s])) by (path)';

export const incident: LabIncident = {
  name: 'one-of-few',
  seen: false,
  what: 'a new rule takes the failed share of an admin page with six requests a minute',
  truth: {
    says: 'One of nine requests for /admin/invoices has always failed. There are about three in '
      + 'half a minute, so that a single failure is a quarter of them. Nothing changed; the rule '
      + 'is new, and needs a longer window or a least number of requests.',
    alerts: ['AdminErrorShare'],
    classifications: ['noisy', 'informational'],
    cause: /few|small|single|one request|window|low (traffic|rate|volume)|threshold|rule|flap/,
    culprit: null,
    holds: [/exports|admin|invoices/],
    isFalse: [
      /more requests|traffic (rose|increas)/, /release|version/, /database|postgres/,
      /redis|cache/, /\bhost\b|network/, /memory|leak/, /overload/,
    ],
    mayNotBeRuledOut: /few requests|window|rule|threshold/,
    step: /rule|window|threshold|admin|invoices|admin_requests_total|for:/,
    hasNoOnset: true,
  },
  rules: [{
    alert: 'AdminErrorShare', for: '0s', labels: { team: 'backoffice' },
    expr: `${failed} / ${all} > 0.15`,
    summary: '{{ $value | humanizePercentage }} of requests for {{ $labels.path }} fail',
  }],
  always: (shop, dt) => {
    for (const { metrics } of shop.service('exports').instances) {
      const path = '/admin/invoices';
      for (const [status, perSecond] of [['200', 0.05], ['500', 0.006]] as const) {
        metrics.add('admin_requests_total', { path, status }, shop.noise.count(perSecond * dt));
      }
    }
  },
  // The rule is all there is to it.
  cause: () => undefined,
  end: () => undefined,
  endsWithRules: true,
};
