import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ShortWriteError, writeFileAtomically, writeFully } from '../../src/lib/atomic-file.ts';
import { SimulatedDisk } from '../support/disk/simulated-disk.ts';
import { seededRandom } from '../support/random.ts';

const path = '/data/file';
const before = Buffer.alloc(3000, 'b');
const after = Buffer.alloc(5000, 'a');

test('writeFileAtomically() leaves the old or the new content wherever it is cut off', async () => {
  const seen = new Set<string>();
  for (let step = 0; step <= 8; step += 1) {
    for (let seed = 1; seed <= 40; seed += 1) {
      const disk = new SimulatedDisk({ random: seededRandom(seed) });
      disk.place(path, before);
      disk.stopAfter(step);
      const finished = await writeFileAtomically(disk, path, [after]).then(
        () => true,
        () => false,
      );
      disk.losePower();
      const content = disk.contentOf(path);
      assert.ok(content.equals(before) || content.equals(after), `step ${step}, seed ${seed}`);
      if (finished) assert.ok(content.equals(after));
      seen.add(content.equals(after) ? 'after' : 'before');
    }
  }
  assert.deepEqual([...seen].toSorted(), ['after', 'before']);
});

test('writeFileAtomically() keeps the old content, and only that, on a full disk', async () => {
  const disk = new SimulatedDisk({ random: seededRandom(1), shortWriteOneIn: 1 });
  disk.place(path, before);
  await assert.rejects(writeFileAtomically(disk, path, [after]), ShortWriteError);
  assert.deepEqual(disk.paths(), [path]);
  assert.deepEqual(disk.contentOf(path), before);
});

test('writeFileAtomically() keeps the old content when the sync fails', async () => {
  const disk = new SimulatedDisk({ random: seededRandom(1), failedSyncOneIn: 1 });
  disk.place(path, before);
  await assert.rejects(writeFileAtomically(disk, path, [after]), /EIO/);
  assert.deepEqual(disk.paths(), [path]);
  assert.deepEqual(disk.contentOf(path), before);
});

test('writeFully() writes all parts in order and resolves to their length', async () => {
  const disk = new SimulatedDisk({ random: seededRandom(1) });
  const file = await disk.open(path, 'replace');
  assert.equal(await writeFully(file, [Buffer.from('ab'), Buffer.from('cd')], 1), 4);
  assert.equal(disk.contentOf(path).toString('latin1'), '\0abcd');
});
