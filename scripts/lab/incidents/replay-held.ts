import type { LabIncident } from '../incident.ts';
import type { Shop } from '../shop/shop.ts';

let hook = (): void => undefined;

/** As the exporter has it: how long the oldest transaction of each user runs. */
function setLongest(shop: Shop, usename: string, seconds: number): void {
  const labels = { datname: 'shop', usename, state: 'active' };
  shop.replica.metrics.set('pg_stat_activity_max_tx_duration', labels, seconds);
}

export const incident: LabIncident = {
  name: 'replay-held',
  seen: false,
  what: 'a query of the user bi on the replica keeps it from replaying what db-1 sends',
  truth: {
    says: 'The replica on db-2 replays nothing since T, and its lag grows by a second per second. '
      + 'A transaction of bi on it runs since the same moment: replay waits for it. db-1 writes '
      + 'as ever, and the host is well. End that query.',
    alerts: ['PostgresReplicationLag'],
    cause: /\bbi\b|quer(y|ies)|transaction|replay\w* (has )?(stop|stall|wait|held|pause)|replayed/,
    culprit: /\bbi\b|db-2/,
    holds: [/replica|replay|wal/],
    isFalse: [
      /traffic|more (requests|writes)/, /release|version/, /network/, /\bhost\b|\bcpu\b/, /disk/,
      /redis|cache/, /clock/, /restart/,
    ],
    mayNotBeRuledOut: /quer(y|ies)|transaction|replay/,
    step: /pg_stat_activity|replay|quer(y|ies)|transaction|max_tx_duration|db-2/,
  },
  always: (shop) => {
    for (const usename of ['bi', 'search', 'monitoring']) {
      setLongest(shop, usename, 0.4 * shop.noise.level(`longest of ${usename}`, 0.5));
    }
  },
  cause: (shop) => {
    const began = shop.now;
    shop.replica.lagPerSecond = 1;
    hook = () => setLongest(shop, 'bi', shop.now - began);
    shop.each.add(hook);
  },
  end: (shop) => void shop.each.delete(hook),
};
