import { labelOf } from '../../alert/labels.ts';
import type { EventFact, MetricFacts } from '../../evidence/metric-facts.ts';
import type { Strength } from '../../statistics/strength.ts';

const minuteMs = 60_000;
/** An event this long before the problem, or this little after it, may be behind it. */
const beforeMs: number = 30 * minuteMs;
const afterMs: number = minuteMs;
/** Farther from the beginning of the problem than this an event is only listed. */
const farMs: number = 2 * beforeMs;

/** Happened shortly before the problem began, so that it may be its cause. */
export function isJustBefore({ atMs }: EventFact, { window }: MetricFacts): boolean {
  return isAround((atMs - window.onMs) / 1000);
}

/** The latest event just before the problem that is one of those asked for; null without one. */
export function latestBefore(
  facts: MetricFacts,
  isAskedFor: (event: EventFact) => boolean,
): EventFact | null {
  return facts.events
    .filter((event) => isAskedFor(event) && isJustBefore(event, facts))
    .sort((a, b) => b.atMs - a.atMs)[0] ?? null;
}

/** Whether so many seconds from the beginning of the problem are just before it. */
export function isAround(seconds: number): boolean {
  return seconds * 1000 >= -beforeMs && seconds * 1000 <= afterMs;
}

/** On the component of that name, or on the pod. */
export function isOn({ component, labels }: EventFact, name: string): boolean {
  if (component !== null) return component.value === name || labelOf(labels, 'pod') === name;
  return Object.values(labels).includes(name);
}

/**
 * How much an event stands out, in the words for changes: strong on the alert's own component or on
 * the one that moved most, shortly before the problem; weak when it is an hour or more away.
 */
export function closenessOf(event: EventFact, facts: MetricFacts, top: string | null): Strength {
  if (Math.abs(event.atMs - facts.window.onMs) > farMs) return 'weak';
  const own = facts.ranking?.ownComponent ?? null;
  const isNear = event.isOwn === true ||
    [own, top].some((name) => name !== null && isOn(event, name));
  return isNear && isJustBefore(event, facts) ? 'strong' : 'notable';
}
