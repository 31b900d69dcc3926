import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escapeRegex } from '../../src/lib/promql-string.ts';

test('escapeRegex() makes an expression that matches its text alone', () => {
  for (const text of ['a.b', '^$', '(x|y)*+?', '[a-z]{2}\\d', 'plain', '😀', '']) {
    // The signs are the same in RE2 and here.
    assert.ok(new RegExp(`^(?:${escapeRegex(text)})$`, 'u').test(text), text);
    if (text.length > 1) {
      assert.ok(!new RegExp(`^(?:${escapeRegex(text)})$`, 'u').test(text.replace(/./u, '_')));
    }
  }
});
