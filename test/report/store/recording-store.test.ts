import assert from 'node:assert/strict';
import { readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { nodeFileSystem, type FileSystem } from '../../../src/lib/file-system.ts';
import { RecordingStore } from '../../../src/report/store/recording-store.ts';
import { aKey } from '../../support/samples/alerts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

interface Opened {
  readonly store: RecordingStore;
  readonly troubles: unknown[];
}

async function open(directory: string, bytesMax = 1_000_000): Promise<Opened> {
  const troubles: unknown[] = [];
  const store = await RecordingStore.open({
    directory, files: nodeFileSystem, bytesMax, onTrouble: (error) => troubles.push(error),
  });
  await store.idle();
  return { store, troubles };
}

function newDirectory(): string {
  return join(temporaryDirectory(), 'recordings');
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes('.json.gz')).map((name) => join(directory, name));
}

const bytes = (text: string): Promise<Uint8Array> => Promise.resolve(Buffer.from(text));

async function textOf(store: RecordingStore, fingerprint: string, episode = 1): Promise<string> {
  return String(await store.read(aKey(fingerprint, episode)));
}

test('RecordingStore keeps the latest recording of each episode', async () => {
  const { store } = await open(newDirectory());
  store.replace(aKey('f1'), bytes('one'));
  store.replace(aKey('f1', 2), bytes('two'));
  await store.idle();
  store.replace(aKey('f1'), bytes('three'));
  await store.idle();
  assert.equal(await textOf(store, 'f1'), 'three');
  assert.equal(await textOf(store, 'f1', 2), 'two');
  assert.equal(await store.read(aKey('f2')), null);
  assert.equal(store.bytes, 8);
});

test('RecordingStore syncs nothing to disk once it is open', async () => {
  let synced = 0;
  const files: FileSystem = {
    ...nodeFileSystem,
    open: async (path, mode) => ({
      ...await nodeFileSystem.open(path, mode), sync: async () => void (synced += 1),
    }),
    syncDirectory: async () => void (synced += 1),
  };
  const directory = newDirectory();
  const store = await RecordingStore.open({
    directory, files, bytesMax: 1000, onTrouble: (error) => assert.fail(String(error)),
  });
  await store.idle();
  const opening = synced;
  store.replace(aKey('f1'), bytes('one'));
  store.replace(aKey('f1'), bytes('another'));
  await store.idle();
  await store.remove(aKey('f1'));
  assert.equal(synced, opening);
});

test('RecordingStore removes the earlier recording before the new one has come', async () => {
  const { store } = await open(newDirectory());
  store.replace(aKey('f1'), bytes('one'));
  await store.idle();
  let come = (_: Uint8Array | null): void => {};
  store.replace(aKey('f1'), new Promise((resolve) => (come = resolve)));
  assert.equal(store.has(aKey('f1')), false);
  come(null);
  await store.idle();
  assert.equal(await store.read(aKey('f1')), null);
  store.replace(aKey('f1'), bytes('one'));
  await store.idle();
  store.replace(aKey('f1'), null);
  await store.idle();
  assert.equal(await store.read(aKey('f1')), null);
  assert.equal(store.bytes, 0);
});

test('RecordingStore drops a recording that comes after a newer one or a removal', async () => {
  const { store } = await open(newDirectory());
  let comeLate = (_: Uint8Array): void => {};
  store.replace(aKey('f1'), new Promise((resolve) => (comeLate = resolve)));
  store.replace(aKey('f1'), bytes('newer'));
  let comeTooLate = (_: Uint8Array): void => {};
  store.replace(aKey('f2'), new Promise((resolve) => (comeTooLate = resolve)));
  await store.remove(aKey('f2'));
  comeLate(Buffer.from('late'));
  comeTooLate(Buffer.from('too late'));
  await store.idle();
  assert.equal(await textOf(store, 'f1'), 'newer');
  assert.equal(await store.read(aKey('f2')), null);
});

test('RecordingStore removes a recording that is still being written', async () => {
  const directory = newDirectory();
  const { store } = await open(directory);
  store.replace(aKey('f1'), bytes('one'));
  store.replace(aKey('f2'), bytes('older'));
  // By now both have come and are on their way to the disk.
  await new Promise((resolve) => setImmediate(resolve));
  await store.remove(aKey('f1'));
  store.replace(aKey('f2'), null);
  await store.idle();
  assert.deepEqual(filesIn(directory), []);
  assert.equal(store.bytes, 0);
});

test('RecordingStore removes a recording that its scan has not found yet', async () => {
  const directory = newDirectory();
  const { store: first } = await open(directory);
  for (const name of ['a', 'b', 'c']) first.replace(aKey(name), bytes('four'));
  await first.idle();
  let goOn = (): void => {};
  const asked = new Promise<void>((resolve) => (goOn = resolve));
  const store = await RecordingStore.open({
    directory, bytesMax: 1000, onTrouble: (error) => assert.fail(String(error)),
    files: {
      ...nodeFileSystem,
      readdir: async (path) => {
        const names = await nodeFileSystem.readdir(path);
        if (path === directory) await asked;
        return names;
      },
    },
  });
  await store.remove(aKey('a'));
  store.replace(aKey('b'), null);
  await new Promise((resolve) => setImmediate(resolve));
  goOn();
  await store.idle();
  assert.deepEqual(['a', 'b', 'c'].map((name) => store.has(aKey(name))), [false, false, true]);
  assert.equal(filesIn(directory).length, 1);
  assert.equal(store.bytes, 4);
});

test('RecordingStore evicts the oldest recordings to make room', async () => {
  const directory = newDirectory();
  const { store } = await open(directory, 10);
  for (const name of ['a', 'b', 'c']) {
    store.replace(aKey(name), bytes('four'));
    await store.idle();
  }
  assert.deepEqual(['a', 'b', 'c'].map((name) => store.has(aKey(name))), [false, true, true]);
  store.replace(aKey('large'), bytes('more than ten'));
  await store.idle();
  assert.equal(store.has(aKey('large')), false);
  assert.equal(filesIn(directory).length, 2);
});

test('RecordingStore finds the recordings of an earlier process, and their age', async () => {
  const directory = newDirectory();
  const first = await open(directory);
  for (const name of ['a', 'b', 'c']) first.store.replace(aKey(name), bytes('four'));
  await first.store.idle();
  const [oldest = ''] = filesIn(directory);
  utimesSync(oldest, 1, 1);
  const { store } = await open(directory, 10);
  assert.equal(store.bytes, 8);
  assert.ok(!filesIn(directory).includes(oldest));
  const none = await open(directory, 0);
  assert.equal(none.store.bytes, 0);
  assert.deepEqual(filesIn(directory), []);
});

test('RecordingStore.remove() also removes what a kill left half-written', async () => {
  const directory = newDirectory();
  const killed = await open(directory);
  killed.store.replace(aKey('f1'), bytes('half'));
  await killed.store.idle();
  const [path = ''] = filesIn(directory);
  renameSync(path, `${path}.tmp`);
  const { store } = await open(directory);
  assert.equal(store.bytes, 4);
  await store.remove(aKey('f1'));
  assert.deepEqual(filesIn(directory), []);
  assert.equal(store.bytes, 0);
});

test('RecordingStore finds the recordings beside a folder that cannot be read', async () => {
  const directory = newDirectory();
  const first = await open(directory);
  for (const name of ['a', 'b', 'c']) first.store.replace(aKey(name), bytes('four'));
  await first.store.idle();
  writeFileSync(join(directory, '00'), 'no folder');
  const { store, troubles } = await open(directory, 10);
  assert.match(String(troubles), /^Error: ENOTDIR/);
  assert.equal(store.bytes, 8);
  assert.equal(filesIn(directory).length, 2);
});

test('RecordingStore reports a disk that refuses, and recovers', async () => {
  const troubles: unknown[] = [];
  let isFull = true;
  const store = await RecordingStore.open({
    directory: newDirectory(), bytesMax: 1000, onTrouble: (error) => troubles.push(error),
    files: {
      ...nodeFileSystem,
      open: (path, mode) => {
        return isFull ? Promise.reject(new Error('No room')) : nodeFileSystem.open(path, mode);
      },
    },
  });
  store.replace(aKey('f1'), bytes('one'));
  await store.idle();
  assert.equal(troubles.length, 1);
  assert.equal(store.has(aKey('f1')), false);
  isFull = false;
  store.replace(aKey('f1'), bytes('one'));
  await store.idle();
  assert.equal(await textOf(store, 'f1'), 'one');
});

test('RecordingStore drops recordings if too many wait for a slow disk', async () => {
  let goOn = (): void => {};
  const slow = new Promise<void>((resolve) => (goOn = resolve));
  const store = await RecordingStore.open({
    directory: newDirectory(), bytesMax: 1e9, onTrouble: (error) => assert.fail(String(error)),
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
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  goOn();
  await store.idle();
  assert.deepEqual(['a', 'b', 'c'].map((name) => store.has(aKey(name))), [true, true, false]);
});
