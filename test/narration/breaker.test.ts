import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModelError } from '../../src/model/model-error.ts';
import { Breaker } from '../../src/narration/breaker.ts';
import { ManualClock } from '../support/manual-clock.ts';

function failing(times: number): { breaker: Breaker; clock: ManualClock } {
  const clock = new ManualClock();
  const breaker = new Breaker(clock);
  for (let n = 0; n < times; n += 1) {
    assert.ok(breaker.admit());
    breaker.failed('retryable');
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
    breaker.failed('retryable');
  }
});

test('Breaker opens at once for what only a person can mend', async () => {
  for (const kind of ['config', 'quota'] as const) {
    const { breaker, clock } = failing(0);
    breaker.failed(kind);
    assert.equal(breaker.state, 'open');
    await clock.advance(299_999);
    assert.equal(breaker.state, 'open');
    await clock.advance(1);
    assert.equal(breaker.state, 'half_open');
  }
});

test('Breaker takes a refused text for life, and what was given up for nothing', async () => {
  for (const kind of ['filtered', 'context'] as const) {
    const { breaker } = failing(4);
    breaker.failed(kind);
    breaker.failed('retryable');
    assert.equal(breaker.state, 'closed');
  }
  const { breaker, clock } = failing(5);
  await clock.advance(60_000);
  breaker.admit();
  breaker.failed('aborted');
  assert.equal(breaker.state, 'half_open');
  assert.equal(breaker.admit(), true);
});

test('Breaker takes a server that is not there for one that fails, not for a wrong setting', () => {
  const { kind } = new ModelError('nobody there', { type: 'connection' });
  const breaker = new Breaker(new ManualClock());
  for (let n = 0; n < 4; n += 1) breaker.failed(kind);
  assert.equal(breaker.state, 'closed');
  breaker.failed(kind);
  assert.equal(breaker.state, 'open');
});
