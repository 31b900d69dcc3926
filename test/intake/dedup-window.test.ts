import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DedupWindow } from '../../src/intake/dedup-window.ts';
import { cpuTimer } from '../support/cpu-timer.ts';

test('DedupWindow.has() knows a fingerprint for exactly its window', () => {
  const window = new DedupWindow(60_000, 10);
  window.add('a', 'firing', 1_000);
  assert.equal(window.has('a', 'firing', 1_000), true);
  assert.equal(window.has('a', 'firing', 60_999), true);
  assert.equal(window.has('a', 'firing', 61_000), false);
  assert.equal(window.has('b', 'firing', 1_000), false);
});

test('DedupWindow.has() does not count another status as a duplicate', () => {
  const window = new DedupWindow(60_000, 10);
  window.add('a', 'firing', 0);
  assert.equal(window.has('a', 'resolved', 1), false);
  window.add('a', 'resolved', 1);
  assert.equal(window.has('a', 'firing', 2), false);
});

test('DedupWindow.add() drops what has left the window', () => {
  const window = new DedupWindow(60_000, 1_000);
  for (let i = 0; i < 100; i++) window.add(`a${i}`, 'firing', i);
  assert.equal(window.size, 100);
  window.add('late', 'firing', 70_000);
  window.add('later', 'firing', 130_000);
  assert.equal(window.size, 2);
});

test('DedupWindow.has() uses the last of two acceptances, also a window later', () => {
  const window = new DedupWindow(60_000, 1_000);
  window.add('a', 'firing', 0);
  window.add('a', 'resolved', 59_999);
  window.add('b', 'firing', 60_000);
  assert.equal(window.has('a', 'resolved', 60_001), true);
  window.add('a', 'firing', 60_001);
  assert.equal(window.has('a', 'resolved', 60_002), false);
});

test('DedupWindow.add() never keeps more than its bound', () => {
  const window = new DedupWindow(60_000, 4);
  for (const name of ['a', 'b', 'c', 'd', 'e']) window.add(name, 'firing', 1);
  assert.equal(window.size, 3);
  assert.equal(window.has('b', 'firing', 2), false);
  assert.equal(window.has('c', 'firing', 2), true);
  assert.equal(window.has('e', 'firing', 2), true);
});

test('DedupWindow.add() takes no longer once entries are dropped, for number or age', () => {
  const count = 100_000;
  const timeOf = (window: DedupWindow, from: number, msApart: number): number => {
    const cpuMs = cpuTimer();
    for (let i = from; i < from + count; i++) window.add(`a${i}`, 'firing', i * msApart);
    return cpuMs();
  };
  const bounded = new DedupWindow(60_000, count);
  const sliding = new DedupWindow(60_000, 1_000_000);
  const first = timeOf(bounded, 0, 0) + timeOf(sliding, 0, 0.6);
  const later = timeOf(bounded, count, 0) + timeOf(sliding, count, 0.6);
  assert.ok(later < 10 * first, `${later} ms after ${first} ms`); // It was a hundred times as long.
});

const restores: readonly [string, number, number, boolean][] = [
  ['30 s old, asked at once', 30_000, 0, true],
  ['30 s old, asked 29 s later', 30_000, 29_000, true],
  ['30 s old, asked 30 s later', 30_000, 30_000, false],
  ['too old', 60_000, 0, false],
  ['from the future, asked at once', -3_600_000, 0, true],
  ['from the future, asked after a window', -3_600_000, 60_000, false],
];

for (const [name, ageMs, later, expected] of restores) {
  test(`DedupWindow.restore(): ${name}`, () => {
    const window = new DedupWindow(60_000, 10);
    window.restore('a', 'firing', ageMs, 5_000);
    assert.equal(window.has('a', 'firing', 5_000 + later), expected);
  });
}

test('DedupWindow with a window of 0 s has no duplicates', () => {
  const window = new DedupWindow(0, 10);
  window.add('a', 'firing', 5);
  assert.equal(window.has('a', 'firing', 5), false);
});
