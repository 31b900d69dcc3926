import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alert } from '../../../src/alert/alert.ts';
import { parseNotification } from '../../../src/alert/notification.ts';
import { EpisodeBook } from '../../../src/episodes/book/episode-book.ts';
import { applyRecord, recordKinds, snapshotOf } from '../../../src/episodes/episode-journal.ts';
import {
  decodeNotification, encodeNotification, type OutcomeRecord,
} from '../../../src/episodes/records.ts';
import { expiredEpisodes } from '../../../src/episodes/retention.ts';
import { anAlert, fingerprint } from '../../support/samples/alerts.ts';
import { settled } from '../../support/settled.ts';

const conclusion = {
  classification: 'actionable', certainty: 'possible',
  headline: '', gist: '', place: '', cause: null, firstStep: null,
} as const;
const key = { fingerprint: fingerprint('a'), number: 1 };
const at = Date.parse('2026-11-20T10:00:05Z');

function alertOf(over: Partial<Alert> = {}): Alert {
  return anAlert({ fingerprint: fingerprint('a'), ...over });
}

function tell(
  book: EpisodeBook,
  sequence: number,
  kind: 'opened' | 'refreshed' | 'resolved' | 'arrived_resolved' | 'late',
  over: Partial<Alert> & { number?: number } = {},
): void {
  const alert = alertOf(over);
  const { fingerprint: told } = alert;
  const accepted = { fingerprint: told, kind, number: over.number ?? 1, index: 0, alert };
  const text = JSON.stringify({ alerts: [alert] });
  book.applyNotification(sequence, { receivedAt: at, text, accepted: [accepted] });
}

function outcome(revision: number, state: OutcomeRecord['state'] = 'reported'): OutcomeRecord {
  return { ...key, state, revision, conclusion };
}

test('EpisodeBook takes an episode from its first firing to its report', () => {
  const book = new EpisodeBook();
  tell(book, 1, 'opened');
  assert.equal(book.find('a', null)?.analysis, 'queued');
  book.applyAttempt(2, key);
  assert.equal(book.find('a', 1)?.analysis, 'running');
  book.applyOutcome(3, outcome(1));
  const episode = book.find('a', 1);
  assert.equal(episode?.analysis, 'reported');
  assert.equal(episode?.attempts, 0);
  assert.equal(episode?.attemptsTotal, 1);
  assert.equal(episode?.latest, null, 'the alert is in the report now');
});

test('EpisodeBook keeps little of an alert that was reported, however long its labels are', () => {
  const book = new EpisodeBook();
  const labels = Object.fromEntries(Array.from({ length: 100 }, (_, index) =>
    [`label_${index}`, 'x'.repeat(1_000)]));
  const alertname = 'y'.repeat(50_000);
  tell(book, 1, 'opened', { labels: { ...labels, alertname, namespace: 'shop' } });
  book.applyAttempt(2, key);
  book.applyOutcome(3, outcome(1));
  const episode = book.find('a', 1);
  assert.equal(episode?.identity?.labels['namespace'], 'shop');
  assert.equal(episode.name, `${'y'.repeat(255)}…`);
  assert.ok(JSON.stringify(episode).length < 8_000);
});

test('EpisodeBook analyses again when news came while an analysis ran', () => {
  const book = new EpisodeBook();
  tell(book, 1, 'opened');
  book.applyAttempt(2, key);
  tell(book, 3, 'refreshed');
  assert.equal(book.find('a', 1)?.analysis, 'running');
  book.applyOutcome(4, outcome(1));
  assert.equal(book.find('a', 1)?.analysis, 'queued');
  assert.notEqual(book.find('a', 1)?.latest, null);
});

test('EpisodeBook closes an episode and keeps the earliest of its starts', () => {
  const book = new EpisodeBook();
  tell(book, 1, 'opened');
  tell(book, 2, 'refreshed', { startsAt: '2026-11-20T09:59:59Z' });
  tell(book, 3, 'resolved', { status: 'resolved', endsAt: '2026-11-20T10:05:00Z' });
  const episode = book.find('a', 1);
  assert.equal(episode?.startsAt, '2026-11-20T09:59:59Z');
  assert.equal(episode?.endsAt, '2026-11-20T10:05:00Z');
  assert.equal(book.open.size, 0);
  assert.deepEqual([...book.closed.latestFirst()].map(({ number }) => number), [1]);
});

test('EpisodeBook gives an interrupted attempt back and counts it', () => {
  const book = new EpisodeBook();
  tell(book, 1, 'opened');
  book.applyAttempt(2, key);
  assert.deepEqual(book.finishReplay().map(({ attempts }) => attempts), [1]);
  book.applyAttempt(3, key);
  book.applyRelease(4, key);
  assert.equal(book.find('a', 1)?.attempts, 1, 'a released attempt is not counted');
});

test('EpisodeBook keeps the attempts of a quarantined alert', () => {
  const book = new EpisodeBook();
  tell(book, 1, 'opened');
  for (const sequence of [2, 3, 4]) {
    book.applyAttempt(sequence, key);
    book.giveBack(key);
  }
  book.applyOutcome(5, outcome(1, 'quarantined'));
  tell(book, 6, 'refreshed');
  assert.equal(book.find('a', 1)?.analysis, 'queued');
  assert.equal(book.find('a', 1)?.attempts, 3);
});

test('EpisodeBook forgets an episode and all that was kept of it', () => {
  const book = new EpisodeBook();
  tell(book, 1, 'arrived_resolved', { status: 'resolved', endsAt: '2026-11-20T10:05:00Z' });
  tell(book, 2, 'opened', { number: 2, startsAt: '2026-11-20T11:00:00Z' });
  book.applyForget(3, key);
  assert.ok(book.find('a', 1), 'it still is to be analysed');
  book.applyOutcome(4, outcome(1));
  book.applyForget(5, key);
  assert.equal(book.find('a', 1), null);
  assert.equal(book.find('a', 2)?.number, 2);
  assert.equal(book.total, 1);
  assert.equal(book.closed.size, 0);
  book.applyOutcome(6, { ...outcome(1), number: 2 });
  const episode = book.find('a', 2);
  assert.ok(episode && book.holds(episode));
  book.applyForget(7, { ...key, number: 2 });
  assert.ok(!book.holds(episode));
  tell(book, 8, 'opened', { number: 2 });
  assert.ok(!book.holds(episode), 'another one has its number');
  book.applyOutcome(9, { ...outcome(1), number: 2 });
  book.applyForget(10, { ...key, number: 2 });
  assert.equal(book.open.size, 0);
  tell(book, 11, 'late');
  assert.deepEqual([...book.acceptances()], [], 'a late copy does not bring it back');
});

test('EpisodeBook.records() with the records after it restores the same book', () => {
  const live = new EpisodeBook();
  const log: ((book: EpisodeBook) => void)[] = [
    (book) => tell(book, 1, 'opened'),
    (book) => book.applyAttempt(2, key),
    (book) => tell(book, 3, 'refreshed'),
    (book) => book.applyOutcome(4, outcome(1)),
    (book) => tell(book, 5, 'opened', { fingerprint: fingerprint('b') }),
    (book) => tell(book, 6, 'resolved', { status: 'resolved', endsAt: '2026-11-20T10:05:00Z' }),
    (book) => book.applyAttempt(7, key),
    (book) => book.applyOutcome(8, outcome(3)),
    (book) => tell(book, 9, 'opened', { number: 2, startsAt: '2026-11-20T12:00:00Z' }),
    (book) => tell(book, 10, 'opened', {
      fingerprint: fingerprint('c'), startsAt: '2026-11-20T12:00:09Z',
    }),
    (book) => tell(book, 11, 'refreshed', { number: 2, startsAt: '2026-11-20T10:00:30Z' }),
    (book) => tell(book, 12, 'opened', { fingerprint: fingerprint('d') }),
    (book) => book.applyOutcome(13, { ...outcome(1), fingerprint: fingerprint('b') }),
    (book) => book.applyForget(14, { fingerprint: fingerprint('b'), number: 1 }),
  ];
  const { episode } = recordKinds;
  const whole = new EpisodeBook();
  for (const apply of log) apply(whole);
  for (let taken = 0; taken <= log.length; taken++) {
    const book = new EpisodeBook();
    for (const apply of log.slice(0, taken)) apply(book);
    const snapshot = [...book.records()].map((each) => Buffer.concat(episode.encode(each)));
    // The snapshot replaces everything before it; any number of records before it comes again.
    for (let from = 0; from <= taken; from++) {
      const restored = new EpisodeBook();
      for (const payload of snapshot) restored.restore(episode.decode(payload));
      for (const apply of log.slice(from)) apply(restored);
      const [left, right] = [settled(restored), settled(whole)].map((each) =>
        [[...each.all()], [...each.acceptances()], incidentsIn(each), each.open.size]);
      assert.deepEqual(left, right, `${taken} taken, from ${from}`);
    }
  }
  assert.equal([...live.all()].length, 0);
});

/** Names of the episodes in each incident. */
function incidentsIn(book: EpisodeBook): string[] {
  const ids = new Set([...settled(book).all()].map(({ incident }) => incident?.id ?? ''));
  return [...ids].map((id) => {
    const { members } = settled(book).rankedMembers(id);
    return `${id}: ${members.map((each) => `${each.fingerprint}#${each.number}`).join(' ')}`;
  });
}

test('EpisodeBook keeps an incident of what belongs together', () => {
  const book = new EpisodeBook();
  tell(book, 1, 'opened');
  tell(book, 2, 'opened', { fingerprint: fingerprint('b') });
  tell(book, 3, 'opened', { fingerprint: fingerprint('c'), startsAt: '2026-11-20T15:00:00Z' });
  tell(book, 4, 'refreshed', { fingerprint: fingerprint('b') });
  tell(book, 5, 'opened', {
    fingerprint: fingerprint('w'), labels: { alertname: 'Watchdog', instance: 'a:9100' },
  });
  tell(book, 6, 'arrived_resolved', {
    fingerprint: fingerprint('r'), status: 'resolved', endsAt: '2026-11-20T10:01:00Z',
  });
  const { id = '' } = settled(book).find('a', 1)?.incident ?? {};
  const members = (): string[] => settled(book).rankedMembers(id).members.map((m) => m.fingerprint);
  assert.deepEqual(members(), ['a', 'b']);
  assert.notEqual(book.find('c', 1)?.incident?.id, id);
  assert.equal(book.find('w', 1)?.incident, null);
  assert.equal(book.find('r', 1)?.incident, null);
  book.applyOutcome(7, outcome(1));
  book.applyForget(8, key);
  assert.deepEqual(members(), ['b']);
});

test('EpisodeBook.records(), iterated slowly, includes incidents merged meanwhile', () => {
  const pod = { alertname: 'A', pod: 'p', node: 'n1', x: '1', y: '2' };
  const events: ((book: EpisodeBook) => void)[] = [
    (book) => tell(book, 1, 'opened', { fingerprint: fingerprint('p'), labels: pod }),
    (book) => tell(book, 2, 'opened', {
      fingerprint: fingerprint('q'), labels: { ...pod, alertname: 'B', pod: 'q', x: '3', y: '4' },
    }),
    (book) => tell(book, 3, 'opened', {
      fingerprint: fingerprint('n'), labels: { alertname: 'N', node: 'n1' },
    }),
    (book) => tell(book, 4, 'resolved', {
      fingerprint: fingerprint('q'), status: 'resolved', endsAt: '2026-11-20T10:01:00Z',
    }),
  ];
  const whole = new EpisodeBook();
  for (const apply of events) apply(whole);
  assert.equal(incidentsIn(whole).length, 1, 'the node brings its pods together');
  for (let pulled = 0; pulled <= 2; pulled++) {
    const live = new EpisodeBook();
    for (const apply of events.slice(0, 2)) apply(live);
    const records = live.records()[Symbol.iterator]();
    const snapshot: Buffer[] = [];
    const pull = (): void => {
      const next = records.next();
      if (next.done !== true) snapshot.push(Buffer.concat(recordKinds.episode.encode(next.value)));
    };
    for (let count = 0; count < pulled; count++) pull();
    for (const apply of events.slice(2)) apply(live);
    for (let count = 0; count < 20; count++) pull();
    const restored = new EpisodeBook();
    for (const payload of snapshot) restored.restore(recordKinds.episode.decode(payload));
    for (const apply of events.slice(2)) apply(restored);
    assert.deepEqual(incidentsIn(restored).sort(), incidentsIn(whole).sort(), `${pulled} pulled`);
    assert.equal(restored.total, 3);
    assert.equal(restored.finishReplay() && restored.closed.size, 1);
  }
});

test('records survive their encoding, whatever the labels are called', () => {
  const labels = JSON.parse('{"__proto__":"x","constructor":"y","alertname":"A"}') as object;
  const body = Buffer.from(JSON.stringify({ alerts: [{ labels }] }));
  const accepted = [{ ...key, kind: 'opened', index: 0 } as const];
  const notification = { receivedAt: at, accepted, body };
  const decoded = decodeNotification(Buffer.concat(encodeNotification(notification)));
  assert.deepEqual({ ...decoded, body: decoded.body.toString() }, {
    ...notification, body: body.toString(),
  });
  const { attempt, outcome: ended, episode } = recordKinds;
  assert.deepEqual(attempt.decode(Buffer.concat(attempt.encode(key))), key);
  const last = { ...outcome(1), report: { file: 1, offset: 2, bytes: 3 }, isRecordedAnew: true };
  assert.deepEqual(ended.decode(Buffer.concat(ended.encode(last))), last);
  const book = new EpisodeBook();
  tell(book, 1, 'opened', { labels: labels as Alert['labels'] });
  const [record] = book.records();
  assert.ok(record);
  assert.deepEqual(episode.decode(Buffer.concat(episode.encode(record))), record);
});

const garbage = ['', 'null', '[]', '{"fingerprint":1}', '{"fingerprint":"a\\n","number":1}', '{"'];
for (const payload of garbage) {
  test(`records refuse ${JSON.stringify(payload)}`, () => {
    const bytes = Buffer.from(payload);
    for (const kind of Object.values(recordKinds)) {
      assert.throws(() => { kind.decode(bytes); }, { name: 'FormatError' });
    }
  });
}

test('expiredEpisodes() takes what is too old or too much, never what is pending', () => {
  const book = new EpisodeBook();
  const day = 86_400_000;
  for (let i = 0; i < 10; i++) {
    const endsAt = new Date(at - i * day).toISOString();
    const startsAt = new Date(at - i * day - 1000).toISOString();
    const name = fingerprint(`f${i}`);
    tell(book, i + 1, 'arrived_resolved', {
      fingerprint: name, status: 'resolved', startsAt, endsAt,
    });
    if (i !== 9) book.applyOutcome(20 + i, { ...outcome(1), fingerprint: name });
  }
  book.finishReplay();
  const names = (ageMs: number, episodesMax: number): string[] =>
    expiredEpisodes(book, { ageMs, episodesMax }, at).map(({ fingerprint: name }) => name);
  assert.deepEqual(names(6.5 * day, 100), ['f8', 'f7'], 'f9 is still to be analysed');
  assert.deepEqual(names(100 * day, 7), ['f8', 'f7', 'f6']);
  assert.deepEqual(names(100 * day, 10), []);
});

test('EpisodeBook weighs what waits, until it is analysed', () => {
  const book = new EpisodeBook();
  tell(book, 1, 'opened');
  const weight = book.waitingWeight;
  assert.ok(weight > 100, `${weight}`);
  tell(book, 2, 'refreshed');
  assert.equal(book.waitingWeight, weight, 'only the newest notification is kept');
  tell(book, 3, 'opened', { fingerprint: fingerprint('b') });
  assert.equal(book.waitingWeight, 2 * weight);
  const restored = new EpisodeBook();
  for (const each of snapshotOf(book)) applyRecord(restored, { sequence: 0, ...each });
  assert.ok(restored.waitingWeight > weight && restored.waitingWeight <= 2 * weight);
  book.applyAttempt(4, key);
  assert.equal(book.waitingWeight, 2 * weight);
  book.applyOutcome(5, outcome(2));
  assert.equal(book.waitingWeight, weight);
  book.applyOutcome(6, { ...outcome(1), fingerprint: fingerprint('b') });
  assert.equal(book.waitingWeight, 0);
});

/** Alerts that are opened by one notification, which holds `padding` beside them. */
function tellGroup(
  book: EpisodeBook,
  sequence: number,
  { names, padding = '' }: { readonly names: readonly string[]; readonly padding?: string },
): void {
  const alerts = names.map((name) =>
    alertOf({ fingerprint: fingerprint(name), labels: { alertname: 'Disk', instance: name } }));
  const accepted = alerts.map((alert, index) =>
    ({ fingerprint: alert.fingerprint, kind: 'opened', number: 1, index, alert }) as const);
  const text = JSON.stringify({ alerts, padding });
  const { group } = parseNotification({ alerts }, at);
  book.applyNotification(sequence, { receivedAt: at, text, accepted, group });
}

test('EpisodeBook keeps of a group only what belongs to the alert', () => {
  const book = new EpisodeBook();
  tellGroup(book, 1, { names: ['a', 'b', 'c'], padding: 'x'.repeat(90_000) });
  assert.ok(book.waitingWeight > 90_000, 'the text as a whole');
  assert.equal(book.assignSome(2), false);
  assert.ok(book.waitingWeight < 40_000, 'a third of it, and two alerts');
  assert.equal(book.assignSome(2), true);
  const weight = book.waitingWeight;
  assert.ok(weight > 300 && weight < 3_000, `${weight}`);
  assert.deepEqual(book.find('b', 1)?.latest?.read().alert.labels['instance'], 'b');
  for (const [index, name] of ['a', 'b', 'c'].entries()) {
    book.applyOutcome(2 + index, { ...outcome(1), fingerprint: fingerprint(name) });
  }
  assert.equal(book.waitingWeight, 0);
});

test('EpisodeBook does not unpack alerts that were analysed or replaced meanwhile', () => {
  const book = new EpisodeBook();
  tellGroup(book, 1, { names: ['a', 'b'], padding: 'x'.repeat(90_000) });
  book.applyOutcome(2, outcome(1));
  tell(book, 3, 'refreshed', { fingerprint: fingerprint('b') });
  const weight = book.waitingWeight;
  assert.equal(book.assignSome(Infinity), true);
  assert.equal(book.waitingWeight, weight);
});

test('EpisodeBook parses each of two groups once, however their alerts take turns', (t) => {
  const book = new EpisodeBook();
  const names = Array.from({ length: 50 }, (_, index) => `n${index}`);
  tellGroup(book, 1, { names: names.filter((_, index) => index % 2 === 0), padding: 'even' });
  tellGroup(book, 2, { names: names.filter((_, index) => index % 2 === 1), padding: 'odd' });
  const parse = t.mock.method(JSON, 'parse');
  book.assignSome(Infinity);
  const wholes = (): number => parse.mock.calls
    .filter(({ arguments: [text] }) => String(text).startsWith('{"alerts"')).length;
  assert.equal(wholes(), 2);
  for (const name of names) assert.ok(book.find(name, 1)?.latest?.read());
  assert.equal(wholes(), 2);
});

test('EpisodeBook unpacks groups after a replay, even if it parsed none', () => {
  const alerts = ['a', 'b'].map((name) => alertOf({ fingerprint: fingerprint(name) }));
  const text = JSON.stringify({ alerts, padding: 'x'.repeat(90_000) });
  const accepted = alerts.map(({ fingerprint: name }, index) => ({
    fingerprint: name, kind: 'refreshed', number: 1, index,
    change: { status: 'firing', severity: 'warning', startsAt: null, endsAt: null },
  }) as const);
  const book = new EpisodeBook();
  tell(book, 1, 'opened');
  tell(book, 2, 'opened', { fingerprint: fingerprint('b') });
  book.applyNotification(3, { receivedAt: at, text, accepted });
  assert.ok(book.waitingWeight > 90_000);
  assert.equal(book.finishReplay().length, 2);
  assert.ok(book.waitingWeight < 3_000, `${book.waitingWeight}`);
});

test('EpisodeBook weighs two bytes for a character where a text is not ASCII', () => {
  const weightOf = (alertname: string): number => {
    const book = new EpisodeBook();
    tell(book, 1, 'opened', { labels: { alertname } });
    return book.waitingWeight;
  };
  assert.equal(weightOf('\u8a9e'), 2 * weightOf('x'));
});
