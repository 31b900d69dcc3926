import assert from 'node:assert/strict';
import { test } from 'node:test';

import { renderMarkdown } from '../../src/report/render-markdown.ts';
import { naughtyStrings, withEveryText } from '../support/hostile-report.ts';
import { emptyReport, resolvedReport, sampleReport } from '../support/sample-report.ts';

/** Takes out fenced blocks, code spans and the addresses written as such; the rest is prose. */
function proseOf(markdown: string): string {
  const lines: string[] = [];
  let fence: string | null = null;
  for (const line of markdown.split('\n')) {
    const [, mark] = /^ *(`{3,})[^`]*$/.exec(line) ?? [];
    if (fence === null && mark !== undefined) fence = mark;
    else if (fence !== null && line.trim() === fence) fence = null;
    else if (fence === null) lines.push(line);
  }
  assert.equal(fence, null, 'every fence is closed');
  return lines.map(withoutSpans).join('\n').replace(/<https?:\/\/[!-;=?-~]*>/g, '');
}

/** Code spans as CommonMark finds them: a run of backticks up to the next of the same length. */
function withoutSpans(line: string): string {
  let text = '';
  let at = 0;
  while (at < line.length) {
    if (line[at] === '\\') {
      text += line.slice(at, at + 2);
      at += 2;
      continue;
    }
    const [run = ''] = /^`+/.exec(line.slice(at)) ?? [];
    const end = run === '' ? -1 : endOfSpan(line, at + run.length, run.length);
    text += end < 0 ? line[at] : '';
    at = end < 0 ? at + 1 : end;
  }
  return text;
}

function endOfSpan(line: string, from: number, length: number): number {
  for (const { 0: run, index } of line.slice(from).matchAll(/`+/g)) {
    if (run.length === length) return from + index + length;
  }
  return -1;
}

test('renderMarkdown() leaves nothing of a naughty string that Markdown would act on', () => {
  const titles = headings(renderMarkdown(sampleReport()));
  for (const naughty of naughtyStrings()) {
    const markdown = renderMarkdown(withEveryText(sampleReport(), () => naughty));
    const prose = proseOf(markdown).replace(/^\*\*(Firing, .*)\*\*$/m, '$1');
    assert.doesNotMatch(prose, /(?<!\\)[`*_[\]<>!|~&$]/, JSON.stringify(naughty));
    assert.doesNotMatch(prose, /:\/\/|www\.|@|script:|[^\n#]#/i, JSON.stringify(naughty));
    assert.doesNotMatch(markdown, /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]|\p{Surrogate}/u);
    assert.deepEqual(headings(markdown).slice(1), titles.slice(1), JSON.stringify(naughty));
    assert.doesNotMatch(prose, /^(-{3,}|={3,}| {4,}\S.*)$/m, JSON.stringify(naughty));
  }
});

function headings(markdown: string): string[] {
  return proseOf(markdown).split('\n').filter((line) => /^ {0,3}#/.test(line));
}

const spans: readonly (readonly [string, string])[] = [
  ['plain', '`n=plain`'],
  ['a`b', '``n=a`b``'],
  ['a``b`c', '```n=a``b`c```'],
  ['end`', '`` n=end` ``'],
];

for (const [value, expected] of spans) {
  test(`renderMarkdown() fences the label value ${value} so that it ends where it should`, () => {
    const { alert } = sampleReport();
    const markdown = renderMarkdown(sampleReport({ alert: { ...alert, labels: { n: value } } }));
    assert.ok(markdown.includes(`\n- ${expected}\n`), markdown);
  });
}

test('renderMarkdown() holds the verdict, the first step and its command', () => {
  const markdown = renderMarkdown(sampleReport());
  assert.match(markdown, /^# CheckoutLatencyHigh in payments\n\n\*\*Firing, critical\*\*\n/);
  assert.match(markdown, /- Certainty: likely /);
  assert.match(markdown, /- First: See who holds[^\n]*\n {2}```\n {2}kubectl [^\n]*\n {2}```\n/);
  assert.match(markdown, /- Dashboard: <https:\/\/grafana\.example\/d\/abc>/);
});

test('renderMarkdown() leaves out the sections that have nothing to say', () => {
  assert.doesNotMatch(renderMarkdown(emptyReport('ready')), /## (Impact|Findings|Next steps)/);
  const resolved = renderMarkdown(resolvedReport());
  assert.match(resolved, /## Resolution\n\n- Ended 2026-11-20 01:24:10 UTC/);
});
