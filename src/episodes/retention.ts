import { isPending } from './analysis-state.ts';
import type { EpisodeBook } from './book/episode-book.ts';
import { identityWeight } from './book/open-episodes.ts';
import { endOf, type Episode } from './episode.ts';

export interface RetentionLimits {
  readonly ageMs: number;
  readonly episodesMax: number;
  /** Most bytes kept of open alerts that have their report; fewer in tests. */
  readonly openBytes?: number;
}

/** Most episodes removed in one go, so that a pass never delays other work. */
const batchMax = 500;

/** Bytes kept of open alerts, of 100 000 usual ones: in memory three to five times as much. */
export const openBytesMax: number = 64 * 1024 * 1024;

/**
 * The episodes to remove now: those that ended too long ago, and if there are still too many, those
 * that ended first. Open ones are removed only when no closed one is left, oldest first, or when
 * more than `openBytes` is kept of them: then those that are no shorter than the average, oldest
 * first. Episodes that still have to be analysed are kept. Returns a limited number: call it again.
 */
export function expiredEpisodes(
  book: EpisodeBook,
  { ageMs, episodesMax, openBytes = openBytesMax }: RetentionLimits,
  now: number,
): Episode[] {
  const excess = book.total - episodesMax;
  const expired: Episode[] = [];
  for (const episode of book.closed.oldestFirst()) {
    const isOld = now - endOf(episode) > ageMs;
    if (expired.length >= batchMax) return expired;
    if (!isOld && expired.length >= excess) break;
    if (!isPending(episode.analysis)) expired.push(episode);
  }
  let excessBytes = book.open.weight - openBytes;
  const average = book.open.weight / book.open.size;
  for (const episode of book.open) {
    const isBeyond = expired.length < excess;
    if (expired.length >= batchMax || (!isBeyond && excessBytes <= 0)) break;
    const bytes = identityWeight(episode.identity);
    if (isPending(episode.analysis) || (!isBeyond && bytes < average)) continue;
    expired.push(episode);
    excessBytes -= bytes;
  }
  return expired;
}
