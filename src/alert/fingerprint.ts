import { FormatError, type Parser } from '../lib/parse.ts';
import { labelOf, type LabelSet } from './labels.ts';

declare const checked: unique symbol;

/**
 * Identity of an alert for as long as its labels stay the same: addresses its report and is what
 * repeats are recognised by. Any text the sender chose, within {@linkcode isFingerprint}; never
 * used raw on disk, percent-encoded in URLs.
 */
export type Fingerprint = string & { readonly [checked]: true };

const fingerprintLengthMax = 256;
const controlOrLoneSurrogate = /[\p{Cc}\p{Cs}]/u;

export function isFingerprint(value: string): value is Fingerprint {
  if (value.length === 0 || value.length > fingerprintLengthMax) return false;
  return value !== '.' && value !== '..' && !controlOrLoneSurrogate.test(value);
}

/** The fingerprint as sent, never checked against the labels; null when the sender sent none. */
export const sentFingerprint: Parser<Fingerprint | null> = (value, path) => {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'string' && isFingerprint(value)) return value;
  throw new FormatError(path, '1 to 256 characters, none of them a control character', value);
};

const encoder = new TextEncoder();

/**
 * Prometheus' label fingerprint, so that links made in Alertmanager templates match ours: FNV-1a,
 * 64 bit, over `name 0xff value 0xff` of each label in byte order of the names, as 16 hex digits
 * (prometheus/common: model/signature.go). Labels with empty values do not count.
 *
 * The 64 bits are kept as two halves: about three times as fast as BigInt.
 */
export function fingerprintOf(labels: LabelSet): Fingerprint {
  let high = 0xcbf29ce4 | 0;
  let low = 0x84222325 | 0;
  const add = (byte: number): void => {
    low ^= byte;
    const unsigned = low >>> 0;
    const product = unsigned * 0x1b3; // Below 2^41, so exact in a double.
    high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + (unsigned << 8)) | 0;
    low = product | 0;
  };
  const pairs = Object.keys(labels)
    .filter((name) => labelOf(labels, name) !== '')
    .map((name) => [encoder.encode(name), encoder.encode(labelOf(labels, name) ?? '')] as const)
    .sort(([a], [b]) => Buffer.compare(a, b));
  for (const [name, value] of pairs) {
    for (const byte of name) add(byte);
    add(0xff);
    for (const byte of value) add(byte);
    add(0xff);
  }
  return (hex(high) + hex(low)) as Fingerprint;
}

function hex(half: number): string {
  return (half >>> 0).toString(16).padStart(8, '0');
}
