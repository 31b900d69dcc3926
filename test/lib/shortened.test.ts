import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortened } from '../../src/lib/shortened.ts';

const cases: readonly (readonly [text: string, lengthMax: number, expected: string])[] = [
  ['', 0, ''], ['abcd', 4, 'abcd'], ['abcde', 4, 'abc…'], ['ab🔥c', 4, 'ab…'], ['a🔥cd', 4, 'a🔥…'],
  ['abc', 1, '…'],
];
for (const [text, lengthMax, expected] of cases) {
  test(`shortened() makes "${expected}" of "${text}" where ${lengthMax} units fit`, () => {
    assert.equal(shortened(text, lengthMax), expected);
  });
}
