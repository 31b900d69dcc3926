import assert from 'node:assert/strict';
import test from 'node:test';
import { measureChange, type RobustChange } from '../../src/statistics/robust-change.ts';
import { checkSeason, type SeasonalCheck } from '../../src/statistics/seasonal-check.ts';
import { seededRandom } from '../support/random.ts';

const length = 240;
const split = 180;
const random = seededRandom(17);

function series(level: (index: number) => number): Float64Array {
  return Float64Array.from({ length }, (_, index) => level(index) + (random() % 100) / 100);
}

const rise = (index: number): number => 100 + (index >= split ? 60 : 0);
const flat = (): number => 100;

function check(
  now: Float64Array,
  periods: readonly (readonly [days: number, values: Float64Array])[],
): SeasonalCheck {
  const change = measureChange(now, split);
  assert.ok(change !== null);
  return checkSeason(
    { values: now, split, change },
    periods.map(([days, values]) => ({ days, values })),
  );
}

test('a rise that yesterday had as well is usual', () => {
  const { z, isUsual, seasonalZ } = check(series(rise), [[1, series(rise)]]);
  assert.ok(Math.abs(seasonalZ ?? Infinity) < 4);
  assert.equal(Math.abs(z), Math.abs(seasonalZ ?? Infinity));
  assert.equal(isUsual, true);
});

test('a rise that no other day had stays what it is', () => {
  const { isUsual, seasonalZ } = check(series(rise), [
    [1, series(flat)], [2, series(flat)], [7, series(flat)],
  ]);
  assert.ok((seasonalZ ?? 0) > 8);
  assert.equal(isUsual, false);
});

test('a fall that no other day had stays what it is', () => {
  const fall = series((index) => 100 - (index >= split ? 60 : 0));
  const { isUsual } = check(fall, [[1, series(flat)], [7, series(flat)]]);
  assert.equal(isUsual, false);
});

test('weekdays are compared with weekdays where they differ by little more than usual', () => {
  const little = (index: number): number => 100 + (index >= split ? 10 : 0);
  assert.equal(check(series(little), [[1, series(flat)], [7, series(little)]]).isUsual, true);
});

test('weekdays are compared with weekdays where yesterday and a week ago disagree', () => {
  assert.equal(check(series(rise), [[1, series(flat)], [7, series(rise)]]).isUsual, true);
  assert.equal(check(series(rise), [[1, series(rise)], [7, series(flat)]]).isUsual, false);
});

test('a change is not usual for days of which only an uneven part is known', () => {
  // It leaked before it fell, and of the day before the calm half of that time is missing.
  const now = series((index) => index < 150 ? 100 : index < split ? 100 + (index - 150) * 4 : 20);
  const known = series((index) => index < 150 ? Number.NaN : 100);
  const { isUsual, seasonalZ } = check(now, [[1, known]]);
  assert.ok(Math.abs(seasonalZ ?? Infinity) < 4);
  assert.equal(isUsual, false);
});

test('a change says nothing about days that are only known from after its beginning', () => {
  const early = series((index) => 100 + (index >= 145 ? 60 : 0));
  const known = series((index) => index < 150 ? Number.NaN : 100);
  const { seasonalZ, isUsual, z } = check(early, [[1, known]]);
  assert.equal(seasonalZ, null);
  assert.equal(isUsual, false);
  assert.ok(z > 8);
});

for (const [name, to] of [['rise', 180], ['fall', 0]] as const) {
  test(`a ${name} is not usual because older samples of its counter are farther apart`, () => {
    const now = series((index) => index >= split ? to : 100);
    const apart = Float64Array.from({ length }, (_, index) => index % 2 === 0 ? 0 : 200);
    assert.equal(check(now, [[1, apart], [7, apart]]).isUsual, false);
    assert.equal(check(now, [[1, series(flat)], [7, apart]]).isUsual, false);
  });
}

/** At 0 but for bursts of a third of the time that is compared, which begin at these points. */
function bursting(begins: readonly number[], height = 60): Float64Array {
  const isIn = (index: number): boolean =>
    begins.some((begin) => index >= begin && index < begin + 20);
  return Float64Array.from({ length }, (_, index) => isIn(index) ? height : random() % 2);
}

const burstCases = [
  { what: 'two bursts at other times', bursts: [92, 155], isUsual: true },
  { what: 'one burst, which may have been a trouble', bursts: [110], isUsual: false },
  { what: 'bursts of half the height', bursts: [92, 155], height: 30, isUsual: false },
  { what: 'bursts and the same alert', bursts: [92, 155], isTroubled: true, isUsual: false },
];
for (const { what, bursts, height, isTroubled = false, isUsual } of burstCases) {
  test(`a burst is ${isUsual ? '' : 'not '}usual of which the day before has ${what}`, () => {
    const now = bursting([split + 5]);
    const change = measureChange(now, split);
    assert.ok(change !== null && change.z > 8);
    const periods = [{ days: 1, isTroubled, values: bursting(bursts, height) }];
    assert.equal(checkSeason({ values: now, split, change }, periods).isUsual, isUsual);
  });
}

test('a fall is usual of which earlier days have one each', () => {
  const invert = (values: Float64Array): Float64Array => values.map((value) => 100 - value);
  const now = invert(bursting([split + 5]));
  const change = measureChange(now, split);
  assert.ok(change !== null && change.z < -8);
  const periods = [[1, 40], [7, 90]].map(([days = 0, begin = 0]) => {
    return { days, values: invert(bursting([begin])) };
  });
  assert.equal(checkSeason({ values: now, split, change }, periods).isUsual, true);
});

test('the level of another kind of day makes a rise to it no less unusual', () => {
  const high = series(() => 200);
  assert.equal(check(series(rise), [[1, high]]).isUsual, true);
  assert.equal(check(series(rise), [[1, series(flat)], [7, high]]).isUsual, true);
  assert.equal(check(series(rise), [[1, high], [7, series(flat)]]).isUsual, false);
});

test('nothing is usual without earlier values', () => {
  const missing = new Float64Array(length).fill(Number.NaN);
  const now = series(rise);
  const plain = measureChange(now, split);
  for (const periods of [[], [[1, missing]], [[1, new Float64Array(0)]]] as const) {
    assert.deepEqual(check(now, periods), { seasonalZ: null, z: plain?.z, isUsual: false });
  }
});

test('the sign is that of the plain change, the size the smaller', () => {
  const fall = series((index) => 100 - (index >= split ? 60 : 0));
  const { z } = check(fall, [[1, series((index) => 100 - (index >= split ? 30 : 0))]]);
  const plain: RobustChange | null = measureChange(fall, split);
  assert.ok(z < 0 && Math.abs(z) < Math.abs(plain?.z ?? 0));
});

test('a series that repeats itself to the last digit is usual, not infinitely unusual', () => {
  const exact = Float64Array.from({ length }, (_, index) => rise(index));
  const nearly = exact.map((value, index) => value + (index >= split ? 0.5 : 0));
  assert.equal(check(exact, [[1, exact]]).isUsual, true);
  assert.equal(check(nearly, [[1, exact]]).isUsual, true);
});
