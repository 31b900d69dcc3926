import type { LabIncident } from '../incident.ts';
import type { Shop } from '../shop/shop.ts';

/** By which the clock of db-2 is fast. */
const offsetSeconds = 47;

/** The replica takes its own time less that of the last transaction, which came from db-1. */
function lagByClock(shop: Shop): void {
  const { metrics } = shop.replica;
  const lag = metrics.value('pg_replication_lag_seconds', {}) ?? 0;
  metrics.set('pg_replication_lag_seconds', {}, lag + offsetSeconds);
}

let hook = (): void => undefined;

export const incident: LabIncident = {
  name: 'clock-jumped',
  seen: false,
  what: 'the clock of db-2 jumps 47 s ahead, which the replica there shows as lag',
  truth: {
    says: 'The clock of db-2 is 47 s fast since T and no longer in sync. The replica on db-2 '
      + 'computes its lag from that clock, so the lag jumped by just as much in one step; it '
      + 'replays as many bytes as before and is not behind. One problem, not two: set the clock.',
    alerts: ['HostClockWrong', 'PostgresReplicationLag'],
    cause: /clock|\bntp\b|chrony|timex|time sync/,
    culprit: /db-2/,
    holds: [/sync/, /offset/],
    isFalse: [
      /repla(y|ica\w*).*(stop|behind|stuck|slow|paused)|falls? behind/, /traffic|more requests/,
      /release|version/, /network/, /disk/, /db-1|app-|edge-/, /restart|reboot/,
    ],
    mayNotBeRuledOut: /clock|ntp|time sync/,
    step: /clock|ntp|chrony|timedatectl|timex|date/,
  },
  cause: (shop) => {
    shop.host('db-2').clockOffsetSeconds = offsetSeconds;
    hook = () => lagByClock(shop);
    shop.each.add(hook);
  },
  end: (shop) => {
    shop.host('db-2').clockOffsetSeconds = 0;
    shop.each.delete(hook);
  },
};
