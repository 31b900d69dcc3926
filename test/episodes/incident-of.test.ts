import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alert } from '../../src/alert/alert.ts';
import type { LabelSet } from '../../src/alert/labels.ts';
import { EpisodeBook } from '../../src/episodes/book/episode-book.ts';
import { caseFileOf } from '../../src/episodes/case-file-of.ts';
import type { Episode } from '../../src/episodes/episode.ts';
import { recordKinds } from '../../src/episodes/episode-journal.ts';
import { ReceivedAlert } from '../../src/episodes/received-alert.ts';
import { incidentView } from '../../src/episodes/view/incident-view.ts';
import { ReportReader } from '../../src/episodes/view/report-reader.ts';
import type { CaseFile } from '../../src/report/case-file.ts';
import { newReport } from '../../src/report/new-report.ts';
import { assertCompleteReport } from '../support/complete-report.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { aGroup, anAlert } from '../support/samples/alerts.ts';
import { filledBook } from '../support/samples/filled-book.ts';
import { settled } from '../support/settled.ts';

const base = 'https://reports.example';
const receivedAt = Date.parse('2026-11-20T10:00:05Z');

/** All labels told in one notification. */
function bookOf(sets: readonly LabelSet[]): { book: EpisodeBook; episodes: Episode[] } {
  return bookOfAlerts(sets.map((labels) => anAlert({ labels })));
}

function bookOfAlerts(alerts: readonly Alert[]): { book: EpisodeBook; episodes: Episode[] } {
  const book = new EpisodeBook();
  const accepted = alerts.map((alert, index) => (
    { fingerprint: alert.fingerprint, kind: 'opened', number: 1, index, alert } as const));
  const text = JSON.stringify({ alerts });
  const episodes = book.applyNotification(1, { receivedAt, text, accepted });
  settled(book);
  return { book, episodes };
}

const pods = (count: number): LabelSet[] => Array.from({ length: count }, (_, index) => ({
  alertname: 'PodSlow', namespace: 'shop', pod: `p-${index}`, node: 'n1', severity: 'warning',
}));
const node = { alertname: 'KubeNodeNotReady', node: 'n1', severity: 'critical' };

function fileOf(book: EpisodeBook, episode: Episode): CaseFile {
  return caseFileOf(settled(book), episode, { reportBase: base, now: 0 });
}

function caseFiles(sets: readonly LabelSet[]): CaseFile[] {
  const { book, episodes } = bookOf(sets);
  return episodes.map((episode) => fileOf(book, episode));
}

test('caseFileOf() leaves an alert that is alone without an incident', () => {
  const [file] = caseFiles([node]);
  assert.equal(file?.incident, null);
  assert.equal(file?.storm, null);
});

test('caseFileOf() lists an incident with its likely origin first', () => {
  const files = caseFiles([...pods(3), node]);
  for (const { incident, storm } of files) {
    assert.equal(incident?.fingerprints.length, 4);
    assert.equal(incident?.members[0]?.name, 'KubeNodeNotReady');
    assert.deepEqual(incident?.likelyOrigin, incident?.members[0]);
    assert.equal(storm, null);
  }
});

test('caseFileOf() picks one alert of each name in a storm of 500 to be investigated', () => {
  const files = caseFiles([...pods(499), node]);
  assert.equal(new Set(files.map(({ incident }) => incident?.id)).size, 1);
  const chosen = files.filter(({ storm }) => storm?.representative === null);
  assert.deepEqual(chosen.map(({ alert }) => alert.labels['alertname']),
    ['PodSlow', 'KubeNodeNotReady']);
  const file = files[1];
  assert.equal(file?.storm?.size, 500);
  assert.equal(file?.storm?.representative?.name, 'KubeNodeNotReady');
  assert.equal(file?.storm?.representative?.reportUrl, chosen[1]?.reportUrl);
  assert.equal(file?.incident?.members.length, 50);
  assert.equal(file?.incident?.fingerprints.length, 500);
});

test('caseFileOf() picks alerts of five names in a storm, and the likely origin', () => {
  const many = pods(30).map((labels, index) => ({ ...labels, alertname: `Pod${index % 8}Slow` }));
  const chosen = caseFiles([...many, node]).filter(({ storm }) => storm?.representative === null);
  assert.deepEqual(chosen.map(({ alert }) => alert.labels['alertname']),
    ['Pod0Slow', 'Pod1Slow', 'Pod2Slow', 'Pod3Slow', 'Pod4Slow', 'KubeNodeNotReady']);
});

test('caseFileOf() picks the first alert of a storm if none is the likely origin', () => {
  const files = caseFiles(pods(30));
  const chosen = files.filter(({ storm }) => storm?.representative === null);
  assert.deepEqual(chosen.map(({ alert }) => alert.labels['pod']), ['p-0']);
  assert.equal(files[3]?.incident?.likelyOrigin, null);
});

/** Alerts on pods that began so many seconds after the report was asked for. */
function inStorm(count: number, name: string, severity: string, began = 0): Alert[] {
  const startsAt = new Date(receivedAt + began * 1000).toISOString();
  return pods(count).map((labels) =>
    anAlert({ labels: { ...labels, alertname: name, severity }, startsAt }));
}

/** Names, severities and pods of those of the alerts, all told at once, that are investigated. */
function investigated(alerts: readonly Alert[]): string[] {
  const { book, episodes } = bookOfAlerts(alerts);
  return episodes.flatMap((episode) => {
    const { alert, storm } = fileOf(book, episode);
    const { alertname, severity, pod } = alert.labels;
    return storm?.representative === null ? [`${alertname} ${severity} ${pod}`] : [];
  });
}

test('caseFileOf() picks critical alerts of a storm whatever milder ones began before', () => {
  const mild = ['A', 'B', 'C', 'D', 'E', 'F'].flatMap((name) => inStorm(12, name, 'warning'));
  const worse = [...inStorm(9, 'A', 'critical', 30), ...inStorm(9, 'Slow', 'critical', 31)];
  assert.deepEqual(investigated([...mild, ...worse]).filter((each) => / critical /.test(each)),
    ['A critical p-0', 'Slow critical p-0']);
  assert.equal(investigated([...mild, ...worse]).length, 7, 'and five milder ones');
  const mildLater = [...inStorm(20, 'Slow', 'critical'), ...inStorm(9, 'Slow', 'warning', 30)];
  assert.deepEqual(investigated(mildLater), ['Slow critical p-0']);
});

test('caseFileOf() picks the alert of each name that began first, in whatever order told', () => {
  const [early, late] = [15, 20].map((began) => inStorm(20, 'Slow', 'critical', began));
  const told = (late ?? []).map((alert, index) => (index === 9 ? early?.[9] ?? alert : alert));
  assert.deepEqual(investigated(told), ['Slow critical p-9']);
});

test('caseFileOf() picks one alert of a name that is told backwards', () => {
  const book = new EpisodeBook();
  const alerts = pods(40).map((labels, index) => anAlert({
    labels, startsAt: new Date(receivedAt - index * 1000).toISOString(),
  }));
  const episodes = alerts.flatMap((alert, index) => {
    const accepted = { fingerprint: alert.fingerprint, kind: 'opened', number: 1, index: 0, alert };
    const text = JSON.stringify({ alerts: [alert] });
    return book.applyNotification(index + 1, { receivedAt, text, accepted: [accepted as never] });
  });
  const storms = episodes.map((episode) => fileOf(book, episode));
  const chosen = storms.flatMap(({ storm }, index) =>
    storm?.representative === null ? [index] : []);
  // The first ten came before there was a storm, and the last is its likely origin.
  assert.deepEqual(chosen, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 39]);
});

test('caseFileOf() refers to no alert that fired for long before the storm', () => {
  // Each began soon enough after the one before it to belong with it.
  const before = [0, 290, 580].flatMap((began, index) =>
    inStorm(50 + index, 'Slow', 'warning', began).slice(-1));
  const { book, episodes } = bookOfAlerts([...before, ...inStorm(30, 'Slow', 'warning', 870)]);
  const files = episodes.map((each) => fileOf(book, each));
  const last = files.at(-1);
  assert.equal(last?.incident?.fingerprints.length, 33);
  assert.equal(last?.storm?.representative?.reportUrl, files[2]?.reportUrl);
  assert.equal(files[2]?.storm?.representative, null);
});

test('caseFileOf() has those investigated that opened before there was a storm', () => {
  const book = new EpisodeBook();
  const episodes = pods(13).flatMap((labels, index) => {
    const alert = anAlert({ labels });
    const accepted = { fingerprint: alert.fingerprint, kind: 'opened', number: 1, index: 0, alert };
    const text = JSON.stringify({ alerts: [alert] });
    return book.applyNotification(index + 1, { receivedAt, text, accepted: [accepted as never] });
  });
  const storms = episodes.map((episode) => fileOf(book, episode));
  assert.ok(storms.every(({ storm }) => storm?.size === 13));
  assert.equal(storms.filter(({ storm }) => storm?.representative === null).length, 10);
});

test('caseFileOf() counts an alert that flaps once, so that few of them are no storm', () => {
  const [still = {}, flapping = {}, ...more] = pods(11);
  const told = Array.from({ length: 11 }, (_, index) => (
    { labels: flapping, number: index + 1, began: index * 25, ended: index * 25 + 10 }));
  const stormOf = (others: readonly LabelSet[]): CaseFile['storm'] => {
    const book = filledBook([
      { labels: still, began: 0 }, ...told, { labels: flapping, number: 12, began: 280 },
      ...others.map((labels) => ({ labels, began: 60 })),
    ]);
    const newest = [...book.open].find(({ number }) => number === 12);
    assert.ok(newest !== undefined);
    return fileOf(book, newest).storm;
  };
  assert.equal(stormOf([]), null);
  assert.equal(stormOf(more)?.size, 11);
});

test('caseFileOf() has a later wave of a storm investigated once the first has ended', () => {
  const book = new EpisodeBook();
  const tell = (
    sequence: number, at: string, sets: readonly LabelSet[], endsAt: string | null = null,
  ): Episode[] => {
    const kind = endsAt === null ? 'opened' : 'resolved';
    const alerts = sets.map((labels) =>
      anAlert({ labels, startsAt: at, endsAt, status: endsAt === null ? 'firing' : 'resolved' }));
    const accepted = alerts.map((alert, index) =>
      ({ fingerprint: alert.fingerprint, kind, number: 1, index, alert } as const));
    return book.applyNotification(
      sequence, { receivedAt, text: JSON.stringify({ alerts }), accepted });
  };
  const all = pods(40);
  const early = tell(1, '2026-11-20T10:00:00Z', [node, ...all.slice(0, 15)]);
  tell(2, '2026-11-20T10:00:00Z', [node], '2026-11-20T10:02:00Z');
  const late = tell(3, '2026-11-20T10:03:00Z', all.slice(15));
  const chosen = (episodes: readonly Episode[]): unknown[] => {
    const files = episodes.map((each) => fileOf(book, each));
    const urls = files.map(({ reportUrl, storm }) => storm?.representative?.reportUrl ?? reportUrl);
    return [...new Set(urls)];
  };
  const [origin, ...others] = early;
  assert.deepEqual(chosen(early.slice(0, 2)).length, 2, 'the first of each name has its own');
  assert.deepEqual(chosen(others.slice(1)), [`${base}/report/${origin?.fingerprint}/1`]);
  assert.deepEqual(chosen(late), [`${base}/report/${late[0]?.fingerprint}/1`]);
});

test('caseFileOf() finds a representative where the clock of the sender is ahead', () => {
  const book = new EpisodeBook();
  const ahead = new Date(receivedAt + 3_600_000).toISOString();
  const sets = [node, ...pods(30)];
  const tell = (sequence: number, labels: LabelSet, isEnd = false): Episode => {
    const alert = anAlert({
      labels, startsAt: ahead, endsAt: isEnd ? ahead : null, status: isEnd ? 'resolved' : 'firing',
    });
    const kind = isEnd ? 'resolved' : 'opened';
    const { fingerprint } = alert;
    const accepted = [{ fingerprint, kind, number: 1, index: 0, alert } as const];
    const text = JSON.stringify({ alerts: [alert] });
    const [episode] = book.applyNotification(sequence, { receivedAt, text, accepted });
    assert.ok(episode);
    return episode;
  };
  const episodes = sets.map((labels, index) => tell(index + 1, labels));
  const ended = tell(100, node, true);
  assert.equal(ended.endsAt, new Date(receivedAt).toISOString(), 'before its start');
  const [second, last] = [episodes[1], episodes.at(-1)];
  assert.ok(second !== undefined && last !== undefined);
  const { storm } = fileOf(book, last);
  assert.equal(storm?.representative?.reportUrl, `${base}/report/${second.fingerprint}/1`);
});

test('caseFileOf() has an alert of a storm investigated that a reader asked for', () => {
  const { book, episodes } = bookOf([...pods(30), node]);
  const [, asked] = episodes as [Episode, Episode];
  const { fingerprint, number } = asked;
  const key = { fingerprint, number };
  const told = ReceivedAlert.of({ alert: anAlert(), group: aGroup }, receivedAt);
  const conclusion =
    { classification: 'inconclusive', certainty: 'inconclusive', headline: '' } as const;
  book.applyAttempt(2, key);
  book.applyOutcome(3, { ...key, state: 'reported', revision: 1, conclusion });
  const storm = (of: EpisodeBook, episode: Episode | null): CaseFile['storm'] => {
    assert.ok(episode !== null);
    return caseFileOf(of, episode, { reportBase: base, now: 0 }).storm;
  };
  assert.equal(storm(book, asked)?.representative?.name, 'KubeNodeNotReady');
  book.applyAgain(4, { ...key, told });
  assert.deepEqual(storm(book, asked), { size: 31, representative: null });
  const restored = new EpisodeBook();
  for (const each of book.records()) {
    restored.restore(recordKinds.episode.decode(Buffer.concat(recordKinds.episode.encode(each))));
  }
  restored.finishReplay();
  assert.equal(storm(restored, restored.find(fingerprint, 1))?.representative, null);
});

test('newReport() tells of the incident, and in a storm where the evidence is', () => {
  const options = { status: 'queued', now: receivedAt, version: '1' } as const;
  const reports = caseFiles([...pods(11), node]).map((file) => newReport(file, options));
  reports.forEach(assertCompleteReport);
  const [, first] = reports;
  const id = first?.incident?.id ?? '';
  assert.equal(first?.incident?.url, `${base}/incident/${id}`);
  assert.equal(first?.incident?.members.length, 12);
  assert.equal(first?.incident?.likely_origin, 'KubeNodeNotReady');
  assert.match(first?.findings[0]?.text ?? '',
    /^Part of a storm of 12 alerts; the evidence is in the report of KubeNodeNotReady: https:/);
  assert.match(reports.at(-1)?.findings[0]?.text ?? '', /this one is investigated in full/);
});

test('ReportReader brings the incident of a stored report up to date', async () => {
  const { book, episodes } = bookOf([...pods(1), node]);
  const [episode, other] = episodes as [Episode, Episode];
  const caseFile = (each: Episode): CaseFile =>
    fileOf(book, each);
  const stored = newReport(
    { ...caseFile(episode), incident: null }, { status: 'ready', now: receivedAt, version: '1' });
  const reader = new ReportReader({
    book, clock: new ManualClock(receivedAt), version: '1', caseFileOf: caseFile,
    reports: { read: () => Promise.resolve(JSON.stringify(stored)) }, progressOf: () => null,
    recordingUrlOf: () => null, narration: null,
  });
  book.applyOutcome(2, {
    fingerprint: episode.fingerprint, number: 1, state: 'reported', revision: 1,
    conclusion: { classification: 'actionable', certainty: 'likely', headline: 'Slow.' },
  });
  const report = await reader.find(episode.fingerprint, 1);
  assert.deepEqual(report?.incident?.members, [other.fingerprint, episode.fingerprint]);
  const view = await reader.incident(report?.incident?.id ?? '', base);
  assert.deepEqual(view?.members.map(({ headline }) => headline), [null, 'Slow.']);
  assert.equal(view?.likely_origin, other.fingerprint);
});

test('incidentView() is null for an incident of one alert and for an unknown id', () => {
  const { book, episodes } = bookOf([node]);
  const options = { reportBase: base, moved: [], paths: [] };
  assert.equal(incidentView(book, episodes[0]?.incident?.id ?? '', options), null);
  assert.equal(incidentView(book, 'constructor', options), null);
});

test('an alert joins no incident whose alerts have all ended', () => {
  const { book, episodes } = bookOf(pods(2));
  const [first] = episodes;
  const ids = new Set(episodes.map((episode) => settled(book).membershipOf(episode)?.id));
  assert.equal(ids.size, 1);
  const tell = (sequence: number, kind: 'opened' | 'resolved', labels: LabelSet): Episode[] => {
    const endsAt = kind === 'opened' ? null : '2026-11-20T10:01:00Z';
    const alert = anAlert({ labels, endsAt, status: kind === 'opened' ? 'firing' : kind });
    const { fingerprint } = alert;
    const accepted = [{ fingerprint, kind, number: 1, index: 0, alert } as const];
    const text = JSON.stringify({ alerts: [alert] });
    return book.applyNotification(sequence, { receivedAt, text, accepted });
  };
  for (const [index, labels] of pods(2).entries()) tell(2 + index, 'resolved', labels);
  const [later] = tell(4, 'opened', { ...pods(3)[2] });
  assert.ok(first !== undefined && later !== undefined);
  assert.notEqual(settled(book).membershipOf(later)?.id, settled(book).membershipOf(first)?.id);
  assert.equal(fileOf(book, later).incident, null);
});
