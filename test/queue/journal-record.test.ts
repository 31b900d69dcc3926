import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import {
  decodeHeaderArea,
  decodeSequence,
  encodeHeaderArea,
  encodeSequence,
  type FileHeader,
  frameRecord,
  headerAreaBytes,
  isIntact,
  payloadBytesMax,
  readHead,
  recordHeadBytes,
  UnknownVersionError,
} from '../../src/queue/journal-record.ts';

const header: FileHeader = {
  kind: 'segment',
  index: 4_000_000_000,
  mark: 0xfedcba98,
  seed: 0x89abcdef,
  after: 2 ** 52 + 1,
};

const record = {
  sequence: 2 ** 40 + 7,
  type: 200,
  flags: 3,
  parts: [Buffer.from('one'), Buffer.alloc(0), Buffer.from('two')],
};

function written(): Buffer {
  const around = Buffer.alloc(5, 0xaa);
  return Buffer.concat([around, ...frameRecord(record, header, crc32), around]);
}

test('decodeHeaderArea() reads what encodeHeaderArea() wrote', () => {
  const area = encodeHeaderArea(header);
  assert.equal(area.length, headerAreaBytes);
  assert.deepEqual(decodeHeaderArea(area, 'f'), { header, damaged: false });
});

test('decodeHeaderArea() reads either copy, and says that one is damaged', () => {
  for (const [from, to] of [[0, 4608], [64, headerAreaBytes], [30, 31]] as const) {
    const area = encodeHeaderArea(header).fill(0x55, from, to);
    assert.deepEqual(decodeHeaderArea(area, 'f'), { header, damaged: true });
  }
});

test('decodeHeaderArea() finds nothing in zeros, noise and another format', () => {
  for (const area of [Buffer.alloc(headerAreaBytes), Buffer.alloc(headerAreaBytes, 7)]) {
    assert.equal(decodeHeaderArea(area, 'f').header, null);
  }
});

test('decodeHeaderArea() believes a newer version only if the checksum matches', () => {
  const area = encodeHeaderArea(header);
  area.writeUInt32BE(2, 8);
  assert.deepEqual(decodeHeaderArea(area, 'f'), { header, damaged: true });
  area.writeUInt32BE(crc32(area.subarray(0, 60)), 60);
  assert.throws(() => decodeHeaderArea(area, 'f'), UnknownVersionError);
});

test('readHead() reads what frameRecord() made, in the middle of other bytes', () => {
  const source = written();
  const head = readHead(source, 5, header.mark);
  assert.ok(head);
  const { check, ...rest } = head;
  assert.deepEqual(rest, { sequence: 2 ** 40 + 7, type: 200, flags: 3, length: 6 });
  assert.ok(check > 0);
  assert.equal(isIntact(source, 5, { head, seed: header.seed, checksum: crc32 }), true);
  assert.equal(source.toString('latin1', 5 + recordHeadBytes, 5 + recordHeadBytes + 6), 'onetwo');
});

test('isIntact() is false for another seed and for any changed bit after the mark', () => {
  const source = written();
  const seen = (bytes: Buffer, seed: number): boolean => {
    const head = readHead(bytes, 5, header.mark);
    if (head === null || 5 + recordHeadBytes + head.length > bytes.length) return false;
    return isIntact(bytes, 5, { head, seed, checksum: crc32 });
  };
  assert.equal(seen(source, header.seed), true);
  assert.equal(seen(source, header.seed - 1), false);
  for (let bit = 0; bit < (recordHeadBytes + 6) * 8; bit += 1) {
    const changed = Buffer.from(source);
    const offset = 5 + Math.floor(bit / 8);
    changed.writeUInt8(changed.readUInt8(offset) ^ (1 << (bit % 8)), offset);
    assert.equal(seen(changed, header.seed), false, `bit ${bit}`);
  }
});

test('readHead() finds nothing at the end, under another mark, or with an absurd length', () => {
  const source = written();
  assert.equal(readHead(source, source.length - recordHeadBytes + 1, header.mark), null);
  assert.equal(readHead(source, 5, header.mark - 1), null);
  source.writeUInt32BE(payloadBytesMax + 1, 5 + 8);
  assert.equal(readHead(source, 5, header.mark), null);
});

test('decodeSequence() reads what encodeSequence() wrote, and 0 from anything else', () => {
  for (const sequence of [0, 1, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
    assert.equal(decodeSequence(encodeSequence(sequence)), sequence);
  }
  assert.equal(decodeSequence(Buffer.alloc(3)), 0);
});
