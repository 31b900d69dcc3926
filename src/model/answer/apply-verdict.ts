import { byCertainty } from '../../report/certainty.ts';
import {
  certainties, type Certainty, type Hypothesis, type Reason, type Report, type Statement,
  type Verdict,
} from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import type { ModelAnswer } from './answer-schema.ts';
import type { JudgedAnswer, JudgedFinding } from './judge-answer.ts';

const causeMax = 120;
/** Ids of evidence that a reason cites. */
const citedMax = 4;
/** An answer with fewer assertions that held at first changes nothing in the report. */
const heldMin = 2;
const heldShareMin = 2 / 3;
/** Findings that a cause of the model's own needs. */
const findingsMin = 2;

interface Ground {
  readonly answer: ModelAnswer;
  readonly judged: JudgedAnswer;
  /** How many of the assertions of the model's first answer held, and were made. */
  readonly first: { readonly held: number; readonly made: number };
}

/** Whether enough of the assertions held at first for the answer to affect the verdict. */
export function isTrusted({ held, made }: Ground['first']): boolean {
  return held >= heldMin && held >= made * heldShareMin;
}

/** The less certain of the two. */
export function lowerOf(a: Certainty, b: Certainty): Certainty {
  return certainties.indexOf(a) >= certainties.indexOf(b) ? a : b;
}

/**
 * Applies the model's conclusion. Each finding that holds stands with the hypothesis that it is
 * about; hypotheses of equal certainty are sorted by such findings; one that they speak against
 * becomes at most possible, and the verdict is at most as certain as the model. A cause of the
 * model's own becomes a possible one, and the most likely where there is none. Nothing else becomes
 * more certain, and no hypothesis is removed.
 */
export function applyVerdict(
  report: Report,
  ground: Ground,
): Pick<Report, 'verdict' | 'hypotheses'> {
  if (!isTrusted(ground.first)) return report;
  const ranked = report.hypotheses
    .map((hypothesis, index) => weighed(hypothesis, index, ground.judged.findings))
    .sort((a, b) =>
      byCertainty(a.hypothesis, b.hypothesis) || a.rank - b.rank || a.index - b.index);
  const hypotheses = ranked.map(({ hypothesis }) => hypothesis);
  const verdict = cappedVerdict(report.verdict, hypotheses, ground);
  const own = ownHypothesis(ground.judged);
  const [best] = ranked;
  const passed = ranked.find(({ index }) => index === 0);
  const hasChanged = best !== passed && verdict.most_likely !== null;
  const changed = best === undefined || passed === undefined || !hasChanged ? verdict : {
    ...verdict, most_likely: best.hypothesis.cause,
    reasons: [...verdict.reasons, reasonOfChange(passed, best)],
  };
  return own === null ? { hypotheses, verdict: changed }
    : withOwnHypothesis({ hypotheses, verdict: changed }, own);
}

interface Weighed {
  readonly hypothesis: Hypothesis;
  /** 0 when only findings for it hold, 2 when one against it does, else 1. */
  readonly rank: 0 | 1 | 2;
  /** Index into the report's hypotheses. */
  readonly index: number;
  readonly findings: readonly JudgedFinding[];
}

function weighed(
  hypothesis: Hypothesis,
  index: number,
  findings: readonly JudgedFinding[],
): Weighed {
  const findingsAbout = findings.filter(({ about, isInformative }) =>
    isInformative && about === `H${index + 1}`);
  const [pro, contra] = (['for', 'against'] as const).map((side) =>
    findingsAbout.filter(({ weight }) => weight === side).map(namedByModel));
  const rank = contra !== undefined && contra.length > 0 ? 2
    : pro !== undefined && pro.length > 0 ? 0 : 1;
  const certainty = rank === 2 ? lowerOf(hypothesis.certainty, 'possible') : hypothesis.certainty;
  return {
    rank, index, findings: findingsAbout,
    hypothesis: {
      ...hypothesis, certainty,
      for: [...hypothesis.for, ...pro ?? []], against: [...hypothesis.against, ...contra ?? []],
    },
  };
}

/** What holds, and that the model chose it. */
function namedByModel({ text, evidence }: JudgedFinding): Statement {
  return { text: `Named by the language model: ${text}`, evidence };
}

/** Null unless enough telling findings hold for it, and none against it. */
function ownHypothesis({ cause, findings }: JudgedAnswer): Hypothesis | null {
  const own = findings.filter(({ about, isInformative }) => isInformative && about === 'own');
  const pro = own.filter(({ weight }) => weight === 'for');
  const isBorneOut = pro.length >= findingsMin && own.every(({ weight }) => weight !== 'against');
  return cause === null || !isBorneOut ? null : {
    cause: `${cause.replace(/[.\s]+$/u, '')} (proposed by the language model)`,
    mechanism: null, for: pro.map(namedByModel), against: [], test: null,
    certainty: 'possible', kind: 'model', proposed_by: 'model',
  };
}

/** Adds a hypothesis of the model's; it is the most likely where code has none. */
export function withOwnHypothesis(
  { hypotheses, verdict }: Pick<Report, 'verdict' | 'hypotheses'>,
  own: Hypothesis,
): Pick<Report, 'verdict' | 'hypotheses'> {
  const isMostLikely = verdict.most_likely === null;
  const all = [...isMostLikely ? [own, ...hypotheses] : [...hypotheses, own]].sort(byCertainty);
  if (!isMostLikely) return { hypotheses: all, verdict };
  const evidence = [...new Set(own.for.flatMap((each) => each.evidence))].slice(0, citedMax);
  const text = 'The language model proposes a cause; no test of code has confirmed it.';
  return {
    hypotheses: all,
    verdict: {
      ...verdict, most_likely: own.cause, certainty: own.certainty,
      reasons: [...verdict.reasons, { text, effect: 'raises', evidence, by: 'model' }],
    },
  };
}

/** Why another hypothesis is the most likely one now. */
function reasonOfChange(passed: Weighed, best: Weighed): Reason {
  const [before, now] = [passed, best].map(({ hypothesis }) =>
    `"${shownText(hypothesis.cause, causeMax)}"`);
  const [why, told] = passed.rank === 2 ? ['named evidence against it', passed.findings]
    : [`named evidence for ${now}`, best.findings];
  const text = `${before} ranked first until the language model ${why}.`;
  const evidence = [...new Set(told.flatMap((each) => each.evidence))].slice(0, citedMax);
  return { text, effect: 'lowers', evidence };
}

/** The verdict, at most as certain as its best hypothesis and as the model, and why it is less. */
function cappedVerdict(
  verdict: Verdict,
  [first]: readonly Hypothesis[],
  { answer, judged }: Ground,
): Verdict {
  const best = first?.certainty ?? 'inconclusive';
  const certainty = lowerOf(verdict.certainty, lowerOf(best, mostFor[answer.verdict]));
  if (certainty === verdict.certainty) return verdict;
  const evidence = [...new Set(judged.findings.flatMap((each) => each.evidence))]
    .slice(0, citedMax);
  const isOfEvidence = lowerOf(best, mostFor[answer.verdict]) !== mostFor[answer.verdict];
  const doubt = isOfEvidence ? 'it names evidence against the most likely cause'
    : answer.verdict === 'inconclusive' ? 'it calls the evidence inconclusive'
      : 'it calls the cause probable, not confirmed';
  const text = `The language model is less sure: ${doubt}.`;
  return {
    ...verdict, certainty,
    reasons: [...verdict.reasons, { text, effect: 'lowers', evidence, by: 'model' }],
  };
}

/** The highest certainty that the model's own verdict allows. */
const mostFor: Readonly<Record<ModelAnswer['verdict'], Certainty>> = {
  inconclusive: 'possible', probable: 'likely', confirmed: 'confirmed', not_an_issue: 'confirmed',
};
