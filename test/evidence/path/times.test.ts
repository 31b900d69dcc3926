import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../../src/alert/labels.ts';
import {
  countedBy, Presence, type Counted,
} from '../../../src/evidence/metrics/path/counting.ts';
import {
  areOfTime, slowingOf, timersOf, type Slowing,
} from '../../../src/evidence/metrics/path/times.ts';

const grid = { startMs: 0, stepMs: 15_000, count: 80 };
const split = { before: 40, began: 44, until: 79 };

function counted(gainAt: (index: number) => number): Counted {
  return { grid, gains: Float64Array.from({ length: grid.count }, (_, index) => gainAt(index)) };
}

function slowed(
  secondsAt: (index: number) => number, isKnown: boolean, count = (_: number): number => 10,
): Slowing | null {
  return slowingOf({
    sum: counted((index) => count(index) * secondsAt(index)), count: counted(count),
  }, split, isKnown);
}

/** Between -1 and 1, by the index alone. */
function noise(index: number): number {
  const x = Math.sin(index * 127.1) * 43_758.5453;
  return 2 * (x - Math.floor(x)) - 1;
}

test('what takes three times as long is slow, however many there are', () => {
  const slow = slowed((index) => (index >= 60 ? 0.5 : 0.01), false,
    (index) => (index > 60 ? 100 : 10));
  assert.equal(slow?.from, 60);
  assert.ok(Math.abs((slow?.seconds ?? 0) - 0.5) < 0.01);
  assert.equal(slowed(() => 0.01, false, (index) => (index > 60 ? 100 : 10)), null);
});

test('half as long again is slow where something is known to be, and stands out', () => {
  const rises = (index: number): number => (index >= 60 ? 0.3 : 0.2) + 0.01 * noise(index);
  assert.equal(slowed(rises, false), null);
  assert.equal(slowed(rises, true)?.from, 60);
  // It varies as much by itself.
  const wide = (index: number): number => (index >= 60 ? 0.3 : 0.2) + 0.15 * noise(index >> 2);
  assert.equal(slowed(wide, true), null);
});

test('nothing is slower than what there was none of', () => {
  assert.equal(slowed(() => 0.5, true, (index) => (index >= 60 ? 10 : 0)), null);
  assert.equal(slowed(() => 0.5, false, (index) => (index >= 60 ? 10 : 0)), null);
});

function series(name: string, labels: LabelSet, valueAt: (index: number) => number) {
  return {
    labels: { __name__: name, ...labels }, infinite: 0, valueless: null,
    values: Float64Array.from({ length: grid.count }, (_, index) => valueAt(index)),
  };
}

function slowest(all: readonly ReturnType<typeof series>[]): Slowing | null {
  const presence = new Presence({ grid, series: all });
  const [timer, ...others] = timersOf(all, {
    grid, count: (each) => countedBy(each, grid, presence),
    keyOf: ({ labels: { __name__: _, ...labels } }) => JSON.stringify(labels),
  });
  assert.equal(others.length, 0);
  return timer === undefined ? null : slowingOf(timer.of(timer.series), split, true);
}

test('a time is read off a histogram, off two counters and off a gauge alike', () => {
  const count = (index: number): number => 150 * index;
  // 20 ms each, and 200 ms from the 60th point on.
  const spent = (index: number): number => 3 * index + 27 * Math.max(0, index - 60);
  const found = [
    slowest([series('calls_seconds_sum', {}, spent), series('calls_seconds_count', {}, count)]),
    slowest([
      series('redis_commands_duration_seconds_total', { cmd: 'get' }, spent),
      series('redis_commands_total', { cmd: 'get' }, count),
      series('redis_keys_total', { cmd: 'get' }, count),
    ]),
    slowest([
      series('rpc_duration_ms_sum', {}, (index) => 1000 * spent(index)),
      series('rpc_duration_ms_count', {}, count),
    ]),
    slowest([
      series('upstream_response_time_seconds', {}, (index) => (index > 60 ? 0.2 : 0.02)),
      series('upstream_requests_total', {}, count),
    ]),
  ];
  for (const slow of found) {
    assert.equal(slow?.from, 61);
    assert.ok(Math.abs(slow.seconds - 0.2) < 0.001 && Math.abs(slow.secondsBefore - 0.02) < 0.001);
    // Ten a second, 180 ms longer each.
    assert.ok(Math.abs(slow.added - 1.8) < 0.01, `${slow.added}`);
  }
});

test('a rule is about a time by what it reads', () => {
  assert.ok(areOfTime(['http_request_duration_seconds_bucket']));
  assert.ok(areOfTime(['rpc_latency_seconds_sum', 'rpc_latency_seconds_count']));
  assert.ok(!areOfTime(['http_request_duration_seconds_count']));
  assert.ok(!areOfTime(['process_cpu_seconds_total', 'http_requests_total']));
  assert.ok(!areOfTime(['process_start_time_seconds', 'up']));
});
