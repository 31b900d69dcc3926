import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Roster } from '../../src/lib/roster.ts';

test('Roster finds and removes by number, in any order', () => {
  const roster = new Roster<{ id: number }>();
  for (const id of [3, 1, 2]) roster.add({ id });
  assert.equal(roster.find(1)?.id, 1);
  assert.equal(roster.remove(1)?.id, 1);
  assert.equal(roster.find(1), undefined);
  assert.equal(roster.remove(1), undefined);
  assert.deepEqual([...roster].map(({ id }) => id), [3, 2]);
  assert.equal(roster.size, 2);
});

test('Roster visits everything once although what is visited removes itself', () => {
  const roster = new Roster<{ id: number }>();
  for (const id of [1, 2, 3, 4]) roster.add({ id });
  const visited: number[] = [];
  for (const { id } of roster) {
    visited.push(id);
    roster.remove(id);
  }
  assert.deepEqual(visited, [1, 2, 3, 4]);
  assert.equal(roster.size, 0);
});
