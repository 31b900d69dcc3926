import {
  certainties, type Certainty, type EvidenceItem, type Hypothesis, type Reason, type Report,
  type Statement, type Verdict,
} from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import type { AnsweredHypothesis, ModelAnswer } from './answer-schema.ts';
import type { Judged } from './judge-answer.ts';

const causeMax = 120;

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
  const { verdict } = report;
  if (!judged.isTrusted) return { verdict, hypotheses: report.hypotheses };
  const said = new Map(answer.hypotheses.flatMap((each) => {
    return each.about === null ? [] : [[each.about, each] as const];
  }));
  const weighed = report.hypotheses.map((hypothesis, index): Weighed => {
    const about = said.get(`H${index + 1}`) ?? null;
    const against = refutation(about, { judged, report });
    const rank = isSupported(about, { judged, report }) ? 0 : against === null ? 1 : 2;
    const weighted = against === null ? hypothesis : refuted(hypothesis, against);
    return { hypothesis: weighted, rank, index };
  });
  const hypotheses = weighed
    .sort((a, b) => {
      return certainties.indexOf(a.hypothesis.certainty)
        - certainties.indexOf(b.hypothesis.certainty) || a.rank - b.rank || a.index - b.index;
    })
    .map(({ hypothesis }) => hypothesis);
  const best = weighed.find(({ hypothesis }) => hypothesis === hypotheses[0]);
  const outcome = lowered(report, { hypotheses, answer, judged });
  if (best === undefined || best.index === 0 || outcome.most_likely === null) {
    return { hypotheses, verdict: outcome };
  }
  const passed = weighed.find(({ index }) => index === 0) ?? best;
  const reason = reasonOfChange(passed, best, said);
  return { hypotheses, verdict: { ...outcome, reasons: [...outcome.reasons, reason] } };
}

interface Weighed {
  readonly hypothesis: Hypothesis;
  /** 0 when the model supports it with verified evidence, 2 when it refutes it so, else 1. */
  readonly rank: number;
  readonly index: number;
}

/** Why another hypothesis is the most likely one now. */
function reasonOfChange(
  passed: Weighed,
  best: Weighed,
  said: ReadonlyMap<string, AnsweredHypothesis>,
): Reason {
  const [before, now] = [passed, best].map(({ hypothesis }) => {
    return `"${shownText(hypothesis.cause, causeMax)}"`;
  });
  const answerOn = ({ index }: Weighed): AnsweredHypothesis | undefined => {
    return said.get(`H${index + 1}`);
  };
  const [why, evidence = []] =
    passed.rank === 2 ? ['named evidence against it', answerOn(passed)?.against_ids]
      : best.rank === 0 ? [`named evidence for ${now}`, answerOn(best)?.for_ids]
        : ['doubted it'];
  const text = `${before} ranked first until the language model ${why}.`;
  return { text, effect: 'lowers', evidence: evidence.slice(0, 4) };
}

/** The hypothesis with an objection, and at most possible. */
export function refuted(hypothesis: Hypothesis, against: Statement): Hypothesis {
  return {
    ...hypothesis,
    against: [...hypothesis.against, against],
    certainty: lowerOf(hypothesis.certainty, 'possible'),
  };
}

interface Ground {
  readonly judged: Judged;
  readonly report: Report;
}

/** Null unless the evidence that the model names bears the refutation out. */
function refutation(about: AnsweredHypothesis | null, ground: Ground): Statement | null {
  if (about?.status !== 'refuted') return null;
  const statement = { text: ground.judged.clean(about.reason), evidence: about.against_ids };
  if (!isProven(statement, ground)) return null;
  return objection(statement);
}

function isSupported(about: AnsweredHypothesis | null, ground: Ground): boolean {
  return about?.status === 'supported' &&
    isProven({ text: ground.judged.clean(about.reason), evidence: about.for_ids }, ground);
}

/** Kinds of evidence that speak neither for nor against a hypothesis, however true they are. */
const neutralKinds: ReadonlySet<EvidenceItem['kind']> = new Set(['alert', 'group', 'source']);

function isProven({ text, evidence }: Statement, { judged, report }: Ground): boolean {
  const isTelling = report.evidence.some(({ id, kind }) => {
    return evidence.includes(id) && !neutralKinds.has(kind);
  });
  return text !== '' && isTelling && judged.verify({ text, evidence });
}

function lowered(
  { verdict, hypotheses: [first] }: Report,
  { hypotheses, answer, judged }: {
    readonly hypotheses: readonly Hypothesis[];
    readonly answer: ModelAnswer;
    readonly judged: Judged;
  },
): Verdict {
  const best = hypotheses[0]?.certainty ?? 'inconclusive';
  const certainty = lowerOf(verdict.certainty, lowerOf(best, mostFor(answer)));
  const isSame = verdict.most_likely === null || hypotheses[0]?.cause === first?.cause;
  const mostLikely = isSame ? verdict.most_likely : (hypotheses[0]?.cause ?? null);
  if (certainty === verdict.certainty) return { ...verdict, most_likely: mostLikely };
  const evidence = [...new Set(judged.claims.flatMap((claim) => {
    return claim.verified ? claim.evidence : [];
  }))].slice(0, 4);
  const text = `${doubtOpening}is less sure: ${doubtText(answer, best)}.`;
  return {
    ...verdict,
    certainty,
    most_likely: mostLikely,
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
