import type { Feedback } from '../report/report.ts';
import type { Mutable } from './chapter.ts';
import type { Episode } from './episode.ts';

/** What one piece of feedback costs beside its texts, in UTF-16 units. */
const entryWeight = 200;

export interface SaidOfEpisode {
  readonly episode: Episode;
  readonly said: Feedback;
}

/** Episodes that people said something of, by the name of their alert. */
export class FeedbackIndex {
  readonly #byName = new Map<string, Set<Episode>>();
  #weight = 0;

  /** How much is kept of what people said, in UTF-16 units. */
  get weight(): number {
    return this.#weight;
  }

  /** Somebody says something more of the episode. */
  take(episode: Mutable<Episode>, said: Feedback): void {
    this.remove(episode);
    episode.feedback = [...episode.feedback, said];
    this.add(episode);
  }

  /** Takes in what the episode's `feedback` holds. */
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

  /** The last that was said of each such episode, latest first, at most `max`. */
  latestOfName(
    name: string,
    isWanted: (episode: Episode) => boolean,
    max: number,
  ): SaidOfEpisode[] {
    return latestSaid([...(this.#byName.get(name) ?? [])].filter(isWanted), max);
  }
}

/** The last that was said of each of the episodes, latest first, at most `max`. */
export function latestSaid(episodes: readonly Episode[], max: number): SaidOfEpisode[] {
  const said = episodes.flatMap((episode) => {
    const last = episode.feedback.at(-1);
    return last === undefined ? [] : [{ episode, said: last }];
  });
  return said.sort((a, b) => Date.parse(b.said.at) - Date.parse(a.said.at)).slice(0, max);
}

function weightOf({ feedback }: Episode): number {
  return feedback.reduce((sum, { cause, note }) =>
    sum + entryWeight + (cause?.length ?? 0) + (note?.length ?? 0), 0);
}
