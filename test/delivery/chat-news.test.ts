import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprintOf } from '../../src/alert/fingerprint.ts';
import { severityRank, type Severity } from '../../src/alert/severity.ts';
import { ChatNews, type AlertNow, type NewsKind } from '../../src/delivery/chat-news.ts';
import { ManualClock } from '../support/manual-clock.ts';

/** When the process began. */
const beganAt = Date.parse('2026-11-20T01:00:00Z');

interface Chat {
  /** What the chat is told of an alert, which it then was told; `firing` alerts still fire. */
  tell(alert: AlertNow, firing?: number, ...ids: readonly string[]): NewsKind | null;
}

function chat(
  told: ConstructorParameters<typeof ChatNews>[1] = [],
  clock = new ManualClock(beganAt),
): Chat {
  const news = new ChatNews(clock, told);
  return {
    tell(alert, firing = alert.endedAt === null ? 1 : 0, id = 'i', ...merged) {
      const incident = { id, ids: [id, ...merged], isFiring: firing > 0, stormOrigin: null };
      const told = news.newsIn(alert, incident);
      if (told !== null) news.announce(alert, incident, told);
      return told;
    },
  };
}

function firing(severity: Severity = 'warning', startsAt = '2026-11-20T01:10:00Z'): AlertNow {
  return {
    fingerprint: 'a', severity, startsAt: Date.parse(startsAt), endedAt: null, isFlapping: false,
    isNarrated: false,
  };
}

function ended(severity: Severity = 'warning', endsAt = '2026-11-20T01:30:00Z'): AlertNow {
  return { ...firing(severity), endedAt: Date.parse(endsAt) };
}

test('ChatNews tells the first report of an alert and its end, each once', () => {
  const { tell } = chat();
  const told = [firing(), firing(), ended(), ended()].map((report) => tell(report));
  assert.deepEqual(told, ['report', null, 'end', null]);
});

test('ChatNews tells the first narrative of an incident that was told, once', () => {
  const { tell } = chat();
  const narrated = { ...firing(), isNarrated: true };
  const told = [firing(), narrated, narrated, { ...narrated, fingerprint: 'b' }, ended()];
  assert.deepEqual(told.map((report) => tell(report)), ['report', 'narrative', null, null, 'end']);
  const { tell: tellLater } = chat();
  assert.deepEqual([narrated, narrated].map((report) => tellLater(report)), ['report', null],
    'the first report had it already');
});

test('ChatNews tells an end even where nothing was told before', () => {
  const { tell } = chat();
  assert.deepEqual([tell(ended()), tell(ended())], ['end', null]);
});

test('ChatNews tells the first alert of an incident, worse ones, and the end of the last', () => {
  const { tell } = chat();
  assert.equal(tell(firing()), 'report');
  assert.equal(tell(firing(), 2), null);
  assert.equal(tell(firing('critical'), 3), 'report');
  assert.equal(tell(firing('critical'), 4), null);
  assert.deepEqual([3, 2, 1, 0, 0].map((left) => tell(ended('critical'), left)),
    [null, null, null, 'end', null]);
});

test('ChatNews tells alerts of an incident that start an hour after the last one told', () => {
  const { tell } = chat();
  const later = (startsAt: string): NewsKind | null => tell(firing('warning', startsAt), 2);
  assert.equal(later('2026-11-20T01:10:00Z'), 'report');
  assert.equal(later('2026-11-20T02:09:59Z'), null);
  assert.equal(later('2026-11-20T02:10:00Z'), 'report');
  assert.equal(later('2026-11-20T03:09:59Z'), null);
  assert.equal(later('2026-11-20T00:10:00Z'), null);
});

test('ChatNews compares an alert with the worst one told of its incident', () => {
  const { tell } = chat();
  const later = '2026-11-20T02:10:00Z';
  assert.equal(tell(firing('critical')), 'report');
  assert.equal(tell(firing('info', later), 2), 'report', 'as it began an hour later');
  assert.equal(tell(firing('warning', later), 3), null);
});

test('ChatNews forgets how bad an incident was when it begins again', () => {
  const { tell } = chat();
  const reports = [firing('critical'), ended('critical'), firing('info'), firing('warning')];
  assert.deepEqual(reports.map((report) => tell(report)), ['report', 'end', 'report', 'report']);
});

test('ChatNews treats an incident that begins again as a new one', () => {
  const { tell } = chat();
  const reports = [firing('critical'), ended('critical'), firing('info'), ended('info')];
  assert.deepEqual(reports.map((report) => tell(report)), ['report', 'end', 'report', 'end']);
});

test('ChatNews tells incidents apart', () => {
  const { tell } = chat();
  assert.deepEqual(['a', 'b'].map((id) => tell(firing(), 1, id)), ['report', 'report']);
  assert.deepEqual(['a', 'b'].map((id) => tell(ended(), 0, id)), ['end', 'end']);
});

test('ChatNews knows what it told of incidents before they were merged', () => {
  const { tell } = chat();
  const merged = ['a', 'b'] as const;
  assert.equal(tell(firing('warning'), 1, 'a'), 'report');
  assert.equal(tell(firing('critical'), 1, 'b'), 'report');
  assert.equal(tell(firing('critical'), 3, ...merged), null);
  assert.deepEqual([1, 0, 0].map((left) => tell(ended('critical'), left, ...merged)),
    [null, 'end', null]);
  assert.equal(tell(firing('info'), 1, ...merged), 'report', 'it begins again');
});

test('ChatNews tells the likely origin of a storm once, however mild', () => {
  const news = new ChatNews(new ManualClock(beganAt), []);
  const tell = (fingerprint: string, layer: number, origin: string | null): NewsKind | null => {
    const alert = { ...firing(layer === 5 ? 'critical' : 'warning'), fingerprint };
    const stormOrigin = origin === null ? null
      : { key: { fingerprint: fingerprintOf({ origin }), number: 1 }, layer };
    const incident = { id: 'i', ids: ['i'], isFiring: true, stormOrigin };
    const told = news.newsIn(alert, incident);
    if (told !== null) news.announce(alert, incident, told);
    return told;
  };
  const [api, node, disk] = ['api', 'node', 'disk'].map((origin) => fingerprintOf({ origin }));
  assert.ok(api !== undefined && node !== undefined && disk !== undefined);
  assert.equal(tell(api, 5, null), 'report');
  assert.equal(tell(node, 2, null), null, 'no storm');
  assert.equal(tell(node, 2, 'api'), null, 'not its origin');
  assert.equal(tell(api, 5, 'api'), 'origin', 'told before, but not as that');
  assert.equal(tell(node, 2, 'node'), 'origin');
  assert.equal(tell(node, 2, 'node'), null);
  assert.equal(tell(disk, 2, 'disk'), null, 'one of that layer was told');
  assert.equal(tell(disk, 0, 'disk'), 'origin');
});

test('ChatNews tells a storm once whose first report is of its likely origin', () => {
  const news = new ChatNews(new ManualClock(beganAt), []);
  const stormOrigin = { key: { fingerprint: fingerprintOf({ a: 'b' }), number: 1 }, layer: 0 };
  const alert = { ...firing(), fingerprint: stormOrigin.key.fingerprint };
  const incident = { id: 'i', ids: ['i'], isFiring: true, stormOrigin };
  assert.equal(news.newsIn(alert, incident), 'origin');
  news.announce(alert, incident, 'origin');
  assert.equal(news.newsIn(alert, incident), null);
});

test('ChatNews tells nothing about alerts of severity none', () => {
  const { tell } = chat();
  assert.deepEqual([tell(firing('none')), tell(ended('none'))], [null, null]);
});

test('ChatNews repeats nothing that the last process may have told', () => {
  const told = (severity: 'critical' | 'warning') => {
    const rank = severityRank(severity);
    const startsAt = Date.parse('2026-11-20T00:50:00Z');
    return ['i', { rank, startsAt, originLayer: 5, isNarrated: true }] as const;
  };
  const { tell } = chat([told('critical'), told('warning')]);
  assert.equal(tell(firing('critical')), null);
  assert.equal(tell(ended('critical'), 1), null);
  // The chat did not hear of this end in time, though it was before the process began.
  assert.equal(tell(ended('critical', '2026-11-20T00:59:59Z')), 'end');
  assert.equal(tell(ended('critical', '2026-11-20T00:59:59Z'), 0, 'long over'), null);
});

test('ChatNews forgets the oldest incidents', () => {
  const { tell } = chat();
  for (let n = 0; n < 20_000; n += 1) tell(firing(), 1, String(n));
  assert.equal(tell(firing('critical'), 1, '0'), 'report', 'and so is the newest');
  assert.equal(tell(firing(), 1, '20000'), 'report');
  assert.deepEqual(['0', '2', '20000'].map((id) => tell(firing(), 1, id)), [null, null, null]);
  assert.equal(tell(firing(), 1, '1'), 'report');
});

test('ChatNews tells once that an alert flaps, then nothing until it is steady', async () => {
  const clock = new ManualClock(Date.parse('2026-11-20T01:10:30Z'));
  const { tell } = chat([], clock);
  const flapping = { isFlapping: true };
  assert.deepEqual([tell(firing(), 1, 'e3'), tell({ ...ended(), ...flapping }, 0, 'e3')],
    ['report', 'end'], 'what the chat knows to be open gets its end');
  const next = ['e4', 'e5', 'e6'].flatMap((id) => [
    tell({ ...firing(), ...flapping }, 1, id), tell({ ...ended(), ...flapping }, 0, id),
  ]);
  assert.deepEqual(next, ['flaps', null, null, null, null, null]);
  assert.equal(tell({ ...firing(), ...flapping, fingerprint: 'b' }, 1, 'other'), 'flaps');
  await clock.advance(600_000);
  assert.equal(tell({ ...firing(), ...flapping }, 1, 'e7'), 'report', 'it fires for ten minutes');
  assert.equal(tell(firing(), 1, 'e8'), 'report');
});
