import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDoubts } from '../../../src/model/answer/apply-doubts.ts';
import { readDoubts, type Doubt } from '../../../src/model/answer/read-doubts.ts';
import type { Certainty, Report } from '../../../src/report/report.ts';
import { supportedBy } from '../../support/judged-answer.ts';
import { sampleReport } from '../../support/samples/sample-report.ts';

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

test('readDoubts reads the id of an explanation as models write it', () => {
  for (const id of ['H2', 'h2', '[H2]', 'H2: the pool is full']) {
    assert.equal(readDoubts(said(about(id)), 2)?.[0]?.index, 1, id);
  }
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

test('readDoubts takes more reviews than there may be explanations for none', () => {
  const reviews = Array.from({ length: 21 }, (_, index) => about(`H${index + 1}`));
  assert.equal(readDoubts(said(...reviews), 99), null);
  assert.equal(readDoubts(said(...reviews.slice(1)), 99)?.length, 20);
});

/** A report of one such explanation, as it is after the review; only E1 bears anything out. */
function reviewed(certainty: Certainty, over: Partial<Doubt> = {}): Report {
  const { verdict, hypotheses, ...rest } = sampleReport();
  const doubt = { index: 0, judgement: 'reject', reason: 'It is up.', evidence: ['E1'], ...over };
  const report = {
    ...rest, verdict: { ...verdict, certainty, reasons: [] },
    hypotheses: hypotheses.map((each) => ({ ...each, certainty, against: [] })),
  };
  return withDoubts(report, [doubt as Doubt], supportedBy('E1'));
}

const unproven = { evidence: ['E2'] };
const doubts: readonly [Certainty, Partial<Doubt>, Certainty][] = [
  ['confirmed', { judgement: 'keep' }, 'confirmed'],
  ['confirmed', { judgement: 'downgrade' }, 'likely'],
  ['confirmed', { judgement: 'reject' }, 'possible'],
  ['confirmed', { judgement: 'reject', ...unproven }, 'likely'],
  ['confirmed', { judgement: 'reject', reason: '' }, 'likely'],
  ['likely', { judgement: 'downgrade' }, 'possible'],
  ['likely', { judgement: 'reject', ...unproven }, 'possible'],
  ['possible', { judgement: 'downgrade' }, 'possible'],
  ['possible', { judgement: 'reject' }, 'possible'],
  ['inconclusive', { judgement: 'reject' }, 'inconclusive'],
];
for (const [before, doubt, after] of doubts) {
  test(`withDoubts leaves what was ${before} ${after} at ${JSON.stringify(doubt)}`, () => {
    const { verdict, hypotheses: [first] } = reviewed(before, doubt);
    assert.deepEqual([verdict.certainty, first?.certainty], [after, after]);
    assert.equal(verdict.reasons.length, before === after ? 0 : 1);
  });
}

test('withDoubts tells what evidence bears out, and cites no other', () => {
  const { verdict, hypotheses: [first] } = reviewed('confirmed');
  const text = 'The language model objects: It is up.';
  assert.deepEqual(first?.against, [{ text, evidence: ['E1'] }]);
  assert.deepEqual(verdict.reasons[0]?.evidence, ['E1']);
  const partly = reviewed('confirmed', { evidence: ['E1', 'E2'] });
  assert.deepEqual(partly.hypotheses[0]?.against, []);
  assert.deepEqual(partly.verdict.reasons[0]?.evidence, []);
  assert.deepEqual(reviewed('confirmed', { reason: '' }).hypotheses[0]?.against, []);
});
