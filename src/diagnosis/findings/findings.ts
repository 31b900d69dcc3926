import { measurementEvidence } from '../../evidence/collect-evidence.ts';
import { comparisonText } from '../../evidence/measurement.ts';
import {
  missedBy, type ReadComparison, type RuleReading,
} from '../../evidence/rule/rule-expression.ts';
import { isOfItsRule } from '../../knowledge/match-family.ts';
import { formatDuration } from '../../lib/quantity.ts';
import { failedTemplatesOf } from '../../report/author-words.ts';
import { counted } from '../../report/plain-text.ts';
import type { Statement } from '../../report/report.ts';
import { shownClause, shownText } from '../../report/shown-text.ts';
import { momentOf, utcText } from '../../report/time-text.ts';
import { feedbackFindings } from '../causes/given-causes.ts';
import { citing } from '../citing.ts';
import { copiesOf } from '../impact.ts';
import type { Judged } from '../judged.ts';
import { noiseFindings } from '../noise-text.ts';
import { isResolved, type Situation } from '../situation.ts';
import { zeroDivisor } from '../zero-divisor.ts';
import { askedFindings } from './asked-findings.ts';
import { lengthFindings, recurrenceFindings } from './history-findings.ts';
import { kubernetesFindings } from './kubernetes-findings.ts';
import { logFindings } from './log-findings.ts';
import { metricFindings } from './metric-findings.ts';
import { pathFindings } from './path-findings.ts';

const textMax = 600;

/** Facts, the most telling first; each follows from the evidence it cites alone. */
export function findingsOf(situation: Judged): Statement[] {
  const findings = [
    ...unknownEndFindings(situation),
    ...measurementFindings(situation),
    ...noiseFindings(situation.noise, situation),
    ...feedbackFindings(situation),
    ...pathFindings(situation),
    ...kubernetesFindings(situation),
    ...logFindings(situation),
    ...askedFindings(situation),
    ...metricFindings(situation),
    ...lengthFindings(situation),
    ...recurrenceFindings(situation),
    ...reachFindings(situation),
    ...clockFindings(situation),
    ...familyFindings(situation),
    ...situation.evidence.alertmanager?.findings ?? [],
  ];
  return findings.map(({ text, evidence }) => ({ text: shownText(text, textMax), evidence }));
}

/** What readers would otherwise take for a recovery. */
function unknownEndFindings({ caseFile, evidence, now }: Situation): Statement[] {
  const { episode, receivedAt } = caseFile;
  if (!episode.isEndUnknown) return [];
  const [heard, missed] = [receivedAt, episode.endsAt].map((at) => utcText(momentOf(at, now), now));
  return citing([evidence.ids.group],
    `No notification has said when the alert ended: the last one arrived at ${heard}, ` +
      `and at ${missed} Alertmanager was found not to have it any more.`);
}

function measurementFindings(situation: Situation): Statement[] {
  const { evidence } = situation;
  const { measurement, ids, rule } = evidence;
  const comparison = comparisonText(measurement);
  const value = comparison === null ? null : `${speakerOf(situation)} ${comparison}.`;
  return [
    ...citing(measurementEvidence(evidence), value, divisorText(situation)),
    ...(rule === null ? [] : citing([ids.rule], ruleText(rule))),
    ...citing([ids.annotations],
      ...failedTemplatesOf(situation.caseFile.alert).map(({ name, why }) =>
        `The template of the annotation ${name} fails: ${shownClause(why, 200)}.`)),
  ];
}

function divisorText(situation: Situation): string | null {
  const divisor = zeroDivisor(situation);
  if (divisor === null) return null;
  return `The value is infinite because the rule divides by ${divisor.text}, which is 0` +
    `${divisor.isLimit ? ': no limit is set, so the ratio is undefined' : ''}.`;
}

function ruleText(rule: RuleReading): string | null {
  const missed = missedBy(rule.expression);
  if (missed !== null) return `The rule fires when ${missed} has no series.`;
  if (rule.comparison === null) return null;
  const { compared, operator, hasMoreConditions } = rule.comparison;
  const more = hasMoreConditions ? ', and further conditions hold' : '';
  const when = rule.isOneOfSeveral ? 'The condition that was true:'
    : 'The rule fires when';
  return `${when} ${compared} ${operator} ${limitText(rule.comparison)}${more}.`;
}

function limitText({ threshold, limit }: ReadComparison): string {
  if (threshold === null) return limit?.text ?? '';
  // The product 14.4 * 0.001 has rounding errors that nobody wrote.
  return String(Number(threshold.toPrecision(12)));
}

/** Where the value comes from, and as of when: annotations are rendered at every evaluation. */
function speakerOf(situation: Situation): string {
  const { evidence, caseFile } = situation;
  if (evidence.measurement.origin === 'rule') return 'According to the rule, the value is';
  if (evidence.measurement.origin === 'series') return measuredSpeaker(situation);
  if (isResolved(situation)) return 'While it fired, the alert reported';
  return caseFile.episode.notifications > 1
    ? 'The latest notification reports'
    : 'The alert reports';
}

function measuredSpeaker(situation: Situation): string {
  if (isResolved(situation)) return 'When it fired, the value was';
  const isNow = situation.evidence.metrics?.own?.valueNow !== null;
  return isNow ? 'When last checked, the value was' : 'The value at the start was';
}

function reachFindings({ caseFile, evidence }: Situation): Statement[] {
  const copies = copiesOf(caseFile).length;
  const others = caseFile.sameNameOpen - copies;
  return citing([evidence.ids.open],
    others > 0 && `${counted(others, 'other alert')} of the same name ` +
      `${others === 1 ? 'is' : 'are'} open.`,
    copies > 0 && `${counted(copies, 'other Prometheus server')} of its set ` +
      `${copies === 1 ? 'sends' : 'send'} the same alert.`);
}

/** Times that cannot be right: clocks differ, or the alert was written by hand. */
function clockFindings({ caseFile, evidence }: Situation): Statement[] {
  const { current } = evidence.history;
  const received = momentOf(caseFile.receivedAt, current.start);
  const early = current.start - received;
  return citing([evidence.ids.labels],
    early > 1000 && `The alert starts ${formatDuration(early / 1000)} after it was received: ` +
      'the clocks differ.',
    current.end !== null && current.end < current.start &&
      'The alert ends before it starts, so its times cannot be right.');
}

function familyFindings({ knowledge, evidence }: Situation): Statement[] {
  if (knowledge === null) return [];
  const { family, how } = knowledge;
  const usually = isOfItsRule(knowledge) ? '' : 'usually ';
  const isOfRule = how === 'metric' || how === 'form';
  return citing([isOfRule ? evidence.ids.rule : evidence.ids.labels],
    `What it ${usually}means: ${family.meaning}`,
    family.impact !== null && `What it ${usually}leads to: ${family.impact}`);
}
