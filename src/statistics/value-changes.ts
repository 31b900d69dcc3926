/** One change of a value that otherwise stays: a setting, a count of restarts, a start time. */
export interface ValueChange {
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

/** Bounds what a restless series costs; a container in a crash loop restarts 12 times an hour. */
const changesMax = 60;

/**
 * Where a value changed by more than `tolerance`, in order, at most the first 60 changes. A
 * tolerance of some seconds is for values that are times, such as that of the last start.
 */
export function valueChanges(values: Float64Array, tolerance = 0): ValueChange[] {
  const changes: ValueChange[] = [];
  let previous = Number.NaN;
  for (let index = 0; index < values.length && changes.length < changesMax; index += 1) {
    const value = values[index] ?? Number.NaN;
    if (!Number.isFinite(value)) continue;
    if (Math.abs(value - previous) > tolerance) changes.push({ index, from: previous, to: value });
    previous = value;
  }
  return changes;
}
