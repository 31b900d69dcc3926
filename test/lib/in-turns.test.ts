import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTurns } from '../../src/lib/in-turns.ts';

/** Takes `stepMs` of the clock's time for each of `count` steps, and notes the turn of each. */
function work(count: number, stepMs: number) {
  let now = 0;
  let turn = 0;
  const turns: number[] = [];
  const nextTurn = (): void => {
    turn += 1;
    if (turns.length < count) setImmediate(nextTurn);
  };
  setImmediate(nextTurn);
  const steps = function* (): Generator<void, string, void> {
    for (let left = count; left > 0; left -= 1) {
      turns.push(turn);
      now += stepMs;
      yield;
    }
    return 'done';
  };
  return { steps: steps(), clock: { monotonic: () => now }, turns };
}

test('inTurns() goes on for 5 ms in each turn of the event loop', async () => {
  const { steps, clock, turns } = work(7, 2);
  assert.equal(await inTurns(steps, clock), 'done');
  assert.deepEqual(turns, [0, 0, 0, 1, 1, 1, 2]);
});

test('inTurns() does a longer step in one turn, and no other there', async () => {
  const { steps, clock, turns } = work(3, 50);
  await inTurns(steps, clock);
  assert.deepEqual(turns, [0, 1, 2]);
});

test('inTurns() rejects with what the work throws', async () => {
  const fails = function* (): Generator<void, never, void> {
    yield;
    throw new Error('Broken');
  };
  await assert.rejects(inTurns(fails(), { monotonic: () => 0 }), { message: 'Broken' });
});
