import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  fieldsOf, lenient, listOf, number, objectOf, oneOf, optional, shortText, text,
} from '../../src/lib/parse.ts';

const shop = objectOf<{ name: string; items: { size: number }[] }>({
  name: shortText(4), items: listOf(objectOf({ size: number })),
});

const faults: readonly (readonly [unknown, string])[] = [
  [null, 'shop: expected an object, got null'],
  [[], 'shop: expected an object, got an array'],
  [{ items: [] }, 'shop.name: expected a string, got nothing'],
  [{ name: 'canary', items: [] }, 'shop.name: expected at most 4 long, got a string'],
  [{ name: 'a', items: {} }, 'shop.items: expected an array, got an object'],
  [
    { name: 'a', items: [{ size: 1 }, { size: 'canary' }] },
    'shop.items[1].size: expected a number, got a string',
  ],
];
for (const [value, message] of faults) {
  test(`a parser says where it fails, and never the value: ${message}`, () => {
    assert.throws(() => shop(value, 'shop'), { name: 'FormatError', message });
  });
}

test('objectOf() leaves out other members, and takes no inherited one', () => {
  const given = JSON.parse('{"name":"a","items":[],"other":1,"__proto__":{"x":1}}') as unknown;
  assert.deepEqual(Object.keys(shop(given, 'shop')), ['name', 'items']);
  assert.throws(() => fieldsOf({}, 'a')('constructor', (value, path) => text(value, path)), {
    message: 'a.constructor: expected a string, got nothing',
  });
});

test('optional() forgives only what is absent, lenient() whatever does not fit', () => {
  const severity = oneOf('low', 'high');
  for (const absent of [undefined, null]) {
    assert.equal(optional(severity, 'none')(absent, 'a'), 'none');
    assert.equal(lenient(severity, 'none')(absent, 'a'), 'none');
  }
  assert.throws(() => optional(severity, 'none')('odd', 'a'), {
    message: 'a: expected one of low, high, got a string',
  });
  assert.equal(lenient(severity, 'none')('odd', 'a'), 'none');
  const broken = (): never => assert.fail('a bug');
  assert.throws(() => lenient(broken, 'none')('odd', 'a'), /a bug/);
});
