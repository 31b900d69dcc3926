import assert from 'node:assert/strict';
import test from 'node:test';
import { measureChange } from '../../src/statistics/robust-change.ts';
import { burstOf, effectOf, scoreOf } from '../../src/statistics/series-score.ts';

const grounds = {
  deviation: 9, effect: 2, follows: 1, burst: 0, isTraffic: false, isWaiting: false, weight: 1,
};

test('scoreOf weighs deviation and effect alike, and discounts them', () => {
  const full = (Math.log(10) + Math.log(3)) / 2;
  const cases: readonly [Partial<typeof grounds>, number][] = [
    [{}, full],
    // Beyond 50 deviations, more say nothing; the size of the effect still does.
    [{ deviation: 5000 }, (Math.log(51) + Math.log(3)) / 2],
    [{ effect: 5000 }, (Math.log(10) + Math.log(5001)) / 2],
    // What does not move with the alert keeps 0.3 of it, and half an agreement adds a quarter.
    [{ follows: 0 }, 0.3 * full], [{ follows: 0.5 }, (0.3 + 0.7 / 4) * full],
    [{ burst: 0.2 }, full / 2], [{ isTraffic: true }, full / 2], [{ isWaiting: true }, full / 3],
    [{ isWaiting: true, weight: 0.5 }, full / 6],
    [{ deviation: 0, effect: 0 }, 0],
  ];
  for (const [over, expected] of cases) {
    assert.ok(Math.abs(scoreOf({ ...grounds, ...over }) - expected) < 1e-12, JSON.stringify(over));
  }
});

function changed(before: readonly number[], after: number, origin = 0): number {
  const values = Float64Array.from([...before, after, after, after, after]);
  const change = measureChange(values, before.length, { origin });
  assert.ok(change !== null);
  return Number(effectOf(change, null).toPrecision(3));
}

test('effectOf is a multiple of what is usual, or of a deviation where that is more', () => {
  const times = (value: number): number[] => new Array<number>(20).fill(value);
  assert.equal(changed(times(40), 200), 4);
  assert.equal(changed(times(40), 10), 0.75);
  // Nothing before: as large as it is unusual.
  assert.equal(changed(times(0), 7e6), 10);
  const around = [...times(-1), ...times(1)];
  assert.equal(changed(around, 148.26), 100);
  // All but no failures of a hundred: however many now, no more than ten times as many.
  const almost = [...times(100), ...times(99.9)];
  assert.equal(changed(almost, 0, 100), 10);
  const state = measureChange(Float64Array.from([...times(1), 0, 0]), 20);
  assert.ok(state !== null);
  assert.equal(effectOf(state, -10), 10);
});

test('burstOf is the share of the older time in which a series was half as far out', () => {
  const values = Float64Array.from({ length: 44 }, (_, at) =>
    [0, 1, 2].includes(at) ? 60 : at === 3 ? 40 : at === 4 ? -90 : at === 35 ? 99 : 0);
  values[5] = Number.NaN;
  // Three of 29 values that are known in the older three quarters of 40.
  assert.equal(burstOf(values, 40, { before: 0, after: 100 }), 3 / 29);
  assert.equal(burstOf(values, 40, { before: 0, after: -100 }), 1 / 29);
  assert.equal(burstOf(values, 40, { before: 0, after: 0 }), 0);
  assert.equal(burstOf(new Float64Array(), 0, { before: 0, after: 9 }), 0);
});
