import type { Certainty, Hypothesis, Report, Statement } from '../../report/report.ts';
import { doubtOpening, lowerOf, objection, refuted } from './apply-verdict.ts';
import type { Judged } from './judge-answer.ts';
import type { Doubt } from './read-doubts.ts';

/**
 * Lowers the certainty by the review: a doubt by one step, a rejection that evidence bears out to
 * `possible`. Nothing becomes more certain.
 */
export function withDoubts(
  report: Report,
  doubts: readonly Doubt[] | null,
  judged: Judged,
): Report {
  if (doubts === null || doubts.every(({ judgement }) => judgement === 'keep')) return report;
  const byIndex = new Map(doubts.map((doubt) => [doubt.index, doubt]));
  const hypotheses = report.hypotheses.map((hypothesis, index) => {
    const doubt = byIndex.get(index);
    return doubt === undefined ? hypothesis : doubted(hypothesis, doubt, judged);
  });
  const { verdict } = report;
  const first = byIndex.get(0);
  const best = hypotheses[0]?.certainty ?? 'inconclusive';
  const certainty = lowerOf(verdict.certainty, best);
  if (first === undefined || certainty === verdict.certainty) return { ...report, hypotheses };
  const what = first.judgement === 'reject' ? 'rejects' : 'doubts';
  const reason = {
    text: `${doubtOpening}${what} the most likely cause after a second look at the evidence.`,
    effect: 'lowers' as const,
    evidence: provenReason(first, judged)?.evidence ?? [],
  };
  return {
    ...report, hypotheses,
    verdict: { ...verdict, certainty, reasons: [...verdict.reasons, reason] },
  };
}

const stepDown: Readonly<Record<Certainty, Certainty>> = {
  confirmed: 'likely', likely: 'possible', possible: 'possible', inconclusive: 'inconclusive',
};

function doubted(hypothesis: Hypothesis, doubt: Doubt, judged: Judged): Hypothesis {
  const { judgement } = doubt;
  if (judgement === 'keep') return hypothesis;
  const reason = provenReason(doubt, judged);
  const certainty = stepDown[hypothesis.certainty];
  if (reason === null) return { ...hypothesis, certainty };
  const lowered = refuted(hypothesis, objection(reason));
  return judgement === 'reject' ? lowered : { ...lowered, certainty };
}

/** The reason of a doubt; null unless the evidence that it cites bears it out. */
function provenReason({ reason, evidence }: Doubt, judged: Judged): Statement | null {
  const statement = { text: judged.clean(reason), evidence };
  return statement.text !== '' && judged.verify(statement) ? statement : null;
}
