import type { LabIncident } from '../incident.ts';

export const incident: LabIncident = {
  name: 'threshold-always',
  seen: true,
  what: 'a new rule wants three consumers for each queue; there have always been two',
  truth: {
    says: 'Nothing is wrong: both queues have had 2 consumers for all the day that is known; '
      + 'the rule wants 3. Wrong threshold.',
    alerts: ['QueueTooFewConsumers'],
    classifications: ['noisy'],
    cause: /always|ordinary|usual|all (the )?(day|history)|for at least|never|rule wants/,
    culprit: null,
    isFalse: [/./],
    step: /threshold|rule/,
    hasNoOnset: true,
  },
  rules: [{ alert: 'QueueTooFewConsumers', expr: 'rabbitmq_queue_consumers < 3' }],
  endsWithRules: true,
  cause: () => undefined,
  end: () => undefined,
};
