import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markupText } from '../../src/report/html.ts';
import { alertList } from '../../src/report/pages/list/rows.ts';
import { renderReportPage } from '../../src/report/pages/render-report-page.ts';
import { renderMarkdown } from '../../src/report/text/render-markdown.ts';
import { renderText } from '../../src/report/text/render-text.ts';
import { alertRow, incidentRow, listEntryOf } from '../support/samples/report-lists.ts';
import { sampleNow, sampleReport } from '../support/samples/sample-report.ts';

const { episode } = sampleReport();

test('a report says that nobody is notified of its alert, and nothing if somebody is', () => {
  const silenced = sampleReport({ episode: { ...episode, suppressed: 'silenced' } });
  const page = renderReportPage(silenced, { now: sampleNow });
  assert.match(page, / · silenced in Alertmanager/u);
  const terminal = renderText(silenced, { color: false, width: 100 });
  for (const text of [renderMarkdown(silenced), terminal]) {
    assert.match(text, /Since 2026-11-20 01:14:10 UTC, silenced in Alertmanager/u);
  }
  assert.doesNotMatch(renderReportPage(sampleReport(), { now: sampleNow }), /in Alertmanager</u);
});

test('the list says of which alerts nobody is notified', () => {
  const alone = markupText(alertList([alertRow({ suppressed: 'inhibited' })], sampleNow));
  assert.match(alone, /firing<\/span> <span class="quiet">inhibited</u);
  const member = incidentRow({ alerts: [listEntryOf({ suppressed: 'muted' }), listEntryOf()] });
  const incident = markupText(alertList([member], sampleNow));
  assert.equal(incident.match(/<\/time>, muted · /gu)?.length, 1);
});
