import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertWindow, pointsMax } from '../../src/evidence/metrics/alert-window.ts';
import { looseMatchers, ownAmong } from '../../src/evidence/metrics/matching-labels.ts';
import { firedWithin } from '../../src/evidence/metrics/own/fired.ts';
import { crossingsOf, worstOf } from '../../src/evidence/metrics/own/own-against-limit.ts';
import { stretchesOf } from '../../src/evidence/metrics/own/stretches.ts';
import { findRule, ruleProblem } from '../../src/evidence/metrics/rule-lookup.ts';
import { chooseNames } from '../../src/evidence/metrics/search/choose-names.ts';
import { deriveSeries } from '../../src/evidence/metrics/search/derive.ts';
import { fetchSelectors, sourceNames } from '../../src/evidence/metrics/search/fetch-candidates.ts';
import { gapsOf, outagesOf } from '../../src/evidence/metrics/targets/outages.ts';
import { scrapeInterval } from '../../src/evidence/metrics/targets/scrape.ts';
import { longestRange, readExpression } from '../../src/evidence/rule/rule-expression.ts';
import { lifeOf } from '../../src/statistics/series-life.ts';
import { aRule, shopLabels } from '../support/samples/shop-scenario.ts';

const at = Date.parse('2026-11-20T10:00:00Z');
const minute = 60_000;
const grid = { startMs: at, stepMs: minute, count: 20 };

const ranges: readonly (readonly [string, number])[] = [
  ['up == 0', 0],
  ['rate(x[5m]) > 1', 300],
  ['rate(x[300]) > 1', 300],
  ['sum(rate(x[5m])) / sum(rate(y[1h30m])) > 1', 5400],
  ['max_over_time(x[2h:1m]) > 1', 7200],
  ['x - x offset 1d > 3', 0],
  ['rate(x[10m] offset 1w) > 1', 600],
  ['x{a="[5m]"} > 1', 0],
  ['rate(x[5m * 2]) > 1', 600],
  ['max_over_time(x[(10m + 5m) : 1m]) > 1', 900],
  ['rate(x[step() * 4]) > 1', 0],
];
for (const [expression, seconds] of ranges) {
  test(`longestRange of ${expression} is ${seconds} s`, () => {
    assert.equal(longestRange(expression), seconds);
  });
}

test('longestRange reads endless digits in no time', () => {
  const before = process.cpuUsage();
  assert.equal(longestRange(`rate(x[${'0'.repeat(200_000)}])`), 0);
  assert.equal(longestRange('rate(x[99999999999999y])'), 99999999999999 * 31_536_000);
  assert.ok(process.cpuUsage(before).user < 1e6);
});

const input = {
  startsAtMs: at, now: at + 3 * minute, activeAtMs: null, forSeconds: null, rangeSeconds: 0,
  scrapeSeconds: null, historyMs: null,
};
const windows = [
  { name: 'nothing known', over: {}, onMinutes: -5 },
  { name: 'for of 10 min', over: { forSeconds: 600 }, onMinutes: -10 },
  { name: 'activeAt', over: { forSeconds: 600, activeAtMs: at - 12 * minute }, onMinutes: -12 },
  { name: 'a later activeAt', over: { forSeconds: 0, activeAtMs: at + 9e6 }, onMinutes: 0 },
  { name: 'activeAt a minute after the start', over: { activeAtMs: at + minute }, onMinutes: 1 },
  { name: 'activeAt later than that', over: { activeAtMs: at + minute + 1 }, onMinutes: -5 },
  { name: 'a long range', over: { rangeSeconds: 6 * 3600, forSeconds: 0 }, onMinutes: 0 },
  { name: 'now before the start', over: { now: at - 5000, forSeconds: 0 }, onMinutes: -5 / 60 },
  { name: 'an old alert', over: { now: at + 900 * minute, forSeconds: 60 }, onMinutes: -1 },
  { name: 'a range of a month', over: { rangeSeconds: 30 * 86_400, forSeconds: 0 }, onMinutes: 0 },
  { name: 'a range of centuries', over: { rangeSeconds: 1e308, forSeconds: 0 }, onMinutes: 0 },
  { name: 'for of centuries', over: { forSeconds: 1e308 }, onMinutes: -30 * 1440 },
  { name: 'for and range of centuries', over: { forSeconds: Infinity, rangeSeconds: 1e300 },
    onMinutes: -30 * 1440 },
  { name: 'a negative for', over: { forSeconds: -1e300 }, onMinutes: 0 },
  { name: 'slow scrapes', over: { scrapeSeconds: 300, forSeconds: 60 }, onMinutes: -1 },
];
for (const { name, over, onMinutes } of windows) {
  test(`alertWindow of ${name} has a split before and a bounded number of points`, () => {
    const window = alertWindow({ ...input, ...over });
    assert.equal((window.onMs - at) / minute, onMinutes);
    assert.ok(window.splitMs < window.onMs && window.fromMs < window.splitMs);
    assert.ok(window.toMs > window.onMs && window.toMs <= at + 30 * minute);
    assert.ok((window.toMs - window.fromMs) / 1000 / window.stepSeconds < pointsMax);
    assert.equal(86_400 % window.stepSeconds, 0);
    assert.ok(window.stepSeconds >= ((over as { scrapeSeconds?: number }).scrapeSeconds ?? 15));
  });
}

test('alertWindow splits two steps and the longest range before the beginning', () => {
  const window = alertWindow({ ...input, forSeconds: 300, rangeSeconds: 300 });
  assert.equal(window.splitMs, window.onMs - 300_000 - 2 * window.stepSeconds * 1000);
});

test('alertWindow takes closer points where the server is younger than the usual window', () => {
  const asked = { ...input, forSeconds: 60, rangeSeconds: 60, scrapeSeconds: 5 };
  assert.equal(alertWindow(asked).stepSeconds, 60);
  const young = alertWindow({ ...asked, historyMs: 60 * minute });
  assert.equal(young.stepSeconds, 15);
  const before = young.splitMs - young.fromMs;
  assert.ok(before >= 60 * minute && before < 72 * minute);
});

test('alertWindow begins at the same time for alerts that began a little apart', () => {
  const began = (seconds: number): number => alertWindow({
    ...input, startsAtMs: input.startsAtMs + seconds * 1000,
  }).fromMs;
  const all = [0, 15, 60, 120, 300].map(began);
  assert.ok(new Set(all).size <= 2, all.join());
});

const scrapes: readonly (readonly [readonly number[], number | null])[] = [
  [[], null], [[40, 40, 40], 15], [[20], 30], [[10, 10, 40], 60], [[9], 60], [[2], 300],
  [[0], null], [[2, ...Array.from({ length: 11 }, () => 40)], 15],
];
for (const [counts, seconds] of scrapes) {
  test(`scrapeInterval of ${JSON.stringify(counts)} samples in 10 minutes is ${seconds}`, () => {
    assert.equal(scrapeInterval(counts, 600), seconds);
  });
}

const courses = [
  { values: [1, 2, 3], crossed: [], since: null, recovered: null },
  { values: [1, 9, 9], crossed: [1], since: 1, recovered: null },
  { values: [9, 9, 9], crossed: [], since: 0, recovered: null },
  { values: [1, 9, 1, 9, 1], crossed: [1, 3], since: null, recovered: 4 },
  { values: [], crossed: [], since: null, recovered: null },
];
for (const { values, crossed, since, recovered } of courses) {
  test(`crossingsOf ${JSON.stringify(values)} over 5 is at ${crossed.join()}`, () => {
    const points = values.map((value, index) => ({ atMs: index, value, limit: 5 }));
    const isOverThroughout = values.length > 0 && values.every((value) => value > 5);
    assert.deepEqual(crossingsOf(points, '>'),
      { crossedMs: crossed, overSinceMs: since, isOverThroughout, recoveredMs: recovered });
  });
}

test('worstOf looks to the firing side from the beginning on', () => {
  const points = [9, 1, 5, 7].map((value, atMs) => ({ atMs, value }));
  assert.equal(worstOf(points, '>', 1), 7);
  assert.equal(worstOf(points, '<=', 0), 1);
  assert.equal(worstOf(points, '==', 0), null);
  assert.equal(worstOf([], '>', 0), null);
});

test('stretchesOf measures by samples and separates stretches that flap', () => {
  const slots = { grid: { startMs: 0, stepMs: 300_000, count: 9 }, intervalSeconds: 15 };
  const none = Number.NaN;
  const counts = Float64Array.from([none, 8, none, 20, 20, 4, none, 10, 10]);
  const minutes = stretchesOf(counts, slots).map(({ fromMs, toMs }) => (toMs - fromMs) / minute);
  assert.deepEqual(minutes, [2, 11, 2.5 + 2.5]);
  const flapping = Float64Array.from([10, 10, 10, 10]);
  assert.equal(stretchesOf(flapping, slots).length > 1, true);
  assert.deepEqual(stretchesOf(Float64Array.from([none, none]), slots), []);
  const onAndOff = stretchesOf(Float64Array.from([3, 16, 3, 16]), slots);
  assert.deepEqual(onAndOff.map(({ fromMs, toMs }) => [fromMs / minute, toMs / minute]),
    [[-0.75, 4], [9.25, 14]]);
  const notEvaluated = Float64Array.from([10, 20, 16, 20, 20]);
  assert.equal(stretchesOf(notEvaluated, slots).length, 1);
  const leftForHalfASlot = Float64Array.from([20, 20, 10, 20, 20]);
  assert.equal(stretchesOf(leftForHalfASlot, slots).length, 2);
});

test('stretchesOf finds one stretch, however rarely the rule is evaluated', () => {
  const none = Number.NaN;
  const cases: readonly (readonly [number | null, readonly number[]])[] = [
    [120, [1, 3, 2, 3, 2, none]], [null, [1, 3, 2, 3, 2, none]], [180, [2, 1, 2, 2, 1, 2]],
    [null, [2, 1, 2, 2, 1, 2]], [400, [1, none, 1, 1, none, 1]], [600, [1, none, 1, none, 1, none]],
  ];
  for (const [intervalSeconds, counts] of cases) {
    const slots = { grid: { startMs: 0, stepMs: 300_000, count: 6 }, intervalSeconds };
    const stretches = stretchesOf(Float64Array.from(counts), slots);
    assert.equal(stretches.length, 1, `${intervalSeconds}: ${counts.join()}`);
  }
  const slots = { grid: { startMs: 0, stepMs: 300_000, count: 7 }, intervalSeconds: 600 };
  const apart = Float64Array.from([1, none, 1, none, none, none, 1]);
  assert.equal(stretchesOf(apart, slots).length, 2);
});

test('gapsOf finds unusually long gaps, also at the end', () => {
  const values = new Float64Array(20).fill(1);
  values.fill(Number.NaN, 5, 10);
  values[12] = Number.NaN;
  assert.deepEqual(gapsOf(values, grid, 60), [{ fromMs: at + 4 * minute, toMs: at + 9 * minute }]);
  values.fill(Number.NaN, 15);
  assert.equal(gapsOf(values, grid, 60).length, 2);
  assert.equal(gapsOf(values, grid, 300).length, 0);
  const fresh = new Float64Array(20).fill(1).fill(Number.NaN, 18);
  assert.deepEqual(gapsOf(fresh, grid, 60), [], 'two points are not a gap yet');
  assert.deepEqual(gapsOf(new Float64Array(20).fill(Number.NaN), grid, 60), []);
});

test('outagesOf ignores a single failed scrape', () => {
  const values = new Float64Array(20).fill(1);
  const labels = { instance: 'a' };
  const told = (): unknown => outagesOf([{ labels, values, infinite: 0, valueless: null }], grid)
    .map(({ fromMs, toMs }) => [(fromMs - at) / minute, toMs && (toMs - at) / minute]);
  values.fill(0, 0, 5);
  values[2] = Number.NaN;
  values[6] = 0;
  assert.deepEqual(told(), [], 'nor one that began before the window');
  values[0] = values[1] = Number.NaN;
  assert.deepEqual(told(), [[3, 5]], 'but one of a target that appears');
  values.fill(1, 0, 7);
  values.fill(0, 7, 10);
  values[10] = Number.NaN;
  values.fill(0, 18);
  assert.deepEqual(told(), [[7, 11], [18, null]]);
});

test('ownAmong takes the series whose labels the alert has, the most of them', () => {
  const all = [{}, { namespace: 'shop' }, { namespace: 'shop', service: 'web' },
    { namespace: 'shop', service: 'db' }].map((labels) => ({ labels }));
  assert.equal(ownAmong(all, shopLabels), all[2]);
  assert.equal(ownAmong([{ labels: { service: 'db' } }], shopLabels), null);
  const more = { labels: { service: 'web', replica: '1' } };
  assert.equal(ownAmong([more], shopLabels), more);
  const two = [more, { labels: { service: 'web', replica: '2' } }];
  assert.equal(ownAmong(two, shopLabels), null);
  assert.equal(ownAmong([{ labels: { other: 'x' } }], shopLabels), null);
});

test('looseMatchers match the label or its absence, whatever its text', () => {
  const matchers = looseMatchers({ alertname: 'X', a: 'x.y', long: 'z'.repeat(600) });
  assert.deepEqual(matchers, [{ name: 'a', op: '=~', value: 'x\\.y|' }]);
});

test('firedWithin includes slots that only touch the time span', () => {
  const firing = new Float64Array(grid.count).fill(Number.NaN);
  firing[10] = 3;
  const notes = { warnings: [], isPartial: false };
  const answer = { grid, series: [], omitted: 0, notes };
  const fired = { query: 'ALERTS', answer, firing, pending: null, labelNames: null };
  // Slot 10 is of the minute that ends at its moment.
  const stretches = [
    [0, 8, false], [0, 9.5, true], [9.5, 20, true], [11, 20, false],
  ] as const;
  for (const [from, to, isWithin] of stretches) {
    const stretch = { fromMs: at + from * minute, toMs: at + to * minute };
    assert.equal(firedWithin(fired, stretch), isWithin, `${from} to ${to}`);
  }
  assert.equal(firedWithin(null, { fromMs: 0, toMs: at + 1e9 }), false);
  assert.equal(firedWithin({ ...fired, firing: null }, { fromMs: 0, toMs: at + 1e9 }), false);
});

test('findRule chooses by labels, then by the expression, and skips templates', () => {
  const rules = [
    aRule({ labels: { severity: 'ticket' } }),
    aRule({ labels: { severity: 'page', team: '{{ $labels.team }}' }, query: 'a > 1' }),
    aRule({ query: 'b > 2' }),
  ];
  const of = (linked: string): string | undefined =>
    findRule(rules, shopLabels, readExpression(linked))?.rule.query;
  assert.equal(of('b  >  2'), 'b > 2');
  assert.equal(of('a > 1'), 'a > 1');
  assert.equal(findRule([rules[0] ?? aRule()], shopLabels, null), null);
});

test('ruleProblem names labels that hold the measured value', () => {
  const labels = { severity: 'warning', team: '{{ $labels.team }}' };
  assert.equal(ruleProblem(aRule({ labels })), null);
  for (const value of ['{{ $value }}', '{{ printf "%.1f" $value }}', '{{ .Value | humanize }}']) {
    assert.match(ruleProblem(aRule({ labels: { ...labels, current: value } })) ?? '',
      /^it puts the measured value into the label current, so each new value ends the alert/u);
  }
  assert.match(ruleProblem(aRule({ lastError: 'no such function' })) ?? '', /no such function$/u);
});

test('findRule recognises an expression that the server has reformatted', () => {
  const rules = [
    aRule({ query: 'x{a="1",b="2"} > 1' }), aRule({ query: 'x{a="3",b="4"} > 1' }),
    aRule({ query: 'x{a="5",b="6"} > 1' }),
  ];
  const of = (linked: string): string | undefined =>
    findRule(rules, shopLabels, readExpression(linked))?.rule.query;
  assert.equal(of("x{b='4', a=\"3\"}  >  1"), 'x{a="3",b="4"} > 1');
  assert.equal(of('x{a="5",b="2"} > 1'), undefined);
});

test('chooseNames prefers names that share words with the alert', () => {
  const names = [
    'aaa_queue_length', 'bbb_pool_pending', 'payments_queue_length', 'redis_connections_pending',
    'http_a_requests_total', 'http_payment_requests_total', 'zzz_queue_length',
  ];
  const counts = names.map((name) => ({ name, count: 10 }));
  const chosen = (over: { alertName: string; ruleMetrics?: string[] }): string[] =>
    chooseNames(counts, { seriesMax: 20, ruleMetrics: [], ...over }).chosen
      .map(({ name }) => name);
  assert.deepEqual(chosen({ alertName: 'Odd' }), ['aaa_queue_length', 'bbb_pool_pending']);
  assert.deepEqual(chosen({ alertName: 'PaymentsLate' }),
    ['payments_queue_length', 'aaa_queue_length']);
  assert.deepEqual(chosen({ alertName: 'TooHigh', ruleMetrics: ['redis_payment_total'] }),
    ['payments_queue_length', 'redis_connections_pending']);
});

test('chooseNames takes the rule, then causes, and keeps sums with their counts', () => {
  const counts = [
    { name: 'req_seconds_sum', count: 3 }, { name: 'req_seconds_count', count: 3 },
    { name: 'req_seconds_bucket', count: 30 }, { name: 'app_info', count: 1 },
    { name: 'queue_depth', count: 2 }, { name: 'zeta', count: 4 }, { name: 'wide', count: 900 },
  ];
  const names = (seriesMax: number): string[] =>
    chooseNames(counts, { seriesMax, ruleMetrics: ['zeta'], alertName: 'Zeta' }).chosen
      .map(({ name }) => name);
  assert.deepEqual(names(4), ['zeta']);
  assert.deepEqual(names(7), ['zeta', 'queue_depth']);
  assert.deepEqual(names(12), ['zeta', 'queue_depth', 'req_seconds_count', 'req_seconds_sum']);
  assert.ok(names(1000).includes('req_seconds_bucket'));
  assert.ok(!names(2000).includes('wide'));
});

test('chooseNames takes calls and what resolvers answer along with causes', () => {
  const counts = ['app_requests_total', 'http_client_requests_total', 'zzz_queue_length',
    'coredns_dns_responses_total'].map((name) => ({ name, count: 10 }));
  const { chosen } = chooseNames(counts, { seriesMax: 30, ruleMetrics: [], alertName: 'Odd' });
  assert.deepEqual(chosen.map(({ name }) => name),
    ['zzz_queue_length', 'coredns_dns_responses_total', 'http_client_requests_total']);
});

test('sourceNames leaves out metrics of too many series', () => {
  const derivedOf = new Map([['one', { sources: ['small'] }]]);
  for (let index = 0; index < 700; index += 1) derivedOf.set(`b${index}`, { sources: ['big'] });
  assert.deepEqual(sourceNames(['b0', 'one'], derivedOf), [{ name: 'small', count: 1 }]);
});

test('fetchSelectors splits by series and quotes what it is given', () => {
  const names = Array.from({ length: 4 }, (_, index) => ({ name: `m${index}`, count: 200 }));
  const selectors = fetchSelectors({ matchers: [{ name: 'a', op: '=', value: 'x"y' }], names });
  assert.equal(selectors.length, 4);
  assert.equal(selectors[0], '{__name__=~"m0",a="x\\"y"}');
});

test('deriveSeries makes rates, means and quantiles, and leaves numbers at a moment alone', () => {
  const line = (slope: number): Float64Array =>
    Float64Array.from({ length: 10 }, (_, index) => index * slope);
  const reset = Float64Array.from([0, 60, 120, 0, 60, 120]);
  const raw = (name: string, values: Float64Array, labels = {}) =>
    ({ labels: { __name__: name, ...labels }, values, infinite: 0, valueless: null });
  const derived = deriveSeries([
    raw('jobs_total', reset), raw('t_seconds_sum', line(30)), raw('t_seconds_count', line(60)),
    ...[['0.1', 30], ['1', 60], ['+Inf', 60]].map(([le, slope]) =>
      raw('t_seconds_bucket', line(Number(slope)), { le: String(le) })),
    raw('node_count', Float64Array.from([5, 4, 5, 4])), raw('memory_bytes', line(1)),
  ], 60);
  const by = new Map(derived.map((each) => [`${each.what} ${each.id}`, each]));
  assert.deepEqual([...by.keys()].sort(), [
    ' memory_bytes', ' node_count', '90 % quantile of t_seconds p90', 'Mean of t_seconds mean',
    'Rate of jobs_total', 'Rate of t_seconds_count',
  ]);
  assert.equal(by.get('Mean of t_seconds mean')?.values[5], 0.5);
  assert.equal(by.get('Rate of jobs_total')?.values[2], 1);
  assert.ok(Number.isNaN(by.get('Rate of jobs_total')?.values[3]));
  assert.equal(by.get('Rate of jobs_total')?.unit, 'per_second');
  assert.ok(Math.abs((by.get('90 % quantile of t_seconds p90')?.values[5] ?? 0) - 0.82) < 1e-9);
});

test('a mean exists while its histogram does, even without observations', () => {
  const idle = Float64Array.from([0, 6, 12, 18, 24, 30, 36, 36, 36, 36, 36, Number.NaN]);
  const raw = (name: string) =>
    ({ labels: { __name__: name }, values: idle, infinite: 0, valueless: null });
  const derived = deriveSeries([raw('t_seconds_sum'), raw('t_seconds_count')], 60);
  const mean = derived.find(({ what }) => what === 'Mean of');
  assert.deepEqual(mean?.valueless, { first: 0, last: 10 });
  assert.equal(lifeOf(mean?.values ?? idle, 6, mean?.valueless).life, 'present');
});

test('alertWindow takes a start in the future as now', () => {
  const window = alertWindow({ ...input, now: at - 10 * minute });
  assert.ok(window.onMs <= at - 10 * minute);
  assert.ok(window.fromMs < window.splitMs && window.splitMs < window.toMs);
});

const rateUnits: readonly (readonly [metric: string, increase: number, unit: string | null])[] = [
  ['http_requests_total', 100, 'per_second'],
  ['row_ops_total', 100, 'per_second'],
  ['node_network_receive_bytes_total', 100, 'bytes_per_second'],
  ['modem_received_bits_total', 100, 'bits_per_second'],
  ['container_cpu_usage_seconds_total', 4, 'cores'],
  ['gc_pause_seconds_total', 0.5, 'ratio'],
  ['lock_wait_seconds_total', 15, null],
  // Time spent waiting for a CPU keeps none busy.
  ['node_pressure_cpu_waiting_seconds_total', 0.5, 'ratio'],
  // Time weighted by the number of requests waiting is the length of a queue.
  ['node_disk_io_time_weighted_seconds_total', 0.5, null],
  // Milliseconds per second are no milliseconds.
  ['app_gc_time_milliseconds_total', 100, null],
];
for (const [metric, increase, unit] of rateUnits) {
  test(`deriveSeries gives the rate of ${metric} the unit ${unit ?? 'null'}`, () => {
    const values = Float64Array.from({ length: 20 }, (_, index) => index * increase * 60);
    const labels = { __name__: metric, job: 'api' };
    const [derived] = deriveSeries([{ labels, values, infinite: 0, valueless: null }], 60);
    assert.equal(derived?.made, 'rate');
    assert.equal(derived?.unit, unit);
  });
}

test('deriveSeries gives a ratio far above 1 no unit, since it may be a percentage', () => {
  const unitOf = (values: number[]): string | null | undefined => deriveSeries([{
    labels: { __name__: 'cache_hit_ratio' }, values: Float64Array.from(values), infinite: 0,
    valueless: null,
  }], 60)[0]?.unit;
  assert.equal(unitOf([0.9, 0.2, Number.NaN]), 'ratio');
  assert.equal(unitOf([99, 82]), null);
});
