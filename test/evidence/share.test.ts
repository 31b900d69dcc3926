import assert from 'node:assert/strict';
import test from 'node:test';
import { shareOf } from '../../src/evidence/rule/share.ts';

const failed = 'sum by(job) (rate(http_requests_total{code=~"5.."}[5m]))';
const all = 'sum by(job) (rate(http_requests_total[5m]))';

test('wholeOf() is what a rule divides by, for each of its series', () => {
  assert.deepEqual(shareOf(`${failed} / ${all}`), {
    query: `(${failed}) ^ 0 * (${all})`, counted: 'requests', isRate: true, rangeSeconds: 300,
  });
  for (const scaled of [`100 * (${failed} / ${all})`, `1 - ${failed} / ${all}`]) {
    assert.equal(shareOf(scaled)?.query, `(${failed}) ^ 0 * (${all})`);
  }
  const matched = shareOf(`${failed} / on (job) group_left ${all}`);
  assert.equal(matched?.query, `(${failed}) ^ 0 * on(job) group_left() (${all})`);
  const increase = shareOf('increase(pg_query_errors_total[1h]) / increase(pg_queries_total[1h])');
  assert.deepEqual([increase?.counted, increase?.isRate, increase?.rangeSeconds],
    ['queries', false, 3600]);
  assert.equal(shareOf('rate(http_errors_total[5m]) / rate(http_requests_total[5m])')?.counted,
    'requests');
  const native = shareOf('sum(histogram_count(rate(http_request_seconds{code="500"}[5m]))) / ' +
    'sum(histogram_count(rate(http_request_seconds[5m])))');
  assert.deepEqual([native?.counted, native?.isRate], ['requests', true]);
  const earlier = shareOf('rate(http_errors_total[5m] offset 1h) / ' +
    'rate(http_requests_total[5m] offset 1h)');
  assert.equal(earlier?.counted, 'requests');
});

test('wholeOf() is null where nothing is counted, or nobody could say what', () => {
  for (const compared of [
    'rate(http_requests_total[5m])', 'used_bytes / size_bytes', 'requests_in_flight / requests_max',
    'rate(http_request_seconds_sum[5m]) / rate(http_request_seconds_count[5m])',
    'rate(things_bad_total[5m]) / rate(things_total[5m])', 'job:errors:rate5m / job:all:rate5m',
    'irate(http_requests_total[5m]) / irate(http_requests_total[5m])', 'not PromQL (',
    // What was, or the mean of a day, is no whole that the value is a part of.
    'rate(http_requests_total[5m]) / rate(http_requests_total[5m] offset 1w)',
    'rate(http_requests_total[5m]) / rate(http_requests_total[1d])',
  ]) {
    assert.equal(shareOf(compared), null, compared);
  }
});
