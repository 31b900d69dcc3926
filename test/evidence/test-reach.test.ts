import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearOf } from '../../src/evidence/metrics/test-reach.ts';

for (const [query, near] of [
  ['changes(start{job="a"}[1d])', 'changes(start{job="a"}[700s])'],
  [
    'max(increase(kills[1h]) or increase(other[15m]))',
    'max(increase(kills[700s]) or increase(other[700s]))',
  ],
  [
    'max_over_time(reason{reason="OOMKilled"}[1h])',
    'max_over_time(reason{reason="OOMKilled"}[700s])',
  ],
  [
    'changes(generation[1h]) - changes(replicas[1h])',
    'changes(generation[700s]) - changes(replicas[700s])',
  ],
  ['delta(sum(replicas)[1h:5m])', 'delta(sum(replicas)[700s:5m])'],
  ['count(time() - start < 3600)', 'count(time() - start < 700)'],
] as const) {
  test(`${query} is asked of the last 700 s`, () =>
    assert.equal(nearOf(query, 700)?.query, near));
}

for (const query of [
  'up', 'rate(a[5m])', 'increase(a[10m])', 'deriv(a[6h])', 'last_over_time(expiry[2d])',
  'max(limit) / max(max_over_time(limit[1h]))',
  'min_over_time(a[1h]) / min_over_time(a[1h] offset 3h)',
  'rate(a[1h]) / rate(a[1h] offset 1d)', 'max_over_time(deriv(a[1h])[4h:1h])', 'expiry - time()',
  '((',
]) {
  test(`${query} looks back no farther than it may`, () => assert.equal(nearOf(query, 700), null));
}

test('nearOf() reads how long ago something began off the answer', () => {
  for (const query of ['min(time() - boot_seconds)', 'min(redis_uptime_in_seconds{job="a"})']) {
    const near = nearOf(query, 700);
    assert.equal(near?.query, null, query);
    assert.equal(near?.isWithin([30]), true);
    assert.equal(near?.isWithin([2_160]), false);
  }
});

test('of what has to happen often, one time is near enough', () => {
  assert.equal(nearOf('changes(start[6h])', 700)?.isWithin([1]), true);
  assert.equal(nearOf('changes(start[6h])', 700)?.isWithin([0]), false);
  assert.equal(nearOf('max_over_time(a[1h])', 700)?.isWithin([5]), false);
});
