import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readJudgedSentences } from '../../../scripts/claims/judged-sentences.ts';

/** Shares of the sentences judged rightly; what falls below was better before. */
const keptMin = 0.92;
const struckMin = 0.95;

const sentences = readJudgedSentences('test/fixtures/claims');

for (const [isTrue, shareMin] of [[true, keptMin], [false, struckMin]] as const) {
  test(`most sentences about recorded evidence that are ${isTrue} are judged so`, () => {
    const told = sentences.filter((sentence) => sentence.isTrue === isTrue);
    const right = told.filter(({ problems }) => isTrue === (problems.length === 0));
    assert.ok(told.length > 100);
    assert.ok(right.length / told.length >= shareMin, `${right.length} of ${told.length}`);
  });
}
