import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpError } from '../../../src/http/http-errors.ts';
import { parseJson, textIn } from '../../../src/http/routes/json-body.ts';

const parse = (body: Buffer): unknown =>
  parseJson(textIn(body, 'invalidAlertFormat'), 'invalidAlertFormat');
const isInvalidFormat = (error: unknown): boolean =>
  error instanceof HttpError && error.status === 400 && error.message === 'Invalid alert format';

const refused: readonly [string, Buffer][] = [
  ['nothing', Buffer.alloc(0)],
  ['no JSON', Buffer.from('{"a":')],
  ['a stray byte', Buffer.from([0x22, 0xff, 0x22])],
  ['an overlong encoding', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
  ['an encoded surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ['a byte order mark', Buffer.from('\ufeff{}')],
  ['UTF-16', Buffer.from('{}', 'utf16le')],
  ['33 levels', Buffer.from('['.repeat(33) + ']'.repeat(33))],
  ['a million levels', Buffer.from('['.repeat(1e6) + ']'.repeat(1e6))],
  ['a million levels never closed', Buffer.from('[{"a":'.repeat(5e5))],
  ['millions of empty lists', Buffer.from(`[${'[],'.repeat(1_100_000)}[]]`)],
  ['millions of numbers', Buffer.from(`[${'1,'.repeat(2_100_000)}1]`)],
];
for (const [name, body] of refused) {
  test(`a body of ${name} is refused as an invalid alert format`, () => {
    assert.throws(() => parse(body), isInvalidFormat);
  });
}

const shallow: readonly [string, unknown][] = [
  ['brackets in a string', ['['.repeat(100)]],
  ['an escaped quote before brackets', [`"${'['.repeat(100)}`, `\\"${'{'.repeat(100)}`]],
  ['a string that ends in backslashes', ['a\\', '\\\\', `\\\\\\${'['.repeat(50)}`]],
  ['many lists beside each other', Array<unknown>(1000).fill([{}])],
];
for (const [name, value] of shallow) {
  test(`parseJson() is not misled by ${name}`, () => {
    assert.deepEqual(parse(Buffer.from(JSON.stringify(value))), value);
  });
}
