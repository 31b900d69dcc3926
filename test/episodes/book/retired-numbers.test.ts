import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RetiredNumbers } from '../../../src/episodes/book/retired-numbers.ts';
import { fingerprint } from '../../support/samples/alerts.ts';

const key = (name: string, number: number) => ({ fingerprint: fingerprint(name), number });

test('RetiredNumbers knows the highest number that was removed, in any order', () => {
  const retired = new RetiredNumbers();
  assert.equal(retired.lastOf(fingerprint('a')), 0);
  for (const number of [3, 7, 5]) retired.retire(key('a', number));
  retired.retire(key('b', 1));
  assert.equal(retired.lastOf(fingerprint('a')), 7);
  assert.deepEqual([...retired.all()], [key('a', 7), key('b', 1)]);
});

test('RetiredNumbers forgets what was removed long before so many others', () => {
  const retired = new RetiredNumbers();
  for (let index = 0; index < 120_000; index++) retired.retire(key(`n${index}`, 2));
  assert.equal(retired.lastOf(fingerprint('n0')), 0);
  assert.equal(retired.lastOf(fingerprint('n60000')), 2);
  assert.ok([...retired.all()].length <= 100_000);
  retired.retire(key('n60000', 3));
  const copy = new RetiredNumbers();
  for (const each of retired.all()) copy.retire(each);
  assert.equal(copy.lastOf(fingerprint('n60000')), 3, 'the later of two entries counts');
});
