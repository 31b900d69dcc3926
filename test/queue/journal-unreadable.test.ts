import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type FileSystem, nodeFileSystem } from '../../src/lib/file-system.ts';
import { headerAreaBytes, recordHeadBytes } from '../../src/queue/journal-record.ts';
import {
  appendEach,
  numbered,
  openJournal,
  reliableDisk,
  textsOf,
} from '../support/disk/open-journal.ts';
import { delegate } from '../support/disk/planted-bugs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const segment = '/data/segment-00000001.journal';
const pageBytes = 4096;

/** The disk with pages of the first segment that it cannot read any more, numbered from 0. */
function withBadPages(files: FileSystem, bad: readonly number[]): FileSystem {
  return {
    ...delegate(files),
    open: async (path, mode) => {
      const file = await files.open(path, mode);
      const read: typeof file.read = async (target, position) => {
        const isBad = (page: number): boolean =>
          position < (page + 1) * pageBytes && position + target.length > page * pageBytes;
        if (path === segment && bad.some(isBad)) {
          throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
        }
        return file.read(target, position);
      };
      return { ...file, read };
    },
  };
}

for (const bad of [[0], [1], [3], [5, 6, 9], [2, 3, 4, 5, 6, 7, 8, 9, 10]]) {
  test(`Journal.open() loses only the records on pages ${bad} that cannot be read`, async () => {
    const [texts, recordBytes] = [numbered(300, 150), recordHeadBytes + 150];
    const disk = reliableDisk();
    const { journal } = await openJournal(disk);
    await appendEach(journal, texts);
    await journal.close();
    const whole = disk.contentOf(segment);
    const opened = await openJournal(withBadPages(disk, bad));
    const isLost = (_: string, index: number): boolean => bad.some((page) => {
      const start = headerAreaBytes + index * recordBytes;
      return start < (page + 1) * pageBytes && start + recordBytes > page * pageBytes;
    });
    const expected = texts.filter((text, index) => !isLost(text, index));
    assert.deepEqual(textsOf(opened.told), expected);
    const { damagedRegions, missingRecords } = opened.journal.stats;
    assert.ok(damagedRegions > 0);
    assert.equal(missingRecords, texts.length - expected.length);
    for (const page of bad) whole.fill(0, page * pageBytes, (page + 1) * pageBytes);
    assert.deepEqual(disk.contentOf(`${segment}.corrupt`), whole);
    await appendEach(opened.journal, ['later']);
    await opened.journal.close();
  });
}

test('Journal.open() tells no crash of records at the end that cannot be read', async () => {
  const disk = reliableDisk();
  const { journal } = await openJournal(disk);
  await appendEach(journal, numbered(300, 150));
  await journal.close();
  const whole = disk.contentOf(segment);
  const lastPage = Math.floor((whole.length - 1) / pageBytes);
  const opened = await openJournal(withBadPages(disk, [lastPage]));
  assert.ok(opened.told.length < 300);
  const { damagedRegions, tornTails } = opened.journal.stats;
  assert.deepEqual({ damagedRegions, tornTails }, { damagedRegions: 1, tornTails: 0 });
  assert.ok(disk.paths().includes(`${segment}.corrupt`));
  await opened.journal.close();
});

test('Journal.open() refuses a file of which no header can be read, and leaves it', async () => {
  const disk = reliableDisk();
  const { journal } = await openJournal(disk);
  await appendEach(journal, ['a']);
  await journal.close();
  const before = disk.paths();
  await assert.rejects(openJournal(withBadPages(disk, [0, 1])), /segment-00000001.*EIO/);
  assert.deepEqual(disk.paths(), before);
  assert.deepEqual(textsOf((await openJournal(disk)).told), ['a']);
});

test('Journal.open() counts what is no file under the name of one as damage', async () => {
  const directory = temporaryDirectory();
  const { journal } = await openJournal(nodeFileSystem, { directory });
  await appendEach(journal, ['a']);
  await journal.close();
  mkdirSync(join(directory, 'segment-00000007.journal'));
  assert.equal(spawnSync('mkfifo', [join(directory, 'snapshot-00000008.journal')]).status, 0);
  const opened = await openJournal(nodeFileSystem, { directory });
  assert.deepEqual(textsOf(opened.told), ['a']);
  assert.equal(opened.journal.stats.damagedRegions, 2);
  await appendEach(opened.journal, ['b']);
  await opened.journal.close();
  const again = await openJournal(nodeFileSystem, { directory });
  assert.deepEqual(textsOf(again.told), ['a', 'b']);
  await again.journal.close();
});
