import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModelError, type ModelErrorType } from '../../src/model/client/model-error.ts';
import { Breaker } from '../../src/narration/breaker.ts';
import { ManualClock } from '../support/manual-clock.ts';

function fail(breaker: Breaker, type: ModelErrorType, retryAfterMs: number | null = null): void {
  breaker.failed(new ModelError('no', { type, retryAfterMs }));
}

function failing(times: number): { breaker: Breaker; clock: ManualClock } {
  const clock = new ManualClock();
  const breaker = new Breaker(clock);
  for (let n = 0; n < times; n += 1) {
    assert.ok(breaker.admit());
    fail(breaker, 'connection');
  }
  return { breaker, clock };
}

test('Breaker opens for a minute after five failures in a row', async () => {
  assert.equal(failing(4).breaker.state, 'closed');
  const { breaker, clock } = failing(5);
  assert.equal(breaker.state, 'open');
  assert.equal(breaker.admit(), false);
  await clock.advance(59_999);
  assert.equal(breaker.admit(), false);
  await clock.advance(1);
  assert.equal(breaker.state, 'half_open');
});

test('Breaker stays open no longer for a failure of what was asked before it opened', async () => {
  const { breaker, clock } = failing(5);
  fail(breaker, 'connection');
  assert.equal(breaker.openMsLeft, 60_000);
  await clock.advance(60_000);
  assert.ok(breaker.admit());
  fail(breaker, 'connection');
  assert.equal(breaker.openMsLeft, 120_000);
});

test('Breaker lets one probe through, and closes when it succeeds', async () => {
  const { breaker, clock } = failing(5);
  await clock.advance(60_000);
  assert.equal(breaker.admit(), true);
  assert.equal(breaker.admit(), false);
  breaker.succeeded();
  assert.equal(breaker.state, 'closed');
  assert.equal(breaker.admit(), true);
});

test('Breaker stays open twice as long after each failed probe, ten minutes at most', async () => {
  const { breaker, clock } = failing(5);
  for (const minutes of [1, 2, 4, 8, 10, 10]) {
    await clock.advance(minutes * 60_000 - 1);
    assert.equal(breaker.state, 'open', String(minutes));
    await clock.advance(1);
    assert.ok(breaker.admit());
    fail(breaker, 'connection');
  }
});

test('Breaker opens at once for what only a person can fix', async () => {
  for (const type of ['unauthorized', 'quota'] as const) {
    const { breaker, clock } = failing(0);
    fail(breaker, type);
    assert.equal(breaker.state, 'open');
    await clock.advance(299_999);
    assert.equal(breaker.state, 'open');
    await clock.advance(1);
    assert.equal(breaker.state, 'half_open');
  }
});

test('Breaker takes a refused text for life, and what was given up for nothing', async () => {
  for (const type of ['filtered', 'context'] as const) {
    const { breaker } = failing(4);
    fail(breaker, type);
    fail(breaker, 'connection');
    assert.equal(breaker.state, 'closed');
  }
  const { breaker, clock } = failing(5);
  await clock.advance(60_000);
  breaker.admit();
  fail(breaker, 'aborted');
  assert.equal(breaker.state, 'half_open');
  assert.equal(breaker.admit(), true);
});

test('Breaker takes a server that is not there for one that fails, not for a wrong setting', () => {
  const breaker = new Breaker(new ManualClock());
  for (let n = 0; n < 4; n += 1) fail(breaker, 'connection');
  assert.equal(breaker.state, 'closed');
  fail(breaker, 'connection');
  assert.equal(breaker.state, 'open');
});

test('Breaker stays open for as long as the endpoint asks', async () => {
  const { breaker, clock } = failing(0);
  fail(breaker, 'rate_limited', 120_000);
  assert.equal(breaker.openMsLeft, 120_000);
  fail(breaker, 'rate_limited', 10_000);
  await clock.advance(119_999);
  assert.equal(breaker.state, 'open');
  await clock.advance(1);
  assert.equal(breaker.state, 'half_open');
  assert.ok(breaker.admit());
  fail(breaker, 'rate_limited', 20_000);
  assert.equal(breaker.openMsLeft, 60_000);
});

test('Breaker learns nothing from a request that was never sent', async () => {
  const { breaker, clock } = failing(5);
  await clock.advance(60_000);
  assert.ok(breaker.admit());
  fail(breaker, 'no_tools');
  assert.equal(breaker.state, 'half_open');
});

test('Breaker stays closed when one request of many is refused', () => {
  const { breaker } = failing(0);
  breaker.succeeded();
  fail(breaker, 'refused');
  assert.equal(breaker.state, 'closed');
  fail(breaker, 'unauthorized');
  assert.equal(breaker.state, 'open');
  const { breaker: fresh } = failing(0);
  fail(fresh, 'refused');
  assert.equal(fresh.state, 'open');
});

test('Breaker stays open longer if the endpoint asks for more than its own time', async () => {
  const { breaker: unpaid } = failing(0);
  fail(unpaid, 'quota', 600_000);
  assert.equal(unpaid.openMsLeft, 600_000);
  const { breaker, clock } = failing(5);
  await clock.advance(60_000);
  assert.ok(breaker.admit());
  fail(breaker, 'overloaded', 300_000);
  assert.equal(breaker.openMsLeft, 300_000);
});

test('Breaker that is told to try now opens for a minute again when that fails', async () => {
  const { breaker, clock } = failing(5);
  await clock.advance(60_000);
  assert.ok(breaker.admit());
  fail(breaker, 'connection');
  breaker.tryNow();
  assert.ok(breaker.admit());
  fail(breaker, 'connection');
  assert.equal(breaker.openMsLeft, 60_000);
});

test('Breaker that is told to try now lets one request through', () => {
  const { breaker } = failing(5);
  breaker.tryNow();
  assert.equal(breaker.admit(), true);
  assert.equal(breaker.admit(), false);
  const { breaker: closed } = failing(0);
  closed.tryNow();
  assert.equal(closed.state, 'closed');
});
