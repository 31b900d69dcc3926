import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDoubts } from '../../src/model/doubt.ts';

function said(...reviews: readonly object[]): string {
  return JSON.stringify({ reviews });
}

function about(id: string, over: object = {}): object {
  return { about: id, judgement: 'reject', reason: 'It is up.', evidence_ids: ['E2'], ...over };
}

test('readDoubts reads what is said of each explanation', () => {
  assert.deepEqual(readDoubts(said(about('H2'), about('H1', { judgement: 'keep' })), 2), [
    { index: 1, judgement: 'reject', reason: 'It is up.', evidence: ['E2'] },
    { index: 0, judgement: 'keep', reason: 'It is up.', evidence: ['E2'] },
  ]);
});

const none: readonly [string, string][] = [
  ['an explanation that is not listed', said(about('H1'), about('H3'))],
  ['one before the first', said(about('H0'))],
  ['no explanation at all', said(about('the cause'))],
  ['the same one twice', said(about('H1'), about('H1'))],
  ['another judgement', said(about('H1', { judgement: 'raise' }))],
  ['nothing', said()],
  ['text', 'I would keep them all.'],
  ['a list', '[]'],
  ['a conclusion', JSON.stringify({ verdict: 'confirmed' })],
];
for (const [name, text] of none) {
  test(`readDoubts takes a review about ${name} for none`, () => {
    assert.equal(readDoubts(text, 2), null);
  });
}
