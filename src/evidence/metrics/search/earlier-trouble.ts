import type { EarlierTrouble } from '../../../statistics/without-earlier.ts';
import { isFiring } from '../../measurement.ts';
import { longestRange, type ReadComparison, type RuleReading } from '../../rule/rule-expression.ts';
import type { OwnRange, OwnRanges } from '../own/ask-own.ts';

/** The value may show a beginning this many points late, and an end as early. */
const marginPoints = 1;
/** Fewer points than this outside of it are too few to tell what is usual. */
const usualMin = 40;

/**
 * The points before `split` of earlier stretches in which the alert's value was beyond its limit,
 * with those before each in which the trouble may have begun. Null if there are none, and where the
 * value alone does not decide whether the rule holds.
 */
export function earlierTrouble(
  { own, limit, reading }: {
    readonly own: OwnRanges; readonly limit: OwnRanges | null; readonly reading: RuleReading | null;
  },
  split: number,
): EarlierTrouble | null {
  if (own.window === null || reading === null || reading.comparison === null) return null;
  const over = beyond(own.window, limit?.window ?? null, reading.comparison);
  // What goes on until the split is no earlier stretch.
  const lastWithin = over?.lastIndexOf(0, split - 1) ?? 0;
  if (over === null || !over.subarray(0, Math.max(0, lastWithin)).includes(1)) return null;
  const { values, answer: { grid } } = own.window;
  const smeared = Math.ceil(longestRange(reading.expression) * 1000 / grid.stepMs);
  const marked = new Uint8Array(values.length);
  for (let index = 0; index < lastWithin; index += 1) {
    const until = Math.min(split, index + marginPoints + 1);
    if (over[index] === 1) marked.fill(1, Math.max(0, index - smeared - marginPoints), until);
  }
  const left = values.subarray(0, split)
    .filter((value, index) => Number.isFinite(value) && marked[index] === 0).length;
  return { marked, isUsualLeft: left >= usualMin };
}

/** 1 where the value is beyond its limit; null if the limit is not known. */
function beyond(
  { values }: OwnRange,
  limit: OwnRange | null,
  { operator, threshold, hasMoreConditions }: ReadComparison,
): Uint8Array | null {
  if (hasMoreConditions || (threshold === null && limit === null)) return null;
  return Uint8Array.from(values, (value, index) => {
    const bound = threshold ?? limit?.values[index] ?? Number.NaN;
    return Number.isFinite(value) && isFiring(value, operator, bound) ? 1 : 0;
  });
}
