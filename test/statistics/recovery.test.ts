import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recoveryOf, returnOf, type Recovery } from '../../src/statistics/recovery.ts';

const nan = Number.NaN;
/** From 10 to 110, one deviation being 2. */
const change = { before: 10, after: 110, scale: 2 };

const recoveries: readonly {
  readonly name: string; readonly values: readonly number[]; readonly end: number;
  readonly expected: readonly [Recovery['state'], number | null];
}[] = [
  { name: 'came back', values: [110, 112, 109, 11, 9, 10], end: 4, expected: ['back', 3] },
  { name: 'was back all along', values: [11, 9, 10, 12, 9], end: 3, expected: ['back', 0] },
  { name: 'came back within a fifth', values: [110, 111, 29, 28, 29], end: 4,
    expected: ['back', 2] },
  { name: 'slipped once after it', values: [110, 110, 10, 11, 110, 9, 10], end: 3,
    expected: ['back', 2] },
  { name: 'slipped at the very end', values: [110, 110, 10, 11, 9, 110], end: 3,
    expected: ['back', 2] },
  { name: 'came back with two points', values: [110, 110, 112, 110, 9, 10], end: 5,
    expected: ['back', 4] },
  { name: 'came back with one point', values: [110, 110, 112, 110, 109, 10], end: 5,
    expected: ['unsettled', null] },
  { name: 'stayed', values: [110, 111, 112, 110, 109, 108], end: 3, expected: ['changed', null] },
  { name: 'went the other way', values: [110, 111, -80, -90, -85], end: 2,
    expected: ['changed', null] },
  { name: 'came back half way', values: [110, 111, 50, 51, 49], end: 2,
    expected: ['partly', null] },
  { name: 'stayed, two points after the end', values: [110, 111, 112, 110, 109], end: 3,
    expected: ['unsettled', null] },
  { name: 'has gaps', values: [110, nan, 111, nan, 9, nan, 10, nan, 11], end: 5,
    expected: ['back', 4] },
  { name: 'is gone since', values: [110, 110, 10, 10, 10, nan, nan, nan], end: 3,
    expected: ['unseen', null] },
  { name: 'has two points', values: [nan, nan, nan, 10, 10], end: 3, expected: ['unseen', null] },
  { name: 'has none', values: [nan, nan, nan], end: 1, expected: ['unseen', null] },
  { name: 'is empty', values: [], end: 0, expected: ['unseen', null] },
];
for (const { name, values, end, expected } of recoveries) {
  test(`recoveryOf tells of a change that ${name}`, () => {
    const { state, backIndex, level } = recoveryOf(Float64Array.from(values), { ...change, end });
    assert.deepEqual([state, backIndex], expected);
    assert.equal(level === null, state === 'unseen');
  });
}

test('recoveryOf counts a noisy series as back once half of the change is gone', () => {
  const noisy = { before: 100, after: 150, scale: 10, end: 2 };
  assert.equal(recoveryOf(Float64Array.of(150, 150, 125, 126, 125), noisy).state, 'back');
  assert.equal(recoveryOf(Float64Array.of(150, 150, 135, 136, 135), noisy).state, 'changed');
});

test('recoveryOf takes activity out of nothing as over when nothing is left of it', () => {
  const fromNothing = { before: 0, after: 40, scale: 0, end: 3 };
  assert.equal(recoveryOf(Float64Array.of(40, 41, 0, 0, 0), fromNothing).state, 'back');
  assert.equal(recoveryOf(Float64Array.of(40, 41, 40, 41, 39, 40), fromNothing).state, 'changed');
});

const returns: readonly (readonly [
  values: readonly number[], end: number, state: Recovery['state'], backIndex: number | null,
])[] = [
  [[nan, nan, nan, 5, 6, 7], 4, 'back', 3],
  [[5, 6, nan, nan, nan, nan, 7], 4, 'back', 6],
  [[5, nan, nan, 6, nan, 7], 4, 'back', 0],
  [[5, 6, nan, nan], 1, 'back', 0],
  [[5, 6, nan, nan, nan], 2, 'changed', null],
  [[5, 6, nan, nan, nan, nan], 3, 'changed', null],
  [[5, 6, nan, nan, nan, nan], 5, 'unsettled', null],
  [[], 0, 'unsettled', null],
];
for (const [values, end, state, backIndex] of returns) {
  test(`returnOf tells that [${values.join(', ')}] is ${state}`, () => {
    const found = returnOf(Float64Array.from(values), end);
    assert.deepEqual([found.state, found.backIndex], [state, backIndex]);
  });
}
