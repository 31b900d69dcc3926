import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BelievableClock, lastSteady } from '../../src/lib/clock-trust.ts';
import { ManualClock } from '../support/manual-clock.ts';

const [minute, day, year] = [60_000, 86_400_000, 365 * 86_400_000];

/** Looks once a minute, as long as told; the answer of each look. */
async function looks(time: ManualClock, clock: BelievableClock, count: number): Promise<boolean[]> {
  const seen: boolean[] = [];
  for (let look = 0; look < count; look += 1) {
    await time.advance(minute);
    seen.push(clock.isBelievable());
  }
  return seen;
}

test('BelievableClock believes a clock that is steady or set by less than a day', async () => {
  const time = new ManualClock(1e12);
  const clock = new BelievableClock(time, 1e12 - day + minute);
  assert.ok((await looks(time, clock, 10)).every(Boolean));
  time.jumpWallTime(day - minute);
  assert.ok((await looks(time, clock, 10)).every(Boolean));
});

test('BelievableClock believes a jump ahead after an hour, one taken back at once', async () => {
  const time = new ManualClock(1e12);
  const clock = new BelievableClock(time, null);
  time.jumpWallTime(year);
  const seen = await looks(time, clock, 70);
  assert.deepEqual(seen, Array.from({ length: 70 }, (_, index) => index >= 60));
  time.jumpWallTime(-year);
  assert.ok((await looks(time, clock, 3)).every(Boolean), 'behind, nothing looks older than it is');
});

test('BelievableClock doubts a start long after the last process for an hour', async () => {
  const time = new ManualClock(1e12);
  const clock = new BelievableClock(time, 1e12 - year);
  assert.equal(clock.isBelievable(), false);
  assert.equal((await looks(time, clock, 60)).at(-1), true);
});

test('lastSteady() ignores moments within an hour of the newest', () => {
  const hour = 60 * minute;
  assert.equal(lastSteady([]), null);
  assert.equal(lastSteady([5, 9]), 5);
  assert.equal(lastSteady([0, hour, 2 * hour - 1, 2 * hour]), hour);
  assert.equal(lastSteady([2 * hour, 0, 3 * hour]), 2 * hour, 'in whatever order they come');
  assert.equal(lastSteady([year + minute, year, 7]), 7, 'of a clock a year ahead for a minute');
});

test('BelievableClock doubts again at the next jump', async () => {
  const time = new ManualClock(1e12);
  const clock = new BelievableClock(time, null);
  for (const _ of [1, 2]) {
    time.jumpWallTime(2 * day);
    assert.deepEqual(new Set(await looks(time, clock, 30)), new Set([false]));
  }
});
