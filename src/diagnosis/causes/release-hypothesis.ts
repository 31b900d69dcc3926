import { labelOf } from '../../alert/labels.ts';
import type { EventFact } from '../../evidence/metric-facts.ts';
import { showsRestarts } from '../../evidence/metrics/events/restart-events.ts';
import { formatDuration } from '../../lib/quantity.ts';
import { isEstablished } from '../../report/certainty.ts';
import type { CauseFacts } from '../../report/kinds.ts';
import type { PathHop } from '../../report/path.ts';
import { hopText } from '../../report/path-text.ts';
import type { Certainty, Statement } from '../../report/report.ts';
import { formatOnset, utcText } from '../../report/time-text.ts';
import { componentName } from '../changes/change-words.ts';
import {
  isOn, isRelease, isSurelyBefore, latestBefore, secondsAfterProblem, type Release,
} from '../changes/event-closeness.ts';
import { longBeforeMs } from '../changes/moved-series.ts';
import { citing } from '../citing.ts';
import type { Judged } from '../judged.ts';
import { isResolved, queryOfItem } from '../situation.ts';
import { datedEvent, eventStatement } from './component-statements.ts';
import { explanation, type Explained } from './explanation.ts';
import { hostsIn } from './kinship.ts';
import { brokenBy, isAtHop } from './path-causes.ts';

/** What a release breaks, it breaks within this time in most cases. */
const onsetSeconds = 10 * 60;
/** What was taken back this long before the value recovered was taken back for it to recover. */
const recoveredWithinMs = 10 * 60_000;

/**
 * The latest release of the alerting service, or of what it calls, where the problem began with it:
 * likely, unless something else moved before it or the trouble outlived it; confirmed where the
 * value recovered once it had been taken back.
 */
export function releaseAtOnset(judged: Judged, found: readonly Explained[]): Explained[] {
  const release = releaseBefore(judged);
  if (release === null || !isAtOnset(release, judged)) return [];
  return [hypothesisOf(release, judged, found)];
}

/** The latest release before the problem, where that is longer ago. */
export function earlierRelease(judged: Judged): Explained[] {
  const release = releaseBefore(judged);
  return release === null || isAtOnset(release, judged) ? [] : [hypothesisOf(release, judged, [])];
}

function releaseBefore(judged: Judged): Release | null {
  const event = latestBefore(judged.evidence, (each) =>
    isRelease(each) && (isOnPath(each, judged) || isBesideAtOnset(each, judged)) &&
    !isUndoneBefore(each, judged));
  return event !== null && isRelease(event) ? event : null;
}

/** It ran no more when the trouble can have begun. */
function isUndoneBefore({ release }: EventFact, { evidence: { metrics } }: Judged): boolean {
  const backMs = release?.takenBackMs ?? null;
  return backMs !== null && metrics !== null && backMs < metrics.window.splitMs;
}

function isAtOnset(release: Release, { evidence }: Judged): boolean {
  return secondsAfterProblem(release, evidence) >= -onsetSeconds;
}

function hypothesisOf(
  release: Release,
  judged: Judged,
  found: readonly Explained[],
): Explained {
  const released = eventStatement(release, judged);
  const { support, against, certainty } = judgeRelease(release, judged, found);
  const cause = `${eventWords[release.kind]}: ${datedEvent(release, judged.evidence)}`;
  return {
    ...explanation({ ...releaseFacts(release), cause }, certainty, [released, ...support]),
    release, against,
    // A rollout is no series that could be graphed beside the alert.
    test: release.isOfAlert === true ? null : queryOfItem(release.evidence, judged),
  };
}

/** What a cause by a release is, and whose release. */
export function releaseFacts({ kind, component, subject }: Release): CauseFacts & {
  readonly kind: 'release' | 'config';
} {
  const about = [...new Set([...(component === null ? [] : [component.value]), subject])];
  return { kind: kind === 'version' ? 'release' : 'config', about };
}

const eventWords = { version: 'A release', config: 'A configuration change' } as const;

interface Judgement {
  readonly certainty: Certainty;
  readonly support: readonly Statement[];
  readonly against: readonly Statement[];
}

function judgeRelease(
  release: Release,
  judged: Judged,
  found: readonly Explained[],
): Judgement {
  const { evidence } = judged;
  const against = [
    ...elsewhereBefore(release, judged), ...outlived(release, judged), ...brokenBehind(found),
  ];
  const confirming = recoveryAfter(release, judged);
  if (confirming.length > 0 && against.length === 0) {
    return { certainty: 'confirmed', support: confirming, against };
  }
  const ranking = evidence.metrics?.ranking ?? null;
  const alone = citing([ranking?.evidence ?? ''], against.length === 0 && ranking !== null &&
    'Nothing inside any other component moved notably before.');
  const isFirst = isAtOnset(release, judged) && isSurelyBefore(release, evidence);
  // Configurations are written for many reasons: it takes a complete search to find no other.
  const isSearched = ranking !== null && (release.kind === 'version' || !ranking.isTruncated);
  // What fails behind the alert, and failed with its own release, leaves nothing to search for.
  const broken = brokenBy(release, judged);
  const behind = broken === null ? [] : citing(broken.evidence, `${hopText(broken, judged.now)}.`);
  const isLikely = mayBreak(release, judged) && isOnPath(release, judged) && (behind.length > 0
    ? outlived(release, judged).length === 0 : against.length === 0 && isFirst && isSearched);
  return {
    certainty: isLikely ? 'likely' : 'possible', support: [...behind, ...alone], against,
  };
}

/** The version that ran before breaks nothing but what is interrupted while it is put back. */
function mayBreak({ release }: Release, { evidence: { rule } }: Judged): boolean {
  return release?.isBack !== true || rule?.metrics.some(showsRestarts) === true;
}

const behindRelations: ReadonlySet<NonNullable<PathHop['relation']>> =
  new Set(['called', 'shared', 'server', 'consumer', 'holder']);

/** It is of the alert's own component, of what a label of the alert names, or of what it calls. */
export function isOnPath(event: EventFact, judged: Judged): boolean {
  const { caseFile, evidence: { metrics }, tested } = judged;
  // Not those that only make calls, are beside it, or are seen to work.
  const hops = metrics?.path?.hops.filter(({ relation, state }) => relation !== null &&
    state !== 'innocent' && behindRelations.has(relation)) ?? [];
  if (event.isOfExporter === true) return false;
  const own = metrics?.ranking?.ownComponent ?? null;
  if (event.isOfAlert === true || (own !== null && isOn(event, own))) return true;
  const names = new Set([
    ...Object.values(caseFile.alert.labels),
    ...tested.flatMap(({ outcome, who }) => (outcome === 'supported' ? who : [])),
  ]);
  if (event.component !== null && names.has(event.component.value)) return true;
  if (hops.some((hop) => isAtHop(event, hop))) return true;
  const place = { ...metrics?.place?.target, ...metrics?.place?.labels };
  const [job, instance] = ['job', 'instance'].map((name) => labelOf(place, name));
  const { component } = event;
  const named = component === null ? null : labelOf(place, component.label);
  // A collector is one target, and passes on what many report.
  const isOfOther = component !== null && named !== null && named !== component.value;
  const isOfTargets = !isOfOther && job != null && labelOf(event.labels, 'job') === job;
  return isOfTargets && (instance == null || labelOf(event.labels, 'instance') === instance);
}

/** A new version began on the alert's own machines as the problem did this close to it. */
const besideMs = 2 * 60_000;

/** It is of another program on the machines of the alert's targets, just as the problem began. */
function isBesideAtOnset(event: EventFact, { evidence }: Judged): boolean {
  const { metrics } = evidence;
  const ranking = metrics?.ranking ?? null;
  if (event.kind !== 'version' || event.isOfExporter === true || ranking === null) return false;
  if (Math.abs(1000 * secondsAfterProblem(event, evidence)) > besideMs) return false;
  const job = labelOf({ ...metrics?.place?.target, ...metrics?.place?.labels }, 'job');
  const hosts = new Set([...ranking.ranking.series, ...ranking.ranking.appeared]
    .map(({ candidate }) => candidate)
    .filter(({ labels, component }) => component === ranking.ownComponent ||
      (job !== null && labelOf(labels, 'job') === job))
    .flatMap(({ labels }) => hostsIn(labels)));
  return hostsIn(event.labels).some((host) => hosts.has(host));
}

/** What is behind it does not work by its own account; only what is used up may be its doing. */
function brokenBehind(found: readonly Explained[]): Statement[] {
  const broken = found.find((each) => each.origin !== undefined && isEstablished(each) &&
    each.origin.faults.every(({ kind }) => kind !== 'full'));
  return (broken?.for ?? []).slice(-1);
}

/** The grid of one value a minute is accurate to two steps. */
const stepsMin = 2;

/** Another component that moved notably, and before it, though not so long that nothing began. */
function elsewhereBefore(release: Release, { suspects, evidence }: Judged): Statement[] {
  const releasedMs = 1000 * secondsAfterProblem(release, evidence);
  const moved = suspects.find(({ isOwn, best, found }) => !isOwn && best !== null &&
    best.onsetMs !== null && best.onsetMs >= releasedMs - longBeforeMs &&
    best.onsetMs < releasedMs - stepsMin * found.grid.stepMs);
  const onsetMs = moved?.best?.onsetMs;
  if (moved === undefined || onsetMs == null) return [];
  const name = componentName(moved.component.component);
  return citing([moved.best?.evidence ?? moved.found.evidence],
    `${name} had begun to move before it, ${formatOnset(onsetMs / 1000)}.`);
}

/** The trouble goes on though the release was taken back long enough ago. */
function outlived({ release, evidence: cited }: Release, judged: Judged): Statement[] {
  const backMs = release?.takenBackMs ?? null;
  const { metrics } = judged.evidence;
  if (backMs === null || metrics === null || isResolved(judged)) return [];
  const rangeMs = metrics.window.onMs - metrics.window.splitMs;
  if (judged.now - backMs < rangeMs + recoveredWithinMs) return [];
  const at = utcText(backMs, judged.now, true);
  return citing([cited], `It was taken back at ${at}, and the alert goes on.`);
}

/** It was taken back, and then the value recovered. */
function recoveryAfter({ release, evidence: cited }: Release, judged: Judged): Statement[] {
  const backMs = release?.takenBackMs ?? null;
  const recoveredMs = recoveryOf(judged);
  if (backMs === null || recoveredMs === null) return [];
  const seconds = (recoveredMs - backMs) / 1000;
  if (seconds < 0 || seconds * 1000 > recoveredWithinMs) return [];
  return citing([cited], `It was taken back at ${utcText(backMs, judged.now, true)}, ` +
    `${formatDuration(seconds)} before the value came back.`);
}

/** When the alert's value came back, or else when the alert ended; null while it fires. */
function recoveryOf(judged: Judged): number | null {
  if (judged.ending !== 'recovered') return null;
  const { metrics, history } = judged.evidence;
  return metrics?.own?.recoveredMs ?? history.current.end;
}
