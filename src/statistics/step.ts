/** One step from one level to another, which a series keeps on either side of it. */
export interface LevelStep {
  /** Index of the first value on the other level. */
  readonly index: number;
  readonly before: number;
  readonly after: number;
}

/** With fewer values on the first level, that it is kept shows little. */
const keptMin = 15;
/** Values of a level differ by less than this share of the step. */
const levelShare = 0.001;
/** A step is at least this share of the larger level: to or from a half. */
const stepShare = 0.5;

/**
 * The step of a series that otherwise stands still: a setting, a state, a number of workers, a
 * clock. What varies by itself, comes back or goes on moving has none, nor has a small correction.
 * `from` is the first index at which it may be; at least 15 values have to lie before it.
 */
export function stepOf(values: Float64Array, from: number): LevelStep | null {
  const last = values.findLast(Number.isFinite);
  const first = values.find(Number.isFinite);
  if (first === undefined || last === undefined) return null;
  const gap = last - first;
  if (gap === 0 || Math.abs(gap) < stepShare * Math.max(Math.abs(first), Math.abs(last))) {
    return null;
  }
  let [index, kept] = [-1, 0];
  for (const [at, value] of values.entries()) {
    if (!Number.isFinite(value)) continue;
    const isAway = Math.abs(value - first) > levelShare * Math.abs(gap);
    if (index < 0 && !isAway) kept += 1;
    if (index < 0 && isAway) index = at;
    if (index >= 0 && Math.abs(value - last) > levelShare * Math.abs(gap)) return null;
  }
  return index < from || kept < keptMin ? null : { index, before: first, after: last };
}
