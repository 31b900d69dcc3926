import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movedSeries, type MovedSeries } from '../../../src/diagnosis/changes/moved-series.ts';
import type { ScrapeDetail } from '../../../src/evidence/metric-facts.ts';
import type { ChangeCandidate } from '../../../src/statistics/change-candidate.ts';
import {
  concluded, latencyCase, moving, onPoint, points, problemBegan, type Concluded, type FactsOver,
} from '../../support/samples/metric-facts.ts';

const quiet = ['cart', 'email'].map((name) => moving(name, 'memory_bytes'));
const look = { onsetMs: problemBegan - 19_000, stepMs: 15_000, last: 1, level: 1 };

function judged(candidate: ChangeCandidate, over: Partial<ScrapeDetail> | null = null,
  more: FactsOver = {}): Concluded & { readonly moved: MovedSeries | undefined } {
  const close = new Map(over === null ? [] : [[candidate.id, { ...look, ...over }]]);
  const conclusions = concluded(latencyCase(), {
    candidates: [...quiet, candidate], ...more, ranking: { close, ...more.ranking },
  });
  const moved = movedSeries(conclusions.situation.evidence)
    .find(({ candidate: { id } }) => id === candidate.id);
  return { ...conclusions, moved };
}

/** Whole numbers that go from one to another at a point. */
function counting(before: number, after: number, at: number): ChangeCandidate {
  const values = Float64Array.from({ length: points }, (_, index) => (index < at ? before : after));
  return { ...moving('press', 'press_consumers'), values };
}

test('whole numbers and states are told by their last value, and when they changed', () => {
  const { moved, changes } = judged(counting(3, 1, points - 2), { last: 1 });
  assert.deepEqual([moved?.before, moved?.after, moved?.isWhole], [3, 1, true]);
  const change = changes.find(({ component }) => component?.value === 'press');
  assert.deepEqual([change?.before, change?.after, change?.onset_seconds], [3, 1, -19]);
  assert.match(change?.title ?? '', /from 3 to 1 at 09:54:41 UTC$/);
  // What the scrapes since show is newer than the grid.
  assert.equal(judged(counting(3, 2, onPoint), { last: 0 }).moved?.after, 0);
  const half = { ...counting(2, 1, onPoint), unit: 'seconds' };
  assert.equal(judged(half).moved?.isWhole, false);
});

test('the beginning is that of the close look, and late is what it shows to be late', () => {
  const candidate = moving('orders-db', 'connections', { after: 198, at: onPoint });
  assert.equal(judged(candidate).moved?.onsetMs, 0);
  const late = (seconds: number): unknown => {
    const { moved } = judged(candidate, { onsetMs: problemBegan + seconds * 1000 });
    return [moved?.onsetMs, moved?.isLate];
  };
  assert.deepEqual(late(-19), [-19_000, false]);
  assert.deepEqual(late(25), [25_000, false]);
  assert.deepEqual(late(45), [45_000, true]);
  assert.deepEqual([judged(candidate, { onsetMs: null }).moved?.stepMs], [60_000]);
});

test('what is no news is no cause: idle machines, a few per cent, what began long before', () => {
  const names = (candidate: ChangeCandidate, more: FactsOver = {}): unknown => {
    const { hypotheses, moved } = judged(candidate, null, more);
    return [hypotheses.some(({ for: said }) => said.length > 0), moved?.strength];
  };
  const busy = moving('db', 'connections', { after: 198 });
  assert.deepEqual(names(busy), [true, 'strong']);
  assert.deepEqual(names(busy, { ranking: { slack: new Set([busy.id]) } }), [false, 'weak']);
  const slight = { ...moving('db', 'heap_bytes'), values: Float64Array.from(
    { length: points }, (_, at) => (at < onPoint - 5 ? 1000 : 1030) + (at % 2)) };
  assert.deepEqual(names(slight), [false, 'weak']);
  const early = moving('db', 'connections', { after: 198, at: onPoint - 30 });
  assert.equal((names(early) as unknown[])[0], false);
  // What goes on rising may be what crosses a limit now.
  const leak = { ...early, values: Float64Array.from({ length: points }, (_, at) =>
    100 + (at % 3) + 6 * Math.max(0, at - (onPoint - 25))) };
  assert.equal((names(leak) as unknown[])[0], true);
  const load = { ...leak, metric: 'node_load1', id: 'node/load1' };
  assert.equal((names(load) as unknown[])[0], false, 'it goes on whatever fails there');
});

test('a report says so where nothing near the alert moved when it began', () => {
  const early = moving('db', 'connections', { after: 198, at: onPoint - 14 });
  const { verdict } = judged(early, null, { ranking: {} });
  const said = verdict.reasons.map(({ text }) => text).join('\n');
  assert.match(said, /^Nothing near it moved when it began\.$/m);
  assert.equal(verdict.most_likely, null);
});

test('what moved on few of many replicas of another component is no cause', () => {
  const replica = (index: number, after: number): ChangeCandidate => {
    const each = moving('pantry', 'heap_bytes', { after, labels: { pod: `pantry-${index}` } });
    return { ...each, id: `${each.id}/${index}` };
  };
  const isListed = (moved: number): boolean => {
    const replicas = Array.from({ length: 8 }, (_, index) =>
      replica(index, index < moved ? 198 : 40));
    return concluded(latencyCase(), { candidates: [...quiet, ...replicas] }).hypotheses
      .some(({ cause }) => cause.startsWith('pantry'));
  };
  assert.deepEqual([1, 2, 5].map(isListed), [false, false, true]);
});

test('a failure that is new since the problem began is among the strongest changes', () => {
  const counted = (name: string, from: number, labels: Record<string, string>): ChangeCandidate => {
    const each = { ...moving('press', name, { labels, after: 3, before: 3, from }) };
    return { ...each, id: `${each.id}/${JSON.stringify(labels)}`, kind: 'counter', made: 'rate' };
  };
  const { changes } = concluded(latencyCase(), { candidates: [
    ...quiet, counted('press_calls_total', onPoint, { to: 'ink' }),
    counted('press_calls_total', onPoint, { to: 'paper' }),
    counted('press_calls_total', onPoint, { to: 'glue' }),
    counted('press_calls_total', onPoint, { to: 'ink', error: 'EPIPE' }),
    counted('press_calls_total', onPoint - 8, { to: 'ink', error: 'ECONNRESET' }),
  ] });
  const appeared = changes.filter(({ kind }) => kind === 'appeared');
  assert.deepEqual(appeared.map(({ strength, labels }) => [strength, labels['error'] ?? null]), [
    ['strong', 'EPIPE'], ['notable', null], ['notable', 'ECONNRESET'],
  ]);
});

test('what the alert is about, and what its path leads to, comes before what is a stranger', () => {
  const of = (job: string, more: Record<string, string> = {}): ChangeCandidate => {
    const each = moving(job, `${job}_used`, { after: 198, labels: { job, ...more } });
    return { ...each, labels: { job, ...more } };
  };
  const place = { labels: { job: 'press' }, target: { job: 'press' }, added: [] };
  const order = (over: FactsOver): unknown => concluded(latencyCase(), {
    candidates: [...quiet, of('attic'), of('press'), of('stamp')], place, ...over,
  }).changes.filter(({ strength }) => strength === 'strong')
    .map(({ component }) => component?.value);
  assert.deepEqual(order({}), ['press', 'attic', 'stamp']);
  const hop = {
    component: 'stamp', labels: { job: 'stamp' }, relation: 'called', works: null, faults: [],
    state: 'unknown', since: null, evidence: [],
  } as const;
  const own = { ...hop, component: 'press', labels: { job: 'press' }, relation: null };
  assert.deepEqual(order({ path: { hops: [own, hop], origin: null } }),
    ['press', 'stamp', 'attic']);
  assert.deepEqual(order({ place: null }), ['attic', 'press', 'stamp'], 'where none is known');
});
