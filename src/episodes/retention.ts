import { isPending } from './analysis-state.ts';
import type { EpisodeBook } from './book/episode-book.ts';
import { endOf, type Episode } from './episode.ts';

export interface RetentionLimits {
  readonly ageMs: number;
  readonly episodesMax: number;
}

/** Forgotten in one go at most, so that a pass never holds up anything else. */
const batchMax = 500;

/**
 * The episodes that are to be forgotten now: those that ended longer ago than the age allows, and
 * beyond the number allowed those that ended first. What is open goes only when nothing closed is
 * left to go, oldest first. Nothing that is still to be analysed goes. Bounded: call it again.
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
