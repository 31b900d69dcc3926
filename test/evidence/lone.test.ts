import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  collected, firedAt, shop, shopSeries, troubleAt,
} from '../support/samples/shop-scenario.ts';
import { fakeSeries, type FakeSeries } from '../support/sources/fake-prometheus.ts';

const minute = 60_000;

/** Pools of several processes, of which one takes more from the trouble on, until it ends. */
function pools(who: string, untilMs = Infinity): FakeSeries[] {
  return ['a-1', 'b-1', 'c-1', 'd-1', 'e-1'].map((process) => fakeSeries(
    'pool_in_use_connections', { namespace: 'shop', service: 'web', process },
    (at) => 2 + Math.floor(at / minute) % 2 +
      (process === who && at >= troubleAt && at < untilMs ? 30 : 0)));
}

test('the one process that takes more than all others of its kind is found, and when', async () => {
  const { facts, ledger } = await collected(shop({ series: [...shopSeries(), ...pools('c-1')] }));
  const found = facts.lone.find(({ labels }) => labels.some(({ value }) => value === 'c-1'));
  assert.deepEqual(found?.labels, [{ label: 'process', value: 'c-1' }]);
  const [part] = found.parts;
  assert.deepEqual([part?.of, part?.isOfRule], [5, false]);
  assert.ok(Math.abs((part?.onsetMs ?? 0) - troubleAt) <= minute);
  assert.ok(ledger.items.some(({ id, query }) => id === found.evidence && query !== null));
});

test('nobody is alone where nothing of the kind moved', async () => {
  const { facts } = await collected(shop({ series: [...shopSeries(), ...pools('none')] }));
  assert.ok(!facts.lone.some(({ labels }) => labels.some(({ label }) => label === 'process')));
});

test('what had moved alone is told as it was when the alert ended', async () => {
  const endedAt = firedAt + 10 * minute;
  const { facts } = await collected(shop({ series: [...shopSeries(), ...pools('c-1', endedAt)] }), {
    alert: { status: 'resolved', endsAt: new Date(endedAt).toISOString() },
    context: { now: endedAt + 5 * minute },
  });
  const found = facts.lone.find(({ labels }) => labels.some(({ value }) => value === 'c-1'));
  assert.ok((found?.parts[0]?.after ?? 0) > 30);
});
