const minute = 60_000;

/** Least time drawn before a change: enough to see what was usual. */
const beforeMsMin = 40 * minute;
const beforeShare = 1.5;

/**
 * From where a series is drawn. Hours of calm would press what matters against the edge, so that
 * only one and a half times as long before the trouble as since then is shown, and 40 min at least.
 */
export function drawnFrom(
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  beganMs: number | null,
): number {
  if (beganMs === null) return fromMs;
  const before = Math.max(beforeMsMin, beforeShare * Math.max(0, toMs - beganMs));
  return Math.max(fromMs, Math.min(toMs, beganMs - before));
}
