/** Where a masked part begins and ends, and the shortest that is masked. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor, redactData } from '../../src/redaction/redactor.ts';

/** `a1B2` and so on: what may be a secret and is no token of a known form. */
function random(length: number): string {
  return 'aB3dE6gH9k'.repeat(Math.ceil(length / 10)).slice(0, length);
}

const jwt = 'eyJ12345678.eyJ12345678';
const raw = String.raw;

const exact: readonly (readonly [text: string, masked: string])[] = [
  [`a ${jwt}.${random(20)} b`, 'a [secret-1] b'],
  [`a ${jwt} b`, 'a [secret-1] b'],
  ['Cookie: a=1 \t\nnext', 'Cookie: [secret-1] \t\nnext'],
  ['{"Authorization":["Bearer abc1"]}', '{"Authorization":["Bearer [secret-1]"]}'],
  ['amqp://app:p@ss@mq/x@y', 'amqp://app:[secret-1]@mq/x@y'],
  ['a://u:h/\u00fc2x@db and @b', 'a://u:[secret-1]@db and @b'],
  ['Authorization: Digest a="\u00fc"', 'Authorization: Digest [secret-1]'],
  ["-H 'Authorization: Digest a=\"b\"' c", "-H 'Authorization: Digest [secret-1]' c"],
  ['password=token=abc1 x', 'password=[secret-1] x'],
  [raw`password="a\\" user="bob"`, 'password="[secret-1]" user="bob"'],
  [raw`{\"password\":\"a1b2\",\"b\":1}`, raw`{\"password\":\"[secret-1]\",\"b\":1}`],
  [`"privateKey":"${random(4000)}",`, '"privateKey":"[secret-1]",'],
  [`glsa_${random(20)}/glsa_${random(20)}`, '[secret-1]'],
  ['{secret=a1b2}', '{secret=[secret-1]}'],
  ['{"secret"="a1b2"}', '{"secret"="[secret-1]"}'],
  ['q=password%3Da1%2Bb2%26x=1', 'q=password%3D[secret-1]%26x=1'],
  ['<password>a1b2</password>', '<password>[secret-1]</password>'],
  ['password=a\u00fc1', 'password=[secret-1]'],
  ['password="a \u00fc1"', 'password="[secret-1]"'],
  ["password='a \u00fc1'", "password='[secret-1]'"],
  ['PASSWORD%3D\u00fc1b', 'PASSWORD%3D[secret-1]'],
  ['client --API-KEY a1b2 x', 'client --API-KEY [secret-1] x'],
  ['secret="a1b2"', 'secret="[secret-1]"'],
  ['myapikey=a1b2', 'myapikey=[secret-1]'],
  ['password="a" b', 'password="[secret-1]" b'],
  ['password=abc', 'password=[secret-1]'],
  ['PWD=/code DB_PWD=/a1B2c3 password=/d4E5', 'PWD=/code DB_PWD=[secret-1] password=[secret-2]'],
  ['redis-cli -a abc', 'redis-cli -a [secret-1]'],
  [`/x?key=${random(16)}`, '/x?key=[secret-1]'],
  [`https://${random(20)}@h/x`, 'https://[secret-1]@h/x'],
  [`bearer ${random(16)}`, 'bearer [secret-1]'],
  [`${random(64)}\nb`, '[secret-1]\nb'],
  [`${random(70)}\nb`, '[secret-1]\nb'],
];

for (const [text, masked] of exact) {
  test(`redact masks exactly the secret of ${JSON.stringify(text.slice(0, 50))}`, () => {
    assert.equal(createRedactor({ secrets: [] }).redact(text), masked);
  });
}

test('redact masks the lines of a key that is cut off, and not what follows', () => {
  const key = ['-----BEGIN EC PRIVATE', 'KEY-----'].join(' ');
  const { redact } = createRedactor({ secrets: [] });
  assert.equal(
    redact(`a ${key}\nProc-Type: 4,ENCRYPTED\n\n${random(64)}\n${random(10)}\nGiving up now`),
    'a [secret-1]\nGiving up now',
  );
  assert.equal(redact(`expected ${key}, found none`), 'expected [secret-2], found none');
});

const short = [
  'eyJ1234567.eyJ12345678', 'eyJ12345678.eyJ1234567', 'db@tcp(host:3306)/shop', '/x?token=&y=1',
  `/x?key=${random(15)}`, 'sqlplus app/@db', 'http://a:@h/x', 'to=%3A%2F%2Fa%3A%40h',
  `https://${random(19)}@h/x`, `bearer ${random(15)}`, 'password=ab', 'password=""',
  `${'Abcdefgh'.repeat(9).slice(0, 63)}\nb`, `${'Abcdefgh'.repeat(9).slice(0, 65)}\nb`,
  'password%3Dab%26c',
];

for (const text of short) {
  test(`redact leaves what is too short or too long: ${text.slice(0, 50)}`, () => {
    assert.equal(createRedactor({ secrets: [] }).redact(text), text);
  });
}

test('redact gives one mask to all secrets beyond the first 10000', () => {
  const { redact } = createRedactor({ secrets: [] });
  const many = Array.from({ length: 10_001 }, (_, index) => `password=a${index}b`).join(' ');
  assert.match(redact(many), / password=\[secret-10000\] password=\[secret\]$/);
});

test('redact knows secrets of four characters and more', () => {
  const { redact } = createRedactor({ secrets: ['abcd', 'xyz'] });
  assert.equal(redact('abcd xyz'), '[secret-1] xyz');
});

test('redactData shows nothing of what is nested more than 32 deep', () => {
  const { redact } = createRedactor({ secrets: [] });
  for (const wrap of [(inner: unknown) => [inner], (inner: unknown) => ({ a: inner })]) {
    const nested = (levels: number): string => {
      let data: unknown = [];
      for (let level = 0; level < levels; level += 1) data = wrap(data);
      return JSON.stringify(redactData(data, { redact }));
    };
    assert.doesNotMatch(nested(31), /null/);
    assert.match(nested(33), /null/);
  }
});

test('redact tells long secrets apart by their whole length', () => {
  const { redact } = createRedactor({ secrets: [] });
  const [one, other] = ['a', 'b'].map((end) => `password=${'Xy7'.repeat(40)}${end}`);
  assert.equal(
    redact(`${one} ${other} ${one}`),
    'password=[secret-1] password=[secret-2] password=[secret-1]',
  );
});

test('redact cuts what is longer than 1 MiB, and no secret in two', () => {
  const { redact } = createRedactor({ secrets: [] });
  const secret = `ghp_${random(36)}`;
  const masked = redact(`${'a '.repeat(524_278)}${secret} ${'b'.repeat(50)}`);
  assert.ok(!masked.includes('ghp_'));
  assert.match(masked, /… \(\d+ more characters\)$/);
});
