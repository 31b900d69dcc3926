import type { LabelSet } from '../alert/labels.ts';
import { ruleFactsOf } from '../alert/rule-facts.ts';
import {
  isCorrelated, labelsOfObject, sharedLabels, togetherScoreMin,
} from '../alert/similarity.ts';
import { labelsOfSubject, relatedScore, sharedWeight, subjectOfLabels } from '../alert/subject.ts';
import { compareText } from '../lib/compare-text.ts';
import { formatDuration } from '../lib/quantity.ts';
import { shownNameOf } from '../report/alert-place.ts';
import type { CaseFile, OpenAlert } from '../report/case-file.ts';
import { caseStartOf } from '../report/new-report.ts';
import type { RelatedAlert } from '../report/report.ts';
import { reportUrl } from '../report/report-url.ts';
import { shownText } from '../report/shown-text.ts';
import { momentOf } from '../report/time-text.ts';
import type { Situation } from './situation.ts';

const candidatesMax = 500;
/** Only the closest are kept. */
export const relatedMax = 20;

/**
 * Other open alerts that belong with this one, closest first by {@linkcode relatedScore}, each with
 * the reason in words.
 */
export function relatedAlerts(caseFile: CaseFile): RelatedAlert[] {
  return caseFile.openAlerts
    .slice(0, candidatesMax)
    .filter(({ fingerprint }) => fingerprint !== caseFile.alert.fingerprint)
    .filter(({ labels }) => isCorrelated(labels))
    .map((other) => ({ other, score: scoreOf(caseFile, other) }))
    .filter(({ score }) => score >= togetherScoreMin)
    .sort((a, b) => b.score - a.score || compareText(a.other.fingerprint, b.other.fingerprint))
    .slice(0, relatedMax)
    .map(({ other, score }) => ({
      fingerprint: other.fingerprint,
      name: shownNameOf(other.labels),
      why: reasonFor(caseFile, other),
      similarity: Math.round(score * 100) / 100,
      report_url: reportUrl(caseFile.reportBase, other.fingerprint, null),
    }));
}

/** A related alert as the store has it. */
export function openAlertOf(
  { openAlerts }: CaseFile,
  { fingerprint }: RelatedAlert,
): OpenAlert | undefined {
  return openAlerts.find((open) => open.fingerprint === fingerprint);
}

/** Seconds from this alert's start to the other's; negative when the other began earlier. */
export function offsetSeconds(caseFile: CaseFile, other: OpenAlert): number {
  const start = caseStartOf(caseFile);
  return (momentOf(other.startsAt, start) - start) / 1000;
}

/** `began 3 min earlier`, `began at the same time`. */
export function offsetText(seconds: number): string {
  if (Math.abs(seconds) < 5) return 'began at the same time';
  return `began ${formatDuration(Math.abs(seconds))} ${seconds < 0 ? 'earlier' : 'later'}`;
}

function scoreOf(caseFile: CaseFile, other: OpenAlert): number {
  const [labels, others] = [labelsOfObject(ownLabels(caseFile)), labelsOfObject(other.labels)];
  const weights = sharedWeight(labels, others);
  const seconds = offsetSeconds(caseFile, other);
  return relatedScore(subjectOfLabels(labels), subjectOfLabels(others), weights, seconds);
}

function ownLabels({ alert: { labels, generatorURL } }: CaseFile): LabelSet {
  return labelsOfSubject(labels, ruleFactsOf(generatorURL));
}

function reasonFor(caseFile: CaseFile, other: OpenAlert): string {
  const labels = labelsOfObject(ownLabels(caseFile));
  const shared = sharedLabels(labels, labelsOfObject(other.labels)).slice(0, 2);
  const when = offsetText(offsetSeconds(caseFile, other));
  if (shared.length === 0) return `Similar labels; ${when}.`;
  const same = shared.map((text) => shownText(text, 100)).join(' and ');
  return `Same ${same}; ${when}.`;
}

/**
 * Related alerts, including those in Alertmanager that were not sent here: first what inhibits this
 * alert, then the closest. Their links lead to a report once the alert is sent here too.
 */
export function relatedEverywhere({ caseFile, related, evidence }: Situation): RelatedAlert[] {
  const { inhibitors = [], others = [] } = evidence.alertmanager ?? {};
  const inhibiting = inhibitors.map(({ fingerprint, labels }): RelatedAlert => ({
    fingerprint,
    name: labels === null ? fingerprint : shownNameOf(labels),
    why: 'It inhibits this alert.',
    similarity: 1,
    report_url: reportUrl(caseFile.reportBase, fingerprint, null),
  }));
  const elsewhere = relatedAlerts({ ...caseFile, openAlerts: others });
  const rest = [...related, ...elsewhere].filter(({ fingerprint }) =>
    inhibiting.every((other) => other.fingerprint !== fingerprint));
  rest.sort((a, b) => b.similarity - a.similarity);
  return [...inhibiting, ...rest].slice(0, relatedMax);
}
