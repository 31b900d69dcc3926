/** What becomes of episodes when the journal under them is damaged: real records, one disk. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EpisodeBook } from '../../src/episodes/book/episode-book.ts';
import {
  applyRecord, recordKinds, type StoredRecord,
} from '../../src/episodes/episode-journal.ts';
import { ReceivedAlert } from '../../src/episodes/received-alert.ts';
import { changeOf, type Accepted } from '../../src/episodes/records.ts';
import { headerAreaBytes, recordHeadBytes } from '../../src/queue/journal-record.ts';
import { openJournal, reliableDisk } from '../support/disk/open-journal.ts';
import { aGroup, anAlert, fingerprint } from '../support/samples/alerts.ts';

const at = Date.parse('2026-11-20T10:00:05Z');
const segment = '/data/segment-00000001.journal';
const conclusion = {
  classification: 'actionable', certainty: 'possible', headline: 'CPU is high',
} as const;

function notification(kind: Accepted['kind'], names: readonly string[]): Uint8Array[] {
  const isOver = kind === 'resolved';
  const alerts = names.map((name) => anAlert({
    fingerprint: fingerprint(name), labels: { alertname: 'HighCPU', instance: name },
    ...(isOver && { status: 'resolved', endsAt: '2026-11-20T10:05:00Z' }),
  }));
  const accepted = alerts.map((alert, index) => ({
    fingerprint: alert.fingerprint, kind, number: 1, index,
    ...(kind !== 'opened' && { change: changeOf(alert) }),
  }));
  const body = Buffer.from(JSON.stringify({ version: '4', status: 'firing', alerts }));
  return recordKinds.notification.encode({ receivedAt: at, accepted, body });
}

const a = { fingerprint: fingerprint('a'), number: 1 };
const said = {
  at: '2026-11-20T10:02:00Z', verdict: 'right', cause: null, note: 'known', noisy: false,
} as const;
const told = ReceivedAlert.of({ alert: anAlert(), group: aGroup }, at);

/** A day of one service in short: everything that is ever written, once. */
const written: readonly (readonly [keyof typeof recordKinds, Uint8Array[]])[] = [
  ['notification', notification('opened', ['a'])],
  ['attempt', recordKinds.attempt.encode(a)],
  ['notification', notification('opened', ['b', 'c'])],
  ['outcome', recordKinds.outcome.encode({ ...a, state: 'reported', revision: 1, conclusion })],
  ['feedback', recordKinds.feedback.encode({ ...a, feedback: said })],
  ['again', recordKinds.again.encode({ ...a, told })],
  ['attempt', recordKinds.attempt.encode(a)],
  ['release', recordKinds.release.encode(a)],
  ['notification', notification('resolved', ['b', 'a'])],
  ['forget', recordKinds.forget.encode({ fingerprint: fingerprint('b'), number: 1 })],
  ['notification', notification('refreshed', ['c'])],
];
const records = written.map(([kind, parts], index): StoredRecord => ({
  sequence: index + 1, type: recordKinds[kind].type, payload: Buffer.concat(parts),
}));
/** Where each record ends in the segment. */
const ends = records.reduce<number[]>((sums, { payload }) =>
  [...sums, (sums.at(-1) ?? headerAreaBytes) + recordHeadBytes + payload.length], []);

async function wholeSegment(): Promise<Buffer> {
  const disk = reliableDisk();
  const { journal } = await openJournal(disk);
  for (const { type, payload } of records) await journal.append(type, [payload]);
  await journal.close();
  const content = disk.contentOf(segment);
  assert.equal(content.length, ends.at(-1));
  return content;
}

/** All episodes in the book that these records make; what makes no sense is left out. */
function stateOf(stored: Iterable<StoredRecord>): string {
  const book = new EpisodeBook();
  for (const record of stored) {
    try {
      applyRecord(book, record);
    } catch {
      continue;
    }
  }
  book.finishReplay();
  return JSON.stringify([...book.records()]);
}

async function stateOver(content: Buffer): Promise<string> {
  const disk = reliableDisk();
  disk.place(segment, content);
  const told: StoredRecord[] = [];
  await openJournal(disk, {
    onRecord: ({ sequence, type, payload }) =>
      void told.push({ sequence, type, payload: Buffer.from(payload) }),
  });
  return stateOf(told);
}

test('a journal cut anywhere keeps every episode as it was before the cut', async () => {
  const whole = await wholeSegment();
  const states = records.map((_, count) => stateOf(records.slice(0, count)));
  assert.ok(new Set(states).size > 7, 'the records make a difference');
  for (let length = headerAreaBytes; length < whole.length; length += 11) {
    const count = ends.filter((end) => end <= length).length;
    assert.equal(await stateOver(whole.subarray(0, length)), states[count], `cut at ${length}`);
  }
});

test('a flipped bit costs the episodes one record, whichever it is', async () => {
  const whole = await wholeSegment();
  const states = records.map((lost) => stateOf(records.filter((record) => record !== lost)));
  for (let offset = headerAreaBytes; offset < whole.length; offset += 11) {
    const flipped = Buffer.from(whole);
    flipped.writeUInt8(flipped.readUInt8(offset) ^ (1 << (offset % 8)), offset);
    const lost = ends.findIndex((end) => offset < end);
    assert.equal(await stateOver(flipped), states[lost], `byte ${offset}`);
  }
});
