import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postMortemOf } from '../../../src/report/text/post-mortem.ts';
import { renderMarkdown } from '../../../src/report/text/render-markdown.ts';
import { resolvedReport, sampleReport } from '../../support/samples/sample-report.ts';

test('postMortemOf() is empty until the episode is over', () => {
  assert.deepEqual(postMortemOf(sampleReport()), []);
  assert.doesNotMatch(renderMarkdown(sampleReport()), /Post-mortem/);
});

test('renderMarkdown() ends the report of a resolved episode with a post-mortem to fill in', () => {
  const [, end = ''] = renderMarkdown(resolvedReport()).split('\n## Post-mortem\n\n');
  assert.deepEqual(end.split('\n').filter((line) => line.startsWith('### ')), [
    '### Summary', '### Impact', '### Timeline', '### Root cause (to confirm)',
    '### What went well', '### What went badly', '### Actions',
  ]);
  const known = [
    '- From 2026-11-20 01:14:10 UTC to 2026-11-20 01:24:10 UTC (10 min)',
    '- Affected:\n  - `service=checkout`\n  - `service=payment`\n',
    '- 2026-11-20 01:14:10 UTC: the alert fires',
    '- pool too small (given by a person, who rated the report partly right)',
    '- database connections are exhausted on orders-db since 01:09 UTC (likely)',
    '- It recovered with the alert.', '- To be filled in: what, who, by when.',
  ];
  for (const line of known) assert.ok(end.includes(line), line);
});

test('postMortemOf() does not invent a cause', () => {
  const { verdict } = sampleReport();
  const report = { ...resolvedReport(), feedback: [], verdict: { ...verdict, most_likely: null } };
  const cause = postMortemOf(report).find(({ title }) => title.startsWith('Root cause'));
  const lines = cause?.points.map(({ line }) => line);
  assert.deepEqual(lines, [['The report did not establish a cause.']]);
});
