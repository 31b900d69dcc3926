import type { LabIncident } from '../incident.ts';
import type { Shop } from '../shop/shop.ts';

/** Attempts of storefront for each request for a search. */
const attempts = 6;
const blipSeconds = 12;

function countRetries(shop: Shop, perSecond: number): void {
  for (const { metrics } of shop.service('storefront').instances) {
    metrics.add('http_client_retries_total', { peer: 'search' }, perSecond);
  }
}

let hook = (_: number, __: number): void => undefined;

export const incident: LabIncident = {
  name: 'retry-storm',
  seen: false,
  what: 'search fails for 12 s; the retries of storefront keep it overloaded after that',
  truth: {
    says: 'search failed at T for 12 s and has not come back: storefront tries each search six '
      + 'times since, though customers ask as often as before, and search fails and is slow '
      + 'under six times its load. Stop the retries (or shed load), and it recovers.',
    alerts: ['HighErrorRate', 'HighLatency'],
    cause: /retr(y|ies)|amplif|storm|calls? .*(more|times|rose)|more calls|overload|(six|\d) times/,
    culprit: /storefront/,
    holds: [/search/, /load|cpu/, /traffic|requests/],
    isFalse: [
      /release|version/, /redis|cache/, /database|postgres/, /\bhost\b|network/, /leak|memory/,
      /customers|from outside|users/, /catalog|checkout|payments/,
    ],
    mayNotBeRuledOut: /retr(y|ies)|overload|calls|traffic|requests/,
    step: /retr(y|ies)|search|storefront|calls|http_client/,
  },
  always: (shop) => countRetries(shop, 0),
  cause: (shop) => {
    const search = shop.service('search');
    search.change({ errorShare: 1, errorCode: '503' });
    shop.service('storefront').change({ callsFactor: attempts }, { route: 'GET /search' });
    const blipEnds = shop.now + blipSeconds;
    let isOver = false;
    hook = (seconds, dt) => {
      countRetries(shop, 1.7 * (attempts - 1) * dt);
      if (isOver || seconds < blipEnds) return;
      isOver = true;
      search.change({ errorShare: 0.6, timeFactor: 8, cpuFactor: 2 });
    };
    shop.each.add(hook);
  },
  end: (shop) => void shop.each.delete(hook),
};
