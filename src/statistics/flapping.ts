import type { Interval } from './interval.ts';

/** Share of the weighted changes, in percent, at which flapping begins and at which it ends. */
const startsAbove = 30;
const endsAtOrBelow = 25;

const slotMs = 5 * 60_000;
const judgedSlots = 21;
const weightOldest = 0.75;
const weightNewest = 1.25;

/** Slots before the judged ones: whether it flapped then decides which threshold applies now. */
const pastSlots = 42;
const slots: number = judgedSlots + pastSlots;

/** How far back the judged slots go. */
export const flappingSpanMs: number = judgedSlots * slotMs;

export interface Flapping {
  readonly isFlapping: boolean;
  /** Weighted share of the slots in which the state changed, 0 to 100. */
  readonly percent: number;
}

/**
 * Whether an alert flaps, by Nagios' formula (NagiosEnterprises/nagioscore: base/flapping.c). The
 * last 21 slots of 5 minutes count as firing if the alert fired at any moment of them; flapping
 * starts above 30 % of weighted changes and ends at 25 % or below.
 */
export function flappingOf(episodes: readonly Interval[], now: number): Flapping {
  const changes = slotChanges(episodes, now);
  let isFlapping = false;
  let percent = 0;
  for (let end = judgedSlots - 1; end <= changes.length; end += 1) {
    percent = flappingPercent(changes.slice(end - (judgedSlots - 1), end));
    isFlapping = isFlapping ? percent > endsAtOrBelow : percent > startsAbove;
  }
  return { isFlapping, percent };
}

/**
 * Nagios' weighted percentage of state changes: weights rise evenly from 0.75 for the oldest of the
 * 20 possible changes to 1.25 for the newest.
 */
export function flappingPercent(changes: readonly boolean[]): number {
  const step = (weightNewest - weightOldest) / (changes.length - 1);
  const weighted = changes.map((changed, index) => (changed ? weightOldest + index * step : 0));
  return (weighted.reduce((sum, weight) => sum + weight, 0) * 100) / changes.length;
}

/**
 * Changes between neighbouring slots, oldest first. Between two firing slots, an episode that
 * begins in the later one counts as a change: otherwise the fastest flapping would look like one
 * long episode.
 */
function slotChanges(episodes: readonly Interval[], now: number): boolean[] {
  const first = now - slots * slotMs;
  const firing = new Array<boolean>(slots).fill(false);
  const began = new Array<boolean>(slots).fill(false);
  for (const { start, end } of episodes) {
    const from = Math.floor((start - first) / slotMs);
    const to = Math.floor(((end ?? now) - first) / slotMs);
    for (let slot = Math.max(0, from); slot <= Math.min(slots - 1, to); slot += 1) {
      firing[slot] = true;
    }
    if (from >= 0 && from < slots) began[from] = true;
  }
  return firing.slice(1).map((isFiring, index) =>
    isFiring !== firing[index] || (isFiring && began[index + 1] === true));
}
