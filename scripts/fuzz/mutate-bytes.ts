import type { Chance } from './chance.ts';

/** Bytes that mean something to decoders of UTF-8, JSON, gzip and frames. */
const pieces: readonly Buffer[] = [
  Buffer.from([0]), Buffer.from([0xff]), Buffer.from([0xc0, 0xaf]), Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from([0xff, 0xff, 0xff, 0xff]),
  Buffer.from([0x7f, 0xff, 0xff, 0xff]), Buffer.from([0x80, 0, 0, 0]), Buffer.alloc(64),
  Buffer.from('\r\n'), Buffer.from('"'), Buffer.from('\\'), Buffer.from('{"'), Buffer.from('[['),
  Buffer.from('}]'), Buffer.from(','), Buffer.from('\\ud800'), Buffer.from('1e999'),
  Buffer.from('-0'), Buffer.from('null'), Buffer.from('99999999999999999999'),
];

type Mutation = (bytes: Buffer, chance: Chance) => Buffer;

const flip: Mutation = (bytes, chance) => {
  const changed = Buffer.from(bytes);
  const at = chance.below(changed.length);
  if (changed.length > 0) changed[at] = (changed[at] ?? 0) ^ (1 << chance.below(8));
  return changed;
};

const cut: Mutation = (bytes, chance) => bytes.subarray(0, chance.below(bytes.length + 1));

const remove: Mutation = (bytes, chance) => {
  const [from, to] = rangeIn(bytes, chance);
  return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
};

const repeat: Mutation = (bytes, chance) => {
  const [from, to] = rangeIn(bytes, chance);
  const again = chance.below(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, again), bytes.subarray(from, to), bytes.subarray(again)]);
};

const insert: Mutation = (bytes, chance) => {
  const at = chance.below(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), chance.pick(pieces), bytes.subarray(at)]);
};

const zero: Mutation = (bytes, chance) => {
  const changed = Buffer.from(bytes);
  const [from, to] = rangeIn(bytes, chance);
  return changed.fill(0, from, to);
};

const mutations: readonly Mutation[] = [flip, flip, cut, remove, repeat, insert, insert, zero];

function rangeIn(bytes: Buffer, chance: Chance): [from: number, to: number] {
  const from = chance.below(bytes.length + 1);
  const longest = chance.oneIn(4) ? bytes.length : 16;
  return [from, Math.min(bytes.length, from + chance.below(longest + 1))];
}

/** The bytes after one to four mutations. */
export function mutateBytes(bytes: Buffer, chance: Chance): Buffer {
  let changed = bytes;
  for (let left = 1 + chance.below(4); left > 0; left -= 1) {
    changed = chance.pick(mutations)(changed, chance);
  }
  return changed;
}

/** The beginning of `first` followed by the end of `second`. */
export function splice(first: Buffer, second: Buffer, chance: Chance): Buffer {
  return Buffer.concat([
    first.subarray(0, chance.below(first.length + 1)),
    second.subarray(chance.below(second.length + 1)),
  ]);
}
