import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { isFitForShell, shellWord } from '../../src/lib/shell-word.ts';

test('shellWord() is one word for a shell, whatever the text', () => {
  const texts = ["it's", '$(id)`id`', '"; rm -rf / #', '*?[a]{b,c}~', '\\', 'a\nb', '', '-n é🔥'];
  const words = texts.map(shellWord).join(' ');
  const told = execFileSync('sh', ['-c', `printf '%s\\0' ${words}`], { encoding: 'utf8' });
  assert.deepEqual(told.split('\0').slice(0, -1), texts);
});

test('isFitForShell() refuses what a terminal obeys or does not show', () => {
  for (const text of ['a\nb', '\u001b[2J', '\u202ecod', '\u200b', '\u2028', '\ud800', '\x7f']) {
    assert.equal(isFitForShell(`x${text}`), false, JSON.stringify(text));
  }
  assert.equal(isFitForShell("it's $HOME; é🔥 \u00a0"), true);
});
