import assert from 'node:assert/strict';
import test from 'node:test';
import { flappingOf, flappingPercent } from '../../src/statistics/flapping.ts';
import type { Interval } from '../../src/statistics/interval.ts';

const minute = 60_000;
const now = Date.parse('2026-11-20T10:00:00Z');

/** `count` episodes of `lastsMs`, one every `everyMs`, the newest of them ending just now. */
function repeated(count: number, everyMs: number, lastsMs: number): Interval[] {
  return Array.from({ length: count }, (_, index) => {
    const end = now - 1 - index * everyMs;
    return { start: end - lastsMs, end };
  });
}

test('flappingPercent weighs 20 changes from 0.75 to 1.25 like Nagios', () => {
  const none = new Array<boolean>(20).fill(false);
  assert.equal(flappingPercent(none), 0);
  assert.ok(Math.abs(flappingPercent(none.map(() => true)) - 100) < 1e-9);
  assert.equal(flappingPercent(none.with(0, true)), 3.75);
  assert.equal(flappingPercent(none.with(19, true)), 6.25);
  // Seven changes are 35 % unweighted; old ones weigh less: 7 × 0.75 + (0+…+6) × 0.5/19.
  const old = none.map((_, index) => index < 7);
  assert.ok(Math.abs(flappingPercent(old) - (7 * 0.75 + 21 * (0.5 / 19)) * 5) < 1e-9);
  assert.ok(Math.abs(flappingPercent(old) - 29.01) < 0.01);
});

test('flappingOf says nothing of one episode, however long', () => {
  for (const minutes of [1, 60, 60 * 24 * 40]) {
    const start = now - minutes * minute;
    const { isFlapping, percent } = flappingOf([{ start, end: null }], now);
    assert.equal(isFlapping, false);
    assert.ok(percent <= 6.25, `${percent}`);
  }
});

test('flappingOf sees alternating slots as flapping', () => {
  const { isFlapping, percent } = flappingOf(repeated(20, 10 * minute, minute), now);
  assert.equal(isFlapping, true);
  assert.ok(percent > 95, `${percent}`);
});

test('flappingOf sees episodes that follow each other within a slot', () => {
  assert.equal(flappingOf(repeated(40, 5 * minute, minute), now).isFlapping, true);
});

test('flappingOf keeps flapping until the share is down to 25 %', () => {
  // Two bursts of changes; only when they leave the window does the flapping end.
  const burst = repeated(4, 10 * minute, minute);
  const ago = (minutes: number): boolean => {
    return flappingOf(burst, now + minutes * minute).isFlapping;
  };
  assert.equal(ago(0), true);
  assert.equal(ago(20), true);
  assert.equal(ago(100), false);
});

test('flappingOf does not begin between 25 % and 30 %', () => {
  // Five changes spread over a slow hour: about 26 % and never more.
  const episodes = [
    { start: now - 92 * minute, end: now - 82 * minute },
    { start: now - 62 * minute, end: now - 52 * minute },
    { start: now - 2 * minute, end: null },
  ];
  const { isFlapping, percent } = flappingOf(episodes, now);
  assert.ok(percent > 20 && percent <= 30, `${percent}`);
  assert.equal(isFlapping, false);
});

/** One episode within each of these slots of the last 21, the newest of which is number 20. */
function within(slots: readonly number[]): Interval[] {
  return slots.map((slot) => {
    const start = now - (21 - slot) * 5 * minute + minute;
    return { start, end: start + minute };
  });
}

test('flappingOf begins above 30 %', () => {
  const below = flappingOf(within([16, 18, 20]), now);
  assert.ok(below.percent > 29 && below.percent < 30, `${below.percent}`);
  assert.equal(below.isFlapping, false);
  const above = flappingOf(within([15, 17, 19]), now);
  assert.ok(above.percent > 30, `${above.percent}`);
  assert.equal(above.isFlapping, true);
});

test('flappingOf goes on below 30 % where it flapped before, down to 25 %', () => {
  const before = flappingOf(within([5, 7, 9]), now);
  assert.ok(before.percent > 25 && before.percent < 30, `${before.percent}`);
  assert.equal(before.isFlapping, true);
  const after = flappingOf(within([1, 3, 5]), now);
  assert.ok(after.percent > 20 && after.percent < 25, `${after.percent}`);
  assert.equal(after.isFlapping, false);
});

test('flappingOf leaves an episode in the future out', () => {
  const future = [{ start: now + minute, end: null }, { start: now + 9 * minute, end: now }];
  assert.equal(flappingOf(future, now).percent, 0);
});
