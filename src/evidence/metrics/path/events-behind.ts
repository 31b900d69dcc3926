import { labelOf } from '../../../alert/labels.ts';
import { findEvents } from '../events/events.ts';
import { togetherMs, type FoundEvent } from '../events/found-event.ts';
import type { FoundHop } from './hops.ts';

/** What happened longer ago broke nothing that fails now. */
const beforeMsMax = 30 * 60_000;

/**
 * The events known, and the releases, restarts and configuration changes of the things on the path,
 * by time. They are asked for there, as these may be far from where else the alert is looked into.
 */
export function withEventsBehind(
  known: readonly FoundEvent[],
  hops: readonly FoundHop[],
  onMs: number,
): FoundEvent[] {
  const views = new Set(hops.flatMap((hop) => hop.views));
  const behind = [...views].flatMap(({ thing, answer: { series, grid } }) =>
    findEvents(series, {
      grid, onMs, componentOf: () => ({ label: 'job', value: thing.name }),
    }));
  const news = behind.filter((event) => event.atMs >= onMs - beforeMsMax &&
    !known.some((each) => isSame(event, each)));
  return [...known, ...news].sort((a, b) => a.atMs - b.atMs);
}

/** Several series, or the same ones on another grid, show one event. */
function isSame(one: FoundEvent, other: FoundEvent): boolean {
  return one.kind === other.kind && Math.abs(one.atMs - other.atMs) <= togetherMs &&
    one.before === other.before && one.after === other.after &&
    labelOf(one.labels, 'job') === labelOf(other.labels, 'job');
}
