import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Backlog, roomFor, type Coming, type Load, type Room } from '../../src/intake/backlog.ts';
import { filledBook } from '../support/samples/filled-book.ts';

const limit = 100;
const kib16 = 16 * 1024;
const none: Load = { alerts: 0, bytes: 0 };

function coming(alerts: number, over: Partial<Coming> = {}): Coming {
  return { alerts, bytes: 0, fires: alerts > 0, isCritical: false, ...over };
}

function load(alerts: number, bytes = 0): Load {
  return { alerts, bytes };
}

const ends = { fires: false };
const critical = { isCritical: true };
const rooms: readonly [what: string, queue: Load, reserve: Load, Coming, Room | null][] = [
  ['what fits exactly', load(90), none, coming(10), 'queue'],
  ['not one more', load(90), none, coming(11), null],
  ['nothing when full', load(100), none, coming(1), null],
  ['any size when half empty', load(50), none, coming(100_000), 'queue'],
  ['no such size beyond that', load(51), none, coming(100_000), null],
  ['nothing after it', load(100_000), none, coming(1), null],
  ['what fits into memory', load(1, 99 * kib16), none, coming(1, { bytes: kib16 }), 'queue'],
  ['no more than that', load(1, 99 * kib16), none, coming(1, { bytes: kib16 + 1 }), null],
  ['a large body when half empty', load(1, 50 * kib16), none, coming(1, { bytes: 1e9 }), 'queue'],
  ['ends when full', load(149), none, coming(1, ends), 'queue'],
  ['not every end', load(150), none, coming(1, ends), null],
  ['news of known episodes always', load(100_000), none, coming(0), 'queue'],
  ['not beyond all memory', load(0, 150 * kib16), none, coming(0, { bytes: 1 }), null],
  ['a critical one in the queue', load(99), none, coming(1, critical), 'queue'],
  ['a critical one beside any others', load(1e5, 1e9), none, coming(1, critical), 'reserve'],
  ['its whole group', load(1e5, 1e9), none, coming(1e5, critical), 'reserve'],
  ['as many as are reserved', load(100), load(24), coming(1, critical), 'reserve'],
  ['not one more there', load(100), load(25), coming(1, critical), null],
  ['as much memory', load(100), load(1, 24 * kib16), coming(1, critical), 'reserve'],
  ['no more there', load(100), load(1, 25 * kib16), coming(1, { ...critical, bytes: 1 }), null],
];
for (const [what, queue, reserve, asked, expected] of rooms) {
  test(`roomFor() takes ${what}`, () => {
    assert.equal(roomFor(limit, { queue, reserve }, asked), expected);
  });
}

test('roomFor() takes one alert and one critical beside it, however low the limit', () => {
  const room = (queue: Load, reserve: Load, asked: Coming): Room | null =>
    roomFor(1, { queue, reserve }, asked);
  assert.equal(room(none, none, coming(1, { bytes: 1e6 })), 'queue');
  assert.equal(room(load(1, 1e6), none, coming(1, { bytes: 1e6 })), null);
  assert.equal(room(load(1, 1e6), none, coming(1, { ...critical, bytes: 1e6 })), 'reserve');
});

test('Backlog.admit() counts what is being stored, until it is told how that ended', () => {
  const backlog = new Backlog(limit, () => none);
  const first = backlog.admit(coming(60));
  assert.ok(first);
  assert.equal(backlog.admit(coming(41)), null);
  first([]);
  assert.ok(backlog.admit(coming(41)));
});

test('Backlog.admit() counts in the reserve what is stored there, until it has its report', () => {
  const book = filledBook([{ labels: { alertname: 'A' }, began: 0, conclusion: null }]);
  const [episode = assert.fail()] = book.all();
  const backlog = new Backlog(4, () => load(100));
  const enter = backlog.admit(coming(1, critical));
  assert.equal(backlog.admit(coming(1, critical)), null, 'being stored');
  enter?.([episode]);
  assert.equal(backlog.admit(coming(1, critical)), null, 'waiting');
  const { fingerprint, number } = episode;
  const conclusion = {
    classification: 'actionable', certainty: 'likely', headline: 'It is slow.',
  } as const;
  book.applyAttempt(2, episode);
  book.applyOutcome(3, { fingerprint, number, state: 'reported', revision: 1, conclusion });
  assert.ok(backlog.admit(coming(1, critical)));
});
