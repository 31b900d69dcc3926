import { beforePointsMin } from './robust-change.ts';

/** Points that must be missing at the end before a series counts as gone rather than late. */
const missingPointsMin = 3;

/**
 * Whether a series existed throughout. `appeared`: it began after at least five points without a
 * sample and has fewer than five values before the split. `vanished`: its samples end, and the gap
 * is more than twice any earlier one. `absent`: it has no values, or only a few before the split.
 * `index` is the first value of one that appeared, or the first point without one.
 */
export interface SeriesLife {
  readonly life: 'present' | 'appeared' | 'vanished' | 'absent';
  readonly index: number | null;
}

/**
 * The life of a series; `split` is the index of the first point that counts as after. `valueless`
 * spans its NaN samples, as of a quantile of no requests: they show that the series exists.
 */
export function lifeOf(
  values: Float64Array,
  split: number,
  valueless: { readonly first: number; readonly last: number } | null,
): SeriesLife {
  let before = 0;
  let first = -1;
  let last = -1;
  let pauseMax = 0;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? Number.NaN;
    if (!Number.isFinite(value)) continue;
    if (first < 0) first = index;
    else pauseMax = Math.max(pauseMax, index - last - 1);
    last = index;
    if (index < split) before += 1;
  }
  if (last < 0) return { life: 'absent', index: null };
  if (before < beforePointsMin) {
    if (last < split) return { life: 'absent', index: null };
    const isNew = Math.min(first, valueless?.first ?? first) >= beforePointsMin;
    return isNew ? { life: 'appeared', index: first } : { life: 'present', index: null };
  }
  const missing = values.length - 1 - Math.max(last, valueless?.last ?? last);
  const isGone = missing >= missingPointsMin && missing > 2 * pauseMax;
  return isGone ? { life: 'vanished', index: last + 1 } : { life: 'present', index: null };
}
