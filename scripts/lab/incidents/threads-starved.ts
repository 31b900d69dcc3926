import type { LabIncident } from '../incident.ts';
import type { Shop } from '../shop/shop.ts';

const threads = { name: 'http-nio-8080' };
const threadsMax = 50;
/** Shops in which statements are slow, and since when. */
const slowSince = new WeakMap<Shop, number>();

/** Requests for statements, beside the charges that the shop knows of. */
function serveStatements(shop: Shop, dt: number): void {
  const since = slowSince.get(shop);
  for (const { metrics } of shop.service('payments').instances) {
    const labels = { method: 'GET', uri: '/statements', status: '200', outcome: 'SUCCESS' };
    const count = shop.noise.count(1.5 * dt) * (since === undefined ? 1 : 0.7);
    const seconds = since === undefined ? 0.12 : Math.min(40, shop.now - since + 0.12);
    metrics.observe('http_server_requests_seconds', labels, count, seconds);
    const busy = since === undefined ? 1 + shop.noise.count(1) : 2 + (shop.now - since) * 1.8;
    metrics.set('tomcat_threads_busy_threads', threads, Math.min(threadsMax, Math.round(busy)));
    metrics.set('tomcat_threads_config_max_threads', threads, threadsMax);
  }
}

let hook = (_: number): void => undefined;

export const incident: LabIncident = {
  name: 'threads-starved',
  seen: false,
  what: 'GET /statements of payments takes 40 s and holds all threads, so that charges wait',
  truth: {
    says: 'GET /statements of payments became slow at T, from 0.1 s to up to 40 s, and holds all '
      + '50 threads of both instances after half a minute. POST /charges only waits for a thread; '
      + 'the acquirer and the database answer as before. Checkout and storefront are victims.',
    alerts: ['SlowResponses', 'HighLatency'],
    cause: /thread|statements|starv/,
    culprit: /statements/,
    holds: [/payments/, /charges/],
    isFalse: [
      /traffic|more requests/, /release|version/, /acquirer/, /redis|cache/, /\bhost\b|network/,
      /database|postgres|connection|hikari/, /heap|memory|garbage/, /inventory|catalog/,
    ],
    mayNotBeRuledOut: /thread|statements/,
    step: /thread|statements|payments|jstack|dump/,
  },
  always: serveStatements,
  cause: (shop) => {
    const began = shop.now;
    let isFull = false;
    slowSince.set(shop, began);
    hook = (seconds) => {
      if (isFull || seconds < began + 26) return;
      isFull = true;
      shop.service('payments').change({ addedSeconds: 1.6 });
    };
    shop.each.add(hook);
  },
  end: (shop) => {
    shop.each.delete(hook);
    slowSince.delete(shop);
  },
};
