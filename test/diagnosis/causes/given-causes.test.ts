import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KnownFeedback } from '../../../src/report/case-file.ts';
import { renderReportPage } from '../../../src/report/pages/render-report-page.ts';
import type { Report } from '../../../src/report/report.ts';
import { renderMarkdown } from '../../../src/report/text/render-markdown.ts';
import { renderText } from '../../../src/report/text/render-text.ts';
import { assertCompleteReport } from '../../support/complete-report.ts';
import { anAlert } from '../../support/samples/alerts.ts';
import { aCaseFile, caseNow, investigated, pastEpisode } from '../../support/samples/case-files.ts';
import { naughtyStrings } from '../../support/samples/hostile-report.ts';

const alert = anAlert();
const cause = 'a batch job on the same node';

/** Said of the alert's episode 2, an hour ago, unless `over` says otherwise. */
function said(over: Partial<KnownFeedback> = {}): KnownFeedback {
  return {
    fingerprint: alert.fingerprint, number: 2, startsAt: '2026-11-19T08:00:00Z',
    reportUrl: 'https://reports.example/report/x/2', at: '2026-11-20T09:30:00.000Z',
    verdict: 'partly', cause, note: null, noisy: false, ...over,
  };
}

function reportWith(...feedback: readonly KnownFeedback[]): Promise<Report> {
  const episode = { ...aCaseFile().episode, number: 3, startsAt: '2026-11-20T10:00:00Z' };
  const earlier = [pastEpisode(2, 26, 10), pastEpisode(1, 50, 10)];
  return investigated(aCaseFile({ alert, episode, earlier, feedback }));
}

const other = { fingerprint: 'another', number: 7 };
const findings: readonly (readonly [string, readonly KnownFeedback[], string])[] = [
  ['a cause', [said()],
    `For episode 2 (19 Nov 08:00 UTC), the on-call gave the cause as "${cause}".`],
  ['a cause of this very episode', [said({ number: 3 })],
    `For this episode, the on-call gave the cause as "${cause}".`],
  ['only that it was right', [said({ cause: null, verdict: 'right' })],
    'The on-call rated the report on episode 2 (19 Nov 08:00 UTC) as right.'],
  ['noise', [said({ noisy: true })],
    'The on-call called episode 2 (19 Nov 08:00 UTC) noise.'],
  ['the cause of another', [said({ ...other })],
    `For another alert of this name (19 Nov 08:00 UTC), the on-call gave the cause as "${cause}".`],
];
for (const [name, feedback, expected] of findings) {
  test(`feedbackFindings() tells ${name}, and on what evidence`, async () => {
    const report = await reportWith(...feedback);
    assertCompleteReport(report);
    const finding = report.findings.find(({ text }) => text === expected);
    assert.ok(finding, report.findings.map(({ text }) => text).join('\n'));
    const item = report.evidence.find(({ id }) => id === finding.evidence[0]);
    assert.equal(item?.title, 'Feedback from people');
    assert.equal(item.source, 'store');
  });
}

test('without feedback there is no evidence of it, and nothing is said', async () => {
  const report = await reportWith();
  assert.doesNotMatch(JSON.stringify(report), /on-call|people said/);
});

test('givenCause() stands before what is only usual, and is never more than possible', async () => {
  const [first] = (await reportWith(said())).hypotheses;
  assert.equal(first?.cause, cause);
  assert.equal(first.certainty, 'possible');
  const [usual] = (await reportWith()).hypotheses;
  const others = (await reportWith(said(other))).hypotheses;
  assert.ok(others.some((each) => each.cause === cause && each.certainty === 'possible'));
  assert.notEqual(usual?.cause, cause);
});

test('withGivenCauses() supports a cause that is known already, and lists it once', async () => {
  const before = (await reportWith()).hypotheses;
  const [known] = before;
  assert.ok(known);
  const after = (await reportWith(said({ cause: `${known.cause.toUpperCase()}!` }))).hypotheses;
  assert.equal(after.length, before.length);
  const supported = after.find((each) => each.cause === known.cause);
  assert.equal(supported?.certainty, 'possible');
  assert.match(supported.for.at(-1)?.text ?? '', /^For episode 2 \(/);
});

test('withGivenCauses() compares causes letter by letter, however these are encoded', async () => {
  const causesOf = async (own: string, others: string): Promise<number> => {
    const feedback = [said({ cause: own }), said({ ...other, cause: others })];
    const { hypotheses } = await reportWith(...feedback);
    return hypotheses.filter((each) => [own, others].includes(each.cause)).length;
  };
  assert.equal(await causesOf('Größe'.normalize('NFC'), 'Größe'.normalize('NFD')), 1);
  assert.equal(await causesOf('डिस्क भरी', 'डेस्क भारी'), 2);
});

test('feedbackLowering() doubts what was wrong the last time, and only then', async () => {
  const reasons = async (...told: KnownFeedback[]): Promise<string> =>
    (await reportWith(...told)).verdict.reasons.map(({ text }) => text).join('\n');
  assert.match(await reasons(said({ verdict: 'wrong' })), /^The on-call rated .* as wrong\.$/m);
  const corrected = [said({ number: 2, verdict: 'right' }), said({ number: 1, verdict: 'wrong' })];
  assert.doesNotMatch(await reasons(...corrected), /called the report/);
  assert.doesNotMatch(await reasons(said({ ...other, verdict: 'wrong' })), /called the report/);
});

const noise: readonly (readonly [string, readonly KnownFeedback[], boolean])[] = [
  ['once', [said({ noisy: true })], false],
  ['twice', [said({ noisy: true }), said({ number: 1, noisy: true })], true],
  ['twice, but not the last time',
    [said({ noisy: false }), said({ number: 1, noisy: true }), said({ number: 0, noisy: true })],
    false],
  ['twice, of another alert',
    [said({ ...other, noisy: true }), said({ ...other, number: 8, noisy: true })], false],
];
for (const [name, feedback, isNoise] of noise) {
  test(`an alert called noise ${name} is ${isNoise ? '' : 'not '}taken for noise`, async () => {
    const { classification } = (await reportWith(...feedback)).verdict;
    assert.equal(classification === 'noisy', isNoise);
  });
}

test('hostile feedback is clipped and escaped wherever it is told', async () => {
  // That nothing in any text is markup is shown for pages and Markdown of every report: here it is
  // enough to see that feedback comes as such a text.
  const telling = naughtyStrings()
    .filter((text) => /<script|onerror|[\x00-\x1f\u202e]/i.test(text));
  assert.ok(telling.length > 20);
  for (const naughty of [...telling, '<'.repeat(500), '\u202e'.repeat(500)]) {
    const hostile = { cause: naughty || 'x', note: naughty };
    const report = await reportWith(said(hostile), said({ ...other, ...hostile }));
    assert.deepEqual(JSON.parse(JSON.stringify(report)), report);
    const page = renderReportPage(report, { now: caseNow });
    assert.doesNotMatch(page, /<script|<img|<iframe|<svg on|<[^>]*\sonerror=|\u202e/);
    assert.doesNotMatch(renderMarkdown(report), /[\x00-\x08\x0b-\x1f\u202e]/);
    assert.doesNotMatch(renderText(report, { color: true, width: 80 }), /\x1b\]|\x07|\u202e/);
    assert.ok(report.findings.every(({ text }) => text.length <= 400));
  }
});

test('a report tells what was last said of an earlier episode', async () => {
  const { history, ...report } = await reportWith(
    said({ number: 3 }), said({ fingerprint: 'another' }),
    said({ cause: null, verdict: 'right' }), said({ note: 'see INC-77' }));
  const { last_said: last } = history;
  assert.deepEqual(last, {
    number: 2, starts_at: '2026-11-19T08:00:00Z', ends_at: last?.ends_at ?? '',
    cause, note: 'see INC-77', report_url: 'https://reports.example/report/x/2',
  });
  const page = renderReportPage({ ...report, history }, { now: caseNow });
  assert.match(page, /<strong>Last time<\/strong> \(.+\): .*on the same node\. see INC-77/u);
  assert.match(page, /href="https:\/\/reports\.example\/report\/x\/2">episode 2/u);
  const lastTime = /Last time \(.+ min\): a batch job on the same node\. see INC-77/u;
  assert.match(renderMarkdown({ ...report, history }), lastTime);
  assert.match(renderText({ ...report, history }, { color: false, width: 500 }), lastTime);
  const first = await reportWith(said({ number: 3 }));
  assert.equal(first.history.last_said, null);
});

test('the evidence of feedback says on what it was given', async () => {
  const summaryOf = async (...told: readonly KnownFeedback[]): Promise<string | undefined> => {
    const { evidence } = await reportWith(...told);
    return evidence.find(({ title }) => title === 'Feedback from people')?.summary;
  };
  assert.equal(await summaryOf(said({ number: 3 })), 'Feedback on this episode, unverified.');
  assert.equal(await summaryOf(said({ number: 3 }), said(), said(other)),
    'Feedback on this episode, 1 earlier episode of this alert and 1 episode of other alerts ' +
      'with its name, unverified.');
});

test('a cause that a person gave leads, the one of this episode as likely', async () => {
  const leadingWith = async (number: number): Promise<readonly unknown[]> => {
    const { hypotheses: [first] } = await reportWith(said({ number }));
    return [first?.cause, first?.certainty];
  };
  assert.deepEqual(await leadingWith(2), [cause, 'possible']);
  assert.deepEqual(await leadingWith(3), [cause, 'likely']);
});
