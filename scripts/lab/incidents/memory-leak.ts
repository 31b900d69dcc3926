import type { LabIncident } from '../incident.ts';
import type { Shop } from '../shop/shop.ts';

/** The system ends a process that uses as much. */
const limitBytes = 950e6;

function killWhereFull(this: void, shop: Shop): void {
  for (const instance of shop.service('search').instances) {
    if (instance.leakedBytes > limitBytes - 320e6) instance.start(shop.now);
  }
}

let hook = (): void => undefined;

export const incident: LabIncident = {
  name: 'memory-leak',
  seen: true,
  what: 'search leaks 7 MB/s, and is killed and started again at 950 MB',
  truth: {
    says: 'The memory of both instances of search grows by 7 MB/s in a straight line since T '
      + '(320 MB before); it will be killed, or was, and begins anew. No release, no more '
      + 'traffic.',
    alerts: ['ProcessMemoryHigh', 'ProcessRestarting'],
    cause: /leak|grow|climb|ris(es|ing)|memory.*rose/,
    culprit: /search/,
    holds: [/leak|grow|restart/],
    isFalse: [/traffic|more requests/, /release|version/, /host/, /queue/],
    mayNotBeRuledOut: /leak|grow/,
    step: /heap|memory|search|profile/,
  },
  cause: (shop) => {
    shop.service('search').change({ leakBytesPerSecond: 7e6 });
    hook = () => killWhereFull(shop);
    shop.each.add(hook);
  },
  end: (shop) => {
    shop.each.delete(hook);
    for (const instance of shop.service('search').instances) instance.start(shop.now);
  },
};
