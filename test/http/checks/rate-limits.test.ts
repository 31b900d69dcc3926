import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateLimits } from '../../../src/http/checks/rate-limits.ts';
import { ManualClock } from '../../support/manual-clock.ts';

test('RateLimits never gives a reset time at which the client would still be refused', async () => {
  const clock = new ManualClock(Date.parse('2026-11-20T10:00:00.300Z'));
  const limits = new RateLimits({ perClient: 1, total: 0, clock });
  assert.ok(limits.takeFromClient('a'));
  await clock.advance(20_500);
  assert.ok(!limits.takeFromClient('a'));
  const reset = Date.parse('2026-11-20T10:01:01Z') / 1000;
  assert.equal(limits.headers('a').at(-1), `${reset}`);
  assert.deepEqual(limits.retryAfter('a'), ['Retry-After', '40']);
  await clock.advance(reset * 1000 - clock.now());
  assert.ok(limits.takeFromClient('a'));
});
