import type { Certainty, Hypothesis, Report, Statement, Verdict } from '../report/report.ts';
import type { AnsweredHypothesis, ModelAnswer } from './answer-schema.ts';
import type { Judged } from './judge-answer.ts';

/** From the surest down. */
const certainties: readonly Certainty[] = ['confirmed', 'likely', 'possible', 'inconclusive'];

/** How a reason begins that lowers the certainty because a model doubts. */
export const doubtOpening = 'The language model ';

export function lowerOf(a: Certainty, b: Certainty): Certainty {
  return certainties.indexOf(a) >= certainties.indexOf(b) ? a : b;
}

/**
 * What the model's conclusion changes: explanations of equal certainty in its order, one that it
 * refutes by evidence less certain, the verdict at most as certain as the model is. Nothing
 * becomes more certain, and nothing goes away.
 */
export function applyVerdict(
  report: Report,
  answer: ModelAnswer,
  judged: Judged,
): Pick<Report, 'verdict' | 'hypotheses'> {
  const { verdict } = report;
  if (!judged.isTrusted) return { verdict, hypotheses: report.hypotheses };
  const said = new Map(answer.hypotheses.flatMap((each) => {
    return each.about === null ? [] : [[each.about, each] as const];
  }));
  const weighed = report.hypotheses.map((hypothesis, index) => {
    const about = said.get(`H${index + 1}`) ?? null;
    const against = refutation(about, judged);
    const rank = about?.status === 'supported' ? 0 : against === null ? 1 : 2;
    return { hypothesis: doubted(hypothesis, against), rank, index };
  });
  const hypotheses = weighed
    .sort((a, b) => {
      return certainties.indexOf(a.hypothesis.certainty)
        - certainties.indexOf(b.hypothesis.certainty) || a.rank - b.rank || a.index - b.index;
    })
    .map(({ hypothesis }) => hypothesis);
  return { hypotheses, verdict: lowered(verdict, { hypotheses, answer, judged }) };
}

function doubted(hypothesis: Hypothesis, against: Statement | null): Hypothesis {
  if (against === null) return hypothesis;
  return {
    ...hypothesis,
    against: [...hypothesis.against, against],
    certainty: lowerOf(hypothesis.certainty, 'possible'),
  };
}

/** Null unless evidence that it names bears the refutation out. */
function refutation(about: AnsweredHypothesis | null, judged: Judged): Statement | null {
  if (about?.status !== 'refuted') return null;
  const statement = { text: judged.clean(about.reason), evidence: about.against_ids };
  if (statement.text === '' || !judged.verify(statement)) return null;
  return { ...statement, text: `${doubtOpening}holds against it: ${statement.text}` };
}

function lowered(
  verdict: Verdict,
  { hypotheses, answer, judged }: {
    readonly hypotheses: readonly Hypothesis[];
    readonly answer: ModelAnswer;
    readonly judged: Judged;
  },
): Verdict {
  const best = hypotheses[0]?.certainty ?? 'inconclusive';
  const certainty = lowerOf(verdict.certainty, lowerOf(best, mostFor(answer)));
  const mostLikely = hypotheses[0]?.cause ?? null;
  if (certainty === verdict.certainty) {
    const isSame = verdict.most_likely === null || verdict.most_likely === mostLikely;
    return isSame ? verdict : { ...verdict, most_likely: mostLikely };
  }
  const evidence = [...new Set(judged.claims.flatMap((claim) => {
    return claim.verified ? claim.evidence : [];
  }))].slice(0, 4);
  const text = `${doubtOpening}is not as sure: ${doubtWords[answer.verdict]}.`;
  return {
    ...verdict,
    certainty,
    most_likely: certainty === 'inconclusive' ? null : mostLikely,
    reasons: [...verdict.reasons, { text, effect: 'lowers', evidence }],
  };
}

/** How certain a report may be whose evidence the model reads like this. */
function mostFor({ verdict, confidence }: ModelAnswer): Certainty {
  if (verdict === 'inconclusive' || confidence === 'low') return 'possible';
  return verdict === 'probable' ? 'likely' : 'confirmed';
}

const doubtWords: Readonly<Record<ModelAnswer['verdict'], string>> = {
  confirmed: 'it finds evidence against what was held most likely',
  probable: 'it calls the cause probable, not confirmed',
  inconclusive: 'it calls the evidence inconclusive',
  not_an_issue: 'it sees no problem in the evidence',
};
