import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FileSystem, OpenFile } from '../../src/lib/file-system.ts';
import { StorageUnavailableError } from '../../src/queue/journal.ts';
import { headerAreaBytes, payloadBytesMax } from '../../src/queue/journal-record.ts';
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
import { ManualClock } from '../support/manual-clock.ts';
import { silentLog } from '../support/silent-log.ts';

type Intercept = (file: OpenFile, path: string) => Partial<OpenFile>;

function intercepted(files: FileSystem, intercept: Intercept): FileSystem {
  return {
    ...delegate(files),
    open: async (path, mode) => {
      const file = await files.open(path, mode);
      return { ...file, ...intercept(file, path) };
    },
  };
}

/** A disk that has no space, and takes no byte, while `isFull` says so. */
function fullWhile(files: FileSystem, isFull: () => boolean): FileSystem {
  return intercepted(files, (file) => ({
    writev: (parts, position) => (isFull() ? Promise.resolve(0) : file.writev(parts, position)),
  }));
}

for (let failing = 1; failing <= 50; failing += 1) {
  test(`Journal rejects the flush, number ${failing}, that fails, and recovers`, async () => {
    const disk = reliableDisk();
    let flushes = 0;
    const failed = new Set<OpenFile>();
    const files = intercepted(disk, (file) => ({
      writev: async (parts, position) => {
        assert.ok(!failed.has(file), 'a descriptor was written again after a failure');
        const count = await file.writev(parts, position);
        if (position === 0) return count; // The header.
        flushes += 1;
        if (flushes !== failing) return count;
        failed.add(file);
        throw new Error('EIO');
      },
      sync: () => {
        assert.ok(!failed.has(file), 'a descriptor was synced after a failure');
        return file.sync();
      },
    }));
    const { journal, clock } = await openJournal(files);
    const acknowledged: string[] = [];
    for (const text of numbered(52)) {
      try {
        await appendText(journal, text);
        acknowledged.push(text);
      } catch (error) {
        assert.ok(error instanceof StorageUnavailableError);
        assert.equal(journal.isAvailable, false);
        await assert.rejects(appendText(journal, 'meanwhile'), StorageUnavailableError);
        await pass(clock, 1000);
        assert.equal(journal.isAvailable, true);
      }
    }
    assert.equal(journal.stats.recoveries, 1);
    assert.equal(acknowledged.length, 51);
    await journal.close();
    disk.losePower();
    const { told } = await openJournal(disk);
    assert.deepEqual(textsOf(told), acknowledged);
  });
}

test('Journal leaves nothing of its probe for free space behind its records', async () => {
  const disk = reliableDisk();
  let isFailing = true;
  const files = intercepted(disk, (file) => ({
    writev: async (parts, position) => {
      if (position === 0 || !isFailing) return file.writev(parts, position);
      isFailing = false;
      throw new Error('EIO');
    },
  }));
  const { journal, clock } = await openJournal(files);
  await assert.rejects(appendText(journal, 'a'), StorageUnavailableError);
  await pass(clock, 1000);
  await appendText(journal, 'b');
  disk.losePower();
  const { told, journal: opened } = await openJournal(disk);
  assert.deepEqual(textsOf(told), ['b']);
  assert.equal(opened.stats.tornTails + opened.stats.damagedRegions, 0);
});

test('Journal rejects a flush of which only a part was written, at every length', async () => {
  const bytes = 22 + 10;
  for (let written = 0; written < bytes; written += 1) {
    const disk = reliableDisk();
    let isShort = false;
    const files = intercepted(disk, (file) => ({
      writev: async (parts, position) => {
        const whole = Buffer.concat(parts);
        if (!isShort) return file.writev(parts, position);
        isShort = false;
        return file.writev([whole.subarray(0, written)], position);
      },
    }));
    const { journal, clock } = await openJournal(files);
    await appendEach(journal, ['a']);
    isShort = true;
    await assert.rejects(appendText(journal, 'b'.repeat(10)), StorageUnavailableError);
    await pass(clock, 1000);
    await appendEach(journal, ['c']);
    const { told } = await openJournal(disk);
    assert.deepEqual(textsOf(told), ['a', 'c'], `${written} bytes written`);
    assert.deepEqual(told.map(({ sequence }) => sequence), [1, 2]);
  }
});

test('Journal.append() resolves only after the durable write of its flush is done', async () => {
  const events: string[] = [];
  const disk = reliableDisk();
  const modes: string[] = [];
  const files = intercepted(disk, (file) => ({
    writev: async (parts, position) => {
      if (position === 0) return file.writev(parts, position); // The header.
      events.push('write begins');
      await new Promise(setImmediate);
      const count = await file.writev(parts, position);
      events.push('write ends');
      return count;
    },
  }));
  const { journal } = await openJournal({
    ...files,
    open: (path, mode) => {
      modes.push(mode);
      return files.open(path, mode);
    },
  });
  await appendText(journal, 'a').then(() => events.push('acknowledged'));
  assert.deepEqual(events, ['write begins', 'write ends', 'acknowledged']);
  assert.deepEqual(modes, ['create-durable']);
  disk.losePower();
  const { told } = await openJournal(disk);
  assert.deepEqual(textsOf(told), ['a']);
});

test('Journal.append() shares one flush among all that wait, in order', async () => {
  let syncs = 0;
  const { journal } = await openJournal(reliableDisk(), { onSync: () => (syncs += 1) });
  const first = numbered(20).map((text) => appendText(journal, text));
  await new Promise(setImmediate); // The first flush is under way.
  const second = numbered(20).map((text) => appendText(journal, text));
  const sequences = await Promise.all([...first, ...second]);
  assert.deepEqual(sequences, numbered(40).map((_, index) => index + 1));
  assert.equal(syncs, 2);
});

test('Journal reports how many seconds each flush took', async () => {
  const disk = reliableDisk();
  const clock = new ManualClock();
  const seconds: number[] = [];
  const files = {
    ...delegate(disk),
    open: async (...args: Parameters<typeof disk.open>) => {
      const file = await disk.open(...args);
      const writev: typeof file.writev = async (...written) => {
        await clock.advance(1_500);
        return file.writev(...written);
      };
      return { ...file, writev };
    },
  };
  const { journal } = await openJournal(files, { clock, onSync: (took) => seconds.push(took) });
  await appendText(journal, 'a');
  assert.deepEqual(seconds, [1.5]);
});

test('Journal.append() joins the parts and keeps type and sequence over a restart', async () => {
  const disk = reliableDisk();
  const { journal } = await openJournal(disk);
  await journal.append(0, [Buffer.from('one '), Buffer.from('two')]);
  await journal.append(255, []);
  await journal.close();
  const { told, journal: opened } = await openJournal(disk);
  assert.deepEqual(told, [
    { sequence: 1, type: 0, text: 'one two' },
    { sequence: 2, type: 255, text: '' },
  ]);
  assert.equal(await appendText(opened, 'next'), 3);
});

test('Journal.append() takes a record larger than a segment and a flush', async () => {
  const disk = reliableDisk();
  const { journal } = await openJournal(disk, { segmentBytes: 10_000 });
  const large = 'x'.repeat(5 * 1024 * 1024);
  await Promise.all(['a', large, 'b'].map((text) => appendText(journal, text)));
  await journal.close();
  const { told } = await openJournal(disk);
  assert.ok(textsOf(told).join() === `a,${large},b`);
});

test('Journal.append() refuses what no record can hold', async () => {
  const { journal } = await openJournal(reliableDisk());
  const part = Buffer.alloc(1024 * 1024);
  const parts = Array.from({ length: payloadBytesMax / part.length + 1 }, () => part);
  await assert.rejects(journal.append(1, parts), RangeError);
  await assert.rejects(journal.append(256, []), RangeError);
  await assert.rejects(journal.append(-1, []), RangeError);
});

test('Journal begins a new segment when one is full', async () => {
  const disk = reliableDisk();
  const options = { segmentBytes: headerAreaBytes + 100 };
  const { journal } = await openJournal(disk, options);
  const texts = numbered(10);
  await appendEach(journal, texts);
  assert.equal(journal.stats.segments, 4);
  assert.equal(journal.stats.bytes, 4 * headerAreaBytes + 10 * 32);
  await journal.close();
  const { told } = await openJournal(disk, options);
  assert.deepEqual(textsOf(told), texts);
});

test('Journal refuses new records while the disk hangs, and keeps those waiting', async () => {
  const disk = reliableDisk();
  const held: (() => void)[] = [];
  let hangs = false;
  const logged: string[] = [];
  const tell = (message: string): void => void logged.push(message);
  const { journal, clock } = await openJournal(intercepted(disk, (file) => ({
    writev: async (parts, position) => {
      if (hangs) await new Promise<void>((resolve) => held.push(resolve));
      return file.writev(parts, position);
    },
  })), { log: { ...silentLog, error: tell, info: tell } });
  await appendEach(journal, ['a']);
  hangs = true;
  const waits = appendText(journal, 'b');
  await pass(clock, 9_000);
  assert.equal(journal.isAvailable, true, 'a slow disk is no broken one');
  const joins = appendText(journal, 'c');
  await pass(clock, 2_000);
  assert.equal(journal.isAvailable, false);
  await assert.rejects(appendText(journal, 'd'), /the disk has not answered/);
  assert.deepEqual(logged, ['Journal refuses new records: the disk has not answered for 10 s']);
  hangs = false;
  for (const resume of held) resume();
  await Promise.all([waits, joins]);
  assert.equal(journal.isAvailable, true);
  assert.deepEqual(logged.slice(1), ['Journal can be written again']);
  await appendEach(journal, ['e']);
  await journal.close();
  const { told } = await openJournal(disk);
  assert.deepEqual(textsOf(told), ['a', 'b', 'c', 'e']);
});

test('Journal.close() waits for the recovery of a second failure that came at once', async () => {
  const held: (() => void)[] = [];
  const holds = { writev: false, unlink: false, open: false };
  const hold = (what: 'unlink' | 'open'): Promise<void> | undefined =>
    (holds[what] ? new Promise<void>((resolve) => held.push(resolve)) : undefined);
  const letGo = (): void => held.splice(0).forEach((resume) => resume());
  const disk = delegate(intercepted(reliableDisk(), (file) => ({
    writev: (parts, position) =>
      (holds.writev && position > 0 ? Promise.resolve(0) : file.writev(parts, position)),
  })));
  const { journal, clock } = await openJournal({
    ...disk,
    unlink: async (path) => {
      await hold('unlink');
      return disk.unlink(path);
    },
    open: async (path, mode) => {
      await hold('open');
      return disk.open(path, mode);
    },
  });
  Object.assign(holds, { writev: true, unlink: true });
  await assert.rejects(appendText(journal, 'a'));
  holds.writev = false;
  await pass(clock, 1_000); // The first recovery has a segment, and tidies up.
  holds.writev = true;
  await assert.rejects(appendText(journal, 'b'));
  Object.assign(holds, { writev: false, unlink: false, open: true });
  letGo();
  await pass(clock, 1_000); // The second one creates a segment.
  let isClosed = false;
  const closed = journal.close().then(() => (isClosed = true));
  await pass(clock, 0);
  assert.equal(isClosed, false, 'a segment is still being created');
  letGo();
  await closed;
});

test('Journal.open() opens on a full disk, and is available once there is space', async () => {
  const disk = reliableDisk();
  const before = await openJournal(disk);
  await appendEach(before.journal, ['a']);
  await before.journal.close();
  let isFull = true;
  const { journal, told, clock } = await openJournal(fullWhile(disk, () => isFull));
  assert.deepEqual(textsOf(told), ['a']);
  assert.equal(journal.isAvailable, false);
  await assert.rejects(appendText(journal, 'b'), StorageUnavailableError);
  await pass(clock, 3000);
  assert.equal(journal.isAvailable, false);
  isFull = false;
  await pass(clock, 1000);
  await appendEach(journal, ['c']);
  await journal.close();
  disk.losePower();
  const again = await openJournal(disk);
  assert.deepEqual(textsOf(again.told), ['a', 'c']);
});

test('Journal leaves no files behind for the seconds in which the disk was full', async () => {
  const disk = reliableDisk();
  let isFull = false;
  const { journal, clock } = await openJournal(fullWhile(disk, () => isFull));
  await appendEach(journal, ['a']);
  isFull = true;
  await assert.rejects(appendText(journal, 'b'), StorageUnavailableError);
  await pass(clock, 30_000);
  isFull = false;
  await pass(clock, 1000);
  await appendEach(journal, ['c']);
  assert.equal(disk.paths().length, 2);
});

test('Journal.open() makes durable what an earlier process could not sync', async () => {
  const disk = reliableDisk();
  let isFailing = false;
  const files = intercepted(disk, (file) => ({
    writev: async (parts, position) => {
      const count = await file.writev(parts, position);
      if (isFailing) throw new Error('EIO');
      return count;
    },
    truncate: () => Promise.reject(new Error('EIO')),
  }));
  const first = await openJournal(files);
  await appendEach(first.journal, ['a']);
  isFailing = true;
  await assert.rejects(appendText(first.journal, 'b'), StorageUnavailableError);
  disk.kill();
  // It reads well, as it is in the page cache: so it counts, and must survive from now on.
  const second = await openJournal(disk);
  assert.deepEqual(textsOf(second.told), ['a', 'b']);
  for (let round = 0; round < 20; round += 1) disk.losePower();
  const third = await openJournal(disk);
  assert.deepEqual(textsOf(third.told), ['a', 'b']);
});

test('Journal.open() keeps the number of files small over many restarts', async () => {
  const disk = reliableDisk();
  for (let restart = 1; restart <= 30; restart += 1) {
    const { journal, told } = await openJournal(disk);
    assert.equal(told.length, Math.min(restart - 1, 1));
    if (restart === 1) await appendEach(journal, ['a']);
    disk.kill();
  }
  assert.equal(disk.paths().length, 1);
});

test('Journal.close() waits for what was appended and refuses what comes later', async () => {
  const disk = reliableDisk();
  const { journal } = await openJournal(disk);
  const pending = appendText(journal, 'a');
  await journal.close();
  assert.equal(await pending, 1);
  assert.equal(journal.isAvailable, false);
  await assert.rejects(appendText(journal, 'b'), /it is closed/);
  const { told } = await openJournal(disk);
  assert.deepEqual(textsOf(told), ['a']);
});

test('Journal.close() ends the attempts to recover', async () => {
  const { journal } = await openJournal(fullWhile(reliableDisk(), () => true));
  await journal.close();
  assert.equal(journal.isAvailable, false);
});
