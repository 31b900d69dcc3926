import assert from 'node:assert/strict';
import test from 'node:test';
import { readSeries } from '../../../src/report/charts/read-series.ts';
import { sparkline } from '../../../src/report/charts/sparkline.ts';
import { markupText } from '../../../src/report/html.ts';
import type { SeriesData } from '../../../src/report/series-data.ts';
import { sampleReport } from '../../support/samples/sample-report.ts';

function drawn(data: Partial<SeriesData> & Pick<SeriesData, 'values'>): string {
  const [item] = sampleReport().evidence;
  assert.ok(item);
  const whole: SeriesData = {
    start: '2026-11-20T01:00:00Z', step_seconds: 1800 / (data.values.length - 1), labels: {},
    unit: null, split: 0, threshold: null, before: null, after: null, z: null, onset: null, ...data,
  };
  return markupText(sparkline(readSeries({ ...item, data: whole }) ?? undefined));
}

test('sparkline() draws nothing without two points', () => {
  for (const values of [[], [1, null], [null, null]]) assert.equal(drawn({ values }), '');
  assert.equal(markupText(sparkline(undefined)), '');
});

test('sparkline() leaves gaps for missing values and describes itself in words', () => {
  const line = drawn({ values: [0, 1, null, 0, 2], unit: 'seconds', split: 3, threshold: 1.5 });
  assert.match(line, /d="M0 34L250 17M750 34L1000 0"/u);
  assert.match(line, /<path class="moved" d="M750 -3v40"><\/path>/u);
  assert.match(line, /<path class="limit" d="M0 8.5H1000"><\/path>/u);
  assert.match(line, /<title>Lowest 0 s, highest 2 s, latest 2 s\. The median is 500 ms /u);
  assert.match(line, /From 2026-11-20 01:00:00 UTC to 2026-11-20 01:30:00 UTC/u);
  assert.match(line, /1 gap\.<\/title>/u);
});

test('sparkline() marks when the series began to move rather than the end of its baseline', () => {
  const values = Array.from({ length: 31 }, () => 1);
  const line = drawn({ values, split: 6, onset: '2026-11-20T01:15:00Z' });
  assert.match(line, /class="moved" d="M500 /u);
});

test('sparkline() leaves out a distant threshold, and a split beyond the values', () => {
  const line = drawn({ values: [1, 2], unit: null, split: 9, threshold: 500 });
  assert.doesNotMatch(line, /limit|moved/u);
  assert.match(drawn({ values: [5, 5] }), /d="M0 17L1000 17"/u);
});

test('sparkline() draws the noise of a steady value small', () => {
  const line = drawn({ values: [100, 102, 100, 102], unit: null });
  const [, course = ''] = /class="course" d="([^"]*)"/u.exec(line) ?? [];
  const heights = [...course.matchAll(/ ([\d.]+)/gu)].map(([, y]) => Number(y));
  assert.equal(heights.length, 4);
  assert.ok(Math.max(...heights) - Math.min(...heights) < 4, line);
});

test('sparkline() escapes its data', () => {
  const line = drawn({ values: [1, 2], unit: '"><script>' });
  assert.doesNotMatch(line, /<script/u);
});
