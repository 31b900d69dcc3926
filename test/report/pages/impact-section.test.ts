import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderReportPage } from '../../../src/report/pages/render-report-page.ts';
import type { Impact, Report } from '../../../src/report/report.ts';
import { renderMarkdown } from '../../../src/report/text/render-markdown.ts';
import { sampleNow as now, sampleReport } from '../../support/samples/sample-report.ts';

function reportWith(over: Partial<Impact>): Report {
  const report = sampleReport();
  const labels = { alertname: 'A', service: 'api' };
  const unknown = { scope: null, firing_same: 1, targets_up: 1, targets_total: 1, affected: [] };
  return {
    ...report, alert: { ...report.alert, labels },
    impact: { ...report.impact, ...unknown, ...over },
    // The page tells the numbers of both together.
    reality: {
      ...report.reality, value_at_fire: null, value_now: null, threshold: null, yesterday: null,
      last_week: null, flaps: null, scrape_ok: null,
    },
  };
}

test('a report has a section on impact only where it says more than the alert', () => {
  for (const [impact, isShown] of [
    [{}, false],
    [{ affected: ['service=api'] }, false],
    [{ affected: ['service=api', 'service=web'] }, true],
    [{ affected: ['instance=a:80'] }, true],
    [{ firing_same: 2 }, true],
    [{ targets_up: 0 }, true],
    [{ scope: 'few' }, true],
  ] as const) {
    const report = reportWith(impact);
    const page = renderReportPage(report, { now });
    assert.equal(page.includes('id="impact"'), isShown, JSON.stringify(impact));
    assert.equal(page.includes('href="#impact"'), isShown, 'and links to it only then');
    assert.equal(renderMarkdown(report).includes('## Impact'), isShown);
  }
});
