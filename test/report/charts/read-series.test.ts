import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clipData } from '../../../src/evidence/clip-data.ts';
import { readSeries } from '../../../src/report/charts/read-series.ts';
import type { EvidenceItem } from '../../../src/report/report.ts';
import { sampleReport } from '../../support/samples/sample-report.ts';

const start = '2026-11-20T01:00:00Z';
const startMs = Date.parse(start);

function item(data: unknown, over: Partial<EvidenceItem> = {}): EvidenceItem {
  const [first] = sampleReport().evidence;
  assert.ok(first);
  return { ...first, data, ...over };
}

test('readSeries() reads points, split, onset, and values before and after the window', () => {
  const series = readSeries(item({
    start, step_seconds: 60, values: [1, 2, null, 4], split: 2, unit: 'seconds', threshold: 3,
    onset: '2026-11-20T01:01:00Z',
    limits: [3, null, 3, 2],
    later: {
      start: '2026-11-20T01:03:00Z', step_seconds: 120, values: [4, 5], limits: [2, 1],
    },
    yesterday: { start: '2026-11-19T01:00:00Z', step_seconds: 180, values: [7, 8] },
    last_week: { start: '2026-11-13T01:00:00Z', step_seconds: 360, values: [9] },
  }));
  assert.ok(series);
  assert.deepEqual(series.points.map(({ atMs, value }) => [(atMs - startMs) / 1000, value]),
    [[0, 1], [60, 2], [180, 4], [300, 5]]);
  assert.deepEqual(series.limits.map(({ atMs, value }) => [(atMs - startMs) / 1000, value]),
    [[0, 3], [120, 3], [180, 2], [300, 1]]);
  assert.deepEqual(series.yesterday.map(({ atMs, value }) => [(atMs - startMs) / 1000, value]),
    [[0, 7], [180, 8]]);
  assert.deepEqual(series.lastWeek.map(({ atMs, value }) => [(atMs - startMs) / 1000, value]),
    [[0, 9]]);
  const { fromMs, toMs, splitMs, onsetMs, threshold, unit, isRate } = series;
  assert.deepEqual(
    [fromMs, toMs, splitMs, onsetMs].map((at) => at !== null && (at - startMs) / 1000),
    [0, 300, 120, 60],
  );
  assert.deepEqual([threshold, unit, isRate], [3, 'seconds', false]);
});

test('readSeries() is null for data that is no series', () => {
  const cases: readonly unknown[] = [
    null, undefined, 'text', 7, [1, 2], {}, { values: 'x' }, { values: 'x', start },
    { values: [1, 2] }, { values: [1, 2], start: '', step_seconds: 60 },
  ];
  for (const data of cases) assert.equal(readSeries(item(data)), null, JSON.stringify(data));
});

test('readSeries() reads what earlier versions stored', () => {
  const series = readSeries(item({
    labels: {}, start, step_seconds: 60, values: [1, null, 4], split: 2, unit: null,
    threshold: null, before: null, after: null, z: null, onset: null,
    later: { start: '2026-11-20T01:03:00Z', step_seconds: 60, values: [5] }, yesterday: null,
  }));
  assert.deepEqual(series?.points.map(({ value }) => value), [1, 4, 5]);
  assert.deepEqual([series.onsetMs, series.limits, series.yesterday, series.lastWeek],
    [null, [], [], []]);
});

test('readSeries() is null or whole where long labels left the ledger no room', () => {
  const stretch = { start, step_seconds: 60, values: [1, 2, 3], limits: [3, 3, 3] };
  for (let length = 7600; length <= 8000; length += 1) {
    const labels = Object.fromEntries(Array.from({ length: Math.ceil(length / 490) }, (_, index) =>
      [String(index + 10), 'x'.repeat(Math.min(488, length - index * 490))]));
    const { data } = clipData({
      labels, unit: null, ...stretch, split: 1, threshold: 2, onset: start, later: stretch,
      yesterday: stretch,
    });
    const series = readSeries(item(data));
    if (series === null) continue;
    const { fromMs, toMs, stepMs, points, threshold, unit } = series;
    assert.deepEqual([fromMs, toMs, stepMs, unit], [startMs, startMs + 120_000, 60_000, null]);
    assert.equal(points.length, 3);
    assert.ok(threshold === 2 || threshold === null, `${length}: ${threshold}`);
  }
});

test('readSeries() tells whether a series is the rate of a counter', () => {
  const data = { start, step_seconds: 60, values: [1, 2], onset: null };
  assert.equal(readSeries(item({ ...data, is_rate: true }))?.isRate, true);
  const rate = { ...data, unit: 'per_second' };
  assert.equal(readSeries(item(rate, { query: 'sum(rate(requests[5m]))' }))?.isRate, true);
  assert.equal(readSeries(item(rate, { query: 'requests' }))?.isRate, false);
  assert.equal(readSeries(item(data, { query: 'rate(a[5m]) / rate(b[5m])' }))?.isRate, false);
});
