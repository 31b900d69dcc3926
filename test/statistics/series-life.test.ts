import assert from 'node:assert/strict';
import test from 'node:test';
import { lifeOf } from '../../src/statistics/series-life.ts';

const { NaN } = Number;

/** `1` is a value, `.` none. */
function drawn(picture: string): Float64Array {
  return Float64Array.from(picture, (sign) => (sign === '.' ? NaN : Number(sign)));
}

test('lifeOf tells beginnings and ends from gaps', () => {
  const rows: readonly (readonly [string, number, string, number | null])[] = [
    ['1111111111', 6, 'present', null],
    ['......1111', 6, 'appeared', 6],
    ['.....11111', 8, 'appeared', 5],
    ['..1111...1', 6, 'present', null],
    ['1111111...', 6, 'vanished', 7],
    ['111111....', 6, 'vanished', 6],
    ['11111111..', 6, 'present', null],
    ['1.1..11....', 6, 'present', null],
    ['1.1..1....', 6, 'absent', null],
    ['11...11111....', 7, 'present', null],
    ['1111..111....', 6, 'present', null],
    ['11...1111111111.......', 9, 'vanished', 15],
    ['..........', 6, 'absent', null],
    ['', 0, 'absent', null],
  ];
  for (const [picture, split, life, index] of rows) {
    assert.deepEqual(lifeOf(drawn(picture), split, null), { life, index }, picture);
  }
});

test('lifeOf takes a series for there while its samples are no numbers', () => {
  const idle = drawn('1111111......');
  assert.equal(lifeOf(idle, 6, null).life, 'vanished');
  assert.equal(lifeOf(idle, 6, { first: 7, last: 12 }).life, 'present');
  assert.deepEqual(lifeOf(idle, 6, { first: 2, last: 8 }), { life: 'vanished', index: 7 });
  const busy = drawn('......1111');
  assert.equal(lifeOf(busy, 6, { first: 0, last: 5 }).life, 'present');
});
