import type { LabIncident } from '../incident.ts';
import type { Shop } from '../shop/shop.ts';

const everySeconds = 70;

let hook = (): void => undefined;

function burst(shop: Shop): () => void {
  let last = 0;
  return () => {
    const index = Math.floor(shop.now / everySeconds);
    if (index !== last) shop.broker.publish('emails', 320);
    last = index;
  };
}

export const incident: LabIncident = {
  name: 'queue-flaps',
  seen: true,
  what: 'a newsletter puts 320 messages into the queue emails every 70 s, which drains in between',
  truth: {
    says: 'The queue emails swings across the threshold every 70 s: bursts of some 320 '
      + 'messages, drained by its two consumers each time. Flapping; let the rule wait or '
      + 'raise the threshold.',
    alerts: ['QueueBacklog'],
    classifications: ['noisy', 'actionable', 'recovered'],
    cause: /flap|burst|every \d|again and again|messages are produced|published/,
    culprit: /emails/,
    holds: [/published|rise|rose/],
    isFalse: [
      /no consumer|consumers? (died|gone|stopp|fell)/, /release|version/, /restart/, /orders/,
    ],
    mayNotBeRuledOut: /messages are produced|burst|batch/,
    step: /wait|threshold|for:|publish|who|burst/,
    hasNoOnset: true,
  },
  cause: (shop) => {
    hook = burst(shop);
    shop.each.add(hook);
  },
  end: (shop) => void shop.each.delete(hook),
};
