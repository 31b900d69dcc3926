/** Each file of a compacted journal, cut at every byte and with every bit of it flipped. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerAreaBytes, recordHeadBytes } from '../../src/queue/journal-record.ts';
import type { Logger } from '../../src/telemetry/log.ts';
import {
  appendEach, appendText, openJournal, reliableDisk, textsOf,
} from '../support/disk/open-journal.ts';
import type { SimulatedDisk } from '../support/disk/simulated-disk.ts';
import { silentLog } from '../support/silent-log.ts';

const snapshot = '/data/snapshot-00000002.journal';
const middle = '/data/segment-00000002.journal';
const newest = '/data/segment-00000003.journal';
const textsIn: Readonly<Record<string, readonly string[]>> = {
  [snapshot]: ['state 1', 'state 2'],
  [middle]: ['third 3', 'fourth4'],
  [newest]: ['fifth 5', 'sixth 6', 'seventh'],
};
const files = Object.keys(textsIn);
const all = Object.values(textsIn).flat();
const recordBytes = recordHeadBytes + 'seventh'.length;

/** The journal's files: a snapshot and two segments. */
async function compactedJournal(): Promise<SimulatedDisk> {
  const disk = reliableDisk();
  const { journal } = await openJournal(disk, { segmentBytes: headerAreaBytes + 3 * recordBytes });
  await appendEach(journal, ['one', 'two']);
  await journal.compact((textsIn[snapshot] ?? []).map((text) => {
    return { type: 9, payload: Buffer.from(text) };
  }));
  await appendEach(journal, textsIn[middle] ?? []);
  await Promise.all((textsIn[newest] ?? []).map((text) => appendText(journal, text)));
  await journal.close();
  assert.deepEqual(disk.paths(), [newest, middle, snapshot].toSorted());
  return disk;
}

interface Opened {
  readonly texts: readonly string[];
  /** Damage by the count of `stats`. */
  readonly counted: number;
  /** What the log says of damage, a line each. */
  readonly said: readonly string[];
}

/** Opens the journal with one file replaced; `alsoLater` appends and opens it once more. */
async function openWith(
  whole: SimulatedDisk,
  damaged: { readonly path: string; readonly content: Buffer },
  alsoLater: boolean,
): Promise<Opened> {
  const disk = reliableDisk();
  for (const path of files) {
    disk.place(path, path === damaged.path ? damaged.content : whole.contentOf(path));
  }
  const said: string[] = [];
  const say: Logger['warn'] = (message, fields) => said.push(`${message} ${fields?.['file']}`);
  const log = { ...silentLog, warn: say, error: say };
  const { journal, told } = await openJournal(disk, { log });
  const { damagedRegions, tornTails, missingRecords } = journal.stats;
  const texts = textsOf(told);
  if (alsoLater) {
    await appendText(journal, 'later');
    await journal.close();
    assert.deepEqual(textsOf((await openJournal(disk)).told), [...texts, 'later']);
  }
  return { texts, counted: damagedRegions + tornTails + missingRecords, said };
}

/** Every byte where something is written; the rest of the header area is zeros. */
function* offsetsOf(size: number): Iterable<number> {
  for (let offset = 0; offset < size; offset += 1) {
    const isCopy = offset < 66 || (offset > 4606 && offset < 4674);
    if (isCopy || offset > headerAreaBytes - 2 || offset % 61 === 0) yield offset;
  }
}

test('Journal.open() loses only what follows the cut, wherever a file is cut', async () => {
  const whole = await compactedJournal();
  for (const path of files) {
    const content = whole.contentOf(path);
    const own = textsIn[path] ?? [];
    for (const length of offsetsOf(content.length)) {
      const where = `${path} cut at ${length}`;
      const cut = { path, content: content.subarray(0, length) };
      const { texts, counted, said } = await openWith(whole, cut, length % 7 === 0);
      const kept = Math.max(0, Math.floor((length - headerAreaBytes) / recordBytes));
      const expected = all.filter((text) => !own.slice(kept).includes(text));
      assert.deepEqual(texts, expected, where);
      // Cut between two records the newest file looks as if the later one had never been.
      const isBetween = length >= headerAreaBytes && (length - headerAreaBytes) % recordBytes === 0;
      if (path === newest && isBetween) continue;
      assert.ok(counted > 0, where);
      assert.ok(said.length > 0, where);
      if (!isBetween) assert.ok(said.some((line) => line.endsWith(path)), where);
    }
  }
});

test('Journal.open() loses only the record with the flipped bit, in whichever file', async () => {
  const whole = await compactedJournal();
  for (const path of files) {
    const content = whole.contentOf(path);
    const own = textsIn[path] ?? [];
    for (const offset of offsetsOf(content.length)) {
      for (const bit of [offset % 8, (offset + 3) % 8]) {
        const where = `${path}: byte ${offset}, bit ${bit}`;
        const flipped = Buffer.from(content);
        flipped.writeUInt8(flipped.readUInt8(offset) ^ (1 << bit), offset);
        const damaged = { path, content: flipped };
        const { texts, counted, said } = await openWith(whole, damaged, offset % 97 === 0);
        const hit = own[Math.floor((offset - headerAreaBytes) / recordBytes)];
        assert.deepEqual(texts, all.filter((text) => text !== hit), where);
        assert.ok(counted > 0, where);
        assert.ok(said.some((line) => line.endsWith(path)), where);
      }
    }
  }
});
