import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { slack } from '../../src/delivery/slack.ts';
import { conclusionOf } from '../../src/episodes/conclusion.ts';
import { renderReportPage } from '../../src/report/pages/render-report-page.ts';
import type { Report } from '../../src/report/report.ts';
import { renderMarkdown } from '../../src/report/text/render-markdown.ts';
import { renderText } from '../../src/report/text/render-text.ts';
import { sampleNow } from '../support/samples/sample-report.ts';

/** Without the optional members, as earlier versions store it; nor is a new member added to it. */
const earlier = JSON.parse(readFileSync(
  join(process.cwd(), 'test/fixtures/reports/earlier-version.json'), 'utf8',
)) as Report;

const shown: Readonly<Record<string, (report: Report) => string>> = {
  'on a page': (report) => renderReportPage(report, { now: sampleNow }),
  'as Markdown': renderMarkdown,
  'in a terminal': (report) => renderText(report, { color: false, width: 80 }),
  'in a chat': (report) => slack.message(report, { news: 'report', url: report.report_url }),
  'in a list': (report) => JSON.stringify(conclusionOf(report)),
};

for (const [where, render] of Object.entries(shown)) {
  test(`a report that an earlier version stored is shown ${where}`, () => {
    const text = render(earlier);
    assert.match(text, /orders-db/);
    assert.doesNotMatch(text, /undefined|NaN|Inf\b/, 'a member that was added has to be optional');
  });
}
