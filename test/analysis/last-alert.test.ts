import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpisodeKey } from '../../src/alert/episode-key.ts';
import { awaitedRechecks } from '../../src/analysis/dispatch/awaited-rechecks.ts';
import { lastAlertOf } from '../../src/analysis/last-alert.ts';
import { EpisodeBook } from '../../src/episodes/book/episode-book.ts';
import type { CaseFile } from '../../src/report/case-file.ts';
import type { Report } from '../../src/report/report.ts';
import { aGroup, anAlert, fingerprint } from '../support/samples/alerts.ts';
import { aCaseFile, capturedCases, caseNow, investigated } from '../support/samples/case-files.ts';
import { bookStart, filledBook } from '../support/samples/filled-book.ts';

const minute = 60_000;

/** As it is on disk: what JSON makes of it. */
async function stored(caseFile: CaseFile): Promise<Report> {
  return JSON.parse(JSON.stringify(await investigated(caseFile))) as Report;
}

const told = aCaseFile({
  alert: anAlert({
    labels: { alertname: 'Slow', instance: 'a:80', severity: 'page', constructor: 'odd' },
    annotations: { summary: 'It is slow: 1.9 s', dashboard_url: 'https://grafana/d/all' },
    generatorURL: 'http://prometheus/graph?g0.expr=latency_seconds+%3E+1',
    values: { A: '1.9', B: '1' },
    dashboardURL: 'https://grafana/d/1', panelURL: 'https://grafana/d/1?viewPanel=2',
  }),
  group: {
    receiver: 'team', groupKey: '{}:{alertname="Slow"}', groupLabels: { alertname: 'Slow' },
    externalURL: 'http://alertmanager:9093/prefix', listed: 3, truncated: 2,
  },
  episode: {
    number: 4, startsAt: '2026-11-20T10:00:00Z', endsAt: null, isEndUnknown: false,
    notifications: 7,
  },
});

test('lastAlertOf reads back from a report what its investigation was told', async () => {
  const { alert, group, receivedAt, revision } = lastAlertOf(await stored(told));
  assert.deepEqual(alert, told.alert);
  assert.deepEqual(group, told.group);
  assert.equal(receivedAt, told.receivedAt);
  assert.equal(revision, 7);
});

const captured = 'prometheus-3.5.3-via-alertmanager-0.33.1.json';

test('a second investigation of what lastAlertOf gives back says the same', async () => {
  for (const caseFile of capturedCases(captured, caseNow)) {
    const report = await stored(caseFile);
    const { revision, failedChecks, ...again } = lastAlertOf(report);
    assert.equal(failedChecks, 0);
    assert.equal(revision, caseFile.episode.notifications);
    assert.deepEqual(await stored({ ...caseFile, ...again }), report);
  }
});

test('lastAlertOf makes do with a report that was never finished', async () => {
  const report = await stored(told);
  const { alert, group } = lastAlertOf({ ...report, evidence: [], timeline: [] });
  assert.deepEqual([alert.labels, alert.values], [told.alert.labels, {}]);
  assert.deepEqual(group.groupLabels, {});
});

/** A book with one reported episode that began, and perhaps ended, so many minutes ago. */
function bookWith(minutesAgo: number, endedAgo: number | null = null): EpisodeBook {
  const book = new EpisodeBook();
  const startsAt = new Date(caseNow - minutesAgo * minute).toISOString();
  const alert = anAlert({ fingerprint: fingerprint('slow'), startsAt });
  const key = { fingerprint: alert.fingerprint, number: 1 };
  book.applyNotification(1, {
    receivedAt: caseNow - minutesAgo * minute, text: JSON.stringify({ alerts: [alert] }),
    accepted: [{ ...key, kind: 'opened', index: 0, alert }],
  });
  book.applyAttempt(2, key);
  book.applyOutcome(3, {
    ...key, state: 'reported', revision: 1,
    conclusion: { classification: 'actionable', certainty: 'possible', headline: 'Slow' },
  });
  if (endedAgo === null) return book;
  const endsAt = new Date(caseNow - endedAgo * minute).toISOString();
  const resolved = { ...alert, status: 'resolved' as const, endsAt };
  book.applyNotification(4, {
    receivedAt: caseNow - endedAgo * minute, text: JSON.stringify({ alerts: [resolved] }),
    accepted: [{ ...key, kind: 'resolved', index: 0, alert: resolved }],
  });
  book.applyAttempt(5, key);
  book.applyOutcome(6, {
    ...key, state: 'reported', revision: 2,
    conclusion: { classification: 'recovered', certainty: 'possible', headline: 'Slow' },
  });
  return book;
}

async function looks(book: EpisodeBook, report: Report | null): Promise<number[]> {
  const read = (): Promise<string | null> =>
    Promise.resolve(report === null ? null : JSON.stringify(report));
  const due: number[] = [];
  const awaited = awaitedRechecks({ book, reports: { read } }, caseNow);
  for await (const { at, lastAlert: { group } } of awaited) {
    assert.equal(group.receiver, aGroup.receiver);
    due.push(at - caseNow);
  }
  return due;
}

test('awaitedRechecks finds only the rechecks that the last process missed', async () => {
  const whole = await stored(aCaseFile());
  const early: Report = { ...whole, provenance: { ...whole.provenance, checks: [
    { name: 'second look', state: 'skipped', why: 'Few points are there yet.' },
  ] } };
  assert.deepEqual(await looks(bookWith(4), early), [minute], 'still to come');
  const { provenance } = early;
  const slow = { name: 'what moved', state: 'failed' as const, why: 'Prometheus was slow.' };
  const checks = [slow, ...provenance.checks];
  const unanswered = { ...early, provenance: { ...provenance, checks } };
  assert.deepEqual(await looks(bookWith(1), unanswered), [minute], 'asked again sooner');
  assert.deepEqual(await looks(bookWith(4), unanswered), [minute], 'and once more');
  const finished = new Date(caseNow - 24 * minute).toISOString();
  const old = { ...early, provenance: { ...provenance, finished_at: finished } };
  assert.deepEqual(await looks(bookWith(25), old), [-20 * minute], 'missed');
  assert.deepEqual(await looks(bookWith(26 * 60), old), [], 'missed long ago');
  assert.deepEqual(await looks(bookWith(300, 2), early), [3 * minute], 'after the end');
  assert.deepEqual(await looks(bookWith(300, 90), early), [], 'ended long ago');
  assert.deepEqual(await looks(bookWith(4), whole), [], 'its report is whole');
  assert.deepEqual(await looks(bookWith(4), null), [], 'its report is damaged');
});

test('awaitedRechecks passes over a report that cannot be read', async () => {
  const book = bookWith(4);
  const read = (): Promise<string | null> => Promise.reject(new Error('EIO'));
  const found: unknown[] = [];
  for await (const look of awaitedRechecks({ book, reports: { read } }, caseNow)) found.push(look);
  assert.deepEqual(found, []);
});

test('awaitedRechecks finds the alerts that began last, where too many fire', async () => {
  const labelsOf = (index: number): Record<string, string> =>
    ({ alertname: 'Slow', instance: `a-${index}` });
  const book = filledBook(Array.from({ length: 1001 }, (_, index) => (
    { labels: labelsOf(index), began: index < 1000 ? index : 72_000 })));
  const read: string[] = [];
  const reports = {
    read({ fingerprint: of }: EpisodeKey) {
      read.push(of);
      return Promise.resolve(null);
    },
  };
  const looks = awaitedRechecks({ book, reports }, bookStart + 72_060_000);
  assert.equal((await looks[Symbol.asyncIterator]().next()).done, true);
  const last = anAlert({ labels: labelsOf(1000) }).fingerprint;
  assert.deepEqual([read.length, read[0]], [1000, last]);
});
