import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AnalyseAgain, againAfterMs, type AnalyseAgainPorts,
} from '../../../src/analysis/dispatch/analyse-again.ts';
import { keptReport } from '../../../src/analysis/dispatch/kept-report.ts';
import { EpisodeBook } from '../../../src/episodes/book/episode-book.ts';
import type { Episode } from '../../../src/episodes/episode.ts';
import {
  createEpisodeJournal, type EpisodeJournal,
} from '../../../src/episodes/episode-journal.ts';
import { newReport } from '../../../src/report/new-report.ts';
import type { Report } from '../../../src/report/report.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { anAlert, fingerprint } from '../../support/samples/alerts.ts';
import { aCaseFile, caseNow } from '../../support/samples/case-files.ts';

const alert = anAlert({
  fingerprint: fingerprint('a'),
  annotations: { summary: 'It is hot' },
  generatorURL: 'http://prometheus.example/graph?g0.expr=up',
});
const key = { fingerprint: alert.fingerprint, number: 1 };
const conclusion = {
  classification: 'actionable', certainty: 'possible', headline: 'CPU is high',
} as const;

interface Setup {
  readonly again: AnalyseAgain;
  readonly book: EpisodeBook;
  readonly clock: ManualClock;
  readonly record: EpisodeJournal;
  readonly enqueued: Episode[];
  readonly kept: { report: Report | null; journalFails: boolean; hasRoom: boolean };
  episode(): Episode;
}

/** An episode with a report made at {@linkcode caseNow}; `ports` replaces what it is built on. */
async function setup(ports: Partial<AnalyseAgainPorts> = {}): Promise<Setup> {
  const clock = new ManualClock(caseNow);
  const book = new EpisodeBook();
  const enqueued: Episode[] = [];
  const caseFile = aCaseFile({ alert });
  const report = newReport(caseFile, { status: 'ready', now: caseNow, version: '1' });
  const kept: Setup['kept'] = { report, journalFails: false, hasRoom: true };
  let sequence = 0;
  const append = (): Promise<number> =>
    kept.journalFails ? Promise.reject(new Error('No room')) : Promise.resolve(++sequence);
  const record = createEpisodeJournal(append, book);
  const accepted = [{ ...key, kind: 'opened', index: 0, alert }] as const;
  const text = JSON.stringify({ alerts: [alert] });
  book.applyNotification(++sequence, { receivedAt: caseNow, text, accepted });
  await record.attempt(key);
  await record.outcome({ ...key, state: 'reported', revision: 1, conclusion });
  const again = new AnalyseAgain({
    clock,
    book,
    reportBase: 'http://localhost',
    reports: { read: () => Promise.resolve(kept.report && JSON.stringify(kept.report)) },
    hasRoom: () => kept.hasRoom,
    journal: record,
    enqueue: (episode) => enqueued.push(episode),
    ...ports,
  });
  return {
    again, book, clock, record, enqueued, kept,
    episode() {
      const episode = book.find('a', 1);
      assert.ok(episode);
      return episode;
    },
  };
}

test('AnalyseAgain queues the episode with the alert as its report holds it', async () => {
  const s = await setup();
  await s.clock.advance(againAfterMs);
  const queued = { kind: 'queued', number: 1, reportUrl: 'http://localhost/report/a/1' };
  assert.deepEqual(await s.again.ask('a'), queued);
  assert.deepEqual(s.enqueued, [s.episode()]);
  assert.equal(s.episode().analysis, 'queued');
  const told = s.episode().latest?.read();
  assert.deepEqual(told?.alert, alert);
  assert.equal(told?.group.receiver, 'team');
  assert.deepEqual(await s.again.ask('a'), queued);
  assert.equal(s.enqueued.length, 1, 'what waits is not queued a second time');
});

test('AnalyseAgain gives everybody who asks at once the one answer', async () => {
  const s = await setup();
  await s.clock.advance(againAfterMs);
  const answers = await Promise.all([s.again.ask('a'), s.again.ask('a'), s.again.ask('a')]);
  assert.deepEqual(answers.map(({ kind }) => kind), ['queued', 'queued', 'queued']);
  assert.equal(s.enqueued.length, 1);
});

test('AnalyseAgain says how long to wait while the report is young', async () => {
  const s = await setup();
  await s.clock.advance(againAfterMs - 1_500);
  assert.deepEqual(await s.again.ask('a'), { kind: 'too_soon', waitMs: 1_500 });
  assert.equal(s.episode().analysis, 'reported');
  const ahead = { ...newReport(aCaseFile({ alert }), {
    status: 'ready', now: caseNow + 86_400_000, version: '1',
  }) };
  s.kept.report = ahead;
  assert.equal((await s.again.ask('a')).kind, 'queued', 'the clock was set back meanwhile');
});

test('AnalyseAgain analyses what has ended as ended', async () => {
  const s = await setup();
  const endsAt = '2026-11-20T10:20:00Z';
  const ended = { ...alert, status: 'resolved', endsAt } as const;
  s.book.applyNotification(50, {
    receivedAt: caseNow, text: JSON.stringify({ alerts: [ended] }),
    accepted: [{ ...key, kind: 'resolved', index: 0, alert: ended }],
  });
  s.book.applyOutcome(51, { ...key, state: 'reported', revision: 2, conclusion });
  await s.clock.advance(againAfterMs);
  s.kept.report = newReport(aCaseFile({ alert: ended }), {
    status: 'final', now: caseNow, version: '1',
  });
  await s.again.ask('a');
  const told = s.episode().latest?.read().alert;
  assert.deepEqual([told?.status, told?.endsAt], ['resolved', endsAt]);
});

test('AnalyseAgain makes do with the labels where the report is damaged', async () => {
  const s = await setup();
  s.kept.report = null;
  assert.equal((await s.again.ask('a')).kind, 'queued');
  assert.deepEqual(s.episode().latest?.read().alert.labels, alert.labels);
});

const refusals: readonly (readonly [string, (s: Setup) => void])[] = [
  ['storage_unavailable', ({ kept }) => (kept.journalFails = true)],
  ['queue_full', ({ kept }) => (kept.hasRoom = false)],
];
for (const [kind, prepare] of refusals) {
  test(`AnalyseAgain answers ${kind} and changes nothing`, async () => {
    const s = await setup();
    await s.clock.advance(againAfterMs);
    prepare(s);
    assert.equal((await s.again.ask('a')).kind, kind);
    assert.equal(s.episode().analysis, 'reported');
    assert.deepEqual(s.enqueued, []);
    s.kept.journalFails = false;
    s.kept.hasRoom = true;
    assert.equal((await s.again.ask('a')).kind, 'queued');
  });
}

test('AnalyseAgain knows no fingerprint that was never seen', async () => {
  assert.deepEqual(await (await setup()).again.ask('b'), { kind: 'not_found' });
});

test('AnalyseAgain gives a quarantined alert one more attempt', async () => {
  const s = await setup();
  s.book.applyNotification(50, {
    receivedAt: caseNow, text: JSON.stringify({ alerts: [alert] }),
    accepted: [{ ...key, kind: 'refreshed', index: 0, alert }],
  });
  for (const sequence of [51, 52, 53]) {
    s.book.applyAttempt(sequence, key);
    s.book.giveBack(key);
  }
  s.book.applyOutcome(54, { ...key, state: 'quarantined', revision: 2, conclusion });
  assert.equal(s.episode().attempts, 3);
  await s.clock.advance(againAfterMs);
  await s.again.ask('a');
  assert.equal(s.episode().analysis, 'queued');
  assert.equal(s.episode().attempts, 2);
});

const good = newReport(aCaseFile({ alert }), { status: 'ready', now: caseNow, version: '1' });
const of = { notifications: 1, endsAt: null, reason: 'It took too long.', now: caseNow + 5_000 };

test('keptReport() keeps a good report and says why no newer one took its place', () => {
  const kept = keptReport(JSON.stringify(good), of);
  assert.ok(kept);
  const report = JSON.parse(kept.json) as Report;
  assert.deepEqual(report.provenance.checks, [
    { name: 'a new analysis', state: 'failed', why: 'It took too long.' },
  ]);
  assert.equal(report.updated_at, new Date(caseNow + 5_000).toISOString());
  assert.deepEqual({ ...report, updated_at: '', provenance: 0 }, {
    ...good, updated_at: '', provenance: 0,
  });
  const twice = keptReport(kept.json, of);
  const { provenance } = JSON.parse(twice?.json ?? '') as Report;
  assert.equal(provenance.checks.length, 1);
});

const replaced: readonly (readonly [string, string | null, Partial<typeof of>])[] = [
  ['there is none', null, {}],
  ['it says that it failed', JSON.stringify({ ...good, status: 'failed' }), {}],
  ['there is news since', JSON.stringify(good), { notifications: 2 }],
];
for (const [name, stored, over] of replaced) {
  test(`keptReport() keeps nothing when ${name}`, () => {
    assert.equal(keptReport(stored, { ...of, ...over }), null);
  });
}

test('AnalyseAgain cannot analyse an alert of which only its name is left', async () => {
  const { episode } = await setup();
  const nameless: Episode = { ...episode(), identity: null };
  const { again, kept, enqueued } = await setup({ book: { find: () => nameless } });
  kept.report = null;
  assert.deepEqual(await again.ask('a'), { kind: 'forgotten' });
  assert.deepEqual(enqueued, []);
});
