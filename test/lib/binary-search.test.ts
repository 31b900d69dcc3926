import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstIndexWhere } from '../../src/lib/binary-search.ts';

test('firstIndexWhere() finds the first of those beyond, wherever it is', () => {
  for (let length = 0; length < 20; length++) {
    const sorted = Array.from({ length }, (_, index) => 10 * index);
    for (let bound = -5; bound < 10 * length + 5; bound++) {
      const found = firstIndexWhere(sorted, (element) => element >= bound);
      assert.equal(found, sorted.filter((element) => element < bound).length);
    }
  }
});
