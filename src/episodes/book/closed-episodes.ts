import { firstIndexWhere } from '../../lib/binary-search.ts';
import { endOf, type Episode } from '../episode.ts';

/** Empty slots at the front are cut off in bulk: not fewer than these. */
const forgottenMin = 1024;

/** The episodes that have ended, in the order in which they ended. */
export class ClosedEpisodes {
  /** Empty where an episode was taken from the front. */
  #episodes: (Episode | undefined)[] = [];
  #forgotten = 0;
  #revision = 0;

  get size(): number {
    return this.#episodes.length - this.#forgotten;
  }

  /** Rises with each change: an iteration that began before it must not go on. */
  get revision(): number {
    return this.#revision;
  }

  /** Adds an episode that has ended: nearly always later than all others. */
  add(episode: Episode): void {
    this.#revision += 1;
    const index = this.#indexBehind(endOf(episode));
    if (index === this.#episodes.length) this.#episodes.push(episode);
    else this.#episodes.splice(index, 0, episode);
  }

  /** Where an episode that ended at `end` belongs: after all that ended by then. */
  #indexBehind(end: number): number {
    return firstIndexWhere(this.#episodes, (episode) =>
      episode !== undefined && endOf(episode) > end);
  }

  /** Replaces everything with `episodes`, given in any order. */
  fill(episodes: Iterable<Episode>): void {
    this.#revision += 1;
    this.#episodes = [...episodes].sort((a, b) => endOf(a) - endOf(b));
    this.#forgotten = 0;
  }

  /** Retention removes the oldest first, so the episode is nearly always at the front. */
  remove(episode: Episode): void {
    this.#revision += 1;
    if (this.#episodes[this.#forgotten] === episode) {
      this.#episodes[this.#forgotten] = undefined;
      this.#forgotten += 1;
    } else {
      const index = this.#episodes.indexOf(episode, this.#forgotten);
      if (index >= 0) this.#episodes.splice(index, 1);
    }
    if (this.#forgotten > forgottenMin && this.#forgotten * 2 > this.#episodes.length) {
      this.#episodes.splice(0, this.#forgotten);
      this.#forgotten = 0;
    }
  }

  /** Starts with the one that ended last, or with the one before `after` if that is given. */
  latestFirst(after: Episode | null = null): Iterable<Episode> {
    const { length } = this.#episodes;
    return this.#backFrom(after === null ? length : this.#episodes.lastIndexOf(after));
  }

  /** Those that ended before `end` (ms since the epoch), the latest first. */
  endedBefore(end: number): Iterable<Episode> {
    return this.#backFrom(this.#indexBehind(end - 1));
  }

  *#backFrom(end: number): Iterable<Episode> {
    for (let index = end - 1; index >= this.#forgotten; index--) {
      const episode = this.#episodes[index];
      if (episode !== undefined) yield episode;
    }
  }

  *oldestFirst(): Iterable<Episode> {
    for (let index = this.#forgotten; index < this.#episodes.length; index++) {
      const episode = this.#episodes[index];
      if (episode !== undefined) yield episode;
    }
  }
}
