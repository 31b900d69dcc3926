import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slack } from '../../src/delivery/slack.ts';
import { markupText } from '../../src/report/html.ts';
import { alertList } from '../../src/report/pages/list/rows.ts';
import { renderMarkdown } from '../../src/report/text/render-markdown.ts';
import { anAlert } from '../support/samples/alerts.ts';
import { aCaseFile, caseNow, investigated } from '../support/samples/case-files.ts';
import { alertRow, incidentRow, listEntryOf } from '../support/samples/report-lists.ts';

const endsAt = '2026-11-20T10:15:00.000Z';
const alert = anAlert({ status: 'resolved', endsAt });
const caseFile = aCaseFile({
  alert, episode: { ...aCaseFile().episode, endsAt, isEndUnknown: true },
});

test('a report on an alert whose end is unknown claims no recovery', async () => {
  const report = await investigated(caseFile);
  const { verdict, findings, timeline } = report;
  assert.equal(verdict.classification, 'inconclusive');
  assert.match(verdict.headline,
    /Not in Alertmanager any more since 10:15 UTC, end unknown\.$/u);
  assert.equal(findings[0]?.text, 'No notification has said when the alert ended: the last one ' +
    'arrived at 10:00 UTC, and at 10:15 UTC Alertmanager was found not to have it any more.');
  assert.ok(timeline.some(({ text, kind }) => kind === 'resolved' &&
    text === 'Alertmanager is found not to have the alert any more.'));
  const markdown = renderMarkdown(report);
  assert.match(markdown, /\*\*Not in Alertmanager any more, /u);
  assert.match(markdown, /, end unknown, not in Alertmanager since 2026-11-20 10:15:00 UTC/u);
  assert.doesNotMatch(markdown, /Recovered|\*\*Resolved|is resolved/u);
  const posted = slack.message(report, { news: 'end', url: 'https://reports.example/r' });
  assert.match(posted, /is not in Alertmanager any more/u);
  assert.doesNotMatch(posted, /ended after/u);
});

test('the list says of which alerts the end is unknown', () => {
  const ended = { ends_at: endsAt, end_unknown: true } as const;
  const alone = markupText(alertList([alertRow(ended)], caseNow));
  assert.match(alone, /not in Alertmanager since<.*, end unknown/su);
  assert.doesNotMatch(alone, /ended <time/u);
  const row = incidentRow({ alerts: [listEntryOf(ended)] });
  const inIncident = markupText(alertList([row], caseNow));
  assert.match(inIncident, /not in Alertmanager since <time/u);
});
