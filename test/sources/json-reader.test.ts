import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FormatError } from '../../src/lib/parse.ts';
import { JsonReader, valueBytesMax } from '../../src/sources/json-reader.ts';
import { seededRandom } from '../support/random.ts';

function readerOf(text: string): JsonReader {
  return new JsonReader(Buffer.from(text));
}

test('JsonReader reads what it is asked for and skips the rest', () => {
  const reader = readerOf(
    ' { "a" : [1, "]}\\"", {"x": null}] ,\n"b":"é\\u00e9\\n", "c":true, "d":{}}\t',
  );
  const seen: string[] = [];
  let text = '';
  reader.object((name) => {
    seen.push(name);
    if (name === 'b') text = reader.text();
  });
  reader.end();
  assert.deepEqual(seen, ['a', 'b', 'c', 'd']);
  assert.equal(text, 'éé\n');
});

const broken = [
  '', '{', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1 "b":2}', '{"a" 1}', '{"a":}', '{"a":"x',
  '{"a":"x\\', '{"a":[1,[2]', '{,}', '{"a":1}}', '{"a":1}x',
];

for (const text of broken) {
  test(`JsonReader finds ${JSON.stringify(text)} broken`, () => {
    const read = (): void => {
      const reader = readerOf(text);
      reader.object(() => undefined);
      reader.end();
    };
    // A missing name is a value of another kind.
    assert.throws(read, (error) => error instanceof SyntaxError || error instanceof FormatError);
  });
}

test('JsonReader names what it expected and what it found', () => {
  const cases: readonly (readonly [string, (reader: JsonReader) => void, RegExp])[] = [
    ['[]', (reader) => reader.object(() => undefined), /byte 0: expected an object, got an array/],
    [' null', (reader) => reader.array(() => undefined), /byte 1: expected an array, got null/],
    ['7', (reader) => void reader.text(), /expected a string, got a number/],
    ['{}', (reader) => void reader.number(), /expected a number, got an object/],
    ['"1.2.3"', (reader) => void reader.number(), /expected a number/],
    ['""', (reader) => void reader.number(), /expected a number/],
    ['"-"', (reader) => void reader.number(), /expected a number/],
    ['[[1]]', (reader) => reader.numberPairs(() => undefined), /Broken JSON/],
    ['[[1,2,3]]', (reader) => reader.numberPairs(() => undefined), /Broken JSON/],
    ['"1 2"', (reader) => void reader.number(), /Broken JSON/],
  ];
  for (const [text, read, message] of cases) {
    assert.throws(() => read(readerOf(text)), message, text);
  }
});

test('JsonReader reads numbers exactly as the language does', () => {
  const next = seededRandom(7);
  const texts = [
    '0', '-0', '0.1', '1795190785.123', '123456789012345', '1234567890123456', '9007199254740993',
    '0.000000000000000000001', '0.3333333333333333', '5e-324', '1.7976931348623157e+308', '1e400',
    '000000000000000000000000001.5', '7.187049e-03', '0e+00', '+5', '.5',
  ];
  const range = ['e', 'E+', 'e-'];
  for (let round = 0; round < 5000; round += 1) {
    const digits = String(next() * 2 ** (next() % 40));
    const point = next() % digits.length;
    const exponent = next() % 3 === 0 ? `${range[next() % 3] ?? ''}${next() % 300}` : '';
    const text = /e/.test(digits) ? digits : `${digits.slice(0, point)}0.${digits.slice(point)}`;
    texts.push(/e/.test(text) ? text : `${text}${exponent}`);
  }
  for (const text of texts) {
    if (text === '.5') continue;
    assert.equal(readerOf(`"${text}"`).number(), Number(text), text);
  }
});

test('JsonReader reads NaN and infinities', () => {
  const words = [['NaN', Number.NaN], ['+Inf', Infinity], ['Inf', Infinity], ['-Inf', -Infinity]];
  for (const [word, value] of words) {
    assert.equal(readerOf(`"${String(word)}"`).number(), value);
  }
});

test('JsonReader.value() returns the same as JSON.parse', () => {
  const text = '{"__proto__":"p","a":["\\ud83d\\ude00",1e3,null,[]]}';
  const reader = readerOf(`[ ${text} , 2]`);
  const values: unknown[] = [];
  reader.array(() => values.push(reader.value()));
  assert.deepEqual(values, [JSON.parse(text), 2]);
  assert.ok(Object.hasOwn(values[0] as object, '__proto__'));
});

test('JsonReader takes null for an array where it may be one', () => {
  const reader = readerOf('{"a": null , "b": [1, 2] , "c": {}}');
  const counts = new Map<string, number>();
  reader.object((name) => {
    if (name === 'c') return;
    counts.set(name, 0);
    reader.arrayOrNull(() => counts.set(name, (counts.get(name) ?? 0) + 1));
  });
  assert.deepEqual([...counts], [['a', 0], ['b', 2]]);
  assert.throws(() => readerOf(' {}').arrayOrNull(() => undefined), /byte 1: expected an array/);
});

test('JsonReader refuses to parse large values at once', () => {
  const many = `[${'{},'.repeat(valueBytesMax / 3)}{}]`;
  const atMost = /byte 2: expected at most 1048576 bytes, got an array/;
  assert.throws(() => readerOf(`  ${many}`).value(), atMost);
  assert.throws(() => readerOf(`"${'x'.repeat(valueBytesMax)}"`).text(), /at most/);
  assert.equal(readerOf(`"${'x'.repeat(valueBytesMax - 2)}"`).text().length, valueBytesMax - 2);
});

test('JsonReader.members() reads the named members, or null if they are too long', () => {
  const names = new Set(['a', 'b']);
  const others: string[] = [];
  const long = 'x'.repeat(valueBytesMax * 0.6);
  const reader = readerOf(
    `[{"a" : {"x":1},"c": [1] ,"b": null}, {"a":"${long}","b":"${long}","d":2}, {"c":"${long}"}]`,
  );
  const found: unknown[] = [];
  reader.array(() => found.push(reader.members(names, (name) => others.push(name))));
  reader.end();
  assert.deepEqual(found, [{ a: { x: 1 }, b: null }, null, {}]);
  assert.deepEqual(others, ['c', 'd', 'c']);
});

test('JsonReader skips any depth without recursion', () => {
  const depth = 2_000_000;
  const reader = readerOf(`[${'['.repeat(depth)}${']'.repeat(depth)},"after"]`);
  const read: (() => void)[] = [() => undefined, () => assert.equal(reader.text(), 'after')];
  reader.array(() => read.shift()?.());
  assert.deepEqual(read, []);
});
