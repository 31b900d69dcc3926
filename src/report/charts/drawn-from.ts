const minute = 60_000;

/** Least time drawn before a change, as a visible baseline. */
const beforeMsMin = 40 * minute;
const beforeShare = 1.5;

/**
 * The start of a chart, in ms. Hours of calm would squeeze the problem against the right edge, so
 * the time before it is limited to 1.5 times the time since, but at least 40 min.
 */
export function drawnFrom(
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  beganMs: number | null,
): number {
  if (beganMs === null) return fromMs;
  const before = Math.max(beforeMsMin, beforeShare * Math.max(0, toMs - beganMs));
  return Math.max(fromMs, Math.min(toMs, beganMs - before));
}
