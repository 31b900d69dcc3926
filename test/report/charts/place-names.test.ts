import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeNames } from '../../../src/report/charts/place-names.ts';

test('placeNames() keeps names apart in rows, and leaves out those without room', () => {
  const placed = placeNames([
    { at: 50, text: 'fired' }, { at: 52, text: 'began' }, { at: 51, text: 'restart' },
    { at: 49, text: 'released' }, { at: 90, text: 'now' },
  ], 2);
  const rows = placed.map(({ text, row }) => `${text} ${row}`);
  assert.deepEqual(rows, ['fired 0', 'began 0', 'restart 1', 'now 0']);
  assert.deepEqual(placed.map(({ anchor }) => anchor), ['end', 'start', 'end', 'start']);
});

test('placeNames() lets no line cross a name', () => {
  const names = [{ at: 90, text: 'began' }, { at: 92, text: 'fired' }];
  assert.deepEqual(placeNames(names, 2).map(({ anchor, row }) => [anchor, row]), [
    ['end', 0], ['end', 1],
  ]);
});

test('placeNames() keeps short names apart on the narrowest screen', () => {
  const names = [{ at: 90.4, text: 'fired' }, { at: 100, text: 'now' }];
  assert.deepEqual(placeNames(names, 2).map(({ row }) => row), [0, 1]);
});

test('placeNames() puts a name left of its line if there is no room right of it', () => {
  const [placed] = placeNames([{ at: 100, text: 'resolved' }], 1);
  assert.deepEqual([placed?.anchor, placed?.x], ['end', 99.2]);
});

test('placeNames() uses the room left of a name that was placed before', () => {
  const placed = placeNames([{ at: 80, text: 'fired' }, { at: 10, text: 'began' }], 1);
  assert.deepEqual(placed.map(({ text }) => text), ['fired', 'began']);
});

test('placeNames() shortens a name for which there is no room', () => {
  const names = [{ at: 60, text: 'fired' }, { at: 62, text: 'a version', short: 'a' }];
  assert.deepEqual(placeNames(names, 1).map(({ text }) => text), ['fired', 'a version']);
  assert.deepEqual(placeNames([{ at: 59, text: 'resolved' }, ...names], 1).map(({ text }) => text),
    ['resolved', 'a version']);
  const late = [{ at: 90, text: 'fired' }, { at: 97, text: 'a version', short: 'a' }];
  assert.deepEqual(placeNames(late, 1).map(({ text }) => text), ['fired', 'a']);
});
