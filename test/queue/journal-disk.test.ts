import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type FileStat, nodeFileSystem } from '../../src/lib/file-system.ts';
import { StorageUnavailableError } from '../../src/queue/journal.ts';
import {
  appendEach,
  appendText,
  numbered,
  openJournal,
  pass,
  textsOf,
} from '../support/disk/open-journal.ts';
import { delegate } from '../support/disk/planted-bugs.ts';
import { seededRandom } from '../support/random.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('Journal keeps what it acknowledged in real files, readable by their owner', async () => {
  const directory = temporaryDirectory();
  const { journal } = await openJournal(nodeFileSystem, { directory });
  const texts = numbered(300, 3000);
  await Promise.all(texts.map((text) => appendText(journal, text)));
  assert.equal(statSync(join(directory, 'segment-00000001.journal')).mode & 0o777, 0o600);
  await journal.compact(texts.map((text) => ({ type: 1, payload: Buffer.from(text) })));
  await appendEach(journal, ['later']);
  await journal.close();
  const { told, journal: opened } = await openJournal(nodeFileSystem, { directory });
  assert.deepEqual(textsOf(told), [...texts, 'later']);
  await opened.close();
});

test('Journal survives a real full device and goes on when there is space', async (t) => {
  assert.ok(existsSync('/dev/full'), 'this machine has no /dev/full');
  const directory = temporaryDirectory();
  let isFull = false;
  const full = await nodeFileSystem.open('/dev/full', 'replace');
  t.after(() => full.close());
  const files = {
    ...delegate(nodeFileSystem),
    open: async (path: string, mode: Parameters<typeof nodeFileSystem.open>[1]) => {
      const file = await nodeFileSystem.open(path, mode);
      const writev: typeof file.writev = (parts, at) => (isFull ? full : file).writev(parts, at);
      return { ...file, writev };
    },
  };
  const { journal, clock } = await openJournal(files, { directory });
  await appendEach(journal, ['a']);
  isFull = true;
  await assert.rejects(appendText(journal, 'b'), (error: unknown) => {
    assert.ok(error instanceof StorageUnavailableError);
    assert.match(String(error.cause), /ENOSPC/);
    return true;
  });
  isFull = false;
  while (!journal.isAvailable) await pass(clock, 1000);
  await appendEach(journal, ['c']);
  await journal.close();
  const { told, journal: opened } = await openJournal(nodeFileSystem, { directory });
  assert.deepEqual(textsOf(told), ['a', 'c']);
  await opened.close();
});

test('Journal acknowledges nothing more when its file was removed under it', async () => {
  const directory = join(temporaryDirectory(), 'journal');
  mkdirSync(directory);
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
  let refused = 0;
  const open: typeof nodeFileSystem.open = (path, mode) =>
    nodeFileSystem.open(path, mode).catch((error: unknown) => {
      refused += 1;
      throw error;
    });
  const files = { ...delegate(nodeFileSystem), open };
  const { journal, clock } = await openJournal(files, { directory, log });
  await appendEach(journal, ['a']);
  await journal.checkPlace();
  assert.equal(journal.isAvailable, true);
  rmSync(directory, { recursive: true });
  await journal.checkPlace();
  await assert.rejects(appendText(journal, 'b'), StorageUnavailableError);
  while (refused < 3) await pass(clock, 1000);
  assert.equal(journal.isAvailable, false, 'its directory is still missing');
  assert.deepEqual(warnings, ['Journal still cannot be written'], 'and told once');
  mkdirSync(directory);
  while (!journal.isAvailable) await pass(clock, 1000);
  await appendEach(journal, ['c']);
  await journal.close();
  const { told, journal: opened } = await openJournal(nodeFileSystem, { directory });
  assert.deepEqual(textsOf(told), ['c']);
  await opened.close();
});

test('Journal leaves another journal alone that took the place of its directory', async () => {
  const parent = temporaryDirectory();
  const [directory, volume] = [join(parent, 'journal'), join(parent, 'volume')];
  for (const each of [directory, volume]) mkdirSync(each);
  const random = seededRandom(8);
  const { journal: other } = await openJournal(nodeFileSystem, { directory: volume, random });
  await appendEach(other, ['a', 'b', 'c']);
  await other.close();
  const { journal, clock } = await openJournal(nodeFileSystem, { directory });
  await appendEach(journal, ['x']);
  renameSync(directory, join(parent, 'away'));
  renameSync(volume, directory);
  await journal.checkPlace();
  for (let tries = 0; tries < 20; tries += 1) {
    await pass(clock, 1000);
    await setTimeout(2);
  }
  await assert.rejects(appendText(journal, 'y'), StorageUnavailableError);
  await journal.close();
  const { told, journal: opened } = await openJournal(nodeFileSystem, { directory });
  assert.deepEqual(textsOf(told), ['a', 'b', 'c']);
  await opened.close();
});

test('Journal acknowledges nothing more when a copy of its directory took its place', async () => {
  const parent = temporaryDirectory();
  const directory = join(parent, 'journal');
  mkdirSync(directory);
  const { journal, clock } = await openJournal(nodeFileSystem, { directory });
  await appendEach(journal, ['a']);
  cpSync(directory, join(parent, 'copy'), { recursive: true });
  renameSync(directory, join(parent, 'away'));
  renameSync(join(parent, 'copy'), directory);
  await journal.checkPlace();
  await assert.rejects(appendText(journal, 'b'), StorageUnavailableError);
  while (!journal.isAvailable) await pass(clock, 1000);
  await appendEach(journal, ['c']);
  await journal.checkPlace();
  assert.equal(journal.isAvailable, true, 'it is where it looks for its file');
  await journal.close();
  const { told, journal: opened } = await openJournal(nodeFileSystem, { directory });
  assert.deepEqual(textsOf(told), ['a', 'c']);
  await opened.close();
});

test('Journal finds that its file was removed while it is never idle', async () => {
  const directory = join(temporaryDirectory(), 'journal');
  mkdirSync(directory);
  const { journal } = await openJournal(nodeFileSystem, { directory });
  let isRefused = false;
  const append = (): Promise<void> => appendText(journal, 'a').then(
    () => append(),
    () => void (isRefused = true),
  );
  const busy = Promise.all([append(), append()]);
  rmSync(directory, { recursive: true });
  while (!isRefused) await journal.checkPlace();
  await busy;
  assert.equal(journal.isAvailable, false);
  await journal.close();
});

test('Journal does not miss a segment that was compacted away during the check', async () => {
  const directory = temporaryDirectory();
  let compact: (() => Promise<void>) | null = null;
  const stat = async (path: string): Promise<FileStat | null> => {
    const due = compact;
    compact = null;
    await due?.();
    return nodeFileSystem.stat(path);
  };
  const { journal } = await openJournal({ ...delegate(nodeFileSystem), stat }, { directory });
  await appendEach(journal, ['a']);
  compact = () => journal.compact([]);
  await journal.checkPlace();
  assert.equal(compact, null);
  assert.equal(journal.isAvailable, true);
  await journal.close();
});

for (const recordBytes of [5000, 10_000, 17_770]) {
  test(`Journal is not fooled by a real short write of ${recordBytes} bytes`, async () => {
    const directory = temporaryDirectory();
    const scriptUrl = new URL('../support/disk/append-until-refused.js', import.meta.url);
    const script = fileURLToPath(scriptUrl);
    // Blocks of 512 or 1024 bytes, as the shell has it: the write that reaches the limit is short.
    const command = 'ulimit -f 1000 && exec "$0" "$@"';
    const args = ['-c', command, process.execPath, script, directory, String(recordBytes)];
    const { status, stdout, stderr } = spawnSync('sh', args, { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    const acknowledged = Number(stdout);
    assert.ok(acknowledged > 5, stdout);
    const { told, journal } = await openJournal(nodeFileSystem, { directory });
    // The record of the refused write may be there, and only the filler behind it cut.
    assert.ok(told.length === acknowledged || told.length === acknowledged + 1);
    assert.equal(journal.stats.damagedRegions + journal.stats.missingRecords, 0);
    await journal.close();
  });
}
