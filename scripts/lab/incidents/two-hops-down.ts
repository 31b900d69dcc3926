import type { LabIncident } from '../incident.ts';

export const incident: LabIncident = {
  name: 'two-hops-down',
  seen: false,
  what: 'inventory needs 180 ms more for a reservation; the alert watches the storefront',
  truth: {
    says: 'Checkout at the storefront is slow because POST /reservations of inventory takes 200 ms '
      + 'since T (20 ms before), which checkout calls for each order. Both instances of inventory '
      + 'are alike. Neither storefront nor checkout itself is slower, and its database answers as '
      + 'before.',
    alerts: ['CheckoutJourneySlow', 'HighLatency'],
    cause: /inventory|reservations/,
    culprit: /inventory/,
    holds: [/downstream|dependency|calls/],
    isFalse: [
      /traffic|more requests/, /release|version/, /acquirer|payments/, /redis|cache/, /host/,
      /database|postgres|quer(y|ies)/, /catalog|search/,
    ],
    mayNotBeRuledOut: /inventory|dependency|downstream/,
    step: /inventory|reservations/,
  },
  rules: [{
    alert: 'CheckoutJourneySlow', severity: 'critical', for: '0s',
    labels: { team: 'web', slo: 'checkout' },
    expr: 'sum(rate(http_request_duration_seconds_sum{job="storefront",route="/checkout"}[30s]))'
      + ' / sum(rate(http_request_duration_seconds_count{job="storefront",route="/checkout"}[30s]))'
      + ' > 0.32',
    summary: 'Customers wait {{ $value | humanizeDuration }} for their order',
  }],
  cause: (shop) => shop.service('inventory').change({ addedSeconds: 0.18 }),
  end: () => undefined,
};
