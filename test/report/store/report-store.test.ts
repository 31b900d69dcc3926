import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Fingerprint } from '../../../src/alert/fingerprint.ts';
import { nodeFileSystem } from '../../../src/lib/file-system.ts';
import { openReports } from '../../support/kept-reports.ts';
import { writeOlderReport } from '../../support/older-report.ts';
import { aKey } from '../../support/samples/alerts.ts';

function packsIn(directory: string): string[] {
  return readdirSync(directory).map((name) => join(directory, name)).sort();
}

function onlyPack(directory: string): string {
  const packs = packsIn(directory);
  assert.equal(packs.length, 1);
  return packs[0] ?? '';
}

test('ReportStore.read() is null for a report that was never written', async () => {
  const { store, damaged } = await openReports();
  assert.equal(await store.read(aKey('f1')), null);
  assert.deepEqual(damaged, []);
});

test('ReportStore.read() returns the report that was stored last for the episode', async () => {
  const { store, write } = await openReports();
  await write(aKey('f1'), '{"a":1}');
  await write(aKey('f1', 2), '{"a":"é\\n\u{1f600}"}');
  await write(aKey('f1'), '{"a":3}');
  assert.equal(await store.read(aKey('f1')), '{"a":3}');
  assert.equal(await store.read(aKey('f1', 2)), '{"a":"é\\n\u{1f600}"}');
  assert.equal(await store.read(aKey('f2')), null);
});

test('ReportStore.read() returns the report before one that does not count yet', async () => {
  const { store, write } = await openReports();
  await write(aKey('f1'), '1');
  await store.write(aKey('f1'), '2');
  assert.equal(await store.read(aKey('f1')), '1');
});

test('ReportStore writes what comes together in one piece', async () => {
  let writes = 0;
  const { store, write } = await openReports({
    files: {
      ...nodeFileSystem,
      async open(path, mode) {
        const file = await nodeFileSystem.open(path, mode);
        return {
          ...file,
          writev: (parts, position) => {
            writes += 1;
            return file.writev(parts, position);
          },
        };
      },
    },
  });
  const texts = Array.from({ length: 100 }, (_, index) => `${index}`);
  await Promise.all(texts.map((text) => write(aKey(text), text)));
  for (const text of texts) assert.equal(await store.read(aKey(text)), text);
  assert.equal(writes, 1);
});

test('ReportStore never shows the report of one episode as that of another', async () => {
  const { store, write, extents, damaged } = await openReports();
  await write(aKey('f1'), '1');
  await write(aKey('f2'), '2');
  extents.set('f2/1', extents.get('f1/1') ?? assert.fail());
  assert.equal(await store.read(aKey('f2')), null);
  assert.equal(damaged.length, 1);
});

const hostile = [
  '../../etc/passwd', '..', 'a/b', 'a\0b', '__proto__', 'x'.repeat(256), '%2e%2e', '💥', 'a b\n1 2',
];
test('ReportStore never puts a fingerprint into a file', async () => {
  const { store, write, directory } = await openReports();
  for (const name of hostile) {
    const key = { fingerprint: name as Fingerprint, number: 1 };
    await write(key, '{}');
    assert.equal(await store.read(key), '{}');
  }
  const content = readFileSync(onlyPack(directory), 'latin1');
  assert.match(content, /^(2 [0-9a-f]{8} [0-9a-f]{64}-1\n\{\})+$/);
});

test('ReportStore.read() tells once of a report with a flipped bit or a missing byte', async () => {
  const json = '{"a":1}';
  const { directory, write, extents } = await openReports();
  await write(aKey('f1'), json);
  const path = onlyPack(directory);
  const whole = readFileSync(path);
  const bad: Buffer[] = [];
  for (let bit = 0; bit < whole.length * 8; bit += 1) {
    const flipped = Buffer.from(whole);
    const offset = Math.floor(bit / 8);
    flipped.writeUInt8(flipped.readUInt8(offset) ^ (1 << (bit % 8)), offset);
    bad.push(flipped);
  }
  for (let length = 0; length < whole.length; length += 1) bad.push(whole.subarray(0, length));
  bad.push(Buffer.alloc(whole.length));
  for (const [index, content] of bad.entries()) {
    const { store, damaged } = await openReports({ directory, extents });
    writeFileSync(path, content);
    const key = aKey('f1');
    assert.deepEqual(await Promise.all([store.read(key), store.read(key)]), [null, null]);
    assert.equal(await store.read(key), null, `case ${index}`);
    assert.equal(damaged.length, 1, `case ${index} was not told once`);
    assert.deepEqual(damaged[0], { ...damaged[0], path, offset: 0 });
  }
  rmSync(path);
  const { store, damaged } = await openReports({ directory, extents });
  assert.equal(await store.read(aKey('f1')), null);
  assert.equal(damaged.length, 1);
});

test('ReportStore.read() takes no memory for an extent that is beyond its file', async () => {
  const { store, write, extents } = await openReports();
  await write(aKey('f1'), '1');
  extents.set('f1/1', { file: 1, offset: 0, bytes: 2 ** 40 });
  assert.equal(await store.read(aKey('f1')), null);
});

test('ReportStore.read() finds the report that replaces one while it is read', async () => {
  let onceRead: (() => Promise<void>) | null = null;
  const { store, write, damaged } = await openReports({
    packBytes: 1,
    files: {
      ...nodeFileSystem,
      async open(path, mode) {
        const next = mode === 'read' ? onceRead : null;
        if (next !== null) onceRead = null;
        await next?.();
        return nodeFileSystem.open(path, mode);
      },
    },
  });
  await write(aKey('f1'), '1');
  onceRead = async () => {
    await write(aKey('f1'), '2');
    await store.tidy();
  };
  assert.equal(await store.read(aKey('f1')), '2');
  assert.deepEqual(damaged, []);
});

test('ReportStore.tidy() removes files in which no report counts, also of an earlier process',
  async () => {
    const first = await openReports({ packBytes: 1 });
    const { directory, extents } = first;
    for (const name of ['f1', 'f2', 'f3']) await first.write(aKey(name), name);
    first.forget(aKey('f1'));
    await first.store.write(aKey('f4'), 'never counts');
    await first.store.tidy();
    assert.equal(packsIn(directory).length, 3);
    first.forget(aKey('f2'));
    await first.store.close();
    const { store, write } = await openReports({ directory, extents, packBytes: 1 });
    await write(aKey('f5'), 'five');
    await store.tidy();
    assert.equal(packsIn(directory).length, 2);
    assert.equal(await store.read(aKey('f3')), 'f3');
    assert.equal(await store.read(aKey('f5')), 'five');
  });

test('ReportStore keeps what is unknown if the journal has lost records', async () => {
  const first = await openReports({ packBytes: 1 });
  await first.write(aKey('f1'), '1');
  const { directory } = first;
  const { store, write } = await openReports({ directory, packBytes: 1, isIncomplete: true });
  await write(aKey('f2'), '2');
  await store.tidy();
  assert.equal(packsIn(directory).length, 2);
});

test('ReportStore names the file of which least counts once too much room is lost', async () => {
  const { store, write, forget, extents } = await openReports({
    packBytes: 3_000, spareBytes: 2_000,
  });
  const text = 'x'.repeat(1_000);
  for (let index = 0; index < 9; index += 1) await write(aKey(`f${index}`), text);
  for (const index of [1, 4, 5, 7]) forget(aKey(`f${index}`));
  await store.tidy();
  assert.equal(store.sparsest(), null); // About 9 KB for 5 KB.
  for (const index of [2, 8]) forget(aKey(`f${index}`));
  const from = extents.get('f3/1') ?? assert.fail();
  assert.equal(store.sparsest(), extents.get('f0/1')?.file); // All have a third.
  forget(aKey('f0'));
  await store.tidy();
  await write(aKey('f9'), text);
  assert.equal(store.sparsest(), from.file);
  const to = (await store.copy(aKey('f3'), from)) ?? assert.fail();
  extents.set('f3/1', to);
  store.free(from);
  await store.tidy();
  assert.equal(await store.read(aKey('f3')), text);
  assert.equal(store.sparsest(), null);
});

test('ReportStore.copy() copies nothing damaged, and asks for that file no more', async () => {
  const { store, write, extents } = await openReports();
  await write(aKey('f1'), '1');
  const extent = extents.get('f1/1') ?? assert.fail();
  assert.equal(await store.copy(aKey('f2'), extent), null);
  assert.equal(await store.copy(aKey('f1'), { ...extent, bytes: extent.bytes + 1 }), null);
});

test('ReportStore goes on in a new file after a write that failed', async () => {
  let isFull = false;
  const { store, write } = await openReports({
    files: {
      ...nodeFileSystem,
      async open(path, mode) {
        const file = await nodeFileSystem.open(path, mode);
        return {
          ...file,
          writev: (parts, position) => {
            return file.writev(isFull ? [Buffer.from('half')] : parts, position);
          },
        };
      },
    },
  });
  await write(aKey('f1'), 'first');
  isFull = true;
  await assert.rejects(write(aKey('f1'), 'second'), /Only 4 of/);
  await assert.rejects(write(aKey('f1'), 'third'), /Only 4 of/);
  assert.equal(await store.read(aKey('f1')), 'first');
  isFull = false;
  await write(aKey('f1'), 'fourth');
  assert.equal(await store.read(aKey('f1')), 'fourth');
});

test('ReportStore notices at its next tidying that its directory was removed', async () => {
  const { store, write, directory } = await openReports();
  await write(aKey('f1'), '1');
  rmSync(directory, { recursive: true });
  await store.tidy();
  await write(aKey('f1'), '2');
  assert.equal(await store.read(aKey('f1')), '2');
});

test('ReportStore reads what an earlier version has stored until it is replaced', async () => {
  const { directory } = await openReports();
  const path = writeOlderReport(directory, aKey('f1'), '{"old":1}');
  const damagedPath = writeOlderReport(directory, aKey('f2'), '{"old":2}');
  writeFileSync(damagedPath, 'x');
  const { store, write } = await openReports({ directory });
  assert.equal(await store.read(aKey('f1')), '{"old":1}');
  assert.equal(await store.read(aKey('f2')), null);
  await write(aKey('f1'), '{"new":1}');
  assert.equal(await store.read(aKey('f1')), '{"new":1}');
  await store.removeOlder(aKey('f1'));
  assert.equal(existsSync(path), false);
});
