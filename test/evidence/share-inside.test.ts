import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import type { Asker } from '../../src/evidence/metrics/asking.ts';
import { askShare, shareFinding } from '../../src/evidence/metrics/own/share-inside.ts';
import { sharePartsIn } from '../../src/evidence/rule/share-parts.ts';

interface Series {
  readonly labels: LabelSet;
  readonly before: number;
  readonly after: number;
}

/** What is found inside `compared`, on a server that has these series of `pay_total`. */
async function foundIn(compared: string, operator: '<' | '>', all: readonly Series[]) {
  const parts = sharePartsIn(compared);
  assert.ok(parts !== null);
  const asker = {
    query: (_: string, query: string, atMs: number) => Promise.resolve({
      samples: all
        .filter(({ labels }) => !query.includes('approved') || labels['result'] === 'approved')
        .filter(({ labels }) => !query.includes('code=~"4.."') ||
          labels['code']?.startsWith('4') === true)
        .map(({ labels, before, after }) => ({ labels, value: atMs === 0 ? before : after })),
      omitted: 0, notes: { warnings: [], isPartial: false },
    }),
  } as unknown as Asker;
  const asked = await askShare(asker, parts, {
    group: {}, isHighSide: operator === '>', beforeMs: 0, firedMs: 3_600_000,
  });
  return asked && shareFinding(asked)?.finding;
}

/** Payments of three providers and two cards, of which `declined` fail at the second moment. */
function payments(declined: (provider: string, card: string) => number, growth = 1): Series[] {
  return ['nord', 'sud', 'est'].flatMap((provider) => ['visa', 'cb'].flatMap((card) => {
    const labels = { provider, card };
    const failed = declined(provider, card);
    return [
      { labels: { ...labels, result: 'approved', code: '00' }, before: 9.2,
        after: growth * 10 * (1 - failed) },
      { labels: { ...labels, result: 'declined', code: '05' }, before: 0.8, after: growth * 0.8 },
      { labels: { ...labels, result: 'declined', code: '96' }, before: 0,
        after: growth * Math.max(0, 10 * failed - 0.8) },
    ];
  }));
}

const approved = 'sum(rate(pay_total{result="approved"}[2m])) / sum(rate(pay_total[2m]))';

test('a share that falls is that of the kind of events that fails', async () => {
  const failing = (provider: string, card: string): number =>
    provider === 'nord' && card === 'cb' ? 0.72 : 0.08;
  for (const growth of [0.5, 1, 3]) {
    const series = payments(failing, growth);
    const found = await foundIn(approved, '<', series);
    assert.ok(found?.kind === 'leaders', `${growth}`);
    assert.equal(found.measured, 'share');
    assert.deepEqual(found.leaders.map(({ label, values }) => [label, values]),
      [['card', ['cb']], ['provider', ['nord']]]);
    assert.deepEqual(found.outcome && [found.outcome.label, found.outcome.value], ['code', '96']);
    const [, provider] = found.leaders;
    assert.ok(Math.abs((provider?.before ?? 0) - 0.92) < 0.01);
    assert.ok(Math.abs((provider?.after ?? 0) - 0.6) < 0.01);
    const rest = await foundIn(`1 - ${approved}`, '>', series);
    assert.ok(rest?.kind === 'leaders');
    assert.ok(Math.abs((rest.leaders[1]?.after ?? 0) - 0.4) < 0.01);
  }
});

test('a share that moves alike everywhere has no leader, however unlike the parts', async () => {
  const found = await foundIn(approved, '<', payments(() => 0.4));
  assert.notEqual(found?.kind, 'leaders');
});

test('where all are refused alike, who asks for more than before leads', async () => {
  const series = ['acme', 'b', 'c', 'd'].flatMap((consumer) => {
    const after = consumer === 'acme' ? 160 : 6;
    return [
      { labels: { consumer, code: '200', source: 'service' }, before: 5, after: after * 0.4 },
      { labels: { consumer, code: '429', source: 'gateway' }, before: 0, after: after * 0.6 },
      { labels: { consumer, code: '404', source: 'service' }, before: 0.1, after: 0.1 },
    ];
  });
  const found = await foundIn(
    'sum(rate(pay_total{code=~"4.."}[5m])) / sum(rate(pay_total[5m]))', '>', series);
  assert.ok(found?.kind === 'leaders');
  assert.equal(found.measured, 'all');
  assert.deepEqual(found.leaders, [
    { label: 'consumer', values: ['acme'], of: 4, share: 155 / 158, before: 5.1,
      after: 160.1 },
  ]);
});

test('what is no share of added up events has no parts', () => {
  for (const compared of [
    'sum(a) / sum(b)', 'rate(a[5m]) / rate(b[5m])', 'sum(rate(a[5m]))',
    'sum(rate(a[5m]) + rate(c[5m])) / sum(rate(b[5m]))', 'sum without (x) (rate(a[5m])) / b',
  ]) assert.equal(sharePartsIn(compared), null, compared);
  assert.equal(sharePartsIn('100 * (1 - sum(rate(a[5m])) / sum(rate(b[5m])))')?.isRest, true);
  assert.equal(sharePartsIn('100 - 100 * sum(rate(a[5m])) / sum(rate(b[5m]))')?.isRest, true);
  assert.equal(sharePartsIn('sum(rate(a[5m])) / sum(rate(b[5m])) * 100')?.isRest, false);
});
