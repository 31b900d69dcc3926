import type { Feedback } from '../../report/report.ts';
import type { Episode } from '../episode.ts';
import type { Mutable } from './chapter.ts';

/** What one piece of feedback costs in addition to its texts, in UTF-16 units. */
const entryWeight = 200;

interface SaidOfEpisode {
  readonly episode: Episode;
  readonly said: Feedback;
}

/** Episodes with feedback, by the name of their alert. */
export class FeedbackIndex {
  readonly #byName = new Map<string, SaidOfName>();
  #weight = 0;

  /** The size of all feedback, in UTF-16 units. */
  get weight(): number {
    return this.#weight;
  }

  /** Adds a new piece of feedback to the episode. */
  take(episode: Mutable<Episode>, said: Feedback): void {
    this.remove(episode);
    episode.feedback = [...episode.feedback, said];
    this.add(episode);
  }

  /** Adds an episode with the feedback that it already has. */
  add(episode: Episode): void {
    const last = episode.feedback.at(-1);
    if (last === undefined) return;
    const named = this.#byName.get(episode.name) ?? new SaidOfName();
    this.#byName.set(episode.name, named);
    named.add(episode, last);
    this.#weight += weightOf(episode);
  }

  remove(episode: Episode): void {
    const named = this.#byName.get(episode.name);
    if (named === undefined || !named.remove(episode)) return;
    this.#weight -= weightOf(episode);
    if (named.isEmpty) this.#byName.delete(episode.name);
  }

  /** The last feedback on each wanted episode of this name, latest first, at most `max`. */
  latestOfName(
    name: string,
    isWanted: (episode: Episode) => boolean,
    max: number,
  ): SaidOfEpisode[] {
    return this.#byName.get(name)?.latest(isWanted, max) ?? [];
  }
}

/** Stale entries are removed only once there are more than these. */
const staleMin = 64;

/**
 * The last feedback on each episode of one name, kept in order: every analysis asks for the latest,
 * and without a token anybody can comment on 80 000 of them, too many to sort each time.
 */
class SaidOfName {
  readonly #last = new Map<Episode, SaidAt>();
  /** Oldest first, once in order. Entries that are no longer in `#last` are stale. */
  #said: SaidAt[] = [];
  #isInOrder = true;

  get isEmpty(): boolean {
    return this.#last.size === 0;
  }

  add(episode: Episode, said: Feedback): void {
    const entry = { episode, said, at: Date.parse(said.at) };
    // A snapshot has them in any order, and a clock may be set back.
    if (entry.at < (this.#said.at(-1)?.at ?? -Infinity)) this.#isInOrder = false;
    this.#last.set(episode, entry);
    this.#said.push(entry);
    this.#tidy();
  }

  /** Returns whether the episode had feedback. */
  remove(episode: Episode): boolean {
    const isKnown = this.#last.delete(episode);
    this.#tidy();
    return isKnown;
  }

  latest(isWanted: (episode: Episode) => boolean, max: number): SaidOfEpisode[] {
    if (!this.#isInOrder) this.#said.sort((a, b) => a.at - b.at);
    this.#isInOrder = true;
    const found: SaidOfEpisode[] = [];
    for (let index = this.#said.length - 1; index >= 0 && found.length < max; index--) {
      const entry = this.#said[index];
      if (entry !== undefined && this.#isLast(entry) && isWanted(entry.episode)) found.push(entry);
    }
    return found;
  }

  /** Only once half of the entries are stale, so that a change costs little on average. */
  #tidy(): void {
    if (this.#said.length <= 2 * this.#last.size + staleMin) return;
    this.#said = this.#said.filter((entry) => this.#isLast(entry));
  }

  #isLast(entry: SaidAt): boolean {
    return this.#last.get(entry.episode) === entry;
  }
}

interface SaidAt extends SaidOfEpisode {
  /** In ms since the epoch. */
  readonly at: number;
}

/** The last feedback on each of the episodes, latest first, at most `max`. */
export function latestSaid(episodes: readonly Episode[], max: number): SaidOfEpisode[] {
  const said: SaidOfEpisode[] = [];
  for (const episode of episodes) {
    const last = episode.feedback.at(-1);
    if (last !== undefined) said.push({ episode, said: last });
  }
  return said.sort((a, b) => Date.parse(b.said.at) - Date.parse(a.said.at)).slice(0, max);
}

function weightOf({ feedback }: Episode): number {
  return feedback.reduce((sum, { cause, note }) =>
    sum + entryWeight + (cause?.length ?? 0) + (note?.length ?? 0), 0);
}
