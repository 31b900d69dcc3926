import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shorten } from '../../src/report/plain-text.ts';
import { shownText } from '../../src/report/shown-text.ts';

const cases: readonly (readonly [text: string, lengthMax: number, expected: string])[] = [
  ['a\n\tb', 10, 'a b'],
  ['abcd', 4, 'abcd'],
  ['abcdef', 4, 'abc…'],
  ['ab🔥', 3, 'ab…'],
  ['שלום', 10, 'שלום'],
  [`ab${' '.repeat(50)}cd`, 10, 'ab…'],
  [`abcd${' '.repeat(50)}e`, 4, 'abc…'],
];
for (const [text, lengthMax, expected] of cases) {
  test(`${JSON.stringify(text)} is "${expected}" on one line of ${lengthMax}`, () => {
    assert.equal(shorten(text, lengthMax), expected);
    assert.equal(shownText(text, lengthMax), expected);
  });
}

test('shownText() removes control characters and those that reorder their surroundings', () => {
  assert.equal(shownText('\u202eabc\u2066', 10), 'abc');
  assert.equal(shownText('\u0000', 5), '');
});
