import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { nodeFileSystem, type FileSystem } from '../../../src/lib/file-system.ts';
import type { Extent } from '../../../src/report/store/pack-files.ts';
import { RecordingStore } from '../../../src/report/store/recording-store.ts';
import { hastyClock } from '../../support/hasty-clock.ts';
import { nameOf } from '../../support/kept-reports.ts';
import { writeOlderFile } from '../../support/older-report.ts';
import { aKey } from '../../support/samples/alerts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

interface Opened {
  readonly store: RecordingStore;
  readonly extents: Map<string, Extent>;
  readonly directory: string;
  readonly troubles: unknown[];
  readonly journal: { isFailing: boolean };
  settled(): Promise<void>;
}

interface Given {
  readonly directory?: string;
  readonly extents?: Map<string, Extent>;
  readonly bytesMax?: number;
  readonly files?: FileSystem;
}

async function open(given: Given = {}): Promise<Opened> {
  const directory = given.directory ?? join(temporaryDirectory(), 'recordings');
  const extents = given.extents ?? new Map<string, Extent>();
  const troubles: unknown[] = [];
  const journal = { isFailing: false };
  const store = await RecordingStore.open({
    directory, files: given.files ?? nodeFileSystem, clock: hastyClock,
    bytesMax: given.bytesMax ?? 1_000_000,
    extentOf: (key) => extents.get(nameOf(key)) ?? null,
    keep: async (key, extent) => {
      if (journal.isFailing) throw new Error('No room');
      const before = extents.get(nameOf(key));
      if (before !== undefined) store.free(before);
      extents.set(nameOf(key), extent);
    },
    onTrouble: (error) => troubles.push(error),
  }, extents.values());
  // Closing waits for all writes, and the next one begins another file.
  return { store, extents, directory, troubles, journal, settled: () => store.close() };
}

const bytes = (text: string): Promise<Uint8Array> => Promise.resolve(Buffer.from(text));

async function textOf(store: RecordingStore, fingerprint: string, episode = 1): Promise<string> {
  return String(await store.read(aKey(fingerprint, episode)));
}

test('RecordingStore keeps the latest recording of each episode', async () => {
  const { store, settled, directory } = await open();
  store.replace(aKey('f1'), bytes('one'));
  store.replace(aKey('f1', 2), bytes('two'));
  await settled();
  store.replace(aKey('f1'), bytes('three'));
  await settled();
  assert.equal(await textOf(store, 'f1'), 'three');
  assert.equal(await textOf(store, 'f1', 2), 'two');
  assert.equal(await store.read(aKey('f2')), null);
  assert.equal(store.bytes, 11);
  assert.equal(readdirSync(directory).length, 2);
});

test('RecordingStore syncs nothing to disk once it is open', async () => {
  let synced = 0;
  const { store, settled } = await open({
    files: {
      ...nodeFileSystem,
      open: async (path, mode) => {
        assert.doesNotMatch(mode, /durable/);
        const file = await nodeFileSystem.open(path, mode);
        return { ...file, sync: async () => void (synced += 1) };
      },
      syncDirectory: async () => void (synced += 1),
    },
  });
  const opening = synced;
  store.replace(aKey('f1'), bytes('one'));
  await settled();
  assert.equal(synced, opening);
});

test('RecordingStore drops a recording that comes after a newer report', async () => {
  const { store, settled, extents } = await open();
  let comeLate = (_: Uint8Array): void => {};
  store.replace(aKey('f1'), new Promise((resolve) => (comeLate = resolve)));
  store.replace(aKey('f1'), bytes('newer'));
  let comeTooLate = (_: Uint8Array): void => {};
  store.replace(aKey('f2'), new Promise((resolve) => (comeTooLate = resolve)));
  store.replace(aKey('f2'), null);
  comeLate(Buffer.from('late'));
  comeTooLate(Buffer.from('too late'));
  store.replace(aKey('f3'), Promise.resolve(null));
  await settled();
  assert.equal(await textOf(store, 'f1'), 'newer');
  assert.deepEqual([...extents.keys()], ['f1/1']);
});

test('RecordingStore drops a recording whose report is replaced while it is written', async () => {
  const { store, settled, extents } = await open();
  store.replace(aKey('f1'), bytes('one'));
  await new Promise((resolve) => setImmediate(resolve)); // It is on its way to the disk.
  store.replace(aKey('f1'), null);
  await settled();
  assert.deepEqual([...extents.keys()], []);
  await store.tidy();
  assert.equal(store.bytes, 0);
});

test('RecordingStore evicts the oldest recordings to make room', async () => {
  const { store, settled } = await open({ bytesMax: 10 });
  for (const name of ['a', 'b', 'c']) {
    store.replace(aKey(name), bytes('four'));
    await settled();
  }
  await store.tidy();
  assert.deepEqual(['a', 'b', 'c'].map((name) => store.has(aKey(name))), [false, true, true]);
  assert.equal(await store.read(aKey('a')), null);
  store.replace(aKey('large'), bytes('more than ten'));
  await settled();
  assert.equal(store.has(aKey('large')), false);
});

test('RecordingStore finds the recordings of an earlier process, and keeps to a new limit',
  async () => {
    const { store: first, settled, directory, extents } = await open();
    for (const name of ['a', 'b', 'c']) {
      first.replace(aKey(name), bytes('four'));
      await settled();
    }
    const { store } = await open({ directory, extents, bytesMax: 10 });
    await store.tidy();
    assert.equal(store.bytes, 8);
    assert.deepEqual(['a', 'b', 'c'].map((name) => store.has(aKey(name))), [false, true, true]);
    assert.equal(await textOf(store, 'c'), 'four');
    const none = await open({ directory, extents, bytesMax: 0 });
    await none.store.tidy();
    assert.deepEqual(readdirSync(directory), []);
  });

test('RecordingStore reads those of earlier versions until they are removed', async () => {
  const { directory } = await open();
  const stored = { ending: '.json.gz', content: 'old' };
  const paths = ['f1', 'f2'].map((name) => writeOlderFile(directory, aKey(name), stored));
  const { store, settled } = await open({ directory });
  assert.equal(await textOf(store, 'f1'), 'old');
  store.replace(aKey('f1'), bytes('new'));
  await settled();
  assert.equal(await textOf(store, 'f1'), 'new');
  await store.removeOlder(aKey('f1'));
  assert.deepEqual(paths.map(existsSync), [false, true]);
  const none = await open({ directory, bytesMax: 0 });
  await none.settled();
  assert.deepEqual(paths.map(existsSync), [false, false]);
});

test('RecordingStore reports a disk or a journal that refuses, and recovers', async () => {
  let isFull = true;
  const { store, settled, troubles, journal } = await open({
    files: {
      ...nodeFileSystem,
      open: (path, mode) => {
        return isFull ? Promise.reject(new Error('No room')) : nodeFileSystem.open(path, mode);
      },
    },
  });
  store.replace(aKey('f1'), bytes('one'));
  await settled();
  isFull = false;
  journal.isFailing = true;
  store.replace(aKey('f1'), bytes('two'));
  await settled();
  assert.equal(troubles.length, 2);
  assert.equal(store.has(aKey('f1')), false);
  journal.isFailing = false;
  store.replace(aKey('f1'), bytes('three'));
  await settled();
  assert.equal(await textOf(store, 'f1'), 'three');
});

test('RecordingStore drops recordings if too many wait for a slow disk', async () => {
  let goOn = (): void => {};
  const slow = new Promise<void>((resolve) => (goOn = resolve));
  const { store, settled } = await open({
    bytesMax: 1e9,
    files: {
      ...nodeFileSystem,
      open: async (path, mode) => {
        await slow;
        return nodeFileSystem.open(path, mode);
      },
    },
  });
  for (const name of ['a', 'b', 'c']) {
    store.replace(aKey(name), Promise.resolve(Buffer.alloc(15 * 1024 * 1024)));
  }
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
  goOn();
  await settled();
  assert.deepEqual(['a', 'b', 'c'].map((name) => store.has(aKey(name))), [true, true, false]);
});
