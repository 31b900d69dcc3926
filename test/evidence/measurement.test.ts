import assert from 'node:assert/strict';
import test from 'node:test';
import { comparisonText, isFiring } from '../../src/evidence/measurement.ts';
import { numbersInAnnotations } from '../../src/evidence/numbers-in-text.ts';
import { readExpression } from '../../src/evidence/rule/rule-expression.ts';
import { statedMeasurement } from '../../src/evidence/stated-value.ts';

function measured(
  expression: string | null,
  description: string,
  values: Readonly<Record<string, string>> = {},
): ReturnType<typeof statedMeasurement> {
  const rule = expression === null ? null : readExpression(expression);
  return statedMeasurement({ rule, numbers: numbersInAnnotations({ description }, {}), values });
}

test('statedMeasurement finds the value on the firing side, in the unit of the limit', () => {
  const cases: readonly [string, string, number, string][] = [
    ['l_seconds > 0.5', 'p95 is 1.9s', 1.9, '1.9 s, 3.8× its threshold of 500 ms'],
    ['e / t > 0.05', 'ratio is 12.4% (threshold 5%)', 0.124, '12.4 %, 2.5× its threshold of 5 %'],
    ['100 - a * 100 > 90', 'CPU at 97.3%', 97.3, '97.3 %, over its threshold of 90 %'],
    ['free_bytes / size_bytes < 0.1', 'only 3.21% left', 0.0321,
      '3.21 %, below its minimum of 10 %'],
    ['mem_bytes > 3221225472', 'uses 3.4GiB', 3.4 * 1024 ** 3,
      '3.4 GiB, over its threshold of 3 GiB'],
    ['rate(l_seconds_sum[5m]) / rate(l_seconds_count[5m]) * 1000 > 500',
      'is 900ms (threshold 500ms)', 900, '900 ms, 1.8× its threshold of 500 ms'],
    ['latency_p99 > 500', 'is 900ms (threshold 500ms)', 900,
      '900 ms, 1.8× its threshold of 500 ms'],
    ['(time() - done_timestamp_seconds) / 3600 > 26', 'last run is 36h ago', 36,
      '1 d 12 h, over its threshold of 1 d 2 h'],
    ['predict_linear(free_bytes[6h], 4 * 3600) < 1e9', 'will be at 0.5GB', 5e8,
      '500 MB by forecast, below its minimum of 1 GB'],
  ];
  for (const [expression, text, value, said] of cases) {
    const measurement = measured(expression, text);
    assert.ok(Math.abs((measurement.value ?? Number.NaN) - value) < 1e-9 * value, text);
    assert.equal(comparisonText(measurement), said);
    assert.equal(measurement.origin, 'text');
  }
});

test('statedMeasurement compares no value of a guard with the limit of the condition', () => {
  const guarded = 'count > 0 and histogram_quantile(0.9, l_seconds_bucket) > 5';
  const measurement = measured(guarded, 'current value: 42');
  assert.deepEqual([measurement.value, measurement.threshold], [null, 5]);
  assert.match(measurement.unknownBecause ?? '', /another of its conditions/u);
  assert.equal(measured(guarded, '', { A: '42' }).value, null);
});

test('comparisonText says by how much an end is overdue', () => {
  const days = 'round((expiry_seconds - time()) / 86400, 0.1) < 0';
  const measurement = measured(days, '');
  assert.equal(comparisonText({ ...measurement, value: -0.1, origin: 'series' }),
    'overdue by 2 h 24 min');
  const left = measured('expiry_seconds - time() < 3600', '');
  assert.equal(comparisonText({ ...left, value: -60, origin: 'series' }),
    '-60 s, below its minimum of 1 h');
  const money = measured('balance_total < 0', '');
  assert.equal(comparisonText({ ...money, value: -5, origin: 'series' }),
    '-5, below its minimum of 0');
});

test('statedMeasurement prefers no value to a wrong one', () => {
  const cases: readonly [string, string][] = [
    ['l_seconds > 0.5', 'latency is 100ms'], // Not on the firing side.
    ['l_seconds > 0.5', 'uses 12 GiB'], // Another unit.
    ['x > 3', '5 of 9 replicas are down'], // Two candidates.
    ['x > 3', ''],
    ['x > 3', 'firing for 15m'],
    ['a > 1 or b > 2', 'x'],
    ['x * 7 > 3', 'latency is 20s'], // In what it is nobody knows.
  ];
  for (const [expression, text] of cases) {
    const measurement = measured(expression, text);
    assert.equal(measurement.value, null, text);
    assert.notEqual(measurement.unknownBecause, null, text);
    assert.equal(comparisonText(measurement), null);
  }
});

test('statedMeasurement knows the value of an equality', () => {
  const measurement = measured('up == 0', '5xx ratio is 12.4% (threshold 5%) for 10m.');
  assert.deepEqual([measurement.value, measurement.origin], [0, 'rule']);
});

test('statedMeasurement takes no number that the text uses for something else', () => {
  const cases: readonly [string, string][] = [
    ['sum by (tenant) (rate(push_failed_total[5m])) > 0', 'see /d/writes?orgId=2&from=3'],
    ['wan_drops > 0', 'drops packets (3 drops, sustained 10m)'],
    ['oldest_soft_deleted_share > 15', 'is older than 15 days, look at it'],
    ['cert_expires_in_seconds < 2419200', 'expires in 4 weeks or less'],
    ['queue_length > 500', 'The RPC 8020 queue is too long'],
    ['connections > 10', 'can go up to 16 connections'],
    ['errors_total > 10', 'answers with HTTP 503 on port 8080'],
    ['battery_share >= 80', 'has reached 80 % of its lifetime'],
    ['increase(restarts_total[1h]) > 3', 'restarted 7 times'],
    ['jobs_waiting > 10', '15 behind'],
  ];
  for (const [expression, text] of cases) {
    assert.equal(measured(expression, text).value, null, text);
  }
  assert.equal(measured('x_seconds > 0.5', 'latency is 1.9s for over 5% of requests').value, 1.9);
});

test('numbersInAnnotations reads only what says what is wrong', () => {
  const numbers = numbersInAnnotations({
    summary: 'is 5', dashboardQueryParams: 'orgId=2', runbook_url: 'https://x.test/3',
    priority_hint: 'page after 10', value: '7',
  }, {});
  assert.deepEqual(numbers.map(({ value }) => value), [5, 7]);
});

test('statedMeasurement takes value and limit from the text where there is no rule', () => {
  const measurement = measured(null, 'latency is 1.9s (threshold 0.5s)');
  assert.deepEqual([measurement.value, measurement.threshold, measurement.unit],
    [1.9, 0.5, 'seconds']);
  assert.equal(measurement.operator, null);
  assert.equal(comparisonText(measurement), '1.9 s against 500 ms');
  assert.equal(measured(null, '3 pods').value, null, 'nothing says which number it is');
  assert.equal(measured(null, 'latency is 1.9s (threshold 5%)').value, null, 'units differ');
});

test("measure picks the one measured value among Grafana's", () => {
  assert.equal(measured(null, '', { A: '95.5', B: '95.5', C: '1' }).value, 95.5);
  assert.equal(measured(null, '', { A: '95', B: '80', C: '1' }).value, null);
  assert.equal(measured(null, '', { B: '0' }).value, 0);
});

test('comparisonText gives no factor for an infinite value', () => {
  const measurement = { ...measured('e / t > 0.5', ''), value: Infinity };
  assert.equal(comparisonText(measurement), '+Inf, over its threshold of 50 %');
});

test('isFiring follows each operator', () => {
  const cases = [
    ['>', 2, 1, true], ['>', 1, 1, false], ['>=', 1, 1, true], ['<', 0, 1, true],
    ['<=', 1, 1, true], ['==', 1, 1, true], ['!=', 1, 1, false],
  ] as const;
  for (const [operator, value, threshold, expected] of cases) {
    const name = `${value} ${operator} ${threshold}`;
    assert.equal(isFiring(value, operator, threshold), expected, name);
  }
});

test('comparisonText says how far over in degrees, not how many times', () => {
  const said = (expression: string, text: string): string | null =>
    comparisonText(measured(expression, text));
  assert.equal(said('node_hwmon_temp_celsius > 60', 'it is 90 °C'),
    '90 °C, 30 °C over its threshold of 60 °C');
  assert.equal(said('node_hwmon_temp_celsius < 5', 'it is 2 °C'),
    '2 °C, below its minimum of 5 °C');
});

const againstSeries: readonly (readonly [string, number, number, string])[] = [
  ['kube_deployment_spec_replicas{job="k"} > kube_deployment_status_replicas_available', 5, 3,
    '3 of 5 replicas available'],
  ['kube_statefulset_status_replicas_ready != kube_statefulset_replicas', 1, 3,
    '1 of 3 replicas ready'],
  ['kube_statefulset_status_replicas_ready != kube_statefulset_status_replicas', 1, 3,
    '1 of 3 replicas ready'],
  ['kube_daemonset_status_number_available != kube_daemonset_status_desired_number_scheduled',
    2, 4, '2 of 4 available'],
  ['kube_horizontalpodautoscaler_status_current_replicas == ' +
    'kube_horizontalpodautoscaler_spec_max_replicas', 12, 12, '12 of at most 12 replicas'],
  ['kube_horizontalpodautoscaler_status_desired_replicas != ' +
    'kube_horizontalpodautoscaler_status_current_replicas', 4, 7, '7 replicas, 4 wanted'],
  // Those that miss are no part of those that are wanted, and generations are no counts.
  ['kube_deployment_status_replicas_unavailable > kube_deployment_spec_replicas', 5, 3,
    '5, 1.7× its threshold of 3'],
  ['kube_deployment_status_observed_generation != kube_deployment_metadata_generation', 7, 8,
    '7 against 8'],
  ['kube_deployment_spec_replicas > kube_statefulset_status_replicas_ready', 5, 3,
    '5, 1.7× its threshold of 3'],
  ['a_bytes > 0.8 * b_bytes', 812 * 2 ** 20, 800 * 2 ** 20,
    '812 MiB, over its threshold of 800 MiB'],
  ['done_seconds < time() - age_max', 1.699e9, 1.699e9 + 7200, '2 h below its threshold'],
  ['done_seconds < time() - age_max', 1.7e9, 1.699e9, 'back within its threshold'],
  ['a < b', 5, 5, '5, at its threshold'],
  ['a > b', 3, 5, '3, back within its threshold of 5'],
];
for (const [expression, value, threshold, text] of againstSeries) {
  test(`comparisonText of ${expression} is ${text}`, () => {
    const told = measured(expression, '');
    assert.equal(told.threshold, null);
    const measurement = { ...told, value, threshold, origin: 'series' as const,
      unit: readExpression(expression).comparison?.unit ?? null };
    assert.equal(comparisonText(measurement), text);
  });
}
