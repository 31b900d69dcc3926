import assert from 'node:assert/strict';
import test from 'node:test';
import { conditionsOf, missedBy, withoutGuards } from '../../src/evidence/rule/rule-expression.ts';
import { cpuTimer } from '../support/cpu-timer.ts';
import { readRule } from '../support/read-rule.ts';

test('readExpression reads a comparison with a number', () => {
  const cases: readonly [string, string, string, number, string | null][] = [
    ['up == 0', 'up', '==', 0, null],
    ['(x_seconds > 0.5)', 'x_seconds', '>', 0.5, 'seconds'],
    ['0.5 < x_seconds', 'x_seconds', '>', 0.5, 'seconds'],
    ['node_load1 >= 2 * (3 + 1)', 'node_load1', '>=', 8, null],
    ['process_open_fds > 1e3 # many', 'process_open_fds', '>', 1000, null],
    ['a_bytes < 10 * 1024 ^ 3', 'a_bytes', '<', 10 * 1024 ** 3, 'bytes'],
    ['time() - x_timestamp_seconds > 1h30m', 'time() - x_timestamp_seconds', '>', 5400, 'seconds'],
    ['delta(x[5m]) < -1', 'delta(x[5m])', '<', -1, null],
    ['sum by (job) (rate(e_total{code=~"5.."}[5m])) > 5',
      'sum by(job) (rate(e_total{code=~"5.."}[5m]))', '>', 5, 'per_second'],
    ['a_bytes / b_bytes > 0.9', 'a_bytes / b_bytes', '>', 0.9, 'ratio'],
    ['100 - a_bytes / b_bytes * 100 > 90', '100 - a_bytes / b_bytes * 100', '>', 90, 'percent'],
    ['rate(l_seconds_sum[5m]) / rate(l_seconds_count[5m]) > 1',
      'rate(l_seconds_sum[5m]) / rate(l_seconds_count[5m])', '>', 1, 'seconds'],
    ['histogram_quantile(0.95, sum(rate(l_seconds_bucket[5m])) by (le)) > 0.5',
      'histogram_quantile(0.95, sum(rate(l_seconds_bucket[5m])) by(le))', '>', 0.5, 'seconds'],
    ['rate(node_network_receive_bytes_total[5m]) > 1e8',
      'rate(node_network_receive_bytes_total[5m])', '>', 1e8, 'bytes_per_second'],
    ['x{code=~"5\\\\d",b=~`\\d"`,c=\'it"s\',d="q\\"q"} > 1',
      'x{code=~"5\\\\d", b=~`\\d"`, c=\'it"s\', d="q\\"q"}', '>', 1, null],
    ['count(x > 5) > 1', 'count(x > 5)', '>', 1, 'count'],
    ['rate(retries_total[5m]) / rate(requests_total[5m]) > 3',
      'rate(retries_total[5m]) / rate(requests_total[5m])', '>', 3, null],
    ['(x and on(a) y > 0) == 0', '(x and on(a) y > 0)', '==', 0, null],
    ['(x < bool 5) == 1', '(x < bool 5)', '==', 1, null],
    ['max_over_time(rate(x[5m])[1h:30s]) > 1', 'max_over_time(rate(x[5m])[1h:30s])', '>', 1, null],
  ];
  for (const [expression, compared, operator, threshold, unit] of cases) {
    const reading = readRule(expression);
    assert.equal(reading.compared, compared, expression);
    assert.equal(reading.operator, operator, expression);
    assert.equal(reading.threshold, threshold, expression);
    assert.equal(reading.unit, unit, expression);
    assert.equal(reading.unread, null, expression);
  }
});

test('readExpression reads a comparison with a series and makes a query for it', () => {
  const cases: readonly [string, string, string, string, string][] = [
    ['a > b', 'a', '>', 'b', '(a) ^ 0 * (b)'],
    ['(spec_replicas{x="y"} != ready_replicas) and changes(z[5m]) == 0', 'spec_replicas{x="y"}',
      '!=', 'ready_replicas', '(spec_replicas{x="y"}) ^ 0 * (ready_replicas)'],
    ['a_bytes > 0.8 * b_bytes', 'a_bytes', '>', '0.8 * b_bytes', '(a_bytes) ^ 0 * (0.8 * b_bytes)'],
    ['a > b offset 1d * 1.5', 'a', '>', 'b offset 1d * 1.5', '(a) ^ 0 * (b offset 1d * 1.5)'],
    ['x / y >= on(job) group_left(team) (limit)', 'x / y', '>=', 'limit',
      '(x / y) ^ 0 * on(job) group_left(team) (limit)'],
    ['a < ignoring(b) group_right sum by(c) (d)', 'a', '<', 'sum by(c) (d)',
      '(a) ^ 0 * ignoring(b) group_right() (sum by(c) (d))'],
    ['a > (b > 0)', 'a', '>', 'b > 0', '(a) ^ 0 * (b > 0)'],
    ['(a > 0) > b', 'a', '>', 'b', '(a) ^ 0 * (b)'],
    ['scalar(allowed) < running', 'running', '>', 'scalar(allowed)',
      '(running) ^ 0 * (scalar(allowed))'],
  ];
  for (const [expression, compared, operator, text, query] of cases) {
    const reading = readRule(expression);
    assert.equal(reading.compared, compared, expression);
    assert.equal(reading.operator, operator, expression);
    assert.equal(reading.threshold, null, expression);
    assert.deepEqual(reading.limit, { text, query }, expression);
  }
  assert.equal(readRule('sum(a) > b_bytes').unit, 'bytes');
});

test('conditionsOf tells the conditions of `(a or b) and c` apart', () => {
  const queries = (expression: string): string[] =>
    conditionsOf(readRule(expression)).map(({ query }) => query);
  assert.deepEqual(queries('((a != b) or (c > 1)) and (d == 0)'),
    ['((a != b)) and (d == 0)', '((c > 1)) and (d == 0)']);
  assert.deepEqual(queries('(a or b) unless c and d'),
    ['(a) unless c and d', '(b) unless c and d']);
  assert.deepEqual(queries('((a > 1) or (b < 2)) * on(x) group_left(y) c_info'),
    ['((a > 1)) * on(x) group_left(y) c_info', '((b < 2)) * on(x) group_left(y) c_info']);
  assert.deepEqual(queries('(a) + (b or c) and d'), []);
  assert.equal(queries('(a or b or c or d) and e').length, 4);
  assert.deepEqual(queries('(a or b or c or d or f) and e'), []);
  const [first] = conditionsOf(readRule('((a != b) or (c > 1)) and (d == 0)'));
  assert.equal(first?.reading.comparison?.limit?.text, 'b');
});

test('withoutGuards drops guards and turns what is missing into absent()', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['a > 5', 'a > 5'], ['a > 5 and on() up == 1', 'a > 5'],
    ['((a or b) > 5 unless c) and d', '(a or b) > 5'],
    ['(a > 5 and b) or (c unless d)', 'a > 5'],
    ['(a > 5 and b) * on(x) group_left(y) c_info', 'a > 5'],
    ['((count > 0 and x / y > 5) unless c) and d', 'x / y > 5'],
    ['up{job="x"} offset 1h unless up{job="x"}', 'absent(up{job="x"})'],
    ['rate(a[5m] offset 1d) > 1 unless on() muted', 'rate(a[5m] offset 1d) > 1'],
    ['a offset 1h unless', 'a offset 1h unless'], ['a > $x', 'a > $x'],
  ];
  for (const [expression, expected] of cases) {
    assert.equal(withoutGuards(expression), expected, expression);
  }
});

test('missedBy finds what a rule on absence misses, and nothing for other rules', () => {
  const cases: readonly (readonly [string, string | null])[] = [
    ['absent(up{job="x"} == 1)', 'up{job="x"} == 1'], ['absent_over_time(a[5m])', 'a[5m]'],
    ['(absent(a)) unless on() muted', 'a'], ['a offset 1h unless a', 'a'],
    ['absent(a) == 1', 'a'], ['(absent_over_time(a[5m]) > 0) and on() b', 'a[5m]'],
    ['absent(a) or absent(b)', null], ['absent(a) > bool 0', null], ['a > 5', null],
    ['absent', null],
  ];
  for (const [expression, expected] of cases) {
    assert.equal(missedBy(expression), expected, expression);
  }
});

test('readExpression says why it cannot read an expression', () => {
  const cases: readonly [string, RegExp][] = [
    ['a > 1 or b > 2', /any of several/u],
    ['absent(up{job="x"})', /whatever its expression returns/u],
    ['absent(up{job="x"}) == 1', /whatever its expression returns/u],
    ['up offset 1h unless up', /whatever its expression returns/u],
    ['count_over_time(a[5m] offset 1h) > 0 unless on (b) count_over_time(a[5m])', /whatever/u],
    ['a > bool 1', /0 or 1/u],
    ['a > b', /another series/u],
    ['a > ()', /unknown form/u],
    ['< a > b', /unknown form/u],
    ['> on(a) group_left', /unknown form/u],
    ['a > $limit', /unknown form/u],
    ['"unterminated', /unknown form/u],
    ['sum(a > 1', /unknown form/u],
    ['a{b="c" > 1', /unknown form/u],
    ['sum(a]) > 1', /unknown form/u],
    ['a = b > 1', /unknown form/u],
    [`${'('.repeat(8000)}a${')'.repeat(8000)} > 1`, /unknown form/u],
    [`${'('.repeat(900)}a > 1${')'.repeat(900)}`, /unknown form/u],
  ];
  for (const [expression, reason] of cases) {
    const reading = readRule(expression);
    assert.equal(reading.threshold, null, expression);
    assert.match(reading.unread ?? '', reason, expression.slice(0, 40));
  }
});

test('readExpression does not take a long sum of signs for a number', () => {
  assert.equal(readRule(`a > ${'-'.repeat(3000)}1`).threshold, null);
});

test('readExpression takes time in proportion to a hostile expression', () => {
  const cpuMs = cpuTimer();
  const texts = [
    `${'1'.repeat(16_000)}x`, `a[${':'.repeat(16_000)}`, `${'1m'.repeat(8000)}x`,
    `"${'\\a'.repeat(8000)}`, `${'1.'.repeat(8000)}x`,
  ];
  for (const text of texts) assert.match(readRule(text).unread ?? '', /./u);
  assert.ok(cpuMs() < 300, `${cpuMs()} ms`);
});

test('readExpression names metrics and functions, not labels or keywords', () => {
  const reading = readRule(
    'sum by (job, pod) (rate(a_total{job="b", x!="y"}[5m] offset 1h)) / ' +
      'on(job) group_left(team) sum(c:d:e) + {__name__="by.name"} + {"quoted.name"} + ' +
      '{"k8s.pod"="x", "late.name"} > 1',
  );
  assert.deepEqual(reading.metrics, ['a_total', 'c:d:e', 'by.name', 'quoted.name', 'late.name']);
  assert.deepEqual(reading.functions, ['sum', 'rate']);
  assert.deepEqual(readRule('max_over_time(a[1h:30s]) > b[1h:]').metrics, ['a', 'b']);
  assert.deepEqual(readRule('SUM(a) < +Inf').metrics, ['a']);
  assert.deepEqual(readRule('SUM(a) < +Inf').functions, ['sum']);
});

test('readExpression knows newer forms of PromQL, and numbers of MetricsQL', () => {
  for (const expression of [
    'sum(rate(a[5m] smoothed)) > 3', 'a offset (5m) > 3', 'a[5m] anchored > 3',
    'a + fill_left(0) b > 3', 'sum(rate(a[5m])) keep_metric_names > 3', 'a > 0.5Ki',
    'a * 1_000 > 3',
  ]) {
    const { metrics, threshold } = readRule(expression);
    assert.deepEqual(metrics, expression.includes('b') ? ['a', 'b'] : ['a'], expression);
    assert.equal(threshold, expression.includes('Ki') ? 512 : 3, expression);
  }
});

test('readExpression names the metrics of MetricsQL, whose operators it knows', () => {
  for (const expression of ['a > 5 default 0', '(a > 5) if (b < 1)', 'a ifnot b > 1']) {
    const { metrics, unread } = readRule(expression);
    assert.deepEqual(metrics, expression.includes('b') ? ['a', 'b'] : ['a'], expression);
    assert.match(unread ?? '', /whatever its expression returns/u, expression);
  }
});
