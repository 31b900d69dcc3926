import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupBy } from '../../src/lib/group-by.ts';

test('groupBy keeps groups and their elements in order of appearance', () => {
  const groups = groupBy(['pear', 'fig', 'plum', 'nut'], (word) => word.length);
  assert.deepEqual([...groups], [[4, ['pear', 'plum']], [3, ['fig', 'nut']]]);
  assert.equal(groupBy([], String).size, 0);
});
