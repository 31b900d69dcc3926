import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnsweredHypothesis, ModelAnswer } from '../../../src/model/answer/answer-schema.ts';
import { applyVerdict } from '../../../src/model/answer/apply-verdict.ts';
import type { Judged } from '../../../src/model/answer/judge-answer.ts';
import type { Certainty, Hypothesis, Report } from '../../../src/report/report.ts';
import { supportedBy } from '../../support/judged-answer.ts';
import { sampleReport } from '../../support/samples/sample-report.ts';
import { anAnswer } from '../../support/scripted-model.ts';

const claims = [
  { text: 'It is so.', evidence: ['E1'], verified: true },
  { text: 'It is not.', evidence: ['E2'], verified: false },
];

/** A report whose verdict is as certain as the first of these explanations, A, B and so on. */
function aReport(certainties: readonly Certainty[]): Report {
  const { verdict, hypotheses: [one], ...rest } = sampleReport();
  assert.ok(one !== undefined);
  const hypotheses = certainties.map((certainty, index): Hypothesis => {
    return { ...one, cause: 'ABC'.charAt(index), certainty, against: [] };
  });
  const certainty = certainties[0] ?? 'inconclusive';
  const mostLikely = certainty === 'inconclusive' ? null : 'A';
  // What only repeats the alert would speak neither for nor against any of them.
  const evidence = rest.evidence.map((item) => ({ ...item, kind: 'series' as const }));
  return {
    ...rest, evidence, hypotheses,
    verdict: { ...verdict, certainty, most_likely: mostLikely, reasons: [] },
  };
}

function saidOf(about: string, over: Partial<AnsweredHypothesis> = {}): AnsweredHypothesis {
  return {
    about, statement: 'So.', status: 'refuted', for_ids: [],
    against_ids: ['E1'], reason: 'It is up.', ...over,
  };
}

function applied(
  report: Report,
  answer: Partial<ModelAnswer>,
  over: Partial<Judged> = {},
): ReturnType<typeof applyVerdict> {
  const sure = { verdict: 'confirmed', confidence: 'high' } as const;
  return applyVerdict(report, anAnswer({ ...sure, ...answer }), supportedBy('E1', {
    claims, ...over,
  }));
}

function order({ hypotheses }: ReturnType<typeof applyVerdict>): string[] {
  return hypotheses.map(({ cause, certainty }) => `${cause} ${certainty}`);
}

test('applyVerdict changes nothing by an answer that is not trusted', () => {
  const report = aReport(['likely', 'possible']);
  const answer = { verdict: 'inconclusive', hypotheses: [saidOf('H1')] } as const;
  const { verdict, hypotheses } = applied(report, answer, { isTrusted: false });
  assert.deepEqual([verdict, hypotheses], [report.verdict, report.hypotheses]);
});

test('applyVerdict keeps what is tied with the first cause while that stays first', () => {
  const report = aReport(['possible', 'possible']);
  const both = 'A; C moved about as much';
  const tied = { ...report, verdict: { ...report.verdict, most_likely: both } };
  assert.equal(applied(tied, {}).verdict.most_likely, both);
  const { verdict } = applied(tied, { hypotheses: [saidOf('H1')] });
  assert.equal(verdict.most_likely, 'B');
});

test('applyVerdict makes less certain what evidence refutes, and nothing else', () => {
  const refuted = applied(aReport(['confirmed', 'likely']), { hypotheses: [saidOf('H1')] });
  assert.deepEqual(order(refuted), ['B likely', 'A possible']);
  assert.equal(refuted.verdict.certainty, 'likely');
  assert.equal(refuted.verdict.most_likely, 'B');
  for (const over of [{ against_ids: ['E2'] }, { against_ids: [] }, { reason: '' }]) {
    const report = aReport(['confirmed', 'likely']);
    assert.deepEqual(applied(report, { hypotheses: [saidOf('H1', over)] }).verdict, report.verdict);
  }
  const open = applied(aReport(['inconclusive', 'inconclusive']), { hypotheses: [saidOf('H1')] });
  assert.deepEqual(order(open), ['B inconclusive', 'A inconclusive']);
  assert.equal(open.verdict.most_likely, null);
});

test('applyVerdict puts what the model supports first among equals only', () => {
  const report = aReport(['likely', 'possible', 'possible']);
  const answer = { hypotheses: [saidOf('H3', { status: 'supported', for_ids: ['E1'] })] };
  assert.deepEqual(order(applied(report, answer)), ['A likely', 'C possible', 'B possible']);
});

const low = { confidence: 'low' } as const;
const caps: readonly [Certainty, Partial<ModelAnswer>, Certainty, why?: RegExp][] = [
  ['confirmed', { verdict: 'confirmed' }, 'confirmed'],
  ['confirmed', { verdict: 'probable' }, 'likely', /calls the cause probable, not confirmed/],
  ['confirmed', { verdict: 'inconclusive' }, 'possible', /calls the evidence inconclusive/],
  ['confirmed', { verdict: 'inconclusive', ...low }, 'possible', /calls the evidence inconc/],
  ['confirmed', { verdict: 'confirmed', ...low }, 'possible', /has little confidence in its own/],
  ['likely', { verdict: 'probable', ...low }, 'possible', /has little confidence in its own/],
  ['confirmed', { verdict: 'confirmed', hypotheses: [saidOf('H1')] }, 'possible',
    /names evidence against the most likely cause/],
  ['likely', { verdict: 'confirmed' }, 'likely'],
  ['possible', { verdict: 'confirmed' }, 'possible'],
];
for (const [before, answer, after, why] of caps) {
  test(`applyVerdict makes of ${before} ${after} at ${JSON.stringify(answer)}`, () => {
    const { verdict } = applied(aReport([before]), answer);
    assert.equal(verdict.certainty, after);
    const cited = verdict.reasons.map(({ evidence }) => evidence);
    assert.deepEqual(cited, before === after ? [] : [['E1']], 'no claim that is not borne out');
    if (why !== undefined) assert.match(verdict.reasons[0]?.text ?? '', why);
  });
}
