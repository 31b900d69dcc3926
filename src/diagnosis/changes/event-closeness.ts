import { labelOf } from '../../alert/labels.ts';
import type { EventFact, MetricFacts } from '../../evidence/metric-facts.ts';
import type { Strength } from '../../statistics/strength.ts';

const minuteMs = 60_000;
/** An event may be behind the problem from this long before it to this long after it. */
const beforeMs: number = 30 * minuteMs;
const afterMs: number = minuteMs;
/** Farther from the beginning of the problem than this, an event is weak. */
const farMs: number = 2 * beforeMs;

/** It happened shortly before the problem began, so it may be its cause. */
export function isJustBefore({ atMs }: EventFact, { window }: MetricFacts): boolean {
  return isAround((atMs - window.onMs) / 1000);
}

/** The latest event just before the problem that passes the filter; null without one. */
export function latestBefore(
  facts: MetricFacts,
  isAskedFor: (event: EventFact) => boolean,
): EventFact | null {
  return facts.events
    .filter((event) => isAskedFor(event) && isJustBefore(event, facts))
    .sort((a, b) => b.atMs - a.atMs)[0] ?? null;
}

/** Whether this many seconds after the beginning of the problem (negative: before) are close. */
export function isAround(seconds: number): boolean {
  return seconds * 1000 >= -beforeMs && seconds * 1000 <= afterMs;
}

/**
 * Something was changed, which may be a cause. A restart is often the symptom itself, and more
 * replicas are the answer to a load.
 */
export function isRelease(event: EventFact): event is EventFact & {
  readonly kind: 'version' | 'config';
} {
  return (event.kind === 'version' || event.kind === 'config') && !isScaledUp(event);
}

function isScaledUp({ labels, before, after }: EventFact): boolean {
  return labelOf(labels, '__name__')?.endsWith('_spec_replicas') === true &&
    Number(after) > Number(before);
}

/** It happened to the component or pod of that name. */
export function isOn({ component, labels }: EventFact, name: string): boolean {
  if (component !== null) return component.value === name || labelOf(labels, 'pod') === name;
  return Object.values(labels).includes(name);
}

/**
 * How much an event stands out: strong when it happened shortly before the problem to the alert's
 * own component or to the one that moved most; weak when it is more than an hour away.
 */
export function closenessOf(event: EventFact, facts: MetricFacts, top: string | null): Strength {
  if (Math.abs(event.atMs - facts.window.onMs) > farMs) return 'weak';
  const own = facts.ranking?.ownComponent ?? null;
  const isNear = event.isOwn === true ||
    [own, top].some((name) => name !== null && isOn(event, name));
  return isNear && isJustBefore(event, facts) ? 'strong' : 'notable';
}
