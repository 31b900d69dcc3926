import { measurementEvidence } from '../../evidence/collect-evidence.ts';
import { truncationText } from '../../evidence/from-notification.ts';
import { comparisonText } from '../../evidence/measurement.ts';
import { comparesNothing } from '../../evidence/rule/comparison.ts';
import type { Certainty, Hypothesis, Reason, Statement } from '../../report/report.ts';
import { proofOf } from '../causes/proof.ts';
import { isBackWithin } from '../own-value.ts';
import { feedbackLowering } from '../said-before.ts';
import type { Situation } from '../situation.ts';
import { metricLowering, metricRaising } from './metric-reasons.ts';

/**
 * How certain the most likely cause is. Confirmed: the alert itself or the answer to a query proves
 * it, and nothing contradicts. Likely: what moved most did so before the problem, in the same
 * place, and clearly ahead of the next candidate; or only one tested cause is left. Possible: some
 * evidence supports it, such as its timing. Inconclusive: the evidence establishes no cause.
 */
export function certaintyOf(hypotheses: readonly Hypothesis[]): Certainty {
  return hypotheses[0]?.certainty ?? 'inconclusive';
}

/** What makes the verdict more or less certain, each with the evidence it rests on. */
export function certaintyReasons(
  situation: Situation,
  hypotheses: readonly Hypothesis[],
): Reason[] {
  const raised = [...raising(situation), ...metricRaising(situation, hypotheses)];
  const lowered = [
    ...lowering(situation, hypotheses), ...metricLowering(situation, hypotheses),
    ...feedbackLowering(situation),
  ];
  return [
    ...raised.map((statement): Reason => ({ ...statement, effect: 'raises' })),
    ...lowered.map((statement): Reason => ({ ...statement, effect: 'lowers' })),
  ];
}

function raising(situation: Situation): Statement[] {
  const { evidence } = situation;
  const { measurement: { threshold, origin } } = evidence;
  const proof = proofOf(situation);
  const proofs = proof === null ? [] : [proof.statement];
  const comparison = comparisonText(evidence.measurement);
  if (isBackWithin(situation) || comparison === null || threshold === null || origin === 'rule') {
    return proofs;
  }
  const source = origin === 'series' ? 'The value is measured'
    : "The alert's own number agrees with its rule";
  const text = `${source}: ${comparison}.`;
  return [...proofs, { text, evidence: measurementEvidence(evidence) }];
}

function lowering(
  { caseFile, evidence, knowledge }: Situation,
  hypotheses: readonly Hypothesis[],
): Statement[] {
  const { ids, measurement, rule, sources } = evidence;
  const statements: Statement[] = [];
  const lower = (text: string, cited: readonly string[]): void => {
    statements.push({ text, evidence: cited });
  };
  if (sources.prometheus === 'not_configured') {
    lower('No metric source is configured, so what moved before the alert is unknown.', [
      ids.sources.prometheus,
    ]);
  }
  if (measurement.contradicting.length > 0) {
    lower(contradictionText(measurement.contradicting, rule?.compared ?? null), [
      ids.annotations, ids.rule,
    ]);
  }
  if (rule === null) lower("The rule's expression is unknown.", [ids.rule]);
  else if (rule.limit !== null) {
    if (measurement.threshold === null) lower(rule.unread ?? '', [ids.rule]);
  } else if (rule.unread !== null && rule.unread !== comparesNothing) {
    lower(rule.unread, [ids.rule]);
  }
  const truncated = truncationText(caseFile.group);
  if (truncated !== null) lower(truncated, [ids.group]);
  if (knowledge === null) lower('Nothing is known about alerts of this kind.', [ids.labels]);
  const tied = hypotheses.filter(({ certainty }) => certainty === 'possible');
  if (tied.length > 1 && hypotheses[0]?.certainty === 'possible' && evidence.metrics === null) {
    const cited = tied.flatMap((tie) => tie.for.flatMap((statement) => statement.evidence));
    lower(`${tied.length} causes are equally well supported.`, [...new Set(cited)]);
  }
  return statements;
}

/** Says that the alert's text and its rule name different thresholds. */
export function contradictionText(numbers: readonly string[], compared: string | null): string {
  const said = numbers.slice(0, 3).join(' and ');
  const rule = compared === null ? 'the rule' : `the rule, which compares ${compared},`;
  return `The alert's text mentions a threshold of ${said}, but ${rule} does not: ` +
    'one of them is out of date.';
}
