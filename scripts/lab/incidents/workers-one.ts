import type { LabIncident } from '../incident.ts';
import type { Shop } from '../shop/shop.ts';

/** Orders that one process of fulfilment handles at a time. */
const ordinary = 8;

let hook = (): void => undefined;

function setWorkers(shop: Shop, count: number): void {
  for (const { metrics } of shop.service('fulfilment').instances) {
    metrics.set('worker_pool_size', { pool: 'orders' }, count);
  }
}

export const incident: LabIncident = {
  name: 'workers-one',
  seen: false,
  what: 'a reloaded configuration sets the worker pool of fulfilment to 1 where it was 8',
  truth: {
    says: 'fulfilment takes an eighth of the orders it used to since T, as worker_pool_size fell '
      + 'from 8 to 1 on both instances at that moment. They did not restart: a configuration was '
      + 'reloaded. As many orders are published as before, and consumers are there.',
    alerts: ['OrdersWaiting', 'QueueBacklog'],
    cause: /worker_pool_size|pool size|config|workers?\b.*(1|one)|slower|takes? (fewer|less)/,
    culprit: /fulfilment/,
    holds: [/config/, /consum|deliver|taken|drain/],
    isFalse: [
      /traffic|more (requests|orders|messages)|publish\w* (more|faster)/, /release|version/,
      /restart|crash|killed/, /host|network/, /memory/, /mailer|emails/,
    ],
    // Consumers are there, so that they are down or gone is truly not so.
    mayNotBeRuledOut: /config|pool size|workers?\b|consumers? (are|is) (too )?(slow|few)/,
    step: /worker_pool_size|config|fulfilment|worker_jobs_total|orders/,
  },
  rules: [{
    alert: 'OrdersWaiting', for: '10s', labels: { team: 'fulfilment' },
    expr: 'sum by (queue) (rabbitmq_queue_messages_ready{queue="orders"}) > 50',
    summary: '{{ $value }} orders wait',
  }],
  firesWithinSeconds: 300,
  always: (shop) => setWorkers(shop, ordinary),
  cause: (shop) => {
    shop.service('fulfilment').change({ workFactor: 1 / ordinary });
    hook = () => setWorkers(shop, 1);
    shop.each.add(hook);
  },
  end: (shop) => void shop.each.delete(hook),
};
