import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Fingerprint } from '../../../src/alert/fingerprint.ts';
import { nodeFileSystem } from '../../../src/lib/file-system.ts';
import { type DamagedReport, ReportStore } from '../../../src/report/store/report-store.ts';
import { SimulatedDisk } from '../../support/disk/simulated-disk.ts';
import { seededRandom } from '../../support/random.ts';
import { aKey } from '../../support/samples/alerts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

interface Opened {
  readonly store: ReportStore;
  readonly directory: string;
  readonly damaged: DamagedReport[];
}

async function openStore(): Promise<Opened> {
  const directory = join(temporaryDirectory(), 'reports');
  const damaged: DamagedReport[] = [];
  const store = await ReportStore.open({
    directory, files: nodeFileSystem, onDamage: (report) => damaged.push(report),
  });
  return { store, directory, damaged };
}

function onlyFile(directory: string): string {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const paths = names.map((name) => join(directory, name));
  const files = paths.filter((path) => statSync(path).isFile());
  assert.equal(files.length, 1);
  return files[0] ?? '';
}

test('ReportStore.read() is null for a report that was never written', async () => {
  const { store, damaged } = await openStore();
  assert.equal(await store.read(aKey('f1')), null);
  assert.deepEqual(damaged, []);
});

test('ReportStore.read() returns the report that was written last for the episode', async () => {
  const { store } = await openStore();
  await store.write(aKey('f1'), '{"a":1}');
  await store.write(aKey('f1', 2), '{"a":"é\\n\u{1f600}"}');
  await store.write(aKey('f1'), '{"a":3}');
  assert.equal(await store.read(aKey('f1')), '{"a":3}');
  assert.equal(await store.read(aKey('f1', 2)), '{"a":"é\\n\u{1f600}"}');
  assert.equal(await store.read(aKey('f2')), null);
});

test('ReportStore.write() makes its folders again if they were removed', async () => {
  const { store, directory } = await openStore();
  await store.write(aKey('f1'), '1');
  rmSync(directory, { recursive: true });
  await assert.rejects(store.write(aKey('f1'), '2'), { code: 'ENOENT' });
  await store.write(aKey('f1'), '3');
  assert.equal(await store.read(aKey('f1')), '3');
});

test('ReportStore.remove() removes one episode, and accepts that there is none', async () => {
  const { store } = await openStore();
  await store.write(aKey('f1'), '1');
  await store.write(aKey('f1', 2), '2');
  await store.remove(aKey('f1'));
  await store.remove(aKey('f1'));
  assert.equal(await store.read(aKey('f1')), null);
  assert.equal(await store.read(aKey('f1', 2)), '2');
});

test('ReportStore.remove() also removes a damaged report that was set aside', async () => {
  const { store, directory, damaged } = await openStore();
  await store.write(aKey('f1'), '1');
  writeFileSync(onlyFile(directory), 'x');
  assert.equal(await store.read(aKey('f1')), null);
  assert.ok(onlyFile(directory).endsWith('.corrupt'));
  await store.write(aKey('f1'), '2');
  await store.remove(aKey('f1'));
  assert.equal(damaged.length, 1);
  assert.throws(() => onlyFile(directory), /0 !== 1/);
});

test('ReportStore.remove() also removes what a kill left half-written', async () => {
  const { store, directory } = await openStore();
  await store.write(aKey('f1'), '1');
  writeFileSync(`${onlyFile(directory)}.tmp`, 'half');
  await store.remove(aKey('f1'));
  assert.throws(() => onlyFile(directory), /0 !== 1/);
});

const hostile = [
  '../../etc/passwd', '..', 'a/b', 'a\0b', '__proto__', 'x'.repeat(256), '%2e%2e', '💥',
];
test('ReportStore never puts a fingerprint into a file name', async () => {
  const { store, directory } = await openStore();
  for (const name of hostile) {
    const key = { fingerprint: name as Fingerprint, number: 1 };
    await store.write(key, JSON.stringify(name));
    assert.equal(await store.read(key), JSON.stringify(name));
  }
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  for (const name of names) assert.match(name, /^[0-9a-f]{2}(\/[0-9a-f]{64}-1\.json)?$/);
  assert.equal(names.filter((name) => name.endsWith('.json')).length, hostile.length);
});

test('ReportStore.read() sets aside a report with a flipped bit or a missing byte', async () => {
  const { store, directory, damaged } = await openStore();
  const json = '{"a":1}';
  await store.write(aKey('f1'), json);
  const path = onlyFile(directory);
  const whole = readFileSync(path);
  const bad: Buffer[] = [];
  for (let bit = 0; bit < whole.length * 8; bit += 1) {
    const flipped = Buffer.from(whole);
    const offset = Math.floor(bit / 8);
    flipped.writeUInt8(flipped.readUInt8(offset) ^ (1 << (bit % 8)), offset);
    bad.push(flipped);
  }
  for (let length = 0; length < whole.length; length += 1) bad.push(whole.subarray(0, length));
  bad.push(Buffer.alloc(whole.length), Buffer.concat([whole, Buffer.alloc(1)]));
  for (const [index, content] of bad.entries()) {
    writeFileSync(path, content);
    assert.equal(await store.read(aKey('f1')), null, `case ${index}`);
    assert.equal(await store.read(aKey('f1')), null);
    assert.equal(damaged.length, index + 1, `case ${index} was not told once`);
    assert.equal(damaged.at(-1)?.path, `${path}.corrupt`);
    assert.deepEqual(readFileSync(`${path}.corrupt`), content);
  }
  await store.write(aKey('f1'), json);
  assert.equal(await store.read(aKey('f1')), json);
});

test('ReportStore.write() keeps concurrent writes of one report in order', async () => {
  const { store, directory } = await openStore();
  const texts = Array.from({ length: 50 }, (_, index) => `${index}`.repeat(2000));
  await Promise.all(texts.map((text) => store.write(aKey('f1'), text)));
  assert.equal(await store.read(aKey('f1')), texts.at(-1));
  const key = aKey('f1');
  await Promise.all([store.write(key, 'x'), store.remove(key), store.write(key, 'y')]);
  assert.equal(await store.read(aKey('f1')), 'y');
  onlyFile(directory);
});

test('ReportStore.write() works again after a write that failed', async () => {
  const { store, directory } = await openStore();
  await store.write(aKey('f1'), 'first');
  const path = onlyFile(directory);
  mkdirSync(`${path}.tmp`);
  await assert.rejects(store.write(aKey('f1'), 'second'), /EISDIR/);
  assert.equal(await store.read(aKey('f1')), 'first');
  await assert.rejects(store.write(aKey('f1'), 'third'), /EISDIR/);
});

test('ReportStore.write() resolves once the whole report is on disk', async () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const random = seededRandom(seed);
    const disk = new SimulatedDisk({ random, shortWriteOneIn: 30, failedSyncOneIn: 30 });
    const damaged: DamagedReport[] = [];
    const open = () => ReportStore.open({
      directory: '/r', files: disk, onDamage: (report) => damaged.push(report),
    });
    let expected: string | null = null;
    let attempted: string | null = null;
    try {
      const store = await open();
      disk.stopAfter(random() % 40);
      for (let round = 0; ; round += 1) {
        attempted = `${round}`.repeat(1 + (random() % 2000));
        await store.write(aKey('f1'), attempted);
        expected = attempted;
      }
    } catch {
      // Stopped or failed: the last write may have come to pass or not.
    }
    disk.losePower();
    const reopened = await open().catch(() => open());
    const found = await reopened.read(aKey('f1'));
    assert.ok(found === expected || found === attempted, `seed ${seed}`);
    assert.deepEqual(damaged, [], `seed ${seed}`);
  }
});

test('ReportStore reports a damaged report once, even if two read it at once', async () => {
  const { store, directory, damaged } = await openStore();
  await store.write(aKey('f1'), '{}');
  writeFileSync(onlyFile(directory), 'torn');
  const key = aKey('f1');
  assert.deepEqual(await Promise.all([store.read(key), store.read(key)]), [null, null]);
  assert.equal(damaged.length, 1);
});

test('ReportStore.read() does not set aside a report that is replaced meanwhile', async () => {
  const directory = join(temporaryDirectory(), 'reports');
  const damaged: DamagedReport[] = [];
  let onceRead: (() => Promise<void>) | null = null;
  const store = await ReportStore.open({
    directory, onDamage: (report) => damaged.push(report),
    files: {
      ...nodeFileSystem,
      async open(path, mode) {
        const file = await nodeFileSystem.open(path, mode);
        return {
          ...file,
          async close() {
            await file.close();
            const next = mode === 'read' ? onceRead : null;
            onceRead = null;
            await next?.();
          },
        };
      },
    },
  });
  await store.write(aKey('f1'), '1');
  writeFileSync(onlyFile(directory), 'x');
  onceRead = () => store.write(aKey('f1'), '2');
  assert.equal(await store.read(aKey('f1')), '2');
  assert.equal(await store.read(aKey('f1')), '2');
  assert.deepEqual(damaged, []);
});
