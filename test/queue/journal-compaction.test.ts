import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Journal } from '../../src/queue/journal.ts';
import {
  appendEach,
  appendText,
  numbered,
  openJournal,
  reliableDisk,
  textsOf,
} from '../support/disk/open-journal.ts';

function* entriesOf(texts: readonly string[]): Iterable<{ type: number; payload: Buffer }> {
  for (const text of texts) yield { type: 9, payload: Buffer.from(text) };
}

function compactWith(journal: Journal, texts: readonly string[]): Promise<void> {
  return journal.compact(entriesOf(texts));
}

test('Journal.compact() leaves a snapshot and one segment, and is told first', async () => {
  const disk = reliableDisk();
  const { journal } = await openJournal(disk);
  await appendEach(journal, numbered(5));
  await compactWith(journal, ['state']);
  assert.equal(await appendText(journal, 'later'), 6);
  await journal.close();
  assert.deepEqual(disk.paths(), [
    '/data/segment-00000002.journal',
    '/data/snapshot-00000002.journal',
  ]);
  const { told } = await openJournal(disk);
  assert.deepEqual(told, [
    { sequence: 0, type: 9, text: 'state' },
    { sequence: 6, type: 1, text: 'later' },
  ]);
});

test('Journal.compact() lets appends through, a few hundred entries at a time', async () => {
  const disk = reliableDisk();
  const { journal } = await openJournal(disk);
  await appendEach(journal, ['before']);
  let pulled = 0;
  function* counted(): Iterable<{ type: number; payload: Buffer }> {
    for (const entry of entriesOf(numbered(5000))) {
      pulled += 1;
      yield entry;
    }
  }
  const compacted = journal.compact(counted());
  const seenAt: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    await appendText(journal, `during ${round}`);
    seenAt.push(pulled);
  }
  await compacted;
  assert.ok(seenAt.some((count) => count > 0 && count < 5000), `appended at ${seenAt.join()}`);
  await journal.close();
  const { told } = await openJournal(disk);
  const during = textsOf(told).filter((text) => text.startsWith('during'));
  assert.equal(told.filter(({ sequence }) => sequence === 0).length, 5000);
  assert.equal(during.length, 5);
});

test('Journal.compact() killed at any step leaves the state from before or after', async () => {
  const texts = numbered(20, 300);
  const prepare = async (seed: number) => {
    const disk = reliableDisk(seed);
    const opened = await openJournal(disk, { segmentBytes: 7000 });
    await appendEach(opened.journal, numbered(4));
    await compactWith(opened.journal, texts.slice(0, 5));
    await appendEach(opened.journal, texts.slice(5));
    return { disk, journal: opened.journal };
  };
  const dry = await prepare(1);
  const stepsBefore = dry.disk.steps;
  await compactWith(dry.journal, texts);
  const steps = dry.disk.steps - stepsBefore;
  assert.ok(steps > 15, `a compaction has ${steps} steps`);

  for (let step = 0; step <= steps; step += 1) {
    for (let seed = 1; seed <= 4; seed += 1) {
      const { disk, journal } = await prepare(seed);
      disk.stopAfter(step);
      await compactWith(journal, texts).catch(() => {}); // It was stopped: that is the point.
      if (seed === 1) disk.kill();
      else disk.losePower();
      const { told, journal: opened } = await openJournal(disk, { segmentBytes: 7000 });
      assert.deepEqual([...new Set(textsOf(told))], texts, `step ${step}, seed ${seed}`);
      assert.equal(opened.stats.damagedRegions, 0);
      assert.equal(opened.stats.missingRecords, 0);
      assert.ok((await appendText(opened, 'next')) >= 20);
    }
  }
});

test('Journal.compact() refuses to run twice at once', async () => {
  const { journal } = await openJournal(reliableDisk());
  const first = compactWith(journal, numbered(1000));
  await assert.rejects(compactWith(journal, []), /it is already being compacted/);
  await first;
  await compactWith(journal, []);
});

test('Journal.compact() rejects when an entry cannot be made, and changes nothing', async () => {
  const disk = reliableDisk();
  const { journal } = await openJournal(disk);
  await appendEach(journal, ['a']);
  function* broken(): Iterable<{ type: number; payload: Buffer }> {
    yield { type: 1, payload: Buffer.from('half') };
    throw new Error('no such entry');
  }
  await assert.rejects(journal.compact(broken()), /no such entry/);
  await appendEach(journal, ['b']);
  await journal.close();
  const { told } = await openJournal(disk);
  assert.deepEqual(textsOf(told), ['a', 'b']);
});

test('Journal.close() ends a compaction between two turns', async () => {
  const disk = reliableDisk();
  const { journal } = await openJournal(disk);
  await appendEach(journal, ['a']);
  const compacted = compactWith(journal, numbered(100_000));
  const ended = assert.rejects(compacted);
  await appendText(journal, 'b');
  await journal.close();
  await ended;
  const { told } = await openJournal(disk);
  assert.deepEqual(textsOf(told), ['a', 'b']);
});

test('Journal.open() counts a snapshot that lost its end as damaged', async () => {
  const disk = reliableDisk();
  const { journal } = await openJournal(disk);
  await appendEach(journal, ['a']);
  await compactWith(journal, numbered(3));
  await journal.close();
  const path = '/data/snapshot-00000002.journal';
  const whole = disk.contentOf(path);
  disk.place(path, whole.subarray(0, whole.length - 30));
  const { told, journal: opened } = await openJournal(disk);
  assert.deepEqual(textsOf(told), numbered(3));
  assert.equal(opened.stats.damagedRegions, 1);
  assert.ok(disk.paths().includes(`${path}.corrupt`));
});

test('Journal.open() never uses a sequence number again that a snapshot may refer to', async () => {
  const disk = reliableDisk();
  const { journal } = await openJournal(disk);
  await appendEach(journal, ['a']);
  const compacted = journal.compact(entriesOf(numbered(600)));
  const sequence = await appendText(journal, 'during');
  await compacted;
  await journal.close();
  const path = '/data/segment-00000002.journal';
  const whole = disk.contentOf(path);
  whole.writeUInt8(0xff, whole.length - 1);
  disk.place(path, whole);
  const { journal: opened } = await openJournal(disk);
  assert.ok((await appendText(opened, 'next')) > sequence);
});
