import type { LabIncident } from '../incident.ts';

export const incident: LabIncident = {
  name: 'threshold-in-range',
  seen: true,
  what: 'a new rule has its threshold within the ordinary range: 25 of 24 to 28 clients of Redis',
  truth: {
    says: 'Nothing is wrong: redis_connected_clients has been 24 to 28 all day, above 25 for '
      + 'more than half of it. The threshold is inside the ordinary range; 30 would fit.',
    alerts: ['RedisTooManyClients'],
    classifications: ['noisy'],
    cause: /ordinary|usual|normal|inside|all day|of the (day|time)|hover|noise/,
    culprit: null,
    isFalse: [/./],
    step: /threshold|rule/,
    hasNoOnset: true,
  },
  rules: [{ alert: 'RedisTooManyClients', expr: 'redis_connected_clients > 25', for: '0s' }],
  firesWithinSeconds: 420,
  endsWithRules: true,
  cause: () => undefined,
  end: () => undefined,
};
