import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HistoryFacts } from '../../src/evidence/history-facts.ts';
import type { CaseFile } from '../../src/report/case-file.ts';
import { pastEpisode } from '../support/samples/case-files.ts';
import { concluded, latencyCase, problemBegan } from '../support/samples/metric-facts.ts';

const minute = 60_000;

/** Minutes before the problem began, from and to, in which Prometheus saw the alert fire. */
type Fired = readonly (readonly [from: number, to: number])[];

function history(fired: Fired, over: Partial<CaseFile> = {}): HistoryFacts {
  const intervals = fired.map(([from, to]) =>
    ({ fromMs: problemBegan - from * minute, toMs: problemBegan - to * minute }));
  return concluded(latencyCase(over), { fired: { intervals, pendingOnly: 0 } })
    .situation.evidence.history;
}

function told({ earlier, recurrence }: HistoryFacts): [number, number, boolean[]] {
  return [recurrence.last24h, recurrence.last7d, earlier.map(({ isStored }) => isStored)];
}

test('historyFacts counts once what both the store and Prometheus saw', () => {
  const earlier = [pastEpisode(1, 3, 5)];
  const at = Date.parse(earlier[0]?.startsAt ?? '');
  const from = (problemBegan - at) / minute;
  const both = [[from - 0.5, from - 5]] as const;
  assert.deepEqual(told(history(both, { earlier })), [2, 2, [true]]);
  assert.deepEqual(told(history([[from + 600, from + 590], ...both], { earlier })),
    [2 + 1, 3, [true, false]], 'what the store has no record of is added');
});

test('historyFacts counts what went on and off between two notifications', () => {
  const fired = [[40, 35], [30, 25], [20, 15], [10, 5]] as const;
  const [day] = told(history(fired));
  assert.equal(day, 5);
  const startsAt = new Date(problemBegan - 41 * minute).toISOString();
  const since = { ...latencyCase().episode, startsAt };
  const one = history(fired, { episode: since });
  assert.deepEqual(told(one), [4, 4, []], 'none of them is before the current episode');
  assert.equal(one.starts.length, 4);
});

test('historyFacts leaves out what Prometheus saw of episodes that are no longer listed', () => {
  const unlisted = { count: 7, last24h: 0, last7d: 7, last30d: 7 };
  assert.deepEqual(told(history([[3000, 2990]])), [1, 2, [false]]);
  assert.deepEqual(told(history([[3000, 2990]], { unlisted })), [1, 8, []]);
});
