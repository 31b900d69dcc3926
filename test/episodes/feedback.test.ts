import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import { EpisodeBook } from '../../src/episodes/book/episode-book.ts';
import { caseFileOf } from '../../src/episodes/case-file-of.ts';
import {
  applyRecord, createEpisodeJournal, recordKinds, type EpisodeJournal, type StoredRecord,
} from '../../src/episodes/episode-journal.ts';
import { ReceivedAlert } from '../../src/episodes/received-alert.ts';
import { encodeNotification } from '../../src/episodes/records.ts';
import { feedbackPerEpisodeMax, FeedbackTaker } from '../../src/episodes/take-feedback.ts';
import type { NewFeedback } from '../../src/report/feedback.ts';
import type { Feedback } from '../../src/report/report.ts';
import { collectGarbage } from '../support/collect-garbage.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { aGroup, anAlert, fingerprint } from '../support/samples/alerts.ts';
import { settled } from '../support/settled.ts';

const wrong: NewFeedback = { verdict: 'wrong', cause: 'the disk', note: null, noisy: false };
const conclusion = {
  classification: 'actionable', certainty: 'possible', headline: 'CPU is high',
} as const;

interface Setup {
  readonly book: EpisodeBook;
  readonly clock: ManualClock;
  readonly taker: FeedbackTaker;
  readonly record: EpisodeJournal;
  /** All that was written, as the journal tells it at a start. */
  readonly journal: StoredRecord[];
  readonly taken: Feedback[];
  readonly disk: { fails: boolean };
  /** Opens episode `number` of the fingerprint and ends its analysis. */
  reported(name: string, number?: number, labels?: LabelSet): Promise<void>;
}

function setup(): Setup {
  const clock = new ManualClock(Date.parse('2026-11-20T10:00:00Z'));
  const book = new EpisodeBook();
  const journal: StoredRecord[] = [];
  const taken: Feedback[] = [];
  const disk = { fails: false };
  const append = (type: number, parts: readonly Uint8Array[]): Promise<number> => {
    if (disk.fails) return Promise.reject(new Error('No room'));
    const sequence = journal.length + 1;
    journal.push({ sequence, type, payload: Buffer.concat(parts) });
    return Promise.resolve(sequence);
  };
  const record = createEpisodeJournal(append, book);
  const taker = new FeedbackTaker({
    book, clock, journal: record, onTaken: (feedback) => taken.push(feedback),
  });
  return {
    book, clock, taker, record, journal, taken, disk,
    async reported(name, number = 1, labels) {
      const over = labels === undefined ? {} : { labels };
      const alert = anAlert({ fingerprint: fingerprint(name), ...over });
      const key = { fingerprint: alert.fingerprint, number };
      const accepted = [{ ...key, kind: 'opened', index: 0 }] as const;
      const body = Buffer.from(JSON.stringify({ alerts: [alert] }));
      const receivedAt = clock.now();
      const sequence = await append(
        recordKinds.notification.type, encodeNotification({ receivedAt, accepted, body }),
      );
      applyRecord(book, journal.at(-1) ?? { sequence, type: 0, payload: body });
      await record.attempt(key);
      await record.outcome({ ...key, state: 'reported', revision: 1, conclusion });
    },
  };
}

function toldOf(name: string): ReceivedAlert {
  return ReceivedAlert.of({ alert: anAlert({ fingerprint: fingerprint(name) }), group: aGroup }, 1);
}

function replayed(journal: readonly StoredRecord[]): EpisodeBook {
  const book = new EpisodeBook();
  for (const record of journal) applyRecord(book, record);
  return book;
}

test('FeedbackTaker adds feedback once it is on disk', async () => {
  const s = setup();
  await s.reported('a');
  const result = await s.taker.take('a', 1, wrong);
  const feedback = { at: '2026-11-20T10:00:00.000Z', ...wrong };
  assert.deepEqual(result, { kind: 'stored', feedback });
  assert.deepEqual(s.book.find('a', 1)?.feedback, [feedback]);
  assert.deepEqual(s.taken, [feedback]);
  assert.deepEqual(replayed(s.journal).find('a', 1)?.feedback, [feedback]);
});

test('FeedbackTaker keeps nothing of a request in memory but what was said', async () => {
  const s = setup();
  const names = Array.from({ length: 25 }, (_, index) => `f${index}`);
  for (const name of names) await s.reported(name);
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < feedbackPerEpisodeMax; count += 1) {
    for (const name of names) {
      const body = Buffer.from(`cause=the disk, number ${count}${'x'.repeat(30_000)}`).toString();
      const result = await s.taker.take(name, 1, { ...wrong, cause: body.slice(6, 26) });
      assert.equal(result.kind, 'stored');
    }
  }
  collectGarbage();
  const kept = process.memoryUsage().heapUsed - before;
  assert.ok(kept < 5_000_000, `${s.taken.length} pieces of feedback keep ${kept} bytes`);
});

test('FeedbackTaker does not find an unknown episode', async () => {
  const s = setup();
  await s.reported('a');
  assert.equal((await s.taker.take('b', 1, wrong)).kind, 'not_found');
  assert.equal((await s.taker.take('a', 2, wrong)).kind, 'not_found');
});

test('FeedbackTaker stores a form that is submitted twice only once', async () => {
  const s = setup();
  await s.reported('a');
  const both = await Promise.all([s.taker.take('a', 1, wrong), s.taker.take('a', 1, wrong)]);
  assert.deepEqual(both[0], both[1]);
  assert.equal(s.taken.length, 1);
  await s.taker.take('a', 1, { ...wrong, noisy: true });
  await s.clock.advance(60_000);
  await s.taker.take('a', 1, { ...wrong, noisy: true });
  assert.equal(s.book.find('a', 1)?.feedback.length, 3);
});

test('FeedbackTaker limits the feedback on one episode', async () => {
  const s = setup();
  await s.reported('a');
  const posts = Array.from({ length: feedbackPerEpisodeMax + 5 }, (_, index) =>
    s.taker.take('a', 1, { ...wrong, note: `${index}` }));
  const kinds = (await Promise.all(posts)).map(({ kind }) => kind);
  assert.equal(kinds.filter((kind) => kind === 'stored').length, feedbackPerEpisodeMax);
  assert.deepEqual(kinds.slice(-5), Array.from({ length: 5 }, () => 'full'));
});

test('FeedbackTaker keeps nothing of feedback that cannot be stored', async () => {
  const s = setup();
  await s.reported('a');
  s.disk.fails = true;
  assert.equal((await s.taker.take('a', 1, wrong)).kind, 'storage_unavailable');
  assert.deepEqual(s.book.find('a', 1)?.feedback, []);
  s.disk.fails = false;
  assert.equal((await s.taker.take('a', 1, wrong)).kind, 'stored');
});

test('feedback is forgotten together with its episode', async () => {
  const s = setup();
  await s.reported('a');
  await s.taker.take('a', 1, wrong);
  assert.ok(s.book.feedback.weight > 0);
  await s.record.forget({ fingerprint: fingerprint('a'), number: 1 });
  assert.equal(s.book.feedback.weight, 0);
  assert.deepEqual([...s.book.feedback.ofName('HighCPU')], []);
  assert.equal(replayed(s.journal).feedback.weight, 0);
});

test('a snapshot at any moment, and the records after it, keep feedback exactly once', async () => {
  const s = setup();
  await s.reported('a');
  await s.taker.take('a', 1, wrong);
  await s.reported('b');
  await s.taker.take('b', 1, { ...wrong, verdict: 'right', cause: null });
  const told = toldOf('a');
  await s.record.again({ fingerprint: fingerprint('a'), number: 1, told });
  await s.taker.take('a', 1, { ...wrong, note: 'again' });
  const { episode } = recordKinds;
  const whole = replayed(s.journal);
  for (let taken = 0; taken <= s.journal.length; taken++) {
    const snapshot = [...replayed(s.journal.slice(0, taken)).records()];
    for (let from = 0; from <= taken; from++) {
      const restored = new EpisodeBook();
      for (const record of snapshot) {
        restored.restore(episode.decode(Buffer.concat(episode.encode(record))));
      }
      for (const record of s.journal.slice(from)) applyRecord(restored, record);
      const [told, known] = [settled(restored), settled(whole)].map((book) =>
        [...book.all()].map((each) => ({ ...each, latest: each.latest?.read() })));
      assert.deepEqual(told, known);
      assert.equal(restored.feedback.weight, whole.feedback.weight);
      assert.equal(restored.waitingWeight, whole.waitingWeight);
    }
  }
});

test('a snapshot of a version without feedback is read', async () => {
  const s = setup();
  await s.reported('a');
  const [record] = s.book.records();
  const { feedback, ...older } = record?.episode ?? {};
  assert.deepEqual(feedback, []);
  const payload = Buffer.from(JSON.stringify({ ...record, episode: older }));
  assert.deepEqual(recordKinds.episode.decode(payload).episode.feedback, []);
});

test('feedback and requests survive their encoding, whatever is in them', () => {
  const hostile = { ...wrong, cause: '\ud800</script>\u202e', note: '\0\r{{7*7}}' };
  const key = { fingerprint: fingerprint('a'), number: 3 };
  const said = { ...key, feedback: { at: '2026-11-20T10:00:00.000Z', ...hostile } };
  const decoded = recordKinds.feedback.decode(Buffer.concat(recordKinds.feedback.encode(said)));
  assert.deepEqual(decoded, { ...said, feedback: { ...said.feedback, note: '\0\n{{7*7}}' } });
  const told = ReceivedAlert.of({ alert: anAlert(), group: aGroup }, 5);
  const asked = recordKinds.again.decode(Buffer.concat(recordKinds.again.encode({ ...key, told })));
  assert.deepEqual(asked.told.read().alert, told.read().alert);
  assert.deepEqual(asked.told.read().group, told.read().group);
  assert.equal(asked.told.weight, told.weight);
});

const garbage = [
  '', 'null', '{}', '{"fingerprint":"a","number":1}',
  '{"fingerprint":"a","number":1,"feedback":{"at":"x","verdict":"right"}}',
  '{"fingerprint":"a","number":1,"feedback":{"at":"2026-11-20T10:00:00Z","verdict":"maybe"}}',
  '{"fingerprint":"a","number":1,"told":{"alert":{}}}',
];
for (const payload of garbage) {
  test(`a damaged record is refused: ${JSON.stringify(payload)}`, () => {
    for (const type of [recordKinds.feedback.type, recordKinds.again.type]) {
      const record = { sequence: 1, type, payload: Buffer.from(payload) };
      assert.throws(() => applyRecord(new EpisodeBook(), record), { name: 'FormatError' });
    }
  });
}

test('caseFileOf() lists feedback on the alert, then of its name on the same thing', async () => {
  const s = setup();
  const of = (service: string, instance: string): LabelSet =>
    ({ alertname: 'HighCPU', service, instance });
  await s.reported('a', 1, of('pay', 'a:1'));
  await s.reported('b', 1, of('pay', 'b:1'));
  await s.reported('c', 1, of('pay', 'c:1'));
  await s.reported('other', 1, of('cart', 'a:1'));
  await s.reported('a', 2, of('pay', 'a:1'));
  await s.taker.take('other', 1, wrong);
  await s.taker.take('a', 1, wrong);
  await s.clock.advance(1_000);
  await s.taker.take('b', 1, wrong);
  await s.clock.advance(1_000);
  await s.taker.take('a', 2, { ...wrong, cause: 'the net' });
  const newest = s.book.find('a', 2);
  const older = s.book.find('a', 1);
  assert.ok(newest && older);
  const told = caseFileOf(s.book, newest, { reportBase: 'http://localhost', now: 0 }).feedback;
  const named = told.map((said) => [said.fingerprint, said.number, said.cause]);
  assert.deepEqual(named, [['a', 2, 'the net'], ['a', 1, 'the disk'], ['b', 1, 'the disk']]);
  assert.equal(told[0]?.reportUrl, 'http://localhost/report/a/2');
  const before = caseFileOf(s.book, older, { reportBase: 'http://localhost', now: 0 }).feedback
    .map((said) => [said.fingerprint, said.number]);
  assert.deepEqual(before, [['a', 1]], 'its labels are not known any more');
});

test('EpisodeBook queues an episode for which an analysis is requested', async () => {
  const s = setup();
  await s.reported('a');
  const told = toldOf('a');
  const asked = { fingerprint: fingerprint('a'), number: 1, told };
  await s.record.again(asked);
  const episode = s.book.find('a', 1);
  assert.equal(episode?.analysis, 'queued');
  assert.equal(episode?.latest, told);
  assert.equal(episode?.notifications, 1);
  assert.equal(s.book.waitingWeight, told.weight);
  await s.record.again({ ...asked, told: ReceivedAlert.of(told.read(), 2) });
  assert.equal(episode?.latest, told, 'what waits already is not replaced');
  const restarted = replayed(s.journal);
  assert.deepEqual(restarted.finishReplay().map(({ fingerprint: name }) => name), ['a']);
  assert.equal(restarted.find('a', 1)?.attempts, 0);
});
