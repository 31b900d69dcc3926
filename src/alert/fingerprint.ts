import { FormatError, text, type Parser } from '../lib/parse.ts';
import { labelOf, type LabelSet } from './labels.ts';

declare const checked: unique symbol;

/**
 * Identity of an alert as long as its labels stay the same: addresses its report and identifies
 * repeats. Any text that the sender chose, within {@linkcode isFingerprint}; never used raw on
 * disk, and percent-encoded in URLs.
 */
export type Fingerprint = string & { readonly [checked]: true };

const fingerprintLengthMax = 256;
const controlOrLoneSurrogate = /[\p{Cc}\p{Cs}]/u;

export function isFingerprint(value: string): value is Fingerprint {
  if (value.length === 0 || value.length > fingerprintLengthMax) return false;
  return value !== '.' && value !== '..' && !controlOrLoneSurrogate.test(value);
}

/** The fingerprint as sent, not checked against the labels; null when the sender gave none. */
export const sentFingerprint: Parser<Fingerprint | null> = (value, path) => {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'string' && isFingerprint(value)) return value;
  throw new FormatError(path, '1 to 256 characters, none of them a control character', value);
};

/** A fingerprint that was accepted before and is read back. */
export const knownFingerprint: Parser<Fingerprint> = (value, path) => {
  const given = text(value, path);
  if (isFingerprint(given)) return given;
  throw new FormatError(path, 'a fingerprint', value);
};

const encoder = new TextEncoder();
const separator = 0xff;

/**
 * Prometheus' label fingerprint, so that links in Alertmanager templates match ours: 64-bit FNV-1a
 * over `name 0xff value 0xff` of each label, in byte order of the names, as 16 hex digits
 * (prometheus/common: model/signature.go). Labels with empty values are skipped.
 */
export function fingerprintOf(labels: LabelSet): Fingerprint {
  const hash = new Fnv1a();
  for (const name of namesInByteOrder(labels)) {
    const value = labelOf(labels, name) ?? '';
    if (value === '') continue;
    hash.addText(name);
    hash.addByte(separator);
    hash.addText(value);
    hash.addByte(separator);
  }
  return hash.hex() as Fingerprint;
}

/**
 * `sort` compares UTF-16 units, which gives the order of the UTF-8 bytes unless a name contains a
 * surrogate.
 */
function namesInByteOrder(labels: LabelSet): string[] {
  const names = Object.keys(labels);
  if (!names.some((name) => /[\ud800-\udfff]/.test(name))) return names.sort();
  const encoded = names.map((name) => ({ name, bytes: encoder.encode(name) }));
  return encoded.sort((a, b) => Buffer.compare(a.bytes, b.bytes)).map(({ name }) => name);
}

/** 64-bit FNV-1a in two halves, which is about three times as fast as BigInt. */
class Fnv1a {
  #high = 0xcbf29ce4 | 0;
  #low = 0x84222325 | 0;

  addByte(byte: number): void {
    this.#low ^= byte;
    const unsigned = this.#low >>> 0;
    const product = unsigned * 0x1b3; // Below 2^41, so exact in a double.
    this.#high =
      (Math.imul(this.#high, 0x1b3) + Math.floor(product / 2 ** 32) + (unsigned << 8)) | 0;
    this.#low = product | 0;
  }

  /** Encodes only from the first non-ASCII character on, as encoding takes most of the time. */
  addText(text: string): void {
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      if (unit > 0x7f) return this.#addEncoded(text.slice(index));
      this.addByte(unit);
    }
  }

  #addEncoded(text: string): void {
    for (const byte of encoder.encode(text)) this.addByte(byte);
  }

  hex(): string {
    digest.writeInt32BE(this.#high, 0);
    digest.writeInt32BE(this.#low, 4);
    return digest.toString('hex');
  }
}

/** Written and read at once. Two numbers in base 16 take three times as long. */
const digest = Buffer.alloc(8);
