import type { LabIncident } from '../incident.ts';

export const incident: LabIncident = {
  name: 'traffic-peak',
  seen: false,
  what: 'after an advertisement storefront gets 2.6 times its requests, and all of them are served',
  truth: {
    says: 'Since T all routes of storefront get 2.6 times as many requests, and what it calls '
      + 'accordingly. They are answered as fast as before, and no more of them fail. Nothing is '
      + 'broken; watch the capacity, at most the emails wait.',
    alerts: ['RequestRateDoubled', 'QueueBacklog'],
    classifications: ['actionable', 'informational'],
    cause: /traffic|requests|load|demand/,
    culprit: /storefront/,
    holds: [/queue|emails|messages/],
    isFalse: [
      /release|version/, /retr(y|ies)|loop/, /redis|cache/, /database|postgres/, /host|network/,
      /slow|latency|errors?\b|fail/, /leak|memory/, /tenant/,
    ],
    mayNotBeRuledOut: /traffic|more requests|demand/,
    step: /storefront|traffic|requests|http_requests_total|capacity|scale|source|client|campaign/,
  },
  rules: [{
    alert: 'RequestRateDoubled', labels: { team: 'platform' },
    expr: 'sum by (job) (rate(http_requests_total[1m])) '
      + '/ sum by (job) (rate(http_requests_total[1m] offset 10m)) > 2',
    summary: '{{ $labels.job }} has {{ $value | humanize }} times the requests of ten minutes ago',
  }],
  cause: (shop) => shop.service('storefront').change({ trafficFactor: 2.6 }),
  end: () => undefined,
};
