import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprintOf } from '../../src/alert/fingerprint.ts';
import { EpisodeBook } from '../../src/episodes/book/episode-book.ts';
import type { Episode } from '../../src/episodes/episode.ts';
import {
  createEpisodeJournal, recordKinds, replayNotification,
} from '../../src/episodes/episode-journal.ts';
import { decodeNotification } from '../../src/episodes/records.ts';
import { Intake, type AlertOutcome, type IntakePorts } from '../../src/intake/accept.ts';
import { Backlog } from '../../src/intake/backlog.ts';
import { DedupWindow } from '../../src/intake/dedup-window.ts';
import type { AcceptResult } from '../../src/report/acceptance.ts';
import { openJournal, reliableDisk } from '../support/disk/open-journal.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { received } from '../support/samples/alerts.ts';

interface Setup {
  readonly intake: Intake;
  readonly clock: ManualClock;
  readonly book: EpisodeBook;
  readonly stored: Buffer[];
  readonly enqueued: Episode[];
  readonly counts: Map<AlertOutcome, number>;
  readonly disk: { fails: boolean; hangs: boolean; gate: Promise<void> | null };
  readonly waiting: { alerts: number; bytes: number };
}

const queueLimit = 3;

function setup(store?: IntakePorts['store']): Setup {
  const clock = new ManualClock(Date.parse('2026-11-20T10:00:00Z'));
  const book = new EpisodeBook();
  const stored: Buffer[] = [];
  const enqueued: Episode[] = [];
  const counts = new Map<AlertOutcome, number>();
  const disk: Setup['disk'] = { fails: false, hangs: false, gate: null };
  const waiting = { alerts: 0, bytes: 0 };
  const intake = new Intake({
    book,
    clock,
    dedup: new DedupWindow(60_000, 1_000),
    reportBase: 'https://reports.example.com',
    backlog: new Backlog(queueLimit, () => waiting),
    canStore: () => !disk.hangs,
    store: store ?? (async (parts) => {
      await (disk.gate ?? Promise.resolve());
      if (disk.fails) throw new Error('No room');
      return stored.push(Buffer.concat(parts));
    }),
    enqueue: (episodes) => enqueued.push(...episodes),
    count: (outcome, alerts) => counts.set(outcome, (counts.get(outcome) ?? 0) + alerts),
  });
  return { intake, clock, book, stored, enqueued, counts, disk, waiting };
}

function post(to: Setup, ...alerts: object[]): Promise<AcceptResult> {
  return to.intake.accept(received(alerts, to.clock.now()));
}

const firing = { labels: { alertname: 'A', namespace: 'n' }, startsAt: '2026-11-20T09:59:00Z' };
const resolved = { ...firing, status: 'resolved', endsAt: '2026-11-20T10:00:00Z' };

test('Intake.accept() answers one link per alert, in the order sent', async () => {
  const s = setup();
  const result = await post(s, firing, { labels: {}, fingerprint: 'x/y z' }, firing);
  assert.equal(result.kind, 'accepted');
  assert.equal(result.deduplicated, 1);
  const base = 'https://reports.example.com/report';
  const a = fingerprintOf(firing.labels);
  const linkOfA = {
    fingerprint: a, alert_name: 'A', namespace: 'n', report_url: `${base}/${a}`,
  };
  const unnamed = {
    fingerprint: 'x/y z', alert_name: 'Unknown', namespace: 'Unknown',
    report_url: `${base}/x%2Fy%20z`,
  };
  assert.deepEqual(result.links, [linkOfA, unnamed, linkOfA]);
  assert.equal(s.enqueued.length, 2);
});

test('Intake.accept() stores nothing and queues nothing for a duplicate', async () => {
  const s = setup();
  await post(s, firing);
  await s.clock.advance(59_999);
  const result = await post(s, firing);
  assert.equal(result.kind === 'accepted' && result.deduplicated, 1);
  assert.equal(s.stored.length, 1);
  assert.equal(s.enqueued.length, 1);
  await s.clock.advance(1);
  await post(s, firing);
  assert.equal(s.stored.length, 2, 'the window is measured from the acceptance');
  assert.equal(s.counts.get('refreshed'), 1);
});

test('Intake.accept() makes two episodes of firing, resolved, firing within a minute', async () => {
  const s = setup();
  await post(s, firing);
  await post(s, resolved);
  const result = await post(s, { ...firing, startsAt: '2026-11-20T10:00:01Z' });
  assert.equal(result.kind === 'accepted' && result.deduplicated, 0);
  assert.equal(s.book.total, 2);
  const [first, second] = s.book.episodesOf(s.enqueued[0]?.fingerprint ?? '');
  assert.equal(first?.endsAt, '2026-11-20T10:00:00Z');
  assert.equal(second?.endsAt, null);
});

test('Intake.accept() takes alerts of one notification in order', async () => {
  const s = setup();
  await post(s, firing, resolved, { ...firing, startsAt: '2026-11-20T10:00:01Z' });
  assert.equal(s.book.total, 2);
  assert.equal(s.book.open.size, 1);
});

test('Intake.accept() decides each alert of a list on top of those before it', async () => {
  const s = setup();
  const kindsOf = async (...alerts: object[]): Promise<unknown[]> => {
    await s.clock.advance(60_000);
    await post(s, ...alerts);
    const { accepted } = decodeNotification(s.stored.at(-1) ?? Buffer.alloc(0));
    return accepted.map(({ kind, number }) => `${kind} ${number}`);
  };
  assert.deepEqual(await kindsOf(firing), ['opened 1']);
  assert.deepEqual(await kindsOf(firing, resolved), ['refreshed 1', 'resolved 1']);
  const third = { ...firing, startsAt: '2026-11-20T10:00:15Z' };
  assert.deepEqual(await kindsOf(overAgain, third), ['arrived_resolved 2', 'opened 3']);
  assert.deepEqual(await kindsOf(third, third), ['refreshed 3']);
  const undated = { ...third, status: 'resolved' };
  const fourth = { ...firing, startsAt: '2026-11-20T10:05:01Z' };
  assert.deepEqual(await kindsOf(undated, fourth), ['resolved 3', 'opened 4']);
  assert.deepEqual(Object.fromEntries(s.counts), {
    duplicate: 1, queued: 3, refreshed: 2, resolved: 3, late: 0,
  });
});

/** By which a repeat is known after a restart. */
function lastAccepted(book: EpisodeBook): string | undefined {
  return [...book.acceptances()][0]?.[1].status;
}

const again = { ...firing, startsAt: '2026-11-20T10:00:05Z' };
const overAgain = { ...again, status: 'resolved', endsAt: '2026-11-20T10:00:10Z' };
const untold: readonly (readonly [string, readonly object[], isOpen: boolean, total: number])[] = [
  ['a firing', [firing, resolved, firing, again], true, 2],
  ['an end', [firing, resolved, again, resolved, overAgain], false, 2],
];
for (const [what, copies, isOpen, total] of untold) {
  test(`Intake.accept() does not take ${what} for a duplicate of a late copy, also after a restart`,
    async () => {
      const apart = setup();
      for (const copy of copies) {
        const result = await post(apart, copy);
        assert.equal(result.kind === 'accepted' && result.deduplicated, 0, JSON.stringify(copy));
      }
      const together = setup();
      await post(together, ...copies);
      for (const { book } of [apart, together]) {
        assert.deepEqual([book.open.size, book.total], [isOpen ? 1 : 0, total]);
        const [[, { status }] = assert.fail("nothing was accepted")] = book.acceptances();
        assert.equal(status, isOpen ? 'firing' : 'resolved');
      }
    });
}

test('Intake.accept() does not remember a late copy as the current state', async () => {
  const s = setup();
  for (const copy of [firing, resolved, firing]) await post(s, copy);
  assert.equal(lastAccepted(s.book), 'resolved');
});

test('Intake.accept() opens the episode again of which a firing comes long after its end',
  async () => {
    const s = setup();
    await post(s, firing);
    await post(s, resolved);
    await s.clock.advance(30_001);
    await post(s, firing);
    const fresh = new EpisodeBook();
    for (const [sequence, payload] of s.stored.entries()) {
      replayNotification(fresh, sequence + 1, decodeNotification(payload));
    }
    for (const book of [s.book, fresh]) {
      assert.deepEqual([book.total, book.open.size, book.closed.size], [1, 1, 0]);
      assert.equal(lastAccepted(book), 'firing');
    }
    await post(s, { ...resolved, endsAt: '2026-11-20T10:05:00Z' });
    const [episode] = s.book.episodesOf(s.enqueued[0]?.fingerprint ?? '');
    assert.deepEqual([episode?.endsAt, s.book.open.size], ['2026-11-20T10:05:00Z', 0]);
  });

test('Intake.accept() keeps no trace of what could not be stored', async () => {
  const s = setup();
  s.disk.fails = true;
  assert.deepEqual(await post(s, firing), { kind: 'storage_unavailable' });
  assert.equal(s.book.total, 0);
  s.disk.fails = false;
  const again = await post(s, firing);
  assert.equal(again.kind === 'accepted' && again.deduplicated, 0);
});

test('Intake.accept() makes a duplicate wait for the one being stored', async () => {
  const s = setup();
  let open = (): void => {};
  s.disk.gate = new Promise((resolve) => (open = resolve));
  const first = post(s, firing);
  let answered = false;
  const second = post(s, firing).finally(() => (answered = true));
  await new Promise(setImmediate);
  assert.equal(answered, false);
  open();
  assert.equal((await first).kind, 'accepted');
  const result = await second;
  assert.equal(result.kind === 'accepted' && result.deduplicated, 1);
  assert.equal(s.stored.length, 1);
});

test('Intake.accept() handles those that wait for the same alert one after the other', async () => {
  const s = setup();
  let open = (): void => {};
  s.disk.gate = new Promise((resolve) => (open = resolve));
  const results = [post(s, firing), post(s, resolved), post(s, resolved)];
  open();
  const repeats = (await Promise.all(results)).map((each) => {
    return each.kind === 'accepted' && each.deduplicated;
  });
  assert.deepEqual(repeats, [0, 0, 1]);
  assert.equal(s.stored.length, 2);
  assert.equal(s.counts.get('resolved'), 1);
});

test('Intake.accept() also refuses a duplicate of an alert that could not be stored', async () => {
  const s = setup();
  let open = (): void => {};
  s.disk.gate = new Promise((resolve) => (open = resolve));
  s.disk.fails = true;
  const results = [post(s, firing), post(s, firing)];
  open();
  assert.deepEqual(await Promise.all(results), [
    { kind: 'storage_unavailable' }, { kind: 'storage_unavailable' },
  ]);
  assert.equal(s.book.total, 0);
});

test('Intake.accept() applies a record in the order of a replay, also within one flush',
  async () => {
    const { journal } = await openJournal(reliableDisk());
    const s = setup((parts) => journal.append(recordKinds.notification.type, parts));
    const episodeJournal = createEpisodeJournal(journal.append.bind(journal), s.book);
    const key = { fingerprint: fingerprintOf(firing.labels), number: 1 };
    await post(s, firing);
    await episodeJournal.outcome({
      ...key, state: 'reported', revision: 1,
      conclusion: { classification: 'actionable', certainty: 'possible', headline: 'It is slow.' },
    });
    await s.clock.advance(60_000);
    await Promise.all([post(s, firing), episodeJournal.forget(key)]);
    assert.equal(s.book.find(key.fingerprint, 1)?.notifications, 2, 'news of it came before');
    await journal.close();
  });

test('Intake.accept() refuses rather than waits while the disk hangs', async () => {
  const s = setup();
  let open = (): void => {};
  s.disk.gate = new Promise((resolve) => (open = resolve));
  const first = post(s, firing);
  s.disk.hangs = true;
  assert.deepEqual(await post(s, firing), { kind: 'storage_unavailable' });
  assert.deepEqual(await post(s, resolved), { kind: 'storage_unavailable' });
  s.disk.hangs = false;
  open();
  assert.equal((await first).kind, 'accepted');
  assert.equal(s.stored.length, 1);
});

test('Intake.accept() with a full queue still takes resolved alerts and duplicates', async () => {
  const s = setup();
  await post(s, firing);
  s.waiting.alerts = queueLimit;
  const other = { labels: { alertname: 'B' } };
  assert.deepEqual(await post(s, other), { kind: 'queue_full' });
  const ofNew = { ...resolved, labels: { alertname: 'D' } };
  assert.deepEqual(await post(s, other, ofNew), { kind: 'queue_full' }, 'as one of them fires');
  assert.equal((await post(s, firing)).kind, 'accepted');
  assert.equal((await post(s, { ...resolved, labels: { alertname: 'C' } })).kind, 'accepted');
  s.waiting.alerts = 10 * queueLimit;
  assert.equal((await post(s, resolved)).kind, 'accepted');
  assert.equal(s.book.open.size, 0);
});

test('Intake.accept() does not let ends exhaust the memory either', async () => {
  const s = setup();
  await post(s, firing);
  s.waiting.alerts = 2 * queueLimit;
  const unheard = { ...resolved, labels: { alertname: 'B' } };
  assert.deepEqual(await post(s, unheard), { kind: 'queue_full' }, 'of what never fired here');
  s.waiting.bytes = 2 * queueLimit * 16 * 1024;
  assert.deepEqual(await post(s, resolved), { kind: 'queue_full' });
  assert.equal((await post(s, firing)).kind, 'accepted', 'a duplicate is not kept');
});

test('Intake.accept() counts alerts being stored as waiting', async () => {
  const s = setup();
  let open = (): void => {};
  s.disk.gate = new Promise((resolve) => (open = resolve));
  const named = (name: string): object => ({ labels: { alertname: name } });
  const first = post(s, ...['B', 'C', 'D'].map(named));
  assert.deepEqual(await post(s, named('E')), { kind: 'queue_full' });
  open();
  assert.equal((await first).kind, 'accepted');
  assert.equal((await post(s, named('E'))).kind, 'accepted');
});

const conclusion = {
  classification: 'actionable', certainty: 'likely', headline: 'It is slow.',
} as const;

test('Intake.accept() takes a critical alert, however many others wait', async () => {
  const s = setup();
  const named = (name: string, severity: string): object =>
    ({ labels: { alertname: name, severity } });
  const many = Array.from({ length: 10 * queueLimit }, (_, index) => named(`${index}`, 'warning'));
  assert.equal((await post(s, ...many)).kind, 'accepted', 'one larger than the queue');
  s.waiting.alerts = many.length;
  assert.deepEqual(await post(s, named('E', 'warning')), { kind: 'queue_full' });
  const group = [named('E', 'warning'), named('F', 'critical')];
  assert.equal((await post(s, ...group)).kind, 'accepted', 'with its group');
  assert.deepEqual(await post(s, named('G', 'critical')), { kind: 'queue_full' }, 'up to a limit');
  for (const { fingerprint, number } of s.enqueued.slice(-2)) {
    s.book.applyAttempt(10, { fingerprint, number });
    s.book.applyOutcome(11, { fingerprint, number, state: 'reported', revision: 1, conclusion });
  }
  assert.equal((await post(s, named('G', 'critical'))).kind, 'accepted', 'once these are analysed');
});

test('Intake.accept() stores the decisions, so that a replay need not repeat them', async () => {
  const s = setup();
  await post(s, firing, resolved, { labels: { alertname: 'B' } });
  const record = decodeNotification(s.stored[0] ?? Buffer.alloc(0));
  const { status, startsAt, endsAt } = resolved;
  const change = { status, severity: 'unknown', startsAt, endsAt };
  assert.deepEqual(
    record.accepted.map(({ kind, number, index, change }) => [kind, number, index, change]),
    [['opened', 1, 0, undefined], ['resolved', 1, 1, change], ['opened', 1, 2, undefined]],
  );
  assert.equal(record.receivedAt, s.clock.now());
});

test('Intake.accept() keeps the latest severity and acceptance', async () => {
  const s = setup();
  const told = (severity: string): object => ({
    fingerprint: 'a', labels: { ...firing.labels, severity }, startsAt: firing.startsAt,
  });
  await post(s, told('warning'));
  await s.clock.advance(90_000);
  await post(s, told('critical'));
  assert.equal(s.book.find('a', null)?.severity, 'critical');
  const acceptance = { status: 'firing', at: s.clock.now() };
  assert.deepEqual([...s.book.acceptances()], [['a', acceptance]], 'repeats count from here');
});

test('Intake.accept() is not confused by a wall clock that jumps', async () => {
  const s = setup();
  await post(s, firing);
  s.clock.jumpWallTime(-3_600_000);
  const back = await post(s, firing);
  assert.equal(back.kind === 'accepted' && back.deduplicated, 1);
  s.clock.jumpWallTime(7_200_000);
  const forth = await post(s, firing);
  assert.equal(forth.kind === 'accepted' && forth.deduplicated, 1);
});
