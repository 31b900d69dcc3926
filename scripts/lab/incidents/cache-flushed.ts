import type { LabIncident } from '../incident.ts';

let hook = (): void => undefined;

const hits = 'sum(rate(redis_keyspace_hits_total[1m]))';
const misses = 'sum(rate(redis_keyspace_misses_total[1m]))';

export const incident: LabIncident = {
  name: 'cache-flushed',
  seen: false,
  what: 'somebody flushes Redis: catalog reads from the database instead, which slows down',
  truth: {
    says: 'At T the keys in Redis fell from 220 000 to 12 000 by a FLUSHALL; it did not restart, '
      + 'and evicts nothing. Nearly all reads miss since then and become queries of catalog, '
      + 'so that the database is slow for all who use it. The cache fills again by itself.',
    alerts: ['RedisHitRateLow', 'HighLatency', 'SlowResponses'],
    cause: /flush|keys?\b|cache.*(empty|emptied|lost|cold|miss)|miss(es)?\b/,
    culprit: /redis|cache/,
    holds: [/database|postgres|quer(y|ies)|db_query/, /catalog/],
    isFalse: [
      /traffic|more requests/, /release|version/, /evict|memory (is )?full/, /acquirer/,
      /redis.*restart|restart.*redis/, /network/, /leak/,
    ],
    mayNotBeRuledOut: /cache|redis|flush|miss/,
    step: /redis|cache|flush|keys|slowlog|catalog/,
  },
  rules: [{
    alert: 'RedisHitRateLow', for: '0s', labels: { team: 'platform' },
    expr: `${hits} / (${hits} + ${misses}) < 0.7`,
    summary: 'Only {{ $value | humanizePercentage }} of reads hit',
  }],
  always: (shop) => {
    for (const cmd of ['flushall', 'config']) {
      shop.cache.metrics.add('redis_commands_total', { cmd }, 0);
    }
  },
  cause: (shop) => {
    shop.cache.metrics.add('redis_commands_total', { cmd: 'flushall' }, 1);
    shop.cache.usedShare = 0.03;
    shop.service('catalog').change({ missShare: 0.92 });
    shop.service('cart').change({ missShare: 0.92 });
    shop.host('db-1').busyCores = 2.6;
    const began = shop.now;
    hook = () => {
      // What was in the memory of the database makes room for what is read now.
      shop.database.queryFactor = Math.min(22, 1 + (shop.now - began) * 0.35);
      shop.cache.usedShare += 0.0002;
    };
    shop.each.add(hook);
  },
  end: (shop) => {
    shop.each.delete(hook);
    shop.cache.usedShare = 0.55;
    shop.host('db-1').busyCores = 0.2;
  },
};
