import assert from 'node:assert/strict';
import test from 'node:test';
import { readRule } from '../support/read-rule.ts';

test('readExpression reads the first of several conditions and notes that there are more', () => {
  const cases = [
    '(free / size < 0.1 and readonly == 0)', 'free / size < 0.1 unless on(x) muted',
    'free / size < 0.1 unless size offset 1h', 'free / size < 0.1 unless free',
  ];
  for (const expression of cases) {
    const reading = readRule(expression);
    assert.equal(reading.compared, 'free / size', expression);
    assert.equal(reading.threshold, 0.1, expression);
    assert.equal(reading.hasMoreConditions, true, expression);
  }
});

test('readExpression reads the second condition where the first only asks for anything', () => {
  const cases: readonly [string, string, number][] = [
    ['requests_count > 0 and histogram_quantile(0.9, x_seconds_bucket) < 5',
      'histogram_quantile(0.9, x_seconds_bucket)', 5],
    ['rate(req_total[5m]) > 10 and (rate(err_total[5m]) / rate(req_total[1m])) > 0.05',
      '(rate(err_total[5m]) / rate(req_total[1m]))', 0.05],
    ['rate(req_seconds_count[5m]) >= 1 and quantile(0.9, rate(req_seconds_bucket[5m])) > 2',
      'quantile(0.9, rate(req_seconds_bucket[5m]))', 2],
    ['rate(err_total[5m]) > 0 and rate(err_total[5m]) / rate(req_total[5m]) > 0.05',
      'rate(err_total[5m]) / rate(req_total[5m])', 0.05],
    ['((deriv(queue_depth[5m]) > 0 and queue_depth > 50)) and on(job) up == 1', 'queue_depth', 50],
    [`sum by (job, path) (rate(http_requests_total[5m])) > 1 and on (job)
      histogram_quantile(0.9, sum by (job, le) (rate(http_seconds_bucket[5m]))) > 0.5`,
      'histogram_quantile(0.9, sum by(job, le) (rate(http_seconds_bucket[5m])))', 0.5],
    ['rate(http_requests_total[5m]) > 1 and quantile(0.9, rate(http_seconds_bucket[5m])) > 2',
      'quantile(0.9, rate(http_seconds_bucket[5m]))', 2],
    ['max(done_seconds) > 0 and time() - max(done_seconds) > 90000', 'time() - max(done_seconds)',
      90_000],
    ['free_bytes > 0 and predict_linear(free_bytes[1h], 3600) < 0',
      'predict_linear(free_bytes[1h], 3600)', 0],
    ['replicas != 0 and replicas / wanted < 0.5', 'replicas / wanted', 0.5],
    ['connections > 0 and rate(queries_total[5m]) == 0', 'rate(queries_total[5m])', 0],
    ['absent(a) != 1 and time() - done_seconds > 6', 'time() - done_seconds', 6],
    ['(time() - created_seconds) and ignoring(x) approved == 0', 'approved', 0],
    ['label_replace(calls_total > 0 and response_time > 300, "a", "$1", "b", "(.*)")',
      'label_replace(response_time, "a", "$1", "b", "(.*)")', 300],
  ];
  for (const [expression, compared, threshold] of cases) {
    const reading = readRule(expression);
    assert.deepEqual([reading.compared, reading.threshold], [compared, threshold], expression);
    assert.ok(reading.hasMoreConditions && reading.returnsOther, expression);
  }
});

test('readExpression keeps the first condition where the second is the one that guards', () => {
  const cases = [
    'increase(restarts_total[1h]) > 0 and uptime_seconds > 600',
    'rate(req_total{code=~"5.."}[5m]) > 0 and rate(req_total[5m]) > 10',
    'rate(failed_total[5m]) > 0 and pending > 0', 'rate(sent_total[5m]) > 0 and readonly == 1',
    'queue_depth > 0 and on(job) latency_seconds > 5',
    'queue_depth > 0 and on(job) max by(job, pod) (latency_seconds) > 5',
    'queue_depth > 0 and ignoring(pod) max by(job) (latency_seconds) > 5',
    'rate(req_total{code=~"5.."}[5m]) > 1 and quantile(0.9, rate(x_seconds_bucket[5m])) > 2',
    'queue_depth > 0 unless latency_seconds > 5',
    'queue_depth > 90 and latency_seconds > 5', 'free < 0 and latency_seconds > 5',
    'rate(a_total[5m]) > 3 and rate(b_total[5m]) / rate(c_total[5m]) > 0.5',
  ];
  for (const expression of cases) {
    const reading = readRule(expression);
    const [first] = expression.split(/ [<>] /u);
    assert.deepEqual([reading.compared, reading.returnsOther], [first, false], expression);
  }
  // `(a and b) > 3` compares a.
  assert.equal(readRule('(n > 0 and wait_seconds > 5) > 3').threshold, null);
});

test('readExpression reads a comparison whose values get more labels from an info metric', () => {
  const join = '* on(instance) group_left(nodename) node_uname_info{nodename=~".+"}';
  const cases: readonly [string, string, string, string | null][] = [
    [`(free_bytes / size_bytes * 100 < 10) ${join}`, 'free_bytes / size_bytes * 100', '<',
      'percent'],
    [`((free_bytes < 10 and on(device) readonly == 0)) ${join}`, 'free_bytes', '<', 'bytes'],
    [`(a_seconds > 5) ${join}`, 'a_seconds', '>', 'seconds'],
  ];
  for (const [expression, compared, operator, unit] of cases) {
    const reading = readRule(expression);
    assert.equal(reading.compared, `(${compared}) ${join}`, expression);
    assert.equal(reading.operator, operator, expression);
    assert.equal(reading.unit, unit, expression);
    assert.equal(reading.unread, null, expression);
  }
  assert.deepEqual(readRule(`(a > on(job) b) ${join}`).limit,
    { text: 'b', query: `((a) ^ 0 * on(job) (b)) ${join}` });
  // Only an info metric is known to be 1: other values are not those that are compared.
  for (const changed of ['(a > 5) * on(x) group_left(y) b', '(a > 5) * b_info',
    '((a > 5) * on(x) group_left(y) b) > 0']) {
    const { compared, returnsOther } = readRule(changed);
    assert.deepEqual([compared, returnsOther], ['a', true], changed);
  }
  assert.equal(readRule('(a > 5) + on(x) group_left(y) b_info').compared, null);
});

test('readExpression chooses the telling one of chained comparisons', () => {
  const cases: readonly [string, string, string, number][] = [
    ['0 <= x < 3', 'x', '<', 3],
    ['((a != 0)) < 3', 'a', '<', 3],
    ['uptime > 1 < 180', 'uptime', '<', 180],
    ['days_left > 0 and days_left < 20', 'days_left', '<', 20],
    ['(cert - time()) > 7d < 21d', '(cert - time())', '<', 21 * 86_400],
    ['95 > share > 90', 'share', '>', 90], ['200 > load > 80', 'load', '>', 80],
    ['1 < a < 3', 'a', '>', 1], ['1 < (a < 3)', 'a', '>', 1],
    ['q / all > 0.7 and q / all < 0.9', 'q / all', '>', 0.7],
    ['battery_level >= 10 and battery_level < 20', 'battery_level', '<', 20],
    ['used / (hard > 0) > 0.9 < 1', 'used / (hard > 0)', '>', 0.9],
    ['(x > 5) < 10', 'x', '>', 5],
    ['(x > 5) != 0', 'x', '>', 5],
    ['(x > 5) > limit', 'x', '>', 5],
  ];
  for (const [expression, compared, operator, threshold] of cases) {
    const reading = readRule(expression);
    assert.equal(reading.compared, compared, expression);
    assert.equal(reading.operator, operator, expression);
    assert.equal(reading.threshold, threshold, expression);
    assert.equal(reading.hasMoreConditions, true, expression);
  }
});

test('readExpression reads max(x > 5) as max(x) > 5', () => {
  const cases: readonly [string, string][] = [
    ['max(x > (14.4 * 0.001)) without (window)', 'max(x) without(window)'],
    ['max without (window) (x > 5)', 'max without(window) (x)'],
    ['min(x < 5)', 'min(x)'],
    ['max(ready == 1)', 'max(ready)'], ['min(up == 0)', 'min(up)'],
    ['max by(pod) (kube_pod_status_ready{condition="false"} == 1)',
      'max by(pod) (kube_pod_status_ready{condition="false"})'],
    ['min(rate(a_total[5m]) == 0)', 'min(rate(a_total[5m]))'],
  ];
  for (const [expression, compared] of cases) {
    const reading = readRule(expression);
    assert.deepEqual([reading.compared, reading.returnsOther], [compared, false], expression);
  }
});

test('readExpression reads what a call compares inside, whose values it does not return', () => {
  const cases: readonly [string, string, string, number | null][] = [
    ['max(kube_deployment_status_replicas == 1)', 'kube_deployment_status_replicas', '==', 1],
    ['max(sum by(job) (up) == 1)', 'sum by(job) (up)', '==', 1],
    ['max(ipmi_sensor_state == 1)', 'ipmi_sensor_state', '==', 1],
    ['min(a - b == 0)', 'a - b', '==', 0], ['max(x < 5)', 'x', '<', 5],
    ['max(x > y)', 'x', '>', null],
    ['max(x > 5 and y)', 'x', '>', 5], ['sum by(job) (x > 5)', 'x', '>', 5],
    ['count(avg_over_time(up[5m]) < 0.5)', 'avg_over_time(up[5m])', '<', 0.5],
    ['max_over_time((increase(a_total[5m]) > 3)[2h:1m])', 'increase(a_total[5m])', '>', 3],
    ['topk by(job) (1, age_seconds >= 9)', 'age_seconds', '>=', 9],
  ];
  for (const [expression, compared, operator, threshold] of cases) {
    const reading = readRule(expression);
    assert.deepEqual([reading.compared, reading.operator, reading.threshold],
      [compared, operator, threshold], expression);
    assert.ok(reading.hasMoreConditions && reading.returnsOther, expression);
  }
  for (const none of ['max(x > 5) - 5', 'max by']) {
    assert.equal(readRule(none).compared, null, none);
  }
});

test('readExpression reads how long ago something was', () => {
  const cases: readonly [string, string, string, number][] = [
    ['done_seconds < time() - 60', 'time() - done_seconds', '>', 60],
    ['time() - 60 > done_seconds', 'time() - done_seconds', '>', 60],
    ['cert_seconds < time() + 7 * 86400', 'cert_seconds - time()', '<', 604_800],
    ['max(a) / 1000 <= (time() - 1h)', 'time() - (max(a) / 1000)', '>=', 3600],
  ];
  for (const [expression, compared, operator, threshold] of cases) {
    const reading = readRule(expression);
    assert.deepEqual([reading.compared, reading.operator, reading.threshold, reading.limit],
      [compared, operator, threshold, null], expression);
  }
});

test('readExpression reads what both conditions of `a or b` compare alike, or one compares', () => {
  const cases: readonly [string, string, number | null][] = [
    ['a > 1 or b > 1', 'a', 1], ['absent(a) or rate(a_total[5m]) > 5', 'rate(a_total[5m])', 5],
    ['up == 0 or absent(up)', 'up', 0], ['a > 1 or b > 2', '', null], ['a > 1 or b < 1', '', null],
    ['a > 1 or b', '', null], ['absent(a) or absent(b)', '', null],
  ];
  for (const [expression, compared, threshold] of cases) {
    const reading = readRule(expression);
    assert.deepEqual([reading.compared ?? '', reading.threshold ?? null], [compared, threshold],
      expression);
  }
});

test('readExpression reads a comparison whose values only get other labels', () => {
  const host = ', "host", "$1", "instance", "(.*):.*")';
  const cases: readonly [string, string, number][] = [
    [`label_replace(up == 0${host}`, `label_replace(up${host}`, 0],
    [`label_replace((up < 1 and on() b)${host} unless c`, `label_replace(up${host}`, 1],
    ['sort_desc(a_bytes > 5)', 'sort_desc(a_bytes)', 5],
  ];
  for (const [expression, compared, threshold] of cases) {
    const reading = readRule(expression);
    assert.equal(reading.compared, compared, expression);
    assert.equal(reading.threshold, threshold, expression);
  }
  assert.equal(readRule('sort_desc(a_bytes > 5)').unit, 'bytes');
  assert.deepEqual(readRule(`label_replace(a > on(job) b${host}`).limit,
    { text: 'b', query: `label_replace((a) ^ 0 * on(job) (b)${host}` });
  assert.match(readRule(`label_replace(a or b${host}`).unread ?? '', /any of several/u);
});
