import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScrapeDetail } from '../../src/evidence/metric-facts.ts';
import { Asker } from '../../src/evidence/metrics/asking.ts';
import { deriveSeries, type Derived } from '../../src/evidence/metrics/search/derive.ts';
import { hostSlack } from '../../src/evidence/metrics/search/host-slack.ts';
import { askClosely } from '../../src/evidence/metrics/search/scrape-detail.ts';
import type { RangeSeries } from '../../src/sources/prometheus-answers.ts';
import { gridOf } from '../../src/sources/time-grid.ts';
import { rankChanges } from '../../src/statistics/rank-changes.ts';
import { fakePrometheus, type FakeSeries } from '../support/sources/fake-prometheus.ts';

const now = Date.parse('2026-11-20T10:00:07Z');
const second = 1000;
const minute = 60_000;
const onMs = now - 150 * second;
const window = {
  fromMs: now - 120 * minute, toMs: now, stepSeconds: 60, onMs, splitMs: onMs - 2 * minute,
};

/** What a close look shows of series that begin to move at some time. */
async function looked(
  courses: Readonly<Record<string, (ms: number) => number>>,
  { scrapeSeconds = 15, budget = 4 } = {},
): Promise<{ readonly look: ReadonlyMap<string, ScrapeDetail>; readonly asked: number }> {
  const series = Object.entries(courses).map(([name, valueAt]): FakeSeries =>
    ({ labels: { __name__: name, job: 'till' }, valueAt }));
  const grid = gridOf(window);
  const split = Math.ceil((window.splitMs - grid.startMs) / grid.stepMs);
  const derived = deriveSeries(series.map(({ labels, valueAt }): RangeSeries => ({
    labels, infinite: 0, valueless: null,
    values: Float64Array.from({ length: grid.count }, (_, at) =>
      valueAt(grid.startMs + at * grid.stepMs)),
  })), 60);
  const candidates = derived.map((each) => ({ ...each, component: 'till', named: null }));
  const prometheus = fakePrometheus({ series });
  const look = await askClosely(new Asker(prometheus, (_, question) => question()), {
    lines: rankChanges(candidates, { split }).series, window, grid, scrapeSeconds, budget, now,
    derivedOf: new Map(derived.map((each) => [each.id, each])), endsAtMs: null,
    matchers: [{ name: 'job', op: '=', value: 'till' }],
  });
  return { look, asked: prometheus.questions.length };
}

const at = (beginsMs: number, before: number, after: number) => (ms: number): number =>
  (ms < beginsMs ? before : after) + (Math.floor(ms / minute) % 3) * before / 100;

test('what stands out is dated at the interval of the scrapes, with its last value', async () => {
  const beganMs = onMs - 12 * second;
  const { look, asked } = await looked({
    till_waiting: at(beganMs, 20, 90),
    till_workers: (ms) => (ms < beganMs ? 6 : 4),
    till_sold_total: (ms) => ms / second * 2 + Math.max(0, ms - beganMs) / second * 40,
  });
  assert.equal(asked, 1);
  for (const [id, { onsetMs, stepMs, last }] of look) {
    const late = (onsetMs ?? 0) - beganMs;
    assert.ok(late >= 0 && late <= 30 * second, `${id}: ${late}`);
    assert.equal(stepMs, 15 * second);
    const expected = id.includes('workers') ? 4 : id.includes('waiting') ? 90 : 42;
    assert.ok(Math.abs((last ?? 0) - expected) < 3, `${id}: ${last}`);
  }
  assert.equal(look.size, 3);
});

test('a ramp is dated by its foot, and what began before the look by the grid alone', async () => {
  const beganMs = onMs - 60 * second;
  const { look } = await looked({
    till_held: (ms) => 100 + (Math.floor(ms / minute) % 2) + Math.max(0, ms - beganMs) / second,
    till_drift: at(onMs - 50 * minute, 20, 90),
  });
  const [held, drift] = ['held', 'drift'].map((name) => look.get(`till_${name}{job="till"}`));
  assert.ok(Math.abs((held?.onsetMs ?? 0) - beganMs) <= 30 * second, String(held?.onsetMs));
  assert.equal(drift?.onsetMs ?? null, null);
});

test('nothing is looked at more closely than it is scraped, or with no question left', async () => {
  const courses = { till_waiting: at(onMs, 20, 90) };
  assert.deepEqual(await looked(courses, { scrapeSeconds: 60 }), { look: new Map(), asked: 0 });
  assert.deepEqual(await looked(courses, { budget: 0 }), { look: new Map(), asked: 0 });
});

/** A series of a machine that goes from one value to another at its third of four points. */
function ofHost(metric: string, labels: Record<string, string>, ...values: number[]): Derived {
  const all = { instance: 'm-1:9100', ...labels };
  return {
    id: `${metric}${JSON.stringify(labels)}`, metric, labels: all, kind: 'gauge', side: 'internal',
    values: Float64Array.from(values), unit: null, signal: 'utilization', valueless: null,
    what: '', sources: [], query: '',
  };
}

test('how a machine is used is slack until it is near its limit', () => {
  const cpu = (...idle: number[]): Derived[] => ['0', '1'].map((each) =>
    ofHost('node_cpu_seconds_total', { cpu: each, mode: 'idle' }, ...idle));
  const memory = (available: number): Derived[] => [
    ofHost('node_memory_MemTotal_bytes', {}, 100, 100, 100, 100),
    ofHost('node_memory_MemAvailable_bytes', {}, 60, 60, available, available),
  ];
  const slackOf = (metric: string, ...series: readonly Derived[]): boolean =>
    [...hostSlack(series, 2)].some((id) => id.startsWith(metric));
  const load = (value: number): Derived => ofHost('node_load5', {}, 0.2, 0.2, value, value);
  assert.equal(slackOf('node_load5', load(1.7), ...cpu(0.9, 0.9, 0.4, 0.4)), true);
  assert.equal(slackOf('node_load5', load(5.4), ...cpu(0.9, 0.9, 0.4, 0.4)), false);
  assert.equal(slackOf('node_load5', load(5.4)), true, 'of a number of CPUs that nobody tells');
  assert.equal(slackOf('node_cpu', ...cpu(0.9, 0.9, 0.4, 0.4)), true);
  assert.equal(slackOf('node_cpu', ...cpu(0.9, 0.9, 0.02, 0.03)), false);
  assert.equal(slackOf('node_cpu', ...cpu(0.9, 0.9, 0.02, 0.8, 0.8)), true, 'for a moment');
  assert.equal(slackOf('node_memory_MemA', ...memory(40)), true);
  assert.equal(slackOf('node_memory_MemA', ...memory(4)), false);
  const disk = (busy: number): Derived[] => [
    ofHost('node_disk_io_time_seconds_total', { device: 'a' }, 0, 0, busy, busy),
    ofHost('node_disk_written_bytes_total', { device: 'a' }, 1, 1, 9, 9),
    ofHost('node_disk_io_time_seconds_total', { device: 'b' }, 0, 0, 1, 1),
  ];
  assert.equal(slackOf('node_disk_written', ...disk(0.3)), true);
  assert.equal(slackOf('node_disk_written', ...disk(0.97)), false);
  const switches = ofHost('node_context_switches_total', {}, 1, 1, 9, 9);
  assert.equal(slackOf('node_context', switches), true);
  const drops = ofHost('node_network_receive_drop_total', { device: 'e' }, 0, 0, 9, 9);
  assert.equal(slackOf('node_network', { ...drops, signal: 'errors' }), false);
  assert.equal(hostSlack([{ ...load(0.3), metric: 'till_load' }], 2).size, 0);
});
