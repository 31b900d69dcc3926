import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meanDurationIn } from '../../src/evidence/rule/mean-duration.ts';

test('meanDurationIn() finds the time and the count behind a latency', () => {
  assert.deepEqual(
    meanDurationIn('histogram_quantile(0.99, sum by (le, job) (rate(x_bucket{job="a"}[5m]))) * 2'),
    { spent: 'rate(x_sum{job="a"}[5m])', count: 'rate(x_count{job="a"}[5m])', by: ['job'] });
  assert.deepEqual(
    meanDurationIn('sum(rate(x_sum[1m])) / sum(rate(x_count[1m]))'),
    { spent: 'rate(x_sum[1m])', count: 'rate(x_count[1m])', by: [] });
  assert.deepEqual(
    meanDurationIn('rate(x_sum[1m]) / rate(x_count[1m])'),
    { spent: 'rate(x_sum[1m])', count: 'rate(x_count[1m])', by: null });
});

test('meanDurationIn() takes nothing else for a latency', () => {
  const others = [
    'sum(rate(errors_total[5m])) / sum(rate(requests_total[5m]))', 'rate(x_sum[1m])',
    'rate(x_sum[1m]) / rate(y_count[1m])', 'histogram_quantile(0.9, rate(x[5m]))',
    'histogram_quantile(0.9, sum by (le) (rate(a_bucket[5m]) + rate(b_bucket[5m])))', 'sum(',
  ];
  for (const each of others) assert.equal(meanDurationIn(each), null, each);
});
