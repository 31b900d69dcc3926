import type { LabIncident } from '../incident.ts';
import type { Shop } from '../shop/shop.ts';

function setLocks(shop: Shop, count: number): void {
  const labels = { datname: 'shop', mode: 'accessexclusivelock' };
  shop.database.metrics.set('pg_locks_count', labels, count);
}

let hook = (): void => undefined;

export const incident: LabIncident = {
  name: 'migration-locks',
  seen: false,
  what: 'a migration is left open in its transaction, and locks the table that checkout needs',
  truth: {
    says: 'checkout fails all orders since T: all its connections are in use and none comes back, '
      + 'as a session of migrator is idle in transaction on the database shop and holds an access '
      + 'exclusive lock. inventory and catalog, which use other tables, are well. End the session.',
    alerts: ['HighErrorRate', 'HighLatency'],
    cause: /\block|idle in transaction|migrator|pool|connections/,
    culprit: /migrator|\block/,
    holds: [/checkout/, /database|postgres|quer(y|ies)/],
    isFalse: [
      /traffic|more requests/, /release|version/, /acquirer|payments/, /redis|cache/,
      /\bhost\b|network/, /leak/, /inventory|catalog/, /max_connections|server.*full/,
    ],
    mayNotBeRuledOut: /\block|transaction|database|connections|pool/,
    step: /\block|pg_stat_activity|transaction|migrator|pool|db_pool/,
  },
  always: (shop) => setLocks(shop, 0),
  cause: (shop) => {
    shop.database.sessions.push({
      user: 'migrator', database: 'shop', state: 'idle in transaction', count: 1,
    });
    shop.service('checkout').change({ heldConnections: 10 });
    hook = () => setLocks(shop, 1);
    shop.each.add(hook);
  },
  end: (shop) => void shop.each.delete(hook),
};
