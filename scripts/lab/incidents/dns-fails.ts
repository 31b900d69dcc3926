import type { LabIncident } from '../incident.ts';
import type { Shop } from '../shop/shop.ts';

/** Lookups of payments by the name that it asks for. */
function lookUp(shop: Shop, host: string, counts: { all: number; failed: number }): void {
  for (const { metrics } of shop.service('payments').instances) {
    metrics.add('dns_lookups_total', { host, rcode: 'NOERROR' }, counts.all - counts.failed);
    metrics.add('dns_lookups_total', { host, rcode: 'SERVFAIL' }, counts.failed);
  }
}

const acquirer = 'api.acquirer.example';
const failedShare = 0.85;

let hook = (_: number, __: number): void => undefined;

export const incident: LabIncident = {
  name: 'dns-fails',
  seen: false,
  what: 'the name of the acquirer is mostly not resolved any more, so that charges fail at once',
  truth: {
    says: 'payments fails most charges since T because lookups of api.acquirer.example end in '
      + 'SERVFAIL; those of db-1 work. What fails fails fast. checkout and storefront fail only '
      + 'as they call it. Neither a release nor load: DNS of the acquirer, ask whoever runs it.',
    alerts: ['ServerErrors', 'HighErrorRate'],
    cause: /acquirer|\bdns\b|SERVFAIL|lookup|resol/,
    culprit: /acquirer/,
    holds: [/payments/],
    isFalse: [
      /traffic|more requests/, /release|version/, /database|postgres|connection pool|hikari/,
      /\bhost\b|app-[13]/, /redis|cache/, /slow|latency|time(d )?out/,
      /inventory|catalog/, /thread/,
    ],
    mayNotBeRuledOut: /acquirer|\bdns\b|depend|outside|external/,
    step: /acquirer|\bdns\b|\bdig\b|resolv|nslookup|lookup|http_client/,
  },
  always: (shop, dt) => {
    for (const host of [acquirer, 'db-1.internal']) lookUp(shop, host, { all: dt, failed: 0 });
  },
  cause: (shop) => {
    shop.outside.set('acquirer', { seconds: 0.03, failed: failedShare });
    // A name that is not resolved is not kept, so it is asked for again each time.
    hook = (_, dt) => lookUp(shop, acquirer, { all: 2 * dt, failed: 2 * dt * failedShare });
    shop.each.add(hook);
  },
  end: (shop) => {
    shop.outside.set('acquirer', { seconds: 0.12, failed: 0 });
    shop.each.delete(hook);
  },
};
