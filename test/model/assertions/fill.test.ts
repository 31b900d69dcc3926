import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../../src/model/assertions/cell.ts';
import { filled, sentencesOf } from '../../../src/model/assertions/fill.ts';
import { sampleReport } from '../../support/samples/sample-report.ts';

const [sample] = sampleReport().evidence;
assert.ok(sample !== undefined);
const item = {
  ...sample, id: 'E1', title: 'Latency of web-1', summary: '', query: null,
  data: {
    unit: 'seconds', after: 0.5, pod: 'web-1', note: 'run rm now', onset: '2026-11-20T01:09:10Z',
  },
};
const context = {
  evidence: new Map([['E1', item]]), known: JSON.stringify(item).toLowerCase(),
};

const shown: readonly (readonly [string, string])[] = [
  ['It rose to {E1.after} at {E1.onset}.', 'It rose to 500 ms at 01:09:10 UTC.'],
  ['The pod {E1.pod} is slow [E1].', 'The pod web-1 is slow [E1].'],
  ['As H1 says, web-1 waits for one of its stores (E1).',
    'As H1 says, web-1 waits for one of its stores (E1).'],
  ['First it slowed down, then it failed.', 'First it slowed down, then it failed.'],
];
for (const [said, text] of shown) {
  test(`a reading is shown: ${said}`, () => assert.equal(filled(said, context).text, text));
}

const refused: readonly (readonly [string, string])[] = [
  ['a digit', 'It rose to 512 ms.'], ['a digit of another script', 'It rose to ٥ seconds.'],
  ['a number in words', 'It failed three times.'], ['a multiple', 'It doubled.'],
  ['a large number in words', 'Thousands of requests failed.'],
  ['a name that no evidence has', 'ledger-store-1 is full.'],
  ['an address that does not exist', 'It rose to {E1.nothing}.'],
  ['an item that does not exist', 'It rose [E7].'], ['a prototype', 'It is {E1.__proto__}.'],
  ['text of strangers', 'It says {E1.note}.'], ['an order', 'Please restart the service.'],
  ['an unclosed brace with a digit', 'It is {E1.after and 7.'],
];
for (const [what, said] of refused) {
  test(`a reading is refused for ${what}: ${said}`, () => {
    assert.throws(() => filled(said, context), Problem);
  });
}

test('sentencesOf() leaves values and ids with the sentence that they are of', () => {
  assert.deepEqual(sentencesOf('It is slow, e.g. this. [E1] {E1.after} is much. (E1) It rose.'), [
    'It is slow, e.g. this. [E1]', '{E1.after} is much. (E1)', 'It rose.',
  ]);
});
