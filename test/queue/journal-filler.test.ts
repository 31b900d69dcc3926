import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillerByte } from '../../src/queue/journal-record.ts';
import {
  appendEach, numbered, openJournal, reliableDisk, textsOf,
} from '../support/disk/open-journal.ts';

const first = '/data/segment-00000001.journal';

/** A segment as a kill leaves it, and where its records end. */
async function killedSegment(
  texts: readonly string[],
): Promise<{ readonly content: Buffer; readonly end: number }> {
  const disk = reliableDisk();
  const { journal } = await openJournal(disk);
  await appendEach(journal, texts);
  return { content: disk.contentOf(first), end: journal.stats.bytes };
}

test('Journal flushes into filler, so that the file does not grow with every flush', async () => {
  const disk = reliableDisk();
  const { journal } = await openJournal(disk);
  await appendEach(journal, ['one']);
  const size = disk.contentOf(first).length;
  await appendEach(journal, numbered(100));
  assert.equal(disk.contentOf(first).length, size);
  assert.equal(disk.contentOf(first).at(-1), fillerByte);
});

test('Journal prepares new filler when the old is used up', async () => {
  const disk = reliableDisk();
  const { journal } = await openJournal(disk);
  const large = 'x'.repeat(200_000);
  await appendEach(journal, [large, large, large]);
  const { length } = disk.contentOf(first);
  assert.ok(length > journal.stats.bytes, `${length} bytes`);
});

test('Journal does not count filler left by a kill as damage', async () => {
  const texts = numbered(20);
  const disk = reliableDisk();
  disk.place(first, (await killedSegment(texts)).content);
  const { told, journal } = await openJournal(disk);
  assert.deepEqual(textsOf(told), texts);
  const { damagedRegions, tornTails, missingRecords } = journal.stats;
  assert.deepEqual([damagedRegions, tornTails, missingRecords], [0, 0, 0]);
});

test('Journal removes filler from files that are no longer written', async () => {
  const disk = reliableDisk();
  const { journal } = await openJournal(disk);
  await appendEach(journal, ['one']);
  const { bytes } = journal.stats;
  await journal.close();
  assert.equal(disk.contentOf(first).length, bytes);
});

for (const [what, byte] of [['zeros', 0], ['one flipped bit', fillerByte ^ 4]] as const) {
  for (const distance of [0, 1, 700, 200_000]) {
    test(`Journal names ${what} ${distance} bytes into the filler, and loses nothing`, async () => {
      const texts = numbered(20);
      const { content, end } = await killedSegment(texts);
      content[end + distance] = byte;
      const disk = reliableDisk();
      disk.place(first, content);
      const { told, journal } = await openJournal(disk);
      assert.deepEqual(textsOf(told), texts);
      assert.equal(journal.stats.tornTails, 1);
    });
  }
}
