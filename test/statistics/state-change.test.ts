import assert from 'node:assert/strict';
import test from 'node:test';
import { zOfState } from '../../src/statistics/robust-change.ts';

/** `.` is no value; the split is at the bar. */
const rows: readonly (readonly [picture: string, z: number | null])[] = [
  ['11111|0000', -10],
  ['00000|1111', 10],
  ['00000|1110', 10],
  ['11111|0111', -5],
  ['0000.0|.1000', 5],
  ['11111|1111', -0],
  ['01000|1111', 10 / 3],
  ['0110|111', -0],
  ['01201|1111', null],
  ['00000|0002', null],
];
for (const [picture, z] of rows) {
  test(`zOfState of ${picture} is ${z}`, () => {
    const values = Float64Array.from(picture.replace('|', ''), (sign) =>
      (sign === '.' ? Number.NaN : Number(sign)));
    assert.equal(zOfState(values, picture.indexOf('|')), z);
  });
}
