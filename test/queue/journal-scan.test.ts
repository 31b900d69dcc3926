import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import type { OpenFile } from '../../src/lib/file-system.ts';
import {
  encodeHeaderArea, type FileHeader, frameRecord, headerAreaBytes, recordHeadBytes,
} from '../../src/queue/journal-record.ts';
import { scanRecords, type ScanResult } from '../../src/queue/journal-scan.ts';

const header: FileHeader = { kind: 'segment', index: 1, mark: 0xfedcba98, seed: 7, after: 0 };
const payload = Buffer.from('payload');
const recordBytes = recordHeadBytes + payload.length;

function record(sequence: number): Buffer {
  const framed = { sequence, type: 1, flags: 0, parts: [payload] };
  return Buffer.concat(frameRecord(framed, header, crc32));
}

function inMemory(content: Buffer): Pick<OpenFile, 'read'> {
  return {
    read: async (target, position) => content.copy(target, 0, position, position + target.length),
  };
}

async function scan(
  parts: readonly Buffer[],
  limits: { readonly last?: number; readonly voidAfter?: number } = {},
): Promise<ScanResult & { readonly told: readonly number[] }> {
  const content = Buffer.concat([encodeHeaderArea(header), ...parts]);
  const told: number[] = [];
  const result = await scanRecords({
    file: inMemory(content) as OpenFile, size: content.length, header, checksum: crc32,
    last: 0, voidAfter: Infinity, ...limits, onRecord: ({ sequence }) => void told.push(sequence),
  });
  return { ...result, told };
}

function damaged(bytes: Buffer): Buffer {
  bytes[bytes.length - 1] = 0xff;
  return bytes;
}

test('scanRecords() skips records that are known, and those that are void', async () => {
  const { told, tail } = await scan([1, 2, 3, 4].map(record), { last: 1, voidAfter: 3 });
  assert.deepEqual([told, tail], [[2, 3], null]);
});

test('scanRecords() reads on once the owner is done with the record before', async () => {
  const content = Buffer.concat([encodeHeaderArea(header), ...[1, 2, 3].map(record)]);
  const steps: string[] = [];
  await scanRecords({
    file: inMemory(content) as OpenFile, size: content.length, header, checksum: crc32,
    last: 0, voidAfter: Infinity,
    onRecord: async ({ sequence }) => {
      steps.push(`begin ${sequence}`);
      await new Promise(setImmediate);
      steps.push(`end ${sequence}`);
    },
  });
  assert.deepEqual(steps, [1, 2, 3].flatMap((each) => [`begin ${each}`, `end ${each}`]));
});

test('scanRecords() skips a void record after a damaged one', async () => {
  const { told } = await scan([record(1), damaged(record(2)), record(3)], { voidAfter: 2 });
  assert.deepEqual(told, [1]);
});

test('scanRecords() does not count half a void record as damage', async () => {
  const { told, damaged: ranges, tail } = await scan(
    [record(1), record(2), record(3).subarray(0, 20)], { voidAfter: 2 },
  );
  assert.deepEqual({ told, ranges, tail }, { told: [1, 2], ranges: [], tail: null });
});

test('scanRecords() tells each damaged part from the intact records between', async () => {
  const parts = [1, 2, 3, 4, 5].map(record);
  const bad = parts.map((part, index) => index % 2 === 1 ? damaged(part) : part);
  const { told, damaged: ranges, tail } = await scan(bad);
  const [second, fourth] = [1, 3].map((count) => headerAreaBytes + count * recordBytes);
  assert.deepEqual({ told, ranges, tail }, {
    told: [1, 3, 5], tail: null,
    ranges: [second ?? 0, fourth ?? 0].map((from) => ({ from, to: from + recordBytes })),
  });
});

test('scanRecords() finds a record whose mark crosses the end of the window', async () => {
  const windowBytes = 1024 * 1024;
  for (const before of [1, 2, 3, 4]) {
    const { told, damaged: ranges } = await scan([Buffer.alloc(windowBytes - before), record(1)]);
    assert.deepEqual(told, [1], `${before} bytes`);
    const to = headerAreaBytes + windowBytes - before;
    assert.deepEqual(ranges, [{ from: headerAreaBytes, to }]);
  }
});

test('scanRecords() reports what follows the last whole record, without filler', async () => {
  const half = record(2).subarray(0, 10);
  const { told, tail } = await scan([record(1), half, Buffer.alloc(5000, 0x5a)]);
  const from = headerAreaBytes + recordBytes;
  assert.deepEqual({ told, tail }, { told: [1], tail: { from, to: from + half.length } });
});
