import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import type { Window } from '../../src/evidence/metric-facts.ts';
import type { Asker } from '../../src/evidence/metrics/asking.ts';
import { machineIn, type FoundLone } from '../../src/evidence/metrics/search/lone.ts';
import { askMachine } from '../../src/evidence/metrics/search/lone-machine.ts';
import { gridOf } from '../../src/sources/time-grid.ts';

const toMs = Date.parse('2026-11-20T10:00:00Z');
const window: Window = {
  fromMs: toMs - 3_600_000, toMs, stepSeconds: 60, onMs: toMs - 300_000, splitMs: toMs - 300_000,
};
const grid = gridOf(window);
const split = grid.count - 5;

/** What is told of a machine with these metrics, each with its value before the split and after. */
async function toldOf(
  metrics: Readonly<Record<string, readonly [before: number, after: number]>>,
  labels: LabelSet = { instance: 'n1.lan:9100', job: 'node' },
) {
  const queries: string[] = [];
  const asker = {
    queryRange: (_: string, query: string) => {
      queries.push(query);
      return Promise.resolve({
        grid, omitted: 0, notes: { warnings: [], isPartial: false },
        series: Object.entries(metrics).map(([__name__, [before, after]]) => ({
          labels: { __name__, ...labels }, infinite: 0, valueless: null,
          values: new Float64Array(grid.count).fill(before).fill(after, split)
            // A counter grows all the time.
            .map((value, at) => __name__.endsWith('_total')
              ? before * at + Math.max(0, at - split) * after : value),
        })),
      });
    },
  } as unknown as Asker;
  const asked = await askMachine(asker, 'n1', { window, split, world: [] });
  return {
    queries, changes: (asked?.changes ?? []).map(({ candidate, after, limit }) =>
      [candidate.metric, after, limit]),
  };
}

test('of a machine that is alone is told what is used up, stepped and fails', async () => {
  const { queries, changes } = await toldOf({
    node_nf_conntrack_entries: [30_000, 131_072],
    node_nf_conntrack_entries_limit: [131_072, 131_072],
    node_filefd_allocated: [3000, 3100], node_filefd_maximum: [90_000, 90_000],
    node_network_speed_bytes: [3.125e9, 1.25e8], node_load1: [3, 3.2],
    node_nf_conntrack_stat_drop_total: [0, 900],
  });
  assert.match(queries.join(), /^\{job!="".*instance=~.* or \{job!="".*node=~[^ ]*\}$/u);
  assert.deepEqual(changes.map(([metric, , limit]) => [metric, limit]), [
    ['node_nf_conntrack_entries', 131_072], ['node_network_speed_bytes', null],
    ['node_nf_conntrack_stat_drop_total', null],
  ]);
});

test('a machine that is as before tells nothing', async () => {
  const still = await toldOf({
    node_load1: [3, 3], node_filefd_allocated: [89_900, 89_900],
    node_filefd_maximum: [90_000, 90_000],
  });
  assert.deepEqual(still.changes, [], 'what was used up before');
});

test('what others call a machine by another label is that machine', () => {
  const leaf = { label: 'leaf', value: 'leaf-07' };
  const found = (labels: LabelSet): FoundLone => ({
    name: { labels: [leaf], parts: [] },
    parts: [{ part: { lead: { series: { labels } } } }],
  }) as unknown as FoundLone;
  assert.equal(machineIn([found({ instance: 'leaf-07.search.lan:9100' })]), 'leaf-07');
  assert.equal(machineIn([found({ instance: 'broker-1:9100' })]), null);
});
