import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FormatError } from '../../src/lib/parse.ts';
import {
  readInstant, readRange, readSeriesList, type AnswerBounds, type RangeAnswer,
} from '../../src/sources/prometheus-answers.ts';
import { listsAlertingRules, readRules } from '../../src/sources/prometheus-rules.ts';

const bounds: AnswerBounds = { seriesMax: 100, pointsMax: 100_000 };
const grid = { startMs: 60_000, stepMs: 15_000, count: 4 };

function success(data: unknown, rest: object = {}): Buffer {
  return Buffer.from(JSON.stringify({ status: 'success', data, ...rest }));
}

function matrix(result: readonly unknown[], within = bounds): RangeAnswer {
  return readRange(success({ resultType: 'matrix', result }), grid, within);
}

test('readRange() keeps infinities and NaN out of the values, and counts the former', () => {
  const values = [[60, '+Inf'], [75, 'NaN'], [90, '-Inf'], [105, '-1.5e-7']];
  const { series } = matrix([{ metric: { a: 'b' }, values }]);
  assert.deepEqual([...(series[0]?.values ?? [])], [Number.NaN, Number.NaN, Number.NaN, -1.5e-7]);
  assert.equal(series[0]?.infinite, 2);
  assert.deepEqual(series[0]?.valueless, { first: 0, last: 2 });
});

test('readRange() moves samples to the nearest grid point and drops those outside', () => {
  const values = [[45, '+Inf'], [61.234, '1'], [74.9, '2'], [110, '3'], [120, '9']];
  const { series } = matrix([{ values, metric: {} }]);
  assert.deepEqual([...(series[0]?.values ?? [])], [1, 2, Number.NaN, 3]);
  assert.equal(series[0]?.infinite, 0);
  assert.equal(series[0]?.valueless, null);
});

test('readRange() leaves out series with only native histograms', () => {
  const histograms = [[60, { count: '1', sum: '2', buckets: [[0, '1', '2', '3']] }], [75, {}]];
  const answer = matrix([
    { metric: { a: '1' }, histograms },
    { metric: { a: '2' }, values: [[60, '1']], histograms },
  ]);
  assert.deepEqual(answer.series.map(({ labels }) => labels), [{ a: '2' }]);
});

test('readRange() keeps to its bounds and counts what is beyond', () => {
  const result = Array.from({ length: 10 }, (_, index) => {
    return { metric: { index: String(index) }, values: [[60, '1']] };
  });
  assert.equal(matrix(result, { seriesMax: 3, pointsMax: 1000 }).omitted, 7);
  const byPoints = matrix(result, { seriesMax: 100, pointsMax: 11 });
  assert.equal(byPoints.series.length, 2);
  assert.equal(byPoints.omitted, 8);
  const wide = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`l${index}`, 'x']));
  const mixed = matrix([{ metric: wide, values: [[60, '1']] }, ...result]);
  assert.equal(mixed.omitted, 1);
  assert.equal(mixed.series.length, 10);
});

test('readRange() takes members in any order, and space between them', () => {
  const body = ` {"data": {"result" : [ {"values":[ [60 , "7"] ],"metric":{"__proto__":"x"}} ],
    "resultType":"matrix"}, "isPartial":true, "stats":{"a":[1,"}"]}, "warnings":null,
    "status":"success"}\n`;
  const { series, notes } = readRange(Buffer.from(body), grid, bounds);
  assert.equal(series[0]?.values[0], 7);
  assert.ok(Object.hasOwn(series[0].labels, '__proto__'));
  assert.equal(notes.isPartial, true);
});

test('readInstant() reads the last of several members of one name, as JSON.parse does', () => {
  const dataOf = (value: number): string =>
    `"data":{"resultType":"scalar","result":[1,"${value}"]}`;
  const { samples } = readInstant(
    Buffer.from(`{"status":"success",${dataOf(1)},${dataOf(2)}}`), 9,
  );
  assert.deepEqual(samples.map(({ value }) => value), [2]);
});

test('readInstant() skips histograms and keeps to its bound', () => {
  const result = [
    { metric: { a: '1' }, histogram: [1, { count: '1' }] },
    { metric: { a: '2' }, value: [1.5, '2'] },
    { metric: { a: '3' }, value: [1.5, '3'] },
    { metric: { a: '4' }, value: [1.5, '4'] },
  ];
  const answer = readInstant(success({ resultType: 'vector', result }), 2);
  assert.deepEqual(answer.samples.map(({ value }) => value), [2, 3]);
  assert.equal(answer.omitted, 1);
});

test('a series with very long labels keeps its short ones', () => {
  const metric = { __name__: 'up', long: 'x'.repeat(60_000), pod: 'a', words: 'y'.repeat(3_000) };
  const { samples } = readInstant(success({
    resultType: 'vector', result: [{ metric, value: [1, '1'] }],
  }), 1);
  assert.deepEqual(Object.keys(samples[0]?.labels ?? {}).sort(), ['__name__', 'pod', 'words']);
});

const wide = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`l${index}`, '']));
for (const [what, metric] of [['long', { a: 'x'.repeat(3900) }], ['many', wide]] as const) {
  test(`answers keep a million letters of labels where these are ${what}`, () => {
    const all = Array.from({ length: 800 }, () => metric);
    const samples = all.map(() => ({ metric, value: [1, '1'] }));
    const instant = readInstant(success({ resultType: 'vector', result: samples }), 1000);
    const range = matrix(all.map(() => ({ metric, values: [[60, '1']] })), {
      ...bounds, seriesMax: 1000,
    });
    const list = readSeriesList(success(all), 1000);
    const rule = { name: 'A', query: 'up', alerts: all.map(() => ({ labels: metric })) };
    const rules = readRules(success({ groups: [{ rules: [rule, rule] }] }), 'A', 9);
    const kept = [
      instant.samples.length, range.series.length, list.series.length,
      rules.flatMap(({ alerts }) => alerts).length,
    ];
    for (const count of kept) assert.ok(count > 200 && count < 300, String(kept));
    assert.deepEqual(
      [instant, range, list].map(({ omitted }) => omitted),
      kept.slice(0, 3).map((count) => 800 - count),
    );
    assert.equal(rules.length, 2);
  });
}

test('answers of nothing but invalid labels are abandoned early', () => {
  const thousand = Array.from({ length: 1200 }, () => []);
  assert.deepEqual(readSeriesList(success([...thousand, {}]), 9).series, []);
  const wrong = Array.from({ length: 500_000 }, () => []);
  const before = process.cpuUsage();
  assert.equal(readSeriesList(success(wrong), 9).omitted, 500_000);
  const rule = { name: 'A', query: 'up', alerts: wrong.map(() => ({})) };
  assert.equal(readRules(success({ groups: [{ rules: [rule] }] }), 'A', 9).length, 1);
  const tookMs = process.cpuUsage(before).user / 1000;
  assert.ok(tookMs < 4_000, `${tookMs} ms`);
});

test('a rule and its alerts keep their short labels', () => {
  const labels = { long: 'x'.repeat(60_000), a: 'b' };
  const rule = { name: 'A', query: 'up', labels, annotations: labels, alerts: [{ labels }] };
  const [found] = readRules(success({ groups: [{ rules: [rule] }] }), 'A', 9);
  assert.deepEqual(
    [found?.labels, found?.annotations, found?.alerts[0]?.labels],
    [{ a: 'b' }, { a: 'b' }, { a: 'b' }],
  );
});

test('answers bound what servers say about them', () => {
  // More than is parsed at once.
  const warnings = Array.from({ length: 200 }, () => 'w'.repeat(10_000));
  const { notes } = readSeriesList(success([], { warnings }), 1);
  assert.equal(notes.warnings.length, 20);
  assert.equal(notes.warnings[0]?.length, 500);
});

const refused: readonly (readonly [string, Buffer])[] = [
  ['an error', success({ resultType: 'matrix', result: [] }, { status: 'error' })],
  ['no data', Buffer.from('{"status":"success"}')],
  ['another type', success({ resultType: 'streams', result: [] })],
  ['no result', success({ resultType: 'matrix' })],
  ['a null result', success({ resultType: 'matrix', result: null })],
  ['values of another shape', success({ resultType: 'matrix', result: [{ values: [[1, {}]] }] })],
  ['a value of words', success({ resultType: 'matrix', result: [{ values: [[1, 'high']] }] })],
  ['warnings of another shape', success({ resultType: 'matrix', result: [] }, { warnings: [1] })],
];

for (const [name, body] of refused) {
  test(`readRange() refuses ${name}`, () => {
    assert.throws(() => readRange(body, grid, bounds), FormatError);
  });
}

test('readRange() refuses an answer cut anywhere', () => {
  const result = [{ metric: { a: 'b' }, values: [[60, '1']] }];
  const whole = success({ resultType: 'matrix', result });
  assert.equal(readRange(whole, grid, bounds).series.length, 1);
  for (let length = 0; length < whole.length; length += 1) {
    assert.throws(() => readRange(whole.subarray(0, length), grid, bounds), SyntaxError);
  }
});

test('readRange() reads 10 MB quickly', () => {
  const values = Array.from({ length: 240 }, (_, index) => {
    return `[${1_795_190_785 + index * 15},"${1 / (index + 3)}"]`;
  });
  const one = `{"metric":{"__name__":"m","instance":"host"},"values":[${values.join(',')}]}`;
  const result = Array.from({ length: Math.ceil(10_000_000 / one.length) }, () => one).join(',');
  const body = Buffer.from(
    `{"status":"success","data":{"resultType":"matrix","result":[${result}]}}`,
  );
  const wide = { startMs: 1_795_190_785_000, stepMs: 15_000, count: 240 };
  const before = process.cpuUsage();
  const { series } = readRange(body, wide, { seriesMax: 5000, pointsMax: 1_000_000 });
  const tookMs = process.cpuUsage(before).user / 1000;
  assert.ok(series.length > 1000);
  assert.equal(series.at(-1)?.values[239], 1 / 242);
  // Some 120 ms where it was written, of the processor: other programs are not counted.
  assert.ok(tookMs < 2_400, `${tookMs} ms`);
});

test('readRules() reads what vmalert and Thanos leave out or add', () => {
  const rule = {
    name: 'A', query: 'up == 0', duration: 60, type: 'alerting', id: '7', datasourceType: 'x',
    lastError: 'many-to-many', alerts: null, health: 'err',
  };
  const groups = [
    { name: 'one', rules: [rule, { ...rule, name: 'B' }, { ...rule, type: 'recording' }] },
    { name: 'two', interval: 30, rules: [rule, rule, rule] },
  ];
  const rules = readRules(success({ groups }), 'A', 3);
  assert.deepEqual(rules.map(({ group }) => group), ['one', 'two', 'two']);
  assert.deepEqual(rules[0], {
    group: 'one', intervalSeconds: null, name: 'A', query: 'up == 0',
    durationSeconds: 60, keepFiringForSeconds: 0, labels: {}, annotations: {}, health: 'err',
    lastError: 'many-to-many', alerts: [],
  });
});

test('listsAlertingRules() tells a server with rules from one that has no list of them', () => {
  const rule = { name: 'A', query: 'up == 0', alerts: [] };
  const recording = { ...rule, type: 'recording' };
  for (const [rules, expected] of [
    [[], false], [[recording], false], [[recording, rule, recording], true],
  ] as const) {
    const groups = [{ name: 'empty', rules: [] }, { name: 'one', rules }];
    assert.equal(listsAlertingRules(success({ groups })), expected);
  }
  assert.equal(listsAlertingRules(success({ groups: [] })), false);
});

test('readRules() keeps the first alerts of a rule that has tens of thousands', () => {
  const alert = {
    labels: { alertname: 'A', pod: 'p' }, annotations: { summary: 's'.repeat(100) },
    state: 'firing', activeAt: '2026-11-20T16:06:13.034Z', value: '0e+00',
  };
  const alerts = Array.from({ length: 35_000 }, () => alert);
  const rules = [{ name: 'A', query: 'up', alerts }];
  const [rule] = readRules(success({ groups: [{ rules }] }), 'A', 1);
  assert.equal(rule?.alerts.length, 1000);
  assert.deepEqual(rule.alerts[999]?.labels, alert.labels);
});

test('readRules() reads values as text or number, and no others', () => {
  for (const [value, expected] of [['-1.5e+00', -1.5], [3, 3], ['+Inf', Infinity], ['1 or 2', null],
    ['', null], [undefined, null]]) {
    const rules = [{ name: 'A', query: 'up', alerts: [{ labels: {}, value }] }];
    const [rule] = readRules(success({ groups: [{ rules }] }), 'A', 1);
    assert.equal(rule?.alerts[0]?.value, expected);
  }
});

test('readRules() takes the zero time of Go for never', () => {
  const alerts = ['0001-01-01T00:00:00Z', '2026-11-20T16:06:13Z'].map((activeAt) =>
    ({ labels: {}, state: 'pending', activeAt }));
  const [rule] = readRules(success({ groups: [{ rules: [{ name: 'A', query: 'up', alerts }] }] }),
    'A', 1);
  assert.deepEqual(rule?.alerts.map(({ activeAtMs }) => activeAtMs), [
    null, Date.parse('2026-11-20T16:06:13Z'),
  ]);
});

test('readRules() leaves out what is too long, of alerts and of rules', () => {
  const long = 'x'.repeat(2_000_000);
  const rule = { name: 'A', query: 'up', lastError: 'e'.repeat(5000) };
  const alerts = [{ labels: { long } }, { labels: { a: 'b' }, annotations: { long } }];
  const rules = [{ ...rule, labels: { long } }, { ...rule, alerts }];
  const found = readRules(success({ groups: [{ name: 'g'.repeat(5000), rules }] }), 'A', 9);
  assert.equal(found.length, 1);
  assert.deepEqual(found[0]?.alerts.map(({ labels }) => labels), [{ a: 'b' }]);
  assert.deepEqual([found[0]?.lastError?.length, found[0]?.group.length], [500, 500]);
});

test('readRules() leaves out a too long expression, and says if there is no other', () => {
  for (const length of [20_000, 2_000_000]) {
    const short = { name: 'A', query: 'up' };
    const long = { name: 'A', query: `up == ${'1'.repeat(length)}` };
    const rulesOf = (rules: readonly object[]): Buffer => success({ groups: [{ rules }] });
    const found = readRules(rulesOf([long, short]), 'A', 9);
    assert.deepEqual(found.map(({ query }) => query), ['up']);
    const isTold = { name: 'FormatError', message: /expected an expression of at most 16384/ };
    assert.throws(() => readRules(rulesOf([long]), 'A', 9), isTold);
    assert.deepEqual(readRules(rulesOf([long]), 'B', 9), []);
  }
});

test('one oversized series does not cost the others', () => {
  const metric = { a: 'b' };
  const long = { long: 'x'.repeat(2_000_000) };
  const series = readSeriesList(success([long, metric]), 9);
  assert.deepEqual([series.series, series.omitted], [[metric], 1]);
  const values = [[60, '1']];
  const range = matrix([{ metric: long, values }, { metric, values }]);
  assert.deepEqual([range.series.length, range.omitted], [1, 1]);
});
