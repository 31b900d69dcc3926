import { alertNameOf } from '../alert/alert.ts';
import { severityOf } from '../alert/severity.ts';
import { formatDuration } from '../lib/quantity.ts';
import { shownNameOf } from '../report/alert-place.ts';
import type { CaseFile, OpenAlert } from '../report/case-file.ts';
import { startOf } from '../report/new-report.ts';
import { reportUrl } from '../report/report-url.ts';
import type { RelatedAlert } from '../report/report.ts';
import { shownText } from '../report/shown-text.ts';
import { momentOf } from '../report/time-text.ts';
import { labelSimilarity, sharedLabels, topologySimilarity } from './label-similarity.ts';

/** From this score on two alerts belong together. */
const scoreMin = 0.35;
/** Two alerts that begin this many seconds apart count a third of two that begin together. */
const decaySeconds = 600;
const candidatesMax = 500;
const relatedMax = 20;

const unrelatedNames = new Set(['Watchdog', 'InfoInhibitor', 'DeadMansSwitch']);

/**
 * Other open alerts that belong to this one, closest first, each with the reason in words. The
 * score is `T (1 - (1 - 0.8 L)(1 - 0.7 G))`: T decays with the time between the beginnings, L is
 * the similarity of the labels, G that of the objects.
 */
export function relatedAlerts(caseFile: CaseFile): RelatedAlert[] {
  return caseFile.openAlerts
    .slice(0, candidatesMax)
    .filter((other) => other.fingerprint !== caseFile.alert.fingerprint && isCorrelated(other))
    .map((other) => ({ other, score: scoreOf(caseFile, other) }))
    .filter(({ score }) => score >= scoreMin)
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

/** Seconds that another alert began after this one; negative is before. */
export function offsetSeconds(caseFile: CaseFile, other: OpenAlert): number {
  const start = startOf(caseFile);
  return (momentOf(other.startsAt, start) - start) / 1000;
}

/** `began 3 min earlier`, `began at the same time`. */
export function offsetText(seconds: number): string {
  if (Math.abs(seconds) < 5) return 'began at the same time';
  return `began ${formatDuration(Math.abs(seconds))} ${seconds < 0 ? 'earlier' : 'later'}`;
}

function isCorrelated({ labels }: OpenAlert): boolean {
  return !unrelatedNames.has(alertNameOf(labels)) && severityOf(labels) !== 'none';
}

function scoreOf(caseFile: CaseFile, other: OpenAlert): number {
  const { labels } = caseFile.alert;
  const time = Math.exp(-Math.abs(offsetSeconds(caseFile, other)) / decaySeconds);
  const likeness = labelSimilarity(labels, other.labels);
  const topology = topologySimilarity(labels, other.labels);
  return time * (1 - (1 - 0.8 * likeness) * (1 - 0.7 * topology));
}

function reasonFor(caseFile: CaseFile, other: OpenAlert): string {
  const shared = sharedLabels(caseFile.alert.labels, other.labels).slice(0, 2);
  const when = offsetText(offsetSeconds(caseFile, other));
  if (shared.length === 0) return `Similar labels; ${when}.`;
  const same = shared.map((text) => shownText(text, 100)).join(' and ');
  return `Same ${same}; ${when}.`;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
