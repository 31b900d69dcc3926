import type { Feedback } from '../../report/report.ts';
import type { Episode } from '../episode.ts';
import type { Mutable } from './alert-history.ts';

/** What one piece of feedback costs in addition to its texts, in UTF-16 units. */
const entryWeight = 200;

/** Episodes with feedback, by the name of their alert. */
export class FeedbackIndex {
  readonly #byName = new Map<string, Set<Episode>>();
  #weight = 0;

  /** The size of all feedback, in UTF-16 units. */
  get weight(): number {
    return this.#weight;
  }

  /** Adds a new piece of feedback to the episode. */
  take(episode: Mutable<Episode>, feedback: Feedback): void {
    this.remove(episode);
    episode.feedback = [...episode.feedback, feedback];
    this.add(episode);
  }

  /** Adds an episode with the feedback that it already has. */
  add(episode: Episode): void {
    if (episode.feedback.length === 0) return;
    const named = this.#byName.get(episode.name) ?? new Set();
    this.#byName.set(episode.name, named.add(episode));
    this.#weight += weightOf(episode);
  }

  remove(episode: Episode): void {
    const named = this.#byName.get(episode.name);
    if (named === undefined || !named.delete(episode)) return;
    this.#weight -= weightOf(episode);
    if (named.size === 0) this.#byName.delete(episode.name);
  }

  /** Episodes with feedback whose alert has this name. */
  ofName(name: string): Iterable<Episode> {
    return this.#byName.get(name) ?? [];
  }
}

interface EpisodeFeedback {
  readonly episode: Episode;
  readonly feedback: Feedback;
}

/**
 * The last feedback on each wanted episode, latest first, at most `max`. Sorts only what is among
 * the latest so far: without a token, anybody can comment on 80 000 episodes of one name.
 */
export function latestFeedback(
  episodes: Iterable<Episode>,
  max: number,
  isWanted: (episode: Episode) => boolean = () => true,
): EpisodeFeedback[] {
  const latest: EpisodeFeedback[] = [];
  for (const episode of episodes) {
    const feedback = episode.feedback.at(-1);
    if (feedback === undefined || !isWanted(episode)) continue;
    if (feedback.at <= (latest[max - 1]?.feedback.at ?? '')) continue;
    latest.push({ episode, feedback });
    latest.sort((a, b) => Date.parse(b.feedback.at) - Date.parse(a.feedback.at));
    latest.length = Math.min(latest.length, max);
  }
  return latest;
}

function weightOf({ feedback }: Episode): number {
  return feedback.reduce((sum, { cause, note }) =>
    sum + entryWeight + (cause?.length ?? 0) + (note?.length ?? 0), 0);
}
