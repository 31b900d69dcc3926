import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EpisodeBook } from '../../../src/episodes/book/episode-book.ts';
import {
  applyRecord, createEpisodeJournal, recordKinds, snapshotOf, type EpisodeJournal,
} from '../../../src/episodes/episode-journal.ts';
import { aKey } from '../../support/samples/alerts.ts';

const key = aKey('a');
const conclusion = {
  classification: 'actionable', certainty: 'possible', headline: 'CPU is high',
} as const;
const at = (file: number) => ({ file, offset: 0, bytes: 10 });

interface Kept {
  readonly book: EpisodeBook;
  readonly journal: EpisodeJournal;
  /** Files of the extents that were freed, in order. */
  readonly freed: number[];
  readonly records: { sequence: number; type: number; payload: Buffer }[];
  stored(file: number): Promise<void>;
}

function aBook(): Kept {
  const freed: number[] = [];
  const free = ({ file }: { readonly file: number }): void => void freed.push(file);
  const book = new EpisodeBook();
  book.extents.onFreed({ report: free, recording: free });
  const records: Kept['records'] = [];
  const append = (type: number, parts: readonly Uint8Array[]): Promise<number> => {
    const sequence = records.length + 1;
    records.push({ sequence, type, payload: Buffer.concat(parts) });
    return Promise.resolve(sequence);
  };
  const journal = createEpisodeJournal(append, book);
  const body = Buffer.from(JSON.stringify({
    alerts: [{ labels: { alertname: 'A' }, fingerprint: key.fingerprint }],
  }));
  const opened = { ...key, kind: 'opened', index: 0 } as const;
  const payload = Buffer.concat(recordKinds.notification.encode({
    receivedAt: 0, accepted: [opened], body,
  }));
  records.push({ sequence: 1, type: recordKinds.notification.type, payload });
  applyRecord(book, { sequence: 1, type: recordKinds.notification.type, payload });
  return {
    book, journal, freed, records,
    stored: (file) => journal.outcome({
      ...key, state: 'reported', revision: 1, conclusion, report: at(file), isRecordedAnew: true,
    }),
  };
}

test('a report that is replaced frees the one before, and the recording made with it', async () => {
  const { book, journal, freed, stored } = aBook();
  await stored(1);
  await journal.recorded({ ...key, recording: at(100) });
  assert.deepEqual([book.extentsOf(key)?.report?.file, freed], [1, []]);
  await stored(2);
  assert.deepEqual(freed, [1, 100]);
  const extents = book.extentsOf(key);
  assert.deepEqual([extents?.report?.file, extents?.recording], [2, null]);
});

test('a copy counts only while the report that it was made of does', async () => {
  const { book, journal, freed, stored } = aBook();
  await stored(1);
  await journal.moved({ ...key, from: at(1), report: at(2) });
  assert.deepEqual([book.extentsOf(key)?.report?.file, freed], [2, [1]]);
  await stored(3);
  await journal.moved({ ...key, from: at(2), report: at(4) });
  assert.deepEqual([book.extentsOf(key)?.report?.file, freed], [3, [1, 2, 4]]);
});

test('what is stored of an episode that is gone is freed', async () => {
  const { book, journal, freed, stored } = aBook();
  await stored(1);
  await journal.recorded({ ...key, recording: at(100) });
  await journal.forget(key);
  assert.deepEqual([book.extentsOf(key), freed], [null, [1, 100]]);
  await stored(2);
  await journal.recorded({ ...key, recording: at(200) });
  await journal.moved({ ...key, from: at(1), report: at(3) });
  assert.deepEqual(freed, [1, 100, 2, 200, 3]);
});

test('a replay and a snapshot know where reports and recordings are', async () => {
  const { book, journal, records, stored } = aBook();
  await stored(1);
  await journal.recorded({ ...key, recording: at(100) });
  await journal.moved({ ...key, from: at(1), report: at(2) });
  const replayed = new EpisodeBook();
  for (const record of records) applyRecord(replayed, record);
  const restored = new EpisodeBook();
  for (const record of snapshotOf(book)) applyRecord(restored, { sequence: 0, ...record });
  for (const { find } of [replayed, restored].map((each) => ({ find: each.extentsOf(key) }))) {
    assert.deepEqual([find?.report, find?.recording], [at(2), at(100)]);
  }
});
