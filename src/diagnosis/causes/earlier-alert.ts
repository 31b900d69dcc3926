import { alertNameOf, ruleNameOf } from '../../alert/alert.ts';
import { labelOf, tellsThing, type LabelSet } from '../../alert/labels.ts';
import { severityOf, severityRank } from '../../alert/severity.ts';
import { isCorrelated } from '../../alert/similarity.ts';
import { usuallyNamed } from '../../alert/usual-name.ts';
import { cpuFamilies } from '../../knowledge/families/nodes-cpu.ts';
import { diskFamilies } from '../../knowledge/families/nodes-disk.ts';
import { memoryFamilies } from '../../knowledge/families/nodes-memory.ts';
import type { Family } from '../../knowledge/family.ts';
import { matchFamily, wordsOf } from '../../knowledge/match-family.ts';
import { shownName, subjectOf } from '../../report/alert-place.ts';
import type { OpenAlert } from '../../report/case-file.ts';
import { classifyMetric } from '../../statistics/names/metric-class.ts';
import { storesIn } from '../../statistics/names/stores.ts';
import { citing } from '../citing.ts';
import { isMovedByClock } from '../own-value.ts';
import { offsetSeconds, offsetText, openAlertOf } from '../related.ts';
import type { Situation } from '../situation.ts';
import { explanation, type Explained } from './explanation.ts';

/** An alert that began this much earlier may be the cause, and not another effect. */
const earlierSecondsMin = 30;

/**
 * The closest related alert that began earlier; that it is correlated proves nothing. What only
 * informs is no problem, unless this alert only informs as well. An outage says more.
 */
export function earlierAlert(situation: Situation): Explained[] {
  const reached = reachedByOthers(situation);
  if (reached !== null) return [reached];
  if (earlierOutage(situation).length > 0) return [];
  const { caseFile, related, evidence } = situation;
  const [earlier] = related.flatMap((alert) => {
    const other = openAlertOf(caseFile, alert);
    if (other === undefined || !mayExplain(other, situation)) return [];
    const seconds = offsetSeconds(caseFile, other);
    return seconds <= -earlierSecondsMin ? [{ ...alert, seconds }] : [];
  });
  if (earlier === undefined) return [];
  const cause = `The same problem as ${earlier.name}, which ${offsetText(earlier.seconds)}`;
  const text = `${earlier.name}: ${earlier.why}`;
  return [explanation({ kind: 'same_problem', alert: earlier.fingerprint, cause }, 'possible',
    citing([evidence.ids.open], text))];
}

/** What the investigations of other alerts of its incident reached; null if its own did too. */
function reachedByOthers({ caseFile, evidence }: Situation): Explained | null {
  const { origin = null } = caseFile.incident ?? {};
  const isInnocent = evidence.metrics?.path?.hops[0]?.state === 'innocent';
  if (origin === null || origin.isReached || origin.alert === null || isInnocent) return null;
  const { fingerprint, name } = origin.alert;
  if (fingerprint === caseFile.alert.fingerprint) return null;
  const cause = `The same problem as ${shownName(name)}: ${origin.text}`;
  const text = `Other alerts of its incident lead there: ${origin.text}.`;
  return explanation({ kind: 'same_problem', alert: fingerprint, cause }, 'possible',
    citing([evidence.ids.open], text));
}

/** What a machine has runs short for a reason of its own, whatever else on it is short. */
const resources: ReadonlySet<Family> = new Set([
  ...cpuFamilies, ...memoryFamilies, ...diskFamilies,
]);

/**
 * What comes slowly had its cause long before, so only an alert of its kind is the same problem;
 * and of the resources of a machine, one does not explain the other.
 */
function mayExplain(other: OpenAlert, situation: Situation): boolean {
  if (!isGrave(other, situation) || isOfOtherWorld(other, situation)) return false;
  const own = situation.knowledge?.family ?? null;
  const { labels } = other;
  // One alert of a rule is no cause of another.
  if (ruleNameOf(labels) === ruleNameOf(situation.caseFile.alert.labels)) return false;
  const found = matchFamily({ name: alertNameOf(labels), labels, expression: null });
  if (found !== null && found.family === own) return true;
  const areResources = own !== null && resources.has(own) &&
    found !== null && resources.has(found.family);
  return own?.isGradual !== true && !isMovedByClock(situation) && !areResources;
}

/** It has another value of a label by which the server separates the alert's world from others. */
function isOfOtherWorld({ labels }: OpenAlert, { evidence: { metrics } }: Situation): boolean {
  return Object.entries(metrics?.world ?? {}).some(([name, value]) =>
    (labelOf(labels, name) ?? value) !== value);
}

function isGrave({ labels }: OpenAlert, { caseFile }: Situation): boolean {
  const ownRank = severityRank(severityOf(caseFile.alert.labels));
  return severityRank(severityOf(labels)) <= Math.max(severityRank('warning'), ownRank);
}

/** Effects follow an outage within this time; their alerts may wait less long than its own. */
const outageBeforeSecondsMax = 300;
const outageAfterSecondsMax = 30;
/** With more outages at once, none of them stands out. */
const outagesMax = 3;

/**
 * An alert of something that has stopped working altogether, such as a database, which began just
 * before: whatever depends on it fails at that moment, and no label says what does. None if more
 * stopped at once than could be named, or if the alert watches nothing of the kind that depends on
 * others.
 */
export function earlierOutage(situation: Situation): Explained[] {
  const { caseFile, evidence } = situation;
  const metrics = evidence.rule?.metrics ?? [];
  if (metrics.length > 0 && !metrics.some(mayDependOnOthers)) return [];
  const isMonitoring = isWatcher(caseFile.alert.labels);
  const outages = caseFile.openAlerts
    .filter((other) => other.fingerprint !== caseFile.alert.fingerprint)
    .filter((other) => mayExplain(other, situation) && isOutage(other.labels))
    .filter(({ labels }) => isMonitoring || !isWatcher(labels))
    .filter(({ labels }) => isInReach(caseFile.alert.labels, labels) &&
      mayDependOn(caseFile.alert.labels, labels))
    .map((other) => ({ other, seconds: offsetSeconds(caseFile, other) }))
    .filter(({ seconds }) =>
      seconds >= -outageBeforeSecondsMax && seconds <= outageAfterSecondsMax)
    .sort((a, b) => a.seconds - b.seconds);
  const [first] = outages;
  if (first === undefined || outages.length > outagesMax) return [];
  const { other: { fingerprint, labels }, seconds } = first;
  const cause = `The same problem as ${subjectOf(labels)}, which ${offsetText(seconds)}`;
  const text = `What others may depend on stopped working: ${subjectOf(labels)}, ` +
    `which ${offsetText(seconds)}.`;
  return [explanation({ kind: 'same_problem', alert: fingerprint, cause }, 'possible',
    citing([evidence.ids.open], text))];
}

/** What callers see or wait for; not whether a process runs, or what it takes of its host. */
function mayDependOnOthers(metric: string): boolean {
  const { side, signal } = classifyMetric(metric);
  return side === 'external' || signal === 'saturation' || signal === 'other';
}

const stopped: ReadonlySet<string> = new Set(['down', 'unreachable', 'offline']);
/** Words before "down" with which it means something else. */
const notStopped: ReadonlySet<string> = new Set([
  'slow', 'slows', 'slowing', 'scale', 'scaled', 'scaling', 'count', 'cool', 'tear', 'wind',
]);

/** By its name alone: the rules of other alerts are not known. */
function isOutage(labels: LabelSet): boolean {
  const words = wordsOf(alertNameOf(labels));
  return isCorrelated(labels) && words.some((word, index) =>
    stopped.has(word) && !notStopped.has(words[index - 1] ?? ''));
}

const watchers: ReadonlySet<string> = new Set([
  'prometheus', 'alertmanager', 'grafana', 'thanos', 'loki', 'vmalert', 'analyst',
]);

/**
 * Monitoring, on which nothing depends but other monitoring. Not by the job of an exporter, which
 * is also that of the alerts on what it watches.
 */
function isWatcher(labels: LabelSet): boolean {
  const words = wordsOf(alertNameOf(labels));
  return [...words, ...wordsOf(labelOf(labels, 'job') ?? '')].some((word) => watchers.has(word)) ||
    words.includes('exporter');
}

/** Whether what stopped is where the alert is, by any label, or a store, as others depend on. */
function mayDependOn(own: LabelSet, other: LabelSet): boolean {
  const ours = usuallyNamed(own);
  const isShared = Object.entries(usuallyNamed(other)).some(([name, value]) =>
    value !== '' && tellsThing(name) && labelOf(ours, name) === value);
  return isShared || storesIn(`${alertNameOf(other)} ${labelOf(other, 'job') ?? ''}`).length > 0;
}

/** Labels of places that do not depend on each other. */
const places = ['namespace', 'cluster', 'env', 'environment', 'region'] as const;

/** Neither is in a place where the other is not. */
function isInReach(own: LabelSet, other: LabelSet): boolean {
  return places.every((name) => {
    const [ours, theirs] = [labelOf(own, name) ?? '', labelOf(other, name) ?? ''];
    // Aggregates lose their labels, but in a cluster with namespaces hardly ever this one.
    return ours === theirs || (name !== 'namespace' && (ours === '' || theirs === ''));
  });
}
