import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unlinked } from '../../src/report/unlinked.ts';

const cases: readonly (readonly [text: string, expected: string])[] = [
  ['see https://evil.example/login now', 'see evil.example/login now'],
  ['HTTPS://a, git+ssh://b', 'a, b'],
  ['_http://evil.example_', '_evil.example_'],
  ['(https://a)(http://b)', '(a)(b)'],
  ['9http://a', 'a'],
  // What is left must not come together as an address.
  ['https:/http:///evil.example', 'https:/evil.example'],
  ['hthttps://tps://evil.example', 'evil.example'],
  ['https:http:////evil.example', 'https:evil.example'],
  ['a: //b, c:/d, 12:30', 'a: //b, c:/d, 12:30'],
  ['www.shop.example', 'www.shop.example'],
  ['', ''],
];
for (const [text, expected] of cases) {
  test(`unlinked(${JSON.stringify(text)}) is ${JSON.stringify(expected)}`, () => {
    assert.equal(unlinked(text), expected);
    assert.doesNotMatch(unlinked(text), /:\/\//);
  });
}
