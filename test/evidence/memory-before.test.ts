import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Asker } from '../../src/evidence/metrics/asking.ts';
import type { FoundEvent } from '../../src/evidence/metrics/events/found-event.ts';
import { memoryBefore, withMemory } from '../../src/evidence/metrics/events/memory-before.ts';
import { fakePrometheus } from '../support/sources/fake-prometheus.ts';

const at = Date.parse('2026-11-20T10:00:00Z');
const second = 1000;
const minute = 60 * second;
const labels = { job: 'press', instance: 'press-1:80' };

/** Samples every 15 s up to a restart at `at`, and one after it. */
function memory(before: readonly number[], after: number): Parameters<typeof memoryBefore>[0] {
  const values = [...before, after];
  return {
    labels, values,
    timesMs: values.map((_, index) => at + (index - before.length) * 15 * second + 5 * second),
  };
}

test('memory that grew until a restart and is low after it is told with its foot', () => {
  const leak = [60, 61, 60, 60, 105, 150, 195, 240, 285, 330, 375, 420];
  const found = memoryBefore(memory(leak, 52), at);
  assert.deepEqual([found?.peakBytes, found?.afterBytes], [420, 52]);
  assert.ok((found?.fromBytes ?? 0) <= 61, String(found?.fromBytes));
  assert.ok(Math.abs((found?.sinceMs ?? 0) - (at - 145 * second)) <= 30 * second);
  // Only its own growth, since the restart before.
  const again = memoryBefore(memory([300, 380, 460, 50, 130, 210, 290, 370], 49), at);
  assert.deepEqual([again?.fromBytes, again?.peakBytes], [50, 370]);
});

test('no growth is told of memory that stays, goes up and down, or is as high after', () => {
  const flat = [400, 404, 398, 401, 400, 402, 399, 401];
  assert.equal(memoryBefore(memory(flat, 60), at), null);
  assert.equal(memoryBefore(memory([60, 200, 350, 420], 410), at), null);
  assert.equal(memoryBefore(memory([300, 500, 290, 510, 280, 520], 60), at), null);
  assert.equal(memoryBefore(memory([], 60), at), null);
  assert.equal(memoryBefore({ labels, timesMs: [at - 9, at - 5], values: [1, 9] }, at), null);
});

test('restarts near the problem are asked about in one query, by their processes', async () => {
  const restart: FoundEvent = {
    kind: 'restart', atMs: at, component: null, text: 'press restarted', subject: 'press',
    verb: 'restarted', before: null, after: null, query: '', count: 1,
    labels: { __name__: 'process_start_time_seconds', ...labels },
  };
  const old = { ...restart, atMs: at - 90 * minute };
  const other = { ...restart, labels: { ...restart.labels, instance: 'press-2:80' } };
  const growing = (instance: string, isGrowing: boolean): { labels: Record<string, string>;
    valueAt: (ms: number) => number; } => ({
    labels: { __name__: 'process_resident_memory_bytes', job: 'press', instance },
    valueAt: (ms) => (isGrowing && ms < at ? 5e7 + Math.max(0, ms - at + 3 * minute) * 2000 : 5e7),
  });
  const prometheus = fakePrometheus({
    series: [growing('press-1:80', true), growing('press-2:80', false)],
  });
  const asker = new Asker(prometheus, (_, question) => question());
  const context = { onMs: at + minute, budget: 1 };
  const told = await withMemory(asker, [old, restart, other], context);
  assert.deepEqual(told.map(({ memory: found }) => found !== undefined), [false, true, false]);
  assert.equal(prometheus.questions.length, 1);
  await withMemory(asker, [old], context);
  await withMemory(asker, [restart], { ...context, budget: 0 });
  assert.equal(prometheus.questions.length, 1);
});
