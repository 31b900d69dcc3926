import { timeAt, type TimeGrid, type TimeSpan } from '../../../sources/time-grid.ts';

/** If less of a slot than this is covered, the state was left in it. */
const passedOverShare = 0.8;

/** Stretches of time in which samples are counted, each up to a point of the grid. */
export interface Slots {
  readonly grid: TimeGrid;
  /** Seconds between two evaluations; null is unknown. */
  readonly intervalSeconds: number | null;
}

/**
 * Stretches of a state, from its number of samples in each slot. A slot that is not full ends a
 * stretch: the state was left in it. If only a few samples are missing, the evaluation may have
 * been late; then the next slot decides. An empty slot ends it too, unless evaluations are so rare
 * that some slots have none.
 */
export function stretchesOf(counts: Float64Array, { grid, intervalSeconds }: Slots): TimeSpan[] {
  const full = counts.reduce((most, count) => (count > most ? count : most), 1);
  const sampleMs = intervalSeconds === null ? grid.stepMs / full : intervalSeconds * 1000;
  const coveredMs = (index: number): number => (counts[index] ?? 0) * sampleMs;
  const isFull = (index: number): boolean => coveredMs(index) > grid.stepMs - 1.5 * sampleMs;
  const isLeftIn = (index: number): boolean => {
    const isPassedOver = coveredMs(index) >= passedOverShare * grid.stepMs && isFull(index + 1);
    return !isFull(index) && !isPassedOver;
  };
  const slotsApart = Math.floor(sampleMs / grid.stepMs) + 1;
  const stretches: { readonly first: number; last: number }[] = [];
  for (const [index, count] of counts.entries()) {
    if (!(count > 0)) continue;
    const current = stretches.at(-1);
    const goesOn = current !== undefined && index - current.last <= slotsApart &&
      (current.last === current.first || !isLeftIn(current.last));
    if (goesOn) current.last = index;
    else stretches.push({ first: index, last: index });
  }
  const lengthOf = (index: number): number => Math.min(grid.stepMs, coveredMs(index));
  return stretches.map(({ first, last }) => ({
    fromMs: timeAt(grid, first) - lengthOf(first),
    toMs: first === last ? timeAt(grid, last) : timeAt(grid, last - 1) + lengthOf(last),
  }));
}
