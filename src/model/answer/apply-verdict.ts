import {
  certainties, type Certainty, type EvidenceItem, type Hypothesis, type Reason, type Report,
  type Statement, type Verdict,
} from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import type { AnsweredHypothesis, ModelAnswer } from './answer-schema.ts';
import type { Judged } from './judge-answer.ts';

const causeMax = 120;

/** How a reason begins that lowers the certainty because a model doubts. */
export const doubtOpening = 'The language model ';

/** What speaks against an explanation in the model's words; they are clean and proven already. */
export function objection({ text, evidence }: Statement): Statement {
  return { text: `${doubtOpening}holds against it: ${text}`, evidence };
}

/** The less certain of the two. */
export function lowerOf(a: Certainty, b: Certainty): Certainty {
  return certainties.indexOf(a) >= certainties.indexOf(b) ? a : b;
}

/**
 * What the model's conclusion changes: explanations of equal certainty in its order where evidence
 * bears it out, one that it refutes by evidence less certain, the verdict at most as certain as the
 * model is. Nothing becomes more certain, nothing goes away, and another cause says why it is one.
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
    return { hypothesis: doubted(hypothesis, against), rank, index };
  });
  const hypotheses = weighed
    .sort((a, b) => {
      return certainties.indexOf(a.hypothesis.certainty)
        - certainties.indexOf(b.hypothesis.certainty) || a.rank - b.rank || a.index - b.index;
    })
    .map(({ hypothesis }) => hypothesis);
  const best = weighed.find(({ hypothesis }) => hypothesis === hypotheses[0]);
  const outcome = lowered(verdict, { hypotheses, answer, judged });
  if (best === undefined || best.index === 0 || outcome.most_likely === null) {
    return { hypotheses, verdict: outcome };
  }
  const passed = weighed.find(({ index }) => index === 0) ?? best;
  const reason = reasonOfChange(passed, best, said);
  return { hypotheses, verdict: { ...outcome, reasons: [...outcome.reasons, reason] } };
}

interface Weighed {
  readonly hypothesis: Hypothesis;
  /** 0 when the model supports it by evidence, 2 when it refutes it so. */
  readonly rank: number;
  readonly index: number;
}

/** Why another explanation stands first than before. */
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
  const lowering = (text: string, evidence: readonly string[] = []): Reason => {
    return { text, effect: 'lowers', evidence: evidence.slice(0, 4) };
  };
  if (passed.rank === 2) {
    const text = `${before} stood first until the language model named evidence against it.`;
    return lowering(text, answerOn(passed)?.against_ids);
  }
  if (best.rank === 0) {
    const text = `Code put ${before} before ${now};`;
    return lowering(`${text} the language model names evidence for the latter.`,
      answerOn(best)?.for_ids);
  }
  return lowering(`${before} stood first until the language model doubted it.`);
}

function doubted(hypothesis: Hypothesis, against: Statement | null): Hypothesis {
  if (against === null) return hypothesis;
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

/** Null unless evidence that it names bears the refutation out. */
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

/** What tells neither for nor against any explanation, however true it is. */
const tellsNothing: ReadonlySet<EvidenceItem['kind']> = new Set(['alert', 'group', 'source']);

function isProven({ text, evidence }: Statement, { judged, report }: Ground): boolean {
  const isTelling = report.evidence.some(({ id, kind }) => {
    return evidence.includes(id) && !tellsNothing.has(kind);
  });
  return text !== '' && isTelling && judged.verify({ text, evidence });
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
