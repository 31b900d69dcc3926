import assert from 'node:assert/strict';
import { test } from 'node:test';

import { unkeptReportBase } from '../../../src/report/report-url.ts';
import { renderMarkdown } from '../../../src/report/text/render-markdown.ts';
import { assertInertMarkdown, headings } from '../../support/inert-markdown.ts';
import { naughtyReports } from '../../support/samples/hostile-report.ts';
import { emptyReport, resolvedReport, sampleReport } from '../../support/samples/sample-report.ts';

test('renderMarkdown() escapes everything in naughty strings that Markdown would act on', () => {
  const titles = headings(renderMarkdown(sampleReport()));
  for (const { naughty, seed } of naughtyReports(sampleReport())) {
    const markdown = renderMarkdown(naughty);
    assertInertMarkdown(markdown, `seed ${seed}`);
    assert.deepEqual(headings(markdown).slice(1), titles.slice(1), `seed ${seed}`);
  }
});

const spans: readonly (readonly [string, string])[] = [
  ['plain', '`n=plain`'],
  ['a`b', '``n=a`b``'],
  ['a``b`c', '```n=a``b`c```'],
  ['end`', '`` n=end` ``'],
];

for (const [value, expected] of spans) {
  test(`renderMarkdown() keeps the label value ${value} within its code span`, () => {
    const { alert } = sampleReport();
    const markdown = renderMarkdown(sampleReport({ alert: { ...alert, labels: { n: value } } }));
    assert.ok(markdown.includes(`\n- ${expected}\n`), markdown);
  });
}

const proses: readonly (readonly [string, string])[] = [
  ['refused (service import@file), twice', 'refused (service `import@file`), twice'],
  ['by "ops@example.com".', 'by "`ops@example.com`".'],
  ['[see https://a.example/b].', '\\[see `https://a.example/b`\\].'],
  ['calls f(a@b).', 'calls `f(a@b)`.'],
  ['(@everyone)', '(`@everyone`)'],
  ['#) @', '`#`) `@`'],
];

for (const [text, expected] of proses) {
  test(`renderMarkdown() fences of "${text}" no more than would become a link`, () => {
    const markdown = renderMarkdown(sampleReport({ findings: [{ text, evidence: [] }] }));
    assert.ok(markdown.includes(`\n- ${expected}\n`), markdown);
  });
}

test('renderMarkdown() has the verdict, the first step and its command', () => {
  const markdown = renderMarkdown(sampleReport());
  assert.match(markdown, /^# CheckoutLatencyHigh in payments, eu1\n\n\*\*Firing, critical\*\*\n/);
  assert.match(markdown, /- Certainty: likely /);
  assert.match(markdown, /- First: See who holds[^\n]*\n {2}```\n {2}kubectl [^\n]*\n {2}```\n/);
  assert.match(markdown, /\n1\. See who holds[^]*\n2\. Restart the payment workers\.\n/);
  assert.match(markdown, /- Dashboard: <https:\/\/grafana\.example\/d\/abc>/);
});

test('renderMarkdown() leaves out empty sections', () => {
  assert.doesNotMatch(renderMarkdown(emptyReport('ready')), /## (Impact|Findings|Next steps)/);
  const resolved = renderMarkdown(resolvedReport());
  assert.match(resolved, /## Resolution\n\n- Ended 2026-11-20 01:24:10 UTC/);
});

test('renderMarkdown() says when the narrative was written, and what tried to steer it', () => {
  const { narrative } = sampleReport();
  assert.ok(narrative.state === 'present');
  const steered = { ...narrative, suspicious_content: true };
  assert.match(renderMarkdown(sampleReport({ narrative: steered })), /attempt to steer it\./);
  assert.match(renderMarkdown(sampleReport()), /Written by the model [^\n]* 10:05/);
  assert.doesNotMatch(renderMarkdown(sampleReport()), /attempt to steer it/);
});

test('renderMarkdown() says how many affected objects it leaves out', () => {
  const { impact } = sampleReport();
  const affected = Array.from({ length: 24 }, (_, index) => `pod=p${index}`);
  const markdown = renderMarkdown({ ...resolvedReport(), impact: { ...impact, affected } });
  const [report = '', postMortem = ''] = markdown.split('\n## Post-mortem\n');
  for (const part of [report, postMortem]) {
    assert.match(part, /\n {2}- `pod=p19`\n {2}- and 4 more in the JSON\n/);
  }
});

test('renderMarkdown() counts what it leaves out, and links no report that is not stored', () => {
  const findings = Array.from({ length: 150 }, (_, index) =>
    ({ text: `Finding ${index}.`, evidence: [] }));
  const markdown = renderMarkdown(sampleReport({
    findings, report_url: `${unkeptReportBase}/report/f/1`,
  }));
  assert.match(markdown, /- Finding 99\.\n- and 50 more in the JSON\n/);
  assert.doesNotMatch(markdown, /not-stored/);
});
