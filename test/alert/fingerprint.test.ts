import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fingerprintOf, isFingerprint } from '../../src/alert/fingerprint.ts';

const file = join(process.cwd(), 'test/fixtures/payloads/fingerprint-vectors.json');
const { vectors, emptyLabelSet } = JSON.parse(readFileSync(file, 'utf8')) as {
  vectors: { labels: Record<string, string>; fingerprint: string }[];
  emptyLabelSet: string;
};

test('the fingerprint vectors are there', () => assert.ok(vectors.length >= 7));

for (const { labels, fingerprint } of vectors) {
  test(`fingerprintOf() agrees with Alertmanager on ${fingerprint}`, () => {
    assert.equal(fingerprintOf(labels), fingerprint);
    const reversed = Object.fromEntries(Object.entries(labels).toReversed());
    assert.equal(fingerprintOf(reversed), fingerprint);
  });
}

test('fingerprintOf() of no labels is the offset of FNV-1a', () => {
  assert.equal(fingerprintOf({}), emptyLabelSet);
  assert.equal(fingerprintOf({ empty: '' }), emptyLabelSet);
});

/** The same in BigInt, straight from the definition. */
function reference(labels: Record<string, string>): string {
  let hash = 0xcbf29ce484222325n;
  const add = (byte: number): void => {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  };
  for (const name of Object.keys(labels).sort()) {
    for (const byte of [...Buffer.from(name), 0xff, ...Buffer.from(labels[name] ?? ''), 0xff]) {
      add(byte);
    }
  }
  return hash.toString(16).padStart(16, '0');
}

test('fingerprintOf() agrees with BigInt arithmetic on a thousand label sets', () => {
  for (let index = 0; index < 1000; index += 1) {
    const labels = { alertname: `A${index}`, z: 'ß'.repeat(index % 50), b: String(index ** 3) };
    const present = Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== ''));
    assert.equal(fingerprintOf(labels), reference(present));
  }
});

const checked: readonly [string, boolean][] = [
  ['a', true],
  ['x'.repeat(256), true],
  ['x'.repeat(257), false],
  ['', false],
  ['.', false],
  ['..', false],
  ['...', true],
  ['../x', true],
  ['a\u0000', false],
  ['a\u0085', false],
  ['a\u007f', false],
  ['\ud800', false],
  ['🔥', true],
  ['__proto__', true],
];
for (const [value, expected] of checked) {
  test(`isFingerprint() of ${JSON.stringify(value).slice(0, 20)} is ${expected}`, () => {
    assert.equal(isFingerprint(value), expected);
  });
}
