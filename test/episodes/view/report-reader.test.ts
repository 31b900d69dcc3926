import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpisodeBook } from '../../../src/episodes/book/episode-book.ts';
import { caseFileOf } from '../../../src/episodes/case-file-of.ts';
import type { Episode } from '../../../src/episodes/episode.ts';
import { ReceivedAlert } from '../../../src/episodes/received-alert.ts';
import { listEntry } from '../../../src/episodes/view/list-entry.ts';
import {
  ReportReader, type ReportReaderPorts, type ShownNarration,
} from '../../../src/episodes/view/report-reader.ts';
import { pendingNarrative } from '../../../src/report/awaited-narrative.ts';
import type { Narrative, Progress, Report } from '../../../src/report/report.ts';
import { renderMarkdown } from '../../../src/report/text/render-markdown.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { bookStart, filledBook, type Told } from '../../support/samples/filled-book.ts';
import { sampleReport } from '../../support/samples/sample-report.ts';

const pending: Narrative = { state: 'absent', reason: 'pending', detail: 'Not yet.' };
const overBudget: Narrative = { state: 'absent', reason: 'budget', detail: 'Used up.' };
const { narrative: written } = sampleReport();

interface Shown {
  readonly stored: Narrative;
  readonly narration: ShownNarration | null;
  readonly book?: EpisodeBook;
  /** Runs while the report is being read. */
  readonly whileReading?: () => void;
}

/** What a reader is shown of the narrative of a report that holds this one. */
async function shown(
  { stored, narration, book = oneEpisode(), whileReading = () => {} }: Shown,
): Promise<Narrative | undefined> {
  const report = await found(book, { narration }, () => {
    whileReading();
    return { ...sampleReport(), narrative: stored };
  });
  return report?.narrative;
}

/** What is found of the book's only episode when `read` is stored. */
function found(
  book: EpisodeBook,
  over: Partial<ReportReaderPorts> = {},
  read: () => Report | null = sampleReport,
): Promise<Report | null> {
  const reader = new ReportReader({
    book, clock: new ManualClock(bookStart), version: '1', progressOf: () => null,
    narration: null, recordingUrlOf: () => null,
    caseFileOf: (each) => caseFileOf(book, each, { reportBase: 'http://localhost', now: 0 }),
    reports: {
      read() {
        const report = read();
        return Promise.resolve(report && JSON.stringify(report));
      },
    },
    ...over,
  });
  return reader.find(onlyOne(book).fingerprint, 1);
}

function onlyOne(book: EpisodeBook): Episode {
  const [episode] = book.all();
  assert.ok(episode);
  return episode;
}

function oneEpisode(over: Partial<Told> = {}): EpisodeBook {
  return filledBook([{ labels: { alertname: 'Slow' }, began: 0, ...over }]);
}

function atStep(step: () => string | null): ShownNarration {
  return { stepOf: step, revisionOf: () => 0, questionsOf: () => [] };
}

const idle = atStep(() => null);
const interrupted: Narrative = {
  state: 'absent', reason: 'failed',
  detail: 'The investigation by the language model was interrupted before it answered.',
};
const cases: readonly [string, Shown, Narrative][] = [
  ['tells how far a narrative is',
    { stored: pending, narration: atStep(() => 'Round 2 of 6.') },
    { ...pending, detail: 'Round 2 of 6.' }],
  ['tells a narrative that nobody works at as interrupted',
    { stored: pending, narration: idle }, interrupted],
  ['tells it where the service has no model any more',
    { stored: pending, narration: null }, interrupted],
  ['leaves alone what was written', { stored: written, narration: idle }, written],
  ['leaves another reason alone', { stored: overBudget, narration: idle }, overBudget],
  ['says that a model is asked before there is a report',
    { stored: pending, narration: idle, book: oneEpisode({ conclusion: null }) }, pendingNarrative],
];
for (const [name, given, expected] of cases) {
  test(`ReportReader ${name}`, async () => assert.deepEqual(await shown(given), expected));
}

test('ReportReader does not call a narration interrupted that ends during the read',
  async () => {
    let step: string | null = 'The model draws its conclusion.';
    const narration = atStep(() => step);
    const whileReading = (): void => {
      step = null;
    };
    const narrative = await shown({ stored: pending, narration, whileReading });
    assert.deepEqual(narrative, { ...pending, detail: 'The model draws its conclusion.' });
  });

test('ReportReader does not call a narration interrupted while its report is remade', async () => {
  const book = oneEpisode();
  const episode = onlyOne(book);
  const { alert, group } = caseFileOf(book, episode, { reportBase: '', now: 0 });
  const told = ReceivedAlert.of({ alert, group }, bookStart);
  book.applyAgain(99, { fingerprint: episode.fingerprint, number: 1, told });
  assert.equal(episode.analysis, 'queued');
  const narrative = await shown({ stored: pending, narration: idle, book });
  assert.deepEqual(narrative, { ...pending, detail: 'The language model has not answered yet.' });
});

test('ReportReader and the list tell what Alertmanager last said of an open alert', async () => {
  const book = oneEpisode();
  const episode = onlyOne(book);
  book.open.suppress(new Map([[episode.fingerprint, 'silenced']]));
  assert.equal((await found(book))?.episode.suppressed, 'silenced');
  assert.equal(listEntry(book, episode, '').suppressed, 'silenced');
});

test('ReportReader shows a stored report of which the snapshot has no conclusion', async () => {
  const book = oneEpisode();
  Object.assign(onlyOne(book), { conclusion: null });
  assert.equal((await found(book))?.verdict.headline, sampleReport().verdict.headline);
});

test('ReportReader ends the episode in the history of an older report', async () => {
  const book = oneEpisode({ ended: 600 });
  const { history } = sampleReport();
  const [first] = history.episodes;
  assert.ok(first);
  const stored = sampleReport({
    history: { ...history, episodes: [{ ...first, number: 1, ends_at: null }] },
  });
  const report = await found(book, {}, () => stored);
  assert.equal(report?.episode.ends_at, '2026-11-20T00:10:00.000Z');
  assert.equal(report?.history.episodes[0]?.ends_at, '2026-11-20T00:10:00.000Z');
});

test('ReportReader tells whether the episode fires, and how far its analysis is', async () => {
  const state = async (
    told: Partial<Told>, progress: Progress | null, stored: Report | null = sampleReport(),
  ): Promise<string> => {
    const book = oneEpisode(told);
    const [episode] = book.all();
    if (progress !== null && episode !== undefined) book.applyAttempt(100, episode);
    const report = await found(book, { progressOf: () => progress }, () => stored);
    return `${report?.episode.state} ${report?.status}`;
  };
  const progress = { step: 'Asking the sources', done: 1, of: 7 };
  assert.equal(await state({}, null), 'firing ready');
  assert.equal(await state({ ended: 600 }, null), 'resolved queued', 'the end is news');
  const isNew = { conclusion: null };
  assert.equal(await state(isNew, null, null), 'firing queued');
  assert.equal(await state(isNew, progress, null), 'firing analysing');
  assert.equal(await state(isNew, progress), 'firing analysing');
  assert.equal(await state({ ...isNew, ended: 600 }, null, null), 'resolved queued');
});

test('a stored report is served with links to where the service is now', async () => {
  const report = await found(oneEpisode());
  assert.ok(report && report.related.length > 0 && report.history.episodes.length > 0);
  const links = [report, ...report.related, ...report.history.episodes]
    .map(({ report_url: url }) => new URL(url).origin);
  assert.deepEqual([...new Set(links)], ['http://localhost']);
  assert.match(renderMarkdown(report), /http:\/\/localhost\/report/u);
});
