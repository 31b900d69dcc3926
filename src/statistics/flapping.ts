import { type Interval } from './interval.ts';

/** Share of the weighted changes, in percent, at which flapping begins and at which it ends. */
const startsAbove = 30;
const endsAtOrBelow = 25;

const flappingSlots = 21;
const weightOldest = 0.75;
const weightNewest = 1.25;

/** Slots looked at before the window, so that the hysteresis has a past to begin in. */
const pastSlots = 42;
const slotMsMin = 5 * 60_000;

export interface Flapping {
  readonly isFlapping: boolean;
  /** Weighted share of the slots in which the state changed, 0 to 100. */
  readonly percent: number;
  readonly slotMs: number;
}

/**
 * Whether an alert flaps. Its episodes are sampled in 21 slots that end now, firing where it fired
 * at any moment of the slot, and judged by Nagios' formula (NagiosEnterprises/nagioscore:
 * base/flapping.c) with a start above 30 % and an end at 25 % or below. `settleMs` is the rule's
 * `for` plus its longest range: a slot is never shorter than that, nor than 5 minutes.
 */
export function flappingOf(
  episodes: readonly Interval[],
  now: number,
  settleMs: number = slotMsMin,
): Flapping {
  const slotMs = Math.max(slotMsMin, settleMs);
  const changes = slotChanges(episodes, { now, slotMs, slots: flappingSlots + pastSlots });
  let isFlapping = false;
  let percent = 0;
  for (let end = flappingSlots - 1; end <= changes.length; end += 1) {
    percent = flappingPercent(changes.slice(end - (flappingSlots - 1), end));
    isFlapping = isFlapping ? percent > endsAtOrBelow : percent > startsAbove;
  }
  return { isFlapping, percent, slotMs };
}

/**
 * Nagios' weighted share of changes: the oldest of the 20 changes between 21 states counts 0.75,
 * the newest 1.25, evenly in between; the sum is a percentage of 20.
 */
export function flappingPercent(changes: readonly boolean[]): number {
  const step = (weightNewest - weightOldest) / (changes.length - 1);
  const weighted = changes.map((changed, index) => (changed ? weightOldest + index * step : 0));
  return (weighted.reduce((sum, weight) => sum + weight, 0) * 100) / changes.length;
}

interface Sampling {
  readonly now: number;
  readonly slotMs: number;
  readonly slots: number;
}

/**
 * Changes between neighbouring slots, oldest first. An alert that ends and begins again within the
 * reach of two firing slots has changed as well: plain sampling would see the fastest flapping as
 * one long episode.
 */
function slotChanges(episodes: readonly Interval[], { now, slotMs, slots }: Sampling): boolean[] {
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
  const changes: boolean[] = [];
  for (let slot = 1; slot < slots; slot += 1) {
    const differs = firing[slot] !== firing[slot - 1];
    changes.push(differs || (firing[slot] === true && began[slot] === true));
  }
  return changes;
}
