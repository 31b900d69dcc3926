import { endOf, type Episode } from '../episode.ts';

/** What is taken from the front is cut off in bulk. */
const forgottenMin = 1024;

/** The episodes that have ended, in the order of their ends. */
export class ClosedEpisodes {
  #episodes: Episode[] = [];
  /** Those at the front are gone already. */
  #forgotten = 0;

  get size(): number {
    return this.#episodes.length - this.#forgotten;
  }

  /** An episode that has ended: nearly always later than all before. */
  add(episode: Episode): void {
    const index = this.#indexBehind(endOf(episode));
    if (index === this.#episodes.length) this.#episodes.push(episode);
    else this.#episodes.splice(index, 0, episode);
  }

  /** Where one that ended at `end` stands: behind all that ended by then. */
  #indexBehind(end: number): number {
    let [low, high] = [this.#forgotten, this.#episodes.length];
    const last = this.#episodes[high - 1];
    if (low === high || last === undefined || endOf(last) <= end) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const episode = this.#episodes[middle];
      if (episode !== undefined && endOf(episode) <= end) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Takes all of these, in any order, in place of what it has. */
  fill(episodes: Iterable<Episode>): void {
    this.#episodes = [...episodes].sort((a, b) => endOf(a) - endOf(b));
    this.#forgotten = 0;
  }

  /** Retention takes the oldest first, so the episode is nearly always at the front. */
  remove(episode: Episode): void {
    if (this.#episodes[this.#forgotten] === episode) {
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

  /** The one that ended last first; only those behind `after` where one is given. */
  *latestFirst(after: Episode | null = null): Iterable<Episode> {
    const end = after === null ? this.#episodes.length : this.#episodes.lastIndexOf(after);
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
