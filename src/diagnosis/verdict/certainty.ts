import { measurementEvidence, type Evidence } from '../../evidence/collect-evidence.ts';
import { comparisonText } from '../../evidence/measurement.ts';
import { comparesNothing } from '../../evidence/rule/comparison.ts';
import type { CaseFile } from '../../report/case-file.ts';
import type { Certainty, Hypothesis, Reason, Statement } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { feedbackLowering } from '../causes/given-causes.ts';
import { citing } from '../citing.ts';
import type { Judged } from '../judged.ts';
import { isBackWithin } from '../own-value.ts';
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
  judged: Judged,
  hypotheses: readonly Hypothesis[],
): Reason[] {
  const raised = [...raising(judged), ...metricRaising(judged, hypotheses)];
  const lowered = [
    ...lowering(judged, hypotheses), ...metricLowering(judged, hypotheses),
    ...feedbackLowering(judged),
  ];
  return [
    ...raised.map((statement): Reason => ({ ...statement, effect: 'raises' })),
    ...lowered.map((statement): Reason => ({ ...statement, effect: 'lowers' })),
  ];
}

function raising(judged: Judged): Statement[] {
  const { evidence, reason } = judged;
  const { measurement: { threshold, origin } } = evidence;
  const proofs = reason === null ? [] : [reason.statement];
  const comparison = comparisonText(evidence.measurement);
  const isMeasured = origin === 'series' || origin === 'values';
  if (isBackWithin(judged) || comparison === null || threshold === null || !isMeasured) {
    return proofs;
  }
  const text = `The value is measured: ${comparison}.`;
  return [...proofs, { text, evidence: measurementEvidence(evidence) }];
}

function lowering(
  { caseFile, evidence, knowledge }: Situation,
  hypotheses: readonly Hypothesis[],
): Statement[] {
  const { ids, sources, metrics } = evidence;
  const tied = hypotheses.filter(({ certainty }) => certainty === 'possible');
  const isTied = tied.length > 1 && hypotheses[0]?.certainty === 'possible' && metrics === null;
  const cited = tied.flatMap((tie) => tie.for.flatMap((statement) => statement.evidence));
  return [
    ...citing([ids.open], notInvestigatedText(caseFile)),
    ...citing([ids.sources.prometheus], sources.prometheus === 'not_configured' &&
      'No metric source is configured, so what moved before the alert is unknown.'),
    ...citing([ids.rule], unreadText(evidence)),
    ...citing([ids.labels], (knowledge === null || knowledge.how === 'form') &&
      'No built-in knowledge matches this alert.'),
    ...citing(cited, isTied && `${tied.length} causes are equally well supported.`),
  ];
}

/** For an alert of a storm whose evidence is elsewhere; null where it was investigated itself. */
function notInvestigatedText({ storm }: CaseFile): string | null {
  if (storm === null || storm.representative === null) return null;
  return `Not investigated by itself: in this storm of ${storm.size} alerts, see the report of ` +
    `${shownText(storm.representative.name, 120)}, or have this alert analysed again.`;
}

/** What of the rule is not known; null where everything is. */
function unreadText({ rule, measurement }: Evidence): string | null {
  if (rule === null) return "The rule's expression is unknown.";
  if (rule.comparison !== null) return measurement.threshold === null ? rule.unread : null;
  return rule.unread === comparesNothing ? null : rule.unread;
}
