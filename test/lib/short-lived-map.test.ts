import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ShortLivedMap } from '../../src/lib/short-lived-map.ts';

test('ShortLivedMap keeps entries in insertion order until they are deleted', () => {
  const map = new ShortLivedMap<string, { n: number }>();
  for (const [n, key] of ['c', 'a', 'b'].entries()) map.set(key, { n });
  map.set('a', { n: 9 });
  assert.deepEqual([...map], [['c', { n: 0 }], ['a', { n: 9 }], ['b', { n: 2 }]]);
  assert.deepEqual(map.delete('c'), { n: 0 });
  assert.equal(map.delete('c'), undefined);
  assert.equal(map.get('c'), undefined);
  assert.deepEqual(map.get('b'), { n: 2 });
  assert.equal(map.size, 2);
});

test('ShortLivedMap can be emptied while iterating over it', () => {
  const map = new ShortLivedMap<number, { n: number }>();
  for (const n of [1, 2, 3]) map.set(n, { n });
  for (const { n } of map.values()) map.delete(n);
  for (const n of [1, 2, 3]) map.set(n, { n });
  for (const [n] of map) map.delete(n);
  assert.equal(map.size, 0);
});
