import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Asker } from '../../src/evidence/metrics/asking.ts';
import {
  askWide, wideFinding, type AskedWide,
} from '../../src/evidence/metrics/own/wide-inside.ts';
import type { InstantAnswer } from '../../src/sources/prometheus-answers.ts';

type Sample = readonly [labels: Record<string, string>, value: number];

function answered(...samples: readonly Sample[]): InstantAnswer {
  const notes = { warnings: [], isPartial: false };
  return { samples: samples.map(([labels, value]) => ({ labels, value })), omitted: 0, notes };
}

/** What a server of 5000 series adds up by tenant, of which `moved` moved most, and by zone. */
async function askedOf(
  moved: readonly Sample[],
  { before = 0.1, after = 40, tenants = 400 } = {},
): Promise<{ wide: AskedWide | null; asked: string[] }> {
  const asked: string[] = [];
  const answerTo = (query: string, atMs: number): InstantAnswer => {
    if (query.startsWith('count(')) return answered([{}, query.includes('tenant') ? tenants : 1]);
    if (!query.startsWith('topk(')) return answered([{}, atMs === 0 ? before : after]);
    return query.includes('(tenant)') ? answered(...moved)
      : answered([{ zone: 'a' }, 41], [{}, 41]);
  };
  const asker = {
    query: (_: string, query: string, atMs: number) => {
      asked.push(query);
      return Promise.resolve(answerTo(query, atMs));
    },
  } as unknown as Asker;
  const series = [['t137', 40], ['t1', 0.1], ['t2', 0.1]] as const;
  const wide = await askWide(asker, {
    kind: 'sum', inner: 'rate(exports_total[5m])', count: null, group: { job: 'bulk' },
    series: series.map(([tenant, value]) =>
      ({ labels: { job: 'bulk', zone: 'a', tenant }, value })),
    isHighSide: true, beforeMs: 0, firedMs: 3_600_000,
  });
  return { wide, asked };
}

test('askWide() has the server find who makes the rise among too many series', async () => {
  const { wide, asked } = await askedOf(
    [[{ tenant: 't137' }, 39.9], [{ tenant: 't1' }, 0.1], [{}, 40]]);
  assert.deepEqual(wideFinding(wide, true), {
    kind: 'leaders', direction: 'rise', measured: 'amount', whole: null,
    leaders: [{
      label: 'tenant', values: ['t137'], of: 400, share: 39.9 / 40, before: 0.1, after: 40,
    }],
  });
  assert.ok(asked.length <= 10, asked.join('\n'));
  assert.ok(asked.every((query) => !query.includes('(job)')), 'its group is not asked about');
});

test('askWide() tells nothing where several moved alike, or a label has one value', async () => {
  const even = await askedOf([[{ tenant: 't1' }, 14], [{ tenant: 't2' }, 13], [{}, 40]]);
  assert.equal(even.wide, null);
  const one = await askedOf([[{ tenant: 't137' }, 40], [{}, 40]], { tenants: 1 });
  assert.equal(one.wide, null);
});
