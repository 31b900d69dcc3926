/** The checks of pages and Markdown fail on what they are meant to find. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertInertMarkdown } from './inert-markdown.ts';
import { assertOnlyOwnMarkup } from './own-markup.ts';

const badPages = [
  '<p>no doctype</p>', '<!doctype html><script>run()</script>', '<!doctype html><p onclick="x">',
  '<!doctype html><a href="javascript:x">a</a>', '<!doctype html><a href="//x.example">a</a>',
  '<!doctype html><form action="//x.example">', '<!doctype html><p class=a>', '<!doctype html>a"b',
  '<!doctype html><p>a</p><!doctype html><blink>', '<!doctype html>\u202e', '<!doctype html>\ud800',
];
for (const page of badPages) {
  test(`assertOnlyOwnMarkup() refuses ${JSON.stringify(page)}`, () => {
    assert.throws(() => assertOnlyOwnMarkup(page), assert.AssertionError);
  });
}

test('assertOnlyOwnMarkup() accepts a page of the service', () => {
  assertOnlyOwnMarkup('<!doctype html><style>p{}</style><p class="a">a &lt;b&gt;</p>');
});

const badMarkdown = [
  '*a*', '\\\\*a*', '[a](b)', '<b>', '<javascript:a>', 'https://x.example', 'www.x.example',
  '@everyone', 'a #1', '---', '    code', '```\nnot closed', 'a\u202eb', 'a\u0007b', '$x$',
];
for (const text of badMarkdown) {
  test(`assertInertMarkdown() refuses ${JSON.stringify(text)}`, () => {
    assert.throws(() => assertInertMarkdown(text, 'not inert'), assert.AssertionError);
  });
}

test('assertInertMarkdown() accepts escaped text, code and autolinks', () => {
  assertInertMarkdown('# a\n\n\\*a\\* `*b*` <https://x.example/?a=1>\n\n```\n*c*\n```\n', 'inert');
});
