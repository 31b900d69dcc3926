import type { Asker } from '../asking.ts';

/** Answers with the hours to look back; with 0 or nothing where the usual window has data. */
export const historyQuery =
  'count(up offset 2h) * 0 or count(up offset 1h) * 0 + 2 or count(up) * 0 + 1';

const hourMs = 3_600_000;

/**
 * How far back the server has data, rounded up to one or two hours; null if it is more, or if
 * nothing tells. On a server set up today, the usual window would be mostly empty, and its points
 * too far apart for the little there is.
 */
export async function askHistoryLength(asker: Asker, atMs: number): Promise<number | null> {
  const answer = await asker.query('search', historyQuery, atMs);
  const hours = answer?.samples[0]?.value ?? 0;
  return hours > 0 ? hours * hourMs : null;
}
