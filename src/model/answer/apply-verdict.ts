import {
  byCertainty, certainties, type Certainty, type EvidenceItem, type Hypothesis, type Reason,
  type Report, type Statement, type Verdict,
} from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import type { AnsweredHypothesis, ModelAnswer } from './answer-schema.ts';
import type { Judged } from './judge-answer.ts';

const causeMax = 120;
/** Ids of evidence that a reason cites. */
const citedMax = 4;

/** Start of every reason that lowers the certainty because the model has doubts. */
export const doubtOpening = 'The language model ';

/** The model's objection to a hypothesis. Its text has been cleaned and verified already. */
export function objection({ text, evidence }: Statement): Statement {
  return { text: `${doubtOpening}objects: ${text}`, evidence };
}

/** The less certain of the two. */
export function lowerOf(a: Certainty, b: Certainty): Certainty {
  return certainties.indexOf(a) >= certainties.indexOf(b) ? a : b;
}

/**
 * Applies the model's conclusion. Hypotheses of equal certainty are sorted by its verified support,
 * one that it refutes with verified evidence becomes less certain, and the verdict is at most as
 * certain as the model. Nothing becomes more certain and no hypothesis is removed; a changed cause
 * comes with the reason for the change.
 */
export function applyVerdict(
  report: Report,
  answer: ModelAnswer,
  judged: Judged,
): Pick<Report, 'verdict' | 'hypotheses'> {
  if (!judged.isTrusted) return report;
  const ranked = report.hypotheses
    .map((hypothesis, index) => weighed(hypothesis, index, { report, answer, judged }))
    .sort((a, b) =>
      byCertainty(a.hypothesis, b.hypothesis) || a.rank - b.rank || a.index - b.index);
  const hypotheses = ranked.map(({ hypothesis }) => hypothesis);
  const verdict = cappedVerdict(report.verdict, hypotheses, { answer, judged });
  const [best] = ranked;
  const passed = ranked.find(({ index }) => index === 0);
  const hasChanged = best !== passed && verdict.most_likely !== null;
  if (best === undefined || passed === undefined || !hasChanged) return { hypotheses, verdict };
  return {
    hypotheses,
    verdict: {
      ...verdict, most_likely: best.hypothesis.cause,
      reasons: [...verdict.reasons, reasonOfChange(passed, best)],
    },
  };
}

interface Weighed {
  readonly hypothesis: Hypothesis;
  /** What the model says of it; null for nothing. */
  readonly said: AnsweredHypothesis | null;
  /** 0 when the model supports it with verified evidence, 2 when it refutes it so, else 1. */
  readonly rank: 0 | 1 | 2;
  /** Index into the report's hypotheses. */
  readonly index: number;
}

interface Ground {
  readonly report: Report;
  readonly answer: ModelAnswer;
  readonly judged: Judged;
}

function weighed(hypothesis: Hypothesis, index: number, ground: Ground): Weighed {
  const said = ground.answer.hypotheses.findLast(({ about }) => about === `H${index + 1}`) ?? null;
  const because = said === null ? '' : ground.judged.clean(said.reason);
  if (said?.status === 'supported' && isProven({ text: because, evidence: said.for_ids }, ground)) {
    return { hypothesis, said, rank: 0, index };
  }
  const against = { text: because, evidence: said?.against_ids ?? [] };
  if (said?.status !== 'refuted' || !isProven(against, ground)) {
    return { hypothesis, said, rank: 1, index };
  }
  return { hypothesis: refuted(hypothesis, objection(against)), said, rank: 2, index };
}

/** Kinds of evidence that speak neither for nor against a hypothesis, however true they are. */
const neutralKinds: ReadonlySet<EvidenceItem['kind']> = new Set(['alert', 'group', 'source']);

function isProven({ text, evidence }: Statement, { judged, report }: Ground): boolean {
  const isTelling = report.evidence.some(({ id, kind }) =>
    evidence.includes(id) && !neutralKinds.has(kind));
  return text !== '' && isTelling && judged.verify({ text, evidence });
}

/** The hypothesis with an objection, and at most possible. */
export function refuted(hypothesis: Hypothesis, against: Statement): Hypothesis {
  return {
    ...hypothesis,
    against: [...hypothesis.against, against],
    certainty: lowerOf(hypothesis.certainty, 'possible'),
  };
}

/** Why another hypothesis is the most likely one now. */
function reasonOfChange(passed: Weighed, best: Weighed): Reason {
  const [before, now] = [passed, best].map(({ hypothesis }) =>
    `"${shownText(hypothesis.cause, causeMax)}"`);
  const [why, evidence = []] =
    passed.rank === 2 ? ['named evidence against it', passed.said?.against_ids]
      : best.rank === 0 ? [`named evidence for ${now}`, best.said?.for_ids]
        : ['doubted it'];
  const text = `${before} ranked first until the language model ${why}.`;
  return { text, effect: 'lowers', evidence: evidence.slice(0, citedMax) };
}

/** The verdict, at most as certain as its best hypothesis and as the model, and why it is less. */
function cappedVerdict(
  verdict: Verdict,
  [first]: readonly Hypothesis[],
  { answer, judged }: { readonly answer: ModelAnswer; readonly judged: Judged },
): Verdict {
  const best = first?.certainty ?? 'inconclusive';
  const certainty = lowerOf(verdict.certainty, lowerOf(best, mostFor(answer)));
  if (certainty === verdict.certainty) return verdict;
  const proven = judged.claims.filter(({ verified }) => verified);
  const evidence = [...new Set(proven.flatMap((claim) => claim.evidence))].slice(0, citedMax);
  const text = `${doubtOpening}is less sure: ${doubtText(answer, best)}.`;
  return {
    ...verdict, certainty,
    reasons: [...verdict.reasons, { text, effect: 'lowers', evidence }],
  };
}

/** The highest certainty that the model's own verdict and confidence allow. */
function mostFor({ verdict, confidence }: ModelAnswer): Certainty {
  if (verdict === 'inconclusive' || confidence === 'low') return 'possible';
  return verdict === 'probable' ? 'likely' : 'confirmed';
}

/** Why the verdict was lowered: by the certainty of the best hypothesis, or by the model's own. */
function doubtText(answer: ModelAnswer, best: Certainty): string {
  const { verdict, confidence } = answer;
  if (lowerOf(best, mostFor(answer)) !== mostFor(answer)) {
    return 'it names evidence against the most likely cause';
  }
  if (verdict === 'inconclusive') return 'it calls the evidence inconclusive';
  if (confidence === 'low') return 'it has little confidence in its own conclusion';
  return 'it calls the cause probable, not confirmed';
}
