import { labelOf } from '../../alert/labels.ts';
import type { Evidence } from '../../evidence/collect-evidence.ts';
import type { EventFact } from '../../evidence/metric-facts.ts';
import { minuteMs } from '../../lib/time-units.ts';
import type { Strength } from '../../statistics/strength.ts';

/** An event may be behind the problem from this long before it. */
const beforeMs: number = 30 * minuteMs;
/** Clocks of machines differ by this. */
const clocksMs = 15_000;
/** A return to the version that ran before breaks something at once, if at all. */
const returnBeforeMs = minuteMs;
/** What a restart causes, such as empty caches, is seen sooner than what a release does. */
const restartBeforeMs: number = 10 * minuteMs;
/** Farther from the beginning of the problem than this, an event is weak. */
const farMs: number = 2 * beforeMs;

/** When the problem began, in ms: as metrics show it, or else when the alert began to fire. */
export function problemStart({ metrics, history }: Evidence): number {
  return metrics?.window.onMs ?? history.current.start;
}

/** Restarts, releases and so on; without metrics the rollouts, which Kubernetes reports itself. */
export function eventsOf({ metrics, kubernetes }: Evidence): readonly EventFact[] {
  return metrics?.events ?? kubernetes?.rollouts ?? [];
}

/** Seconds from the beginning of the problem; negative is before. */
export function secondsAfterProblem({ atMs }: EventFact, evidence: Evidence): number {
  return (atMs - problemStart(evidence)) / 1000;
}

/** Seconds from the beginning of the problem at which it had surely not happened yet. */
function secondsNotYet({ atMs, sinceMs }: EventFact, evidence: Evidence): number {
  return ((sinceMs ?? atMs) - problemStart(evidence)) / 1000;
}

/** It is known to have happened before the problem began. */
export function isSurelyBefore(event: EventFact, evidence: Evidence): boolean {
  return secondsAfterProblem(event, evidence) <= 0;
}

/**
 * It happened shortly before the problem began, as far as its time is known, so it may be its
 * cause. A release that had been taken back by then is none.
 */
export function isJustBefore(event: EventFact, evidence: Evidence): boolean {
  if (event.release?.takenBackMs != null &&
    event.release.takenBackMs < problemStart(evidence)) return false;
  const seconds = secondsAfterProblem(event, evidence);
  const longest = event.kind === 'restart' ? restartBeforeMs
    : event.release?.isBack === true ? returnBeforeMs : beforeMs;
  return seconds * 1000 >= -longest && secondsNotYet(event, evidence) * 1000 <= clocksMs;
}

/** The latest event just before the problem that passes the filter; null without one. */
export function latestBefore(
  evidence: Evidence,
  isAskedFor: (event: EventFact) => boolean,
): EventFact | null {
  return eventsOf(evidence)
    .filter((event) => isAskedFor(event) && isJustBefore(event, evidence))
    .sort((a, b) => b.atMs - a.atMs)[0] ?? null;
}

/** Whether this many seconds after the beginning of the problem (negative: before) are close. */
export function isAround(seconds: number): boolean {
  return seconds * 1000 >= -beforeMs && seconds * 1000 <= minuteMs;
}

/** A new version or configuration. */
export interface Release extends EventFact {
  readonly kind: 'version' | 'config';
}

/**
 * Something was changed, which may be a cause. A restart is often the symptom itself, and more
 * replicas are the answer to a load.
 */
export function isRelease(event: EventFact): event is Release {
  return (event.kind === 'version' || event.kind === 'config') && !isScaledUp(event);
}

function isScaledUp({ labels, before, after }: EventFact): boolean {
  return labelOf(labels, '__name__')?.endsWith('_spec_replicas') === true &&
    Number(after) > Number(before);
}

/** It happened to the component or pod of that name, or restarted it. */
export function isOn(event: EventFact, name: string): boolean {
  const { component, labels, isOfExporter, restarted } = event;
  if (isOfExporter === true) return false;
  if (restarted?.includes(name) === true) return true;
  if (component !== null) return component.value === name || labelOf(labels, 'pod') === name;
  return Object.values(labels).includes(name);
}

/**
 * How much an event stands out: strong when it happened shortly before the problem to the alert's
 * own component or to the one that moved most; weak when it is more than an hour away, unless
 * nothing else is known to have changed, as without metrics.
 */
export function closenessOf(event: EventFact, evidence: Evidence, top: string | null): Strength {
  const { metrics } = evidence;
  const isFar = Math.abs(event.atMs - problemStart(evidence)) > farMs;
  if (isFar && metrics !== null) return 'weak';
  const own = metrics?.ranking?.ownComponent ?? null;
  const isNear = event.isOfAlert === true ||
    [own, top].some((name) => name !== null && isOn(event, name));
  return isNear && isJustBefore(event, evidence) ? 'strong' : 'notable';
}
