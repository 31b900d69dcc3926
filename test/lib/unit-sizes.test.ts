import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inShownUnit, inUnit, sizeOfUnit, unitOfSize } from '../../src/lib/unit-sizes.ts';

const conversions: readonly (readonly [number, from: string, to: string, number | null])[] = [
  [1500, 'milliseconds', 'seconds', 1.5],
  [2, 'days', 'hours', 48],
  [1, 'gibibytes', 'megabytes', 1073.741824],
  [8, 'megabits_per_second', 'megabytes_per_second', 1],
  [90, 'percent', 'ratio', 0.9],
  [60, 'per_minute', 'per_second', 1],
  [1, 'seconds', 'bytes', null],
  [1, 'apples', 'seconds', null],
  [1, 'constructor', 'toString', null],
  [1, 'apples', 'apples', 1],
];
for (const [value, from, to, expected] of conversions) {
  test(`inUnit() converts ${value} ${from} to ${expected} ${to}`, () => {
    const converted = inUnit(value, from, to);
    if (expected === null || converted === null) return assert.equal(converted, expected);
    assert.ok(Math.abs(converted / expected - 1) < 1e-12, String(converted));
  });
}

test('unitOfSize() names the unit of every size, except where two have the same', () => {
  for (const unit of ['milliseconds', 'hours', 'kibibytes', 'kilobytes', 'percent', 'per_hour']) {
    const size = sizeOfUnit(unit);
    assert.equal(size && unitOfSize(size), unit);
  }
  assert.equal(unitOfSize({ base: 'seconds', size: 42 }), null);
});

test('inShownUnit() shows bits per second as such, bits and ratios as they are', () => {
  assert.deepEqual(inShownUnit('kilobits_per_second'), { base: 'bits_per_second', size: 1000 });
  assert.deepEqual(inShownUnit('kibibytes'), { base: 'bytes', size: 1024 });
  assert.deepEqual(['bits', 'ratio', 'apples'].map(inShownUnit), [null, null, null]);
});
