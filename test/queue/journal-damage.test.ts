import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { type FileSystem, nodeFileSystem } from '../../src/lib/file-system.ts';
import type { Journal, JournalStats } from '../../src/queue/journal.ts';
import { removeCopies } from '../../src/queue/journal-damage.ts';
import {
  type FileHeader,
  frameRecord,
  decodeHeaderArea,
  encodeHeaderArea,
  headerAreaBytes,
  recordHeadBytes,
  UnknownVersionError,
} from '../../src/queue/journal-record.ts';
import {
  appendEach,
  appendText,
  numbered,
  openJournal,
  pass,
  reliableDisk,
  textsOf,
} from '../support/disk/open-journal.ts';
import { delegate } from '../support/disk/planted-bugs.ts';
import type { SimulatedDisk } from '../support/disk/simulated-disk.ts';
import { seededRandom } from '../support/random.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const segment = '/data/segment-00000001.journal';

/** The bytes of a segment with these payloads, each flushed alone. */
async function segmentOf(texts: readonly string[]): Promise<Buffer> {
  const disk = reliableDisk();
  const { journal } = await openJournal(disk);
  await appendEach(journal, texts);
  await journal.close();
  return disk.contentOf(segment);
}

async function openOnce(content: Uint8Array): Promise<{
  journal: Journal;
  texts: string[];
  disk: SimulatedDisk;
}> {
  const disk = reliableDisk();
  disk.place(segment, content);
  const { journal, told } = await openJournal(disk);
  return { journal, texts: textsOf(told), disk };
}

async function openOver(content: Uint8Array): Promise<{
  texts: string[];
  stats: JournalStats;
  disk: SimulatedDisk;
}> {
  const { journal, texts, disk } = await openOnce(content);
  const { stats } = journal;
  // What was found must be there again, without the damage, and appending must work.
  await appendText(journal, 'later');
  await journal.close();
  const again = await openJournal(disk);
  assert.deepEqual(textsOf(again.told), [...texts, 'later']);
  await again.journal.close();
  return { texts, stats, disk };
}

function reported(stats: JournalStats): number {
  return stats.damagedRegions + stats.tornTails + stats.missingRecords;
}

test('Journal.open() cuts a torn end at every length of an 8-record segment', async () => {
  const texts = numbered(8);
  const whole = await segmentOf(texts);
  const bytes = recordHeadBytes + 10;
  for (let length = headerAreaBytes; length <= whole.length; length += 1) {
    const { texts: found, stats, disk } = await openOver(whole.subarray(0, length));
    const count = Math.floor((length - headerAreaBytes) / bytes);
    const torn = (length - headerAreaBytes) % bytes;
    assert.deepEqual(found, texts.slice(0, count), `length ${length}`);
    assert.equal(stats.tornTails, torn === 0 ? 0 : 1, `length ${length}`);
    assert.equal(stats.damagedRegions, 0, `length ${length}`);
    if (torn > 0) assert.equal(disk.contentOf(`${segment}.broken`).length, torn);
  }
});

const tails: readonly (readonly [string, Buffer])[] = [
  ['zeros', Buffer.alloc(3000)],
  ['ones', Buffer.alloc(3000, 0xff)],
  ['noise', Buffer.from(Array.from({ length: 3000 }, seededRandom(3)))],
];
for (const [name, tail] of tails) {
  test(`Journal.open() cuts a tail of ${name}`, async () => {
    const texts = numbered(3);
    const { texts: found, stats } = await openOver(Buffer.concat([await segmentOf(texts), tail]));
    assert.deepEqual(found, texts);
    assert.equal(stats.tornTails, 1);
  });
}

test('Journal.open() loses only the records that a burst of damage overlaps', async () => {
  const random = seededRandom(11);
  const texts = numbered(80, 150);
  const whole = await segmentOf(texts);
  const recordBytes = recordHeadBytes + 150;
  for (let round = 0; round < 150; round += 1) {
    const from = random() % whole.length;
    const to = Math.min(whole.length, from + 1 + (random() % 4096));
    const burst = Buffer.from(whole);
    for (let at = from; at < to; at += 1) burst[at] = (burst[at] ?? 0) ^ (1 + (random() % 255));
    const { texts: found, stats, disk } = await openOver(burst);
    const expected = texts.filter((_, index) => {
      const start = headerAreaBytes + index * recordBytes;
      return start + recordBytes <= from || start >= to;
    });
    assert.deepEqual(found, expected, `round ${round}, ${from} to ${to}`);
    assert.ok(reported(stats) > 0, `round ${round}`);
    if (stats.damagedRegions > 0) assert.deepEqual(disk.contentOf(`${segment}.corrupt`), burst);
  }
});

test('Journal.open() never takes a record forged inside a payload for one of its own', async () => {
  const wrongKeys: FileHeader = { kind: 'segment', index: 1, mark: 0x80000001, seed: 5, after: 0 };
  const record = { sequence: 3, type: 1, flags: 1, parts: [Buffer.from('forged')] };
  const forged = Buffer.concat(frameRecord(record, wrongKeys, crc32));
  const hostile = forged.toString('latin1').repeat(50);
  const whole = await segmentOf(['first', hostile, 'last']);
  // The head of the record that carries the forgeries is damaged, so its payload is searched.
  whole.writeUInt8(0, headerAreaBytes + recordHeadBytes + 5);
  const { texts, stats } = await openOver(whole);
  assert.deepEqual(texts, ['first', 'last']);
  assert.equal(stats.damagedRegions, 1);
  assert.equal(stats.missingRecords, 1);
});

test('Journal.open() would believe the forgery if it knew the mark and the seed', async () => {
  // Shows that the test above depends on the two, and on nothing else.
  const { header } = decodeHeaderArea(await segmentOf([]), segment);
  assert.ok(header);
  const record = { sequence: 2, type: 1, flags: 1, parts: [Buffer.from('forged')] };
  const forged = Buffer.concat(frameRecord(record, header, crc32));
  const whole = await segmentOf(['first', forged.toString('latin1')]);
  whole.writeUInt8(0, headerAreaBytes + recordHeadBytes + 5);
  const { texts } = await openOver(whole);
  assert.deepEqual(texts, ['first', 'forged']);
});

test('Journal.open() counts damage in an earlier segment and goes on with the next', async () => {
  const disk = reliableDisk();
  const { journal } = await openJournal(disk, { segmentBytes: headerAreaBytes + 100 });
  const texts = numbered(9);
  await appendEach(journal, texts);
  await journal.close();
  const content = disk.contentOf(segment);
  disk.place(segment, content.subarray(0, content.length - 1));
  const { told, journal: opened } = await openJournal(disk);
  assert.deepEqual(textsOf(told), texts.filter((_, index) => index !== 2));
  assert.equal(opened.stats.damagedRegions, 1);
  assert.equal(opened.stats.missingRecords, 1);
  assert.ok(disk.paths().includes(`${segment}.corrupt`));
});

test('Journal.open() goes on without a segment whose header is lost, and keeps it', async () => {
  const whole = await segmentOf(numbered(4));
  whole.fill(0xaa, 0, headerAreaBytes);
  const disk = reliableDisk();
  disk.place(segment, whole);
  const { journal, told } = await openJournal(disk);
  assert.deepEqual(told, []);
  assert.equal(journal.stats.damagedRegions, 1);
  assert.deepEqual(disk.contentOf(`${segment}.corrupt`), whole);
});

test('Journal.open() keeps a copy later if there is room for only a part of it now', async () => {
  const whole = await segmentOf(numbered(4));
  whole.fill(0xaa, 0, headerAreaBytes);
  const disk = reliableDisk();
  disk.place(segment, whole);
  const full: FileSystem = {
    ...delegate(disk),
    open: async (path, mode) => {
      const file = await disk.open(path, mode);
      const writev: typeof file.writev = ([first = Buffer.alloc(0)], position) =>
        file.writev([first.subarray(0, 100)], position);
      return { ...file, writev };
    },
  };
  await (await openJournal(full)).journal.close();
  assert.deepEqual(disk.paths(), [segment]);
  await openJournal(disk);
  assert.deepEqual(disk.contentOf(`${segment}.corrupt`), whole);
});

test('Journal.open() leaves the copy that an earlier start made', async () => {
  const whole = await segmentOf(numbered(4));
  whole.fill(0xaa, 0, headerAreaBytes);
  const disk = reliableDisk();
  disk.place(segment, whole);
  const first = Buffer.from('as it was found first');
  disk.place(`${segment}.corrupt`, first);
  await openJournal(disk);
  assert.deepEqual(disk.contentOf(`${segment}.corrupt`), first);
});

test('Journal.compact() keeps a damaged file that there was no room to copy', async () => {
  const whole = await segmentOf(numbered(4));
  whole.fill(0xaa, 0, headerAreaBytes);
  const disk = reliableDisk();
  disk.place(segment, whole);
  let isFull = true;
  const full: FileSystem = {
    ...delegate(disk),
    open: async (path, mode) => {
      if (isFull && mode !== 'read') throw new Error('No room');
      return disk.open(path, mode);
    },
  };
  const { journal, clock } = await openJournal(full);
  assert.deepEqual(disk.paths(), [segment]);
  isFull = false;
  while (!journal.isAvailable) await pass(clock, 1000);
  await journal.compact([]);
  assert.ok(!disk.paths().includes(segment));
  assert.deepEqual(disk.contentOf(`${segment}.corrupt`), whole);
  await journal.close();
});

test('Journal.open() reads segments by their number, however many digits it has', async () => {
  const disk = reliableDisk();
  disk.place('/data/segment-99999997.journal.broken', Buffer.alloc(1));
  const { journal } = await openJournal(disk, { segmentBytes: headerAreaBytes + 100 });
  await appendEach(journal, numbered(9));
  await journal.close();
  assert.ok(disk.paths().includes('/data/segment-100000000.journal'));
  const { told, journal: opened } = await openJournal(disk);
  assert.deepEqual(textsOf(told), numbered(9));
  assert.equal(reported(opened.stats), 0);
});

test('Journal.open() counts the records of a segment that is gone', async () => {
  const disk = reliableDisk();
  const { journal } = await openJournal(disk, { segmentBytes: headerAreaBytes + 100 });
  await appendEach(journal, numbered(9));
  await journal.close();
  await disk.unlink('/data/segment-00000002.journal');
  const { told, journal: opened } = await openJournal(disk);
  assert.equal(told.length, 6);
  assert.equal(opened.stats.missingRecords, 3);
});

test('Journal.open() refuses a newer format version and touches nothing', async () => {
  const disk = reliableDisk();
  const newer = await segmentOf(numbered(2));
  const area = encodeHeaderArea({ kind: 'segment', index: 1, mark: 1, seed: 1, after: 0 });
  area.writeUInt32BE(2, 8);
  area.writeUInt32BE(crc32(area.subarray(0, 60)), 60);
  area.copy(newer, 0);
  disk.place(segment, newer);
  disk.place('/data/segment-00000002.journal', Buffer.alloc(9000, 1));
  disk.place('/data/snapshot-00000002.journal.tmp', Buffer.alloc(9));
  const before = disk.paths();
  await assert.rejects(openJournal(disk), (error: unknown) => {
    assert.ok(error instanceof UnknownVersionError);
    assert.match(error.message, /version 2, but this program reads only 1/);
    return true;
  });
  assert.deepEqual(disk.paths(), before);
  assert.deepEqual(disk.contentOf(segment), newer);
});

test('Journal.open() finds nothing damaged after a kill at any step of a start', async () => {
  const texts = numbered(5, 300);
  for (let step = 0, isStopped = true; isStopped; step += 1) {
    const disk = reliableDisk();
    const { journal } = await openJournal(disk);
    await Promise.all(texts.map((text) => appendText(journal, text)));
    disk.kill();
    disk.stopAfter(step);
    const { journal: killed } = await openJournal(disk).catch(() => ({ journal: null }));
    isStopped = killed === null || !killed.isAvailable;
    disk.kill();
    const { told, journal: opened } = await openJournal(disk);
    assert.deepEqual(textsOf(told), texts, `step ${step}`);
    assert.equal(reported(opened.stats), 0, `step ${step}`);
    await opened.close();
  }
});

test('removeCopies() removes old copies of what was damaged, and nothing else', async () => {
  const directory = temporaryDirectory();
  const place = (name: string, atSeconds: number): void => {
    writeFileSync(join(directory, name), name);
    utimesSync(join(directory, name), atSeconds, atSeconds);
  };
  for (const ending of ['', '.corrupt', '.broken']) {
    place(`segment-00000001.journal${ending}`, 1_000);
    place(`segment-00000002.journal${ending}`, 3_000);
  }
  place('notes.corrupt', 1_000);
  mkdirSync(join(directory, 'segment-00000003.journal.corrupt'));
  await removeCopies({ files: nodeFileSystem, directory }, 2_000_000);
  assert.deepEqual(readdirSync(directory).toSorted(), [
    'notes.corrupt', 'segment-00000001.journal', 'segment-00000002.journal',
    'segment-00000002.journal.broken', 'segment-00000002.journal.corrupt',
    'segment-00000003.journal.corrupt',
  ]);
});
