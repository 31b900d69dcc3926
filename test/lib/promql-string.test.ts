import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escapeQuoted, escapeRegex } from '../../src/lib/promql-string.ts';

/** Reads the escapes of a string in Go that are used here. */
function unescaped(text: string): string {
  return text.replace(/\\(?:u(.{4})|U(.{8})|(.))/gsu, (_, short, long, sign: string) =>
    (sign === undefined ? String.fromCodePoint(parseInt(short ?? long, 16))
      : sign === 'n' ? '\n' : sign));
}

test('escapeQuoted() makes a string that ends at its quote and hides nothing', () => {
  for (const text of ['a"} or up{b="', 'C:\\x\\', 'a\nb\r\0', '\u202e\u200b\u2028', '\u{e0041}']) {
    const escaped = escapeQuoted(text);
    assert.equal(unescaped(escaped), text);
    assert.ok(/^(?:[^"\\\p{C}\p{Zl}\p{Zp}]|\\.)*$/u.test(escaped), escaped);
  }
  assert.equal(escapeQuoted('é 🔥 {}'), 'é 🔥 {}');
  assert.equal(escapeQuoted('\ud83d'), '\\ufffd', 'half of a character is none in UTF-8');
});

test('escapeRegex() makes an expression that matches its text alone', () => {
  for (const text of ['a.b', '^$', '(x|y)*+?', '[a-z]{2}\\d', 'plain', '😀', '']) {
    // The signs are the same in RE2 and here.
    assert.ok(new RegExp(`^(?:${escapeRegex(text)})$`, 'u').test(text), text);
    if (text.length > 1) {
      assert.ok(!new RegExp(`^(?:${escapeRegex(text)})$`, 'u').test(text.replace(/./u, '_')));
    }
  }
});
