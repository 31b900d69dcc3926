import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderReportPage } from '../../../src/report/pages/render-report-page.ts';
import type { AskedQuestion, Certainty, Report } from '../../../src/report/report.ts';
import { renderMarkdown } from '../../../src/report/text/render-markdown.ts';
import {
  emptyReport, resolvedReport, sampleNow as now, sampleReport,
} from '../../support/samples/sample-report.ts';

/** The page's text without markup. */
function textOf(report: Report): string {
  return renderReportPage(report, { now })
    .replace(/<(style|script)>.*?<\/\1>/gsu, '').replace(/<[^>]*>/gu, '').replace(/\s+/gu, ' ');
}

test('the page and Markdown say that an alert was called noise', () => {
  const [said] = sampleReport().feedback;
  assert.ok(said);
  const report = sampleReport({ feedback: [{ ...said, noisy: true }] });
  assert.match(textOf(report), /Partly right; the alert is noise/u);
  assert.match(renderMarkdown(report), /Partly right; the alert is noise/u);
});

test('the page of an alert whose end is unknown says so, and claims no end', () => {
  const { episode, ...report } = resolvedReport();
  const text = textOf({ ...report, episode: { ...episode, end_unknown: true } });
  assert.match(text, /✓ Not in Alertmanager any more/u);
  assert.match(text, /, end unknown, not in Alertmanager since 01:24 UTC/u);
  assert.doesNotMatch(text, /Resolved after/u);
});

const asked: AskedQuestion = {
  asked_at: '2026-11-20T01:20:00.000Z', question: 'Is it <b>disk</b>?', state: 'answered',
  text: 'It is not.', missing: ['What db-0 did.'], detail: null,
  claims: [{ text: 'The disk: 12 % used.', evidence: ['E1'], verified: true, reading: null }],
};

test('the page and Markdown tell what was asked and answered, the reading as unchecked', () => {
  const report = sampleReport({ questions: [
    asked, { ...asked, state: 'failed', text: '', claims: [], missing: [], detail: 'It refused.' },
  ] });
  const page = textOf(report);
  assert.match(page, /Is it &lt;b&gt;disk&lt;\/b&gt;\?.*reading, not checked: ?It is not/u);
  assert.match(page, /worded by code: ?✓The disk: 12 % used\. .*What db-0 did\./u);
  assert.match(page, /It refused\./u);
  assert.match(renderMarkdown(report), /not checked: It is not\.[^]*The disk: 12 % used/u);
});

test('the page takes a question if there is a model, and no more than ten', () => {
  const formOf = (report: Report, over: object = {}): string =>
    /<form[^>]*\/ask"[^]*?<\/form>/u.exec(
      renderReportPage(report, { now, takesQuestions: true, ...over }),
    )?.[0] ?? '';
  assert.match(formOf(sampleReport()), /<label for="question">.*<input[^>]*name="question"/su);
  assert.equal(formOf(sampleReport(), { takesQuestions: false }), '');
  assert.equal(formOf(emptyReport('queued')), '');
  const ten = Array.from({ length: 10 }, () => asked);
  assert.equal(formOf(sampleReport({ questions: ten })), '');
  const page = renderReportPage(sampleReport(), {
    now, takesQuestions: true, feedbackBy: 'command',
  });
  assert.match(page, /\/ask&#39;|\/ask'/u);
});

test('a narrative shows what holds, and apart from it what the model makes of that', () => {
  const { narrative } = sampleReport();
  assert.ok(narrative.state === 'present');
  const report = sampleReport({ narrative: {
    ...narrative, text: 'It ran full.', asserted: { made: 2, held_at_first: 1, held: 1 },
    claims: [{ text: 'Connections: rose.', evidence: ['E3'], verified: true, reading: 'Much.' }],
    culprits: [{ component: 'orders-db', since: null }], missing: ['Who did it.'],
  } });
  for (const text of [textOf(report), renderMarkdown(report)]) {
    assert.match(text, /holds responsible: .*orders-db/u);
    assert.match(text, /computed and worded by code/u);
    assert.match(text, /Connections: rose\..*[Mm]odel: Much\./u);
    assert.match(text, /reading, not checked: ?It ran full\./u);
    assert.match(text, /Who did it\./u);
  }
});

test('the page leaves out what has nothing to say, and ends with what was not looked at', () => {
  const { unknowns } = sampleReport();
  const page = renderReportPage({ ...emptyReport('ready'), unknowns }, { now });
  const ids = [...page.matchAll(/<section (?:class="\w+" )?id="([\w-]+)"/gu)].map(([, id]) => id);
  assert.deepEqual(ids, ['verdict', 'feedback', 'path', 'alert', 'unknowns', 'provenance']);
  for (const { what, how_to_get: how } of unknowns) {
    assert.ok(textOf({ ...emptyReport('ready'), unknowns }).includes(what) && page.includes(how));
  }
});

test('the page says when nothing stands out among the changes', () => {
  const weak = sampleReport().changes.filter(({ strength }) => strength === 'weak');
  const text = textOf(sampleReport({ changes: weak }));
  assert.match(text, /Nothing notable in 2 series\. ?2 of them/u);
  const { evidence } = sampleReport();
  const searched = evidence.map((item) => ({ ...item, data: { compared: 239 } }));
  const report = sampleReport({ changes: weak, evidence: searched });
  assert.match(textOf(report), /Nothing notable in 239 series\. ?2 of them/u);
  assert.match(renderMarkdown(report), /Nothing notable in 239 series\.\n/u);
});

test('the page counts the moments that it does not list', () => {
  const [moment] = sampleReport().timeline;
  assert.ok(moment);
  const timeline = Array.from({ length: 104 }, () => moment);
  assert.match(textOf(sampleReport({ timeline })), /and 4 more in the JSON/u);
});

test('an explanation that did not hold is told on the page and in the post-mortem', () => {
  const { resolution, ...report } = resolvedReport();
  assert.ok(resolution);
  const failed = { ...report, resolution: { ...resolution, hypothesis_held: false } };
  assert.match(textOf(failed), /did not hold: what it rests on has not recovered/u);
  assert.match(renderMarkdown(failed), /It did not recover with the alert\./u);
});

test('a resolved episode is told without what nobody saw of its end', () => {
  const { resolution, ...report } = resolvedReport();
  assert.ok(resolution);
  const nothing = { value_at_end: null, hypothesis_held: null, changes: [] };
  const unseen = { ...report, resolution: { ...resolution, ...nothing } };
  assert.doesNotMatch(renderReportPage(unseen, { now }), /id="resolution"/u);
});

test('the first screen says how certain the cause is', () => {
  const { verdict } = sampleReport();
  const titleOf = (certainty: Certainty): string => /id="verdict-title"[^>]*>([^<]*)</u.exec(
    renderReportPage(sampleReport({ verdict: { ...verdict, certainty } }), { now }))?.[1] ?? '';
  assert.deepEqual((['confirmed', 'likely', 'possible'] as const).map(titleOf),
    ['Confirmed cause', 'Likely cause', 'Possible cause']);
});

test('values of an alert that fires are told with their age once they are old', () => {
  const { episode, provenance } = sampleReport();
  const said = (minutes: number, over: Partial<Report['episode']> = {}): boolean => {
    const madeAt = new Date(now - minutes * 60_000).toISOString();
    return textOf(sampleReport({
      episode: { ...episode, ...over }, provenance: { ...provenance, finished_at: madeAt },
    })).includes('values from ');
  };
  assert.deepEqual([said(5), said(360)], [false, true]);
  assert.equal(said(360, { state: 'resolved', ends_at: '2026-11-20T02:00:00Z' }), false);
});

test('a source that is not configured is told once', () => {
  const report = sampleReport();
  for (const text of [textOf(report), renderMarkdown(report)]) {
    assert.equal(text.match(/Loki is not configured/gu)?.length, 1);
  }
});

test('page and Markdown list a source that is not configured where the verdict cites it', () => {
  const report = sampleReport();
  const [first] = report.evidence;
  assert.ok(first !== undefined);
  const evidence = [{ ...first, id: 'E9', title: 'Unasked', state: 'not_configured' as const }];
  const reasons = [{ text: 'It was not asked.', effect: 'lowers' as const, evidence: ['E9'] }];
  const listing = (over: Partial<Report>): readonly boolean[] => {
    const shown = { ...report, evidence, ...over };
    return [textOf(shown), renderMarkdown(shown)].map((text) => text.includes('Unasked'));
  };
  assert.deepEqual(listing({ verdict: { ...report.verdict, reasons } }), [true, true]);
  assert.deepEqual(listing({ findings: [{ text: 'Nothing.', evidence: ['E9'] }] }), [false, false]);
});
