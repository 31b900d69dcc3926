import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpisodeKey } from '../../src/alert/episode-key.ts';
import { parseNotification } from '../../src/alert/notification.ts';
import { EpisodeBook } from '../../src/episodes/book/episode-book.ts';
import { identityWeight } from '../../src/episodes/book/open-episodes.ts';
import type { DecisionKind } from '../../src/episodes/decide.ts';
import {
  applyRecord, recordKinds, snapshotOf, type StoredRecord,
} from '../../src/episodes/episode-journal.ts';
import { keptGroupKey, ReceivedAlert } from '../../src/episodes/received-alert.ts';
import {
  changeOf, decodeNotification, encodeNotification, type Accepted, type NotificationRecord,
} from '../../src/episodes/records.ts';
import { isDistinctive } from '../../src/incidents/group-key.ts';
import { Intake } from '../../src/intake/accept.ts';
import { DedupWindow } from '../../src/intake/dedup-window.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { seededRandom } from '../support/random.ts';
import { anAlert, fingerprint, received } from '../support/samples/alerts.ts';
import { settled } from '../support/settled.ts';

const conclusion = {
  classification: 'actionable', certainty: 'possible', headline: 'CPU is high',
  place: '', cause: 'it is busy', firstStep: null,
} as const;

/** An hour of one service: alerts that come, repeat, change, end and come back, some analysed. */
async function anHour(seed: number): Promise<{ book: EpisodeBook; records: StoredRecord[] }> {
  const random = seededRandom(seed);
  const clock = new ManualClock(Date.parse('2026-11-20T10:00:00Z'));
  const book = new EpisodeBook();
  const records: StoredRecord[] = [];
  const store = (type: number, parts: readonly Uint8Array[]): number => {
    const sequence = records.length + 1;
    records.push({ sequence, type, payload: Buffer.concat(parts) });
    return sequence;
  };
  const intake = new Intake({
    book, clock, dedup: new DedupWindow(60_000, 1_000),
    reportBase: 'http://analyst', backlog: { admit: () => () => {} }, canStore: () => true,
    enqueue: () => {}, count: () => {},
    store: (parts) => Promise.resolve(store(recordKinds.notification.type, parts)),
  });
  for (let minute = 0; minute < 60; minute += 1) {
    const alerts = Array.from({ length: 1 + (random() % 4) }, () => anyAlert(random, clock.now()));
    await intake.accept(received(alerts, clock.now(), `{}:{team="${random() % 3}"}`));
    const waiting = [...book.all()].find(({ analysis }) => analysis === 'queued');
    if (waiting !== undefined && random() % 2 === 0) {
      const { fingerprint, number, notifications } = waiting;
      const key: EpisodeKey = { fingerprint, number };
      book.applyAttempt(store(recordKinds.attempt.type, recordKinds.attempt.encode(key)), key);
      const outcome = {
        ...key, state: 'reported', revision: notifications - (random() % 2), conclusion,
      } as const;
      const stored = store(recordKinds.outcome.type, recordKinds.outcome.encode(outcome));
      book.applyOutcome(stored, outcome);
    }
    await clock.advance(61_000);
  }
  return { book, records };
}

function anyAlert(random: () => number, now: number): object {
  const name = `f${random() % 6}`;
  const severity = random() % 5 === 0 ? 'critical' : 'warning';
  const startsAt = new Date(now - (random() % 300_000)).toISOString();
  const isOver = random() % 3 === 0;
  return {
    status: isOver ? 'resolved' : 'firing', fingerprint: name,
    // Some senders take no part of a fingerprint from the labels, which then may change.
    labels: { alertname: name, severity, namespace: 'shop', pod: `p${random() % 4}` },
    ...(random() % 8 > 0 && { startsAt }),
    ...(isOver && random() % 8 > 0 && { endsAt: new Date(now - (random() % 100)).toISOString() }),
  };
}

function stateAfter(
  records: readonly StoredRecord[],
  snapshot: readonly Uint8Array[] = [],
): string {
  const book = new EpisodeBook();
  for (const entry of snapshot) book.restore(recordKinds.episode.decode(Buffer.from(entry)));
  for (const record of records) applyRecord(book, record);
  return stateOf(book);
}

function stateOf(book: EpisodeBook): string {
  const weights = [...book.all()].map(({ identity }) => identityWeight(identity));
  assert.equal(book.open.weight, weights.reduce((sum, weight) => sum + weight, 0));
  return JSON.stringify([...book.records()]);
}

function withNotifications(
  records: readonly StoredRecord[],
  alter: (record: NotificationRecord) => NotificationRecord,
): StoredRecord[] {
  return records.map((record) => {
    if (record.type !== recordKinds.notification.type) return record;
    const altered = encodeNotification(alter(decodeNotification(record.payload)));
    return { ...record, payload: Buffer.concat(altered) };
  });
}

for (let seed = 1; seed <= 20; seed += 1) {
  test(`a replay, of older records too, comes to the same episodes: seed ${seed}`, async () => {
    const { book, records } = await anHour(seed);
    assert.equal(stateAfter(records), stateOf(book));
    const older = withNotifications(records, ({ accepted, ...record }) => ({
      ...record,
      accepted: accepted.map(({ fingerprint, kind, number, index }) =>
        ({ fingerprint, kind, number, index })),
    }));
    assert.notDeepEqual(older, records);
    assert.equal(stateAfter(older), stateOf(book));
  });
}

for (let seed = 1; seed <= 3; seed += 1) {
  test(`a snapshot at any moment and the records after it come to the same: seed ${seed}`,
    async () => {
      const { book, records } = await anHour(seed);
      const live = new EpisodeBook();
      for (const [index, record] of records.entries()) {
        applyRecord(live, record);
        const snapshot = [...snapshotOf(live)].map(({ payload }) => payload);
        assert.equal(stateAfter(records.slice(index + 1), snapshot), stateOf(book), `${index}`);
      }
    });
}

test('a replay of news about known episodes parses no body, unless one is open again', async () => {
  const { records } = await anHour(7);
  const whole = new EpisodeBook();
  const isRead = ({ change, kind, fingerprint, number }: Accepted): boolean =>
    change === undefined ||
    kind === 'refreshed' && whole.find(fingerprint, number)?.endsAt !== null;
  let repeats = 0;
  const unreadable = records.flatMap((each) => {
    const altered = withNotifications([each], (record) => {
      if (record.accepted.some(isRead)) return record;
      repeats += 1;
      return { ...record, body: Buffer.from('no JSON') };
    });
    applyRecord(whole, each);
    settled(whole);
    return altered;
  });
  assert.ok(repeats > 10);
  const book = new EpisodeBook();
  for (const record of unreadable) {
    applyRecord(book, record);
    settled(book);
  }
  const shown = (of: EpisodeBook): unknown[] =>
    [...of.all()].map((episode) => ({ ...episode, latest: null, identity: null }));
  assert.deepEqual(shown(book), shown(whole));
});

test('news about an episode whose beginning was lost begins it', () => {
  const alert = anAlert({ labels: { alertname: 'DiskFull', severity: 'critical' } });
  const body = Buffer.from(JSON.stringify({ alerts: [alert] }));
  const accepted = [{
    fingerprint: alert.fingerprint, kind: 'refreshed', number: 3, index: 0,
    change: changeOf(alert),
  }] as const;
  const payload = Buffer.concat(encodeNotification({ receivedAt: 5, accepted, body }));
  const book = new EpisodeBook();
  applyRecord(book, { sequence: 9, type: recordKinds.notification.type, payload });
  const episode = book.find(alert.fingerprint, 3);
  assert.deepEqual([episode?.name, episode?.severity], ['DiskFull', 'critical']);
});

test('an episode whose end was lost ends where the next one begins', () => {
  const book = new EpisodeBook();
  const begin = (number: number, startsAt: string): void => {
    const alert = anAlert({ startsAt });
    const accepted = [{ ...alert, kind: 'opened', number, index: 0, alert } as const];
    const text = JSON.stringify({ alerts: [alert] });
    book.applyNotification(number, { receivedAt: Date.parse(startsAt), text, accepted });
  };
  begin(1, '2026-11-20T10:00:00Z');
  begin(2, '2026-11-20T12:00:00Z');
  const episodes = book.episodesOf(anAlert().fingerprint);
  assert.deepEqual(episodes.map(({ endsAt }) => endsAt), ['2026-11-20T12:00:00Z', null]);
  assert.deepEqual([[...book.open], book.closed.size], [[episodes[1]], 1]);
});

test('an episode that opens again is in the same incident after a replay', () => {
  const receivedAt = Date.parse('2026-11-20T10:02:00Z');
  const membershipsIn = (isReplay: boolean): unknown[] => {
    const book = new EpisodeBook();
    const tell = (sequence: number, kind: DecisionKind, pod: string): void => {
      const alert = anAlert({
        fingerprint: fingerprint(pod), labels: { alertname: `${pod}Down`, namespace: 'shop', pod },
        ...(kind === 'resolved' && { status: 'resolved', endsAt: '2026-11-20T10:01:00Z' }),
      });
      const accepted = [{ ...alert, kind, number: 1, index: 0, alert } as const];
      const text = JSON.stringify({ alerts: [alert] });
      book.applyNotification(sequence, { receivedAt, text, accepted });
      if (isReplay) book.assignSome(Infinity);
    };
    tell(1, 'opened', 'cart');
    tell(2, 'resolved', 'cart');
    tell(3, 'opened', 'cart-db');
    tell(4, 'refreshed', 'cart');
    return [...settled(book).all()].map((episode) => book.membershipOf(episode));
  };
  assert.deepEqual(membershipsIn(false), membershipsIn(true));
});

test('an episode that had ended before it was told is in an incident once it is open again', () => {
  const receivedAt = Date.parse('2026-11-20T10:02:00Z');
  const book = new EpisodeBook();
  for (const [index, kind] of (['arrived_resolved', 'refreshed'] as const).entries()) {
    const alert = anAlert({
      fingerprint: fingerprint('cart'), labels: { alertname: 'CartDown', namespace: 'shop' },
    });
    const accepted = [{ ...alert, kind, number: 1, index: 0, alert }];
    const text = JSON.stringify({ alerts: [alert] });
    book.applyNotification(index + 1, { receivedAt, text, accepted });
  }
  const [episode] = settled(book).all();
  assert.ok(episode !== undefined && book.open.size === 1);
  assert.deepEqual(book.rankedMembers(book.membershipOf(episode)?.id ?? '').members, [episode]);
});

const place = { fingerprint: fingerprint('b'), index: 1, at: 5 };
const ofB = { labels: { alertname: 'B' }, fingerprint: 'b' };

function toldIn(alerts: readonly unknown[]): ReceivedAlert {
  return ReceivedAlert.inText(JSON.stringify({ alerts }), { ...place, weight: 1 }, null);
}

test('ReceivedAlert finds its alert where another version counts fewer as valid', () => {
  const told = toldIn([{ labels: 1 }, ofB]);
  assert.deepEqual(told.labels, { alertname: 'B' });
});

test('ReceivedAlert.identify() does not parse an alert a second time', () => {
  const { alerts: [alert], group } = parseNotification({ alerts: [ofB], groupKey: 'k' }, 5);
  assert.ok(alert !== undefined);
  const told = ReceivedAlert.inText('no JSON', { ...place, weight: 1 }, { alert, group });
  assert.deepEqual(told.identify(), { labels: ofB.labels, groupKey: 'k', windowMs: 0 });
});

const longName = 'é'.repeat(2_000);

/** Keys too long to be kept, and whether they say something of their alerts. */
const longKeys: readonly (readonly [key: string, isTelling: boolean])[] = [
  [`{}:{job="${longName}"}`, true],
  [`{}:{alertname="${longName}"}`, false],
  [`{}:{severity="${longName}"}`, false],
  [`{}/{team="${longName}"}:{}`, false],
  [longName, true],
];

for (const [key, telling] of longKeys) {
  const shown = key.slice(0, 14);
  test(`a digest is kept of the long key ${shown}…, which says as much of the alerts`, () => {
    const kept = keptGroupKey(key);
    assert.ok(kept.length < 64);
    assert.equal(keptGroupKey(key), kept);
    assert.equal(keptGroupKey(kept), kept, 'also after a restart');
    assert.notEqual(keptGroupKey(key.replace('é', 'è')), kept);
    assert.deepEqual([isDistinctive(key), isDistinctive(kept)], [telling, telling]);
  });
}

test('a snapshot of a version that kept whole keys is read with digests', () => {
  const [[key = ''] = []] = longKeys;
  const record = (groupKey: string): Buffer => Buffer.from(JSON.stringify({
    episode: {
      fingerprint: 'b', number: 1, analysis: 'reported', identity: { labels: { a: 'b' }, groupKey },
    },
    sequence: 3, acceptance: null,
  }));
  const keptOf = (groupKey: string): unknown =>
    recordKinds.episode.decode(record(groupKey)).episode.identity;
  const others = { labels: { a: 'b' }, windowMs: 0 };
  assert.deepEqual(keptOf(key), { ...others, groupKey: keptGroupKey(key) });
  assert.deepEqual(keptOf('{}:{}'), { ...others, groupKey: '{}:{}' });
});

test('ReceivedAlert is an empty alert where this version finds it invalid', () => {
  const told = toldIn([{ ...ofB, labels: 1 }]);
  assert.deepEqual(told.labels, {});
  assert.equal(told.read().alert.fingerprint, 'b');
});

test('a replay refuses a request without an alert', () => {
  const again = { ...place, number: 1, told: { at: 5, weight: 1, group: {} } };
  const payload = Buffer.from(JSON.stringify(again));
  assert.throws(() => recordKinds.again.decode(payload), { name: 'FormatError' });
});

function recordWith(change: string): Buffer {
  return recordOf(`["a",1,1,0,${change}]`);
}

function recordOf(accepted: string): Buffer {
  const meta = Buffer.from(`{"receivedAt":1,"accepted":[${accepted}]}`);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(meta.length);
  return Buffer.concat([length, meta, Buffer.from('{"alerts":[]}')]);
}

for (const change of ['"x"', '{}', '[]', '["on","critical",null,null]']) {
  test(`records refuse ${change} for a change`, () => {
    assert.throws(() => decodeNotification(recordWith(change)), { name: 'FormatError' });
  });
}

test('decodeNotification() replaces severities and times unknown to this version', () => {
  const change = '["resolved","dire","soon","2026-11-20T10:00:00Z"]';
  const record = decodeNotification(recordWith(change));
  assert.deepEqual(record.accepted[0]?.change, {
    status: 'resolved', severity: 'unknown', startsAt: null, endsAt: '2026-11-20T10:00:00Z',
  });
});

for (const accepted of ['7', '{}', '["a",9,1,0]', '["a","opened",1,0]', '[null,1,1,0]']) {
  test(`records refuse ${accepted} for a decision on an alert`, () => {
    assert.throws(() => decodeNotification(recordOf(accepted)), { name: 'FormatError' });
  });
}

test('applyRecord() refuses a record of a kind that only another version knows', () => {
  const record = { sequence: 1, type: 99, payload: Buffer.from('{}') };
  assert.throws(() => applyRecord(new EpisodeBook(), record), { name: 'FormatError' });
});
