import { isPending } from './analysis-state.ts';
import type { EpisodeBook } from './book/episode-book.ts';
import { endOf, type Episode } from './episode.ts';

export interface RetentionLimits {
  readonly ageMs: number;
  readonly episodesMax: number;
}

/** Most episodes removed in one go, so that a pass never delays other work. */
const batchMax = 500;

/**
 * The episodes to remove now: those that ended too long ago, and if there are still too many, those
 * that ended first. Open ones are removed only when no closed one is left, oldest first. Episodes
 * that still have to be analysed are kept. Returns a limited number: call it again.
 */
export function expiredEpisodes(
  book: EpisodeBook,
  limits: RetentionLimits,
  now: number,
): Episode[] {
  const excess = book.total - limits.episodesMax;
  const expired: Episode[] = [];
  for (const episode of book.closed.oldestFirst()) {
    const isOld = now - endOf(episode) > limits.ageMs;
    if (expired.length >= batchMax || (!isOld && expired.length >= excess)) return expired;
    if (!isPending(episode.analysis)) expired.push(episode);
  }
  for (const episode of book.open) {
    if (expired.length >= Math.min(batchMax, excess)) break;
    if (!isPending(episode.analysis)) expired.push(episode);
  }
  return expired;
}
