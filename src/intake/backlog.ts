import type { Episode } from '../episodes/episode.ts';

/** What one waiting alert may take on average; hostile ones can be far larger than usual ones. */
const bytesPerJob = 16 * 1024;

/**
 * How much the alerts waiting for analysis weigh. They are kept in memory until then, so they are
 * bounded in bytes as well as in number.
 */
export class Backlog {
  readonly #jobsMax: number;
  readonly #bytesMax: number;
  readonly #bytes = new Map<Episode, number>();
  #total = 0;

  constructor(jobsMax: number) {
    this.#jobsMax = jobsMax;
    this.#bytesMax = jobsMax * bytesPerJob;
  }

  get bytes(): number {
    return this.#total;
  }

  /** Whether a notification may come in, however large, with `jobs` waiting and running. */
  hasRoom(jobs: number): boolean {
    return jobs < this.#jobsMax && this.#total < this.#bytesMax;
  }

  /** A notification of `bytes` told something of these episodes. */
  add(episodes: readonly Episode[], bytes: number): void {
    const share = bytes / episodes.length;
    for (const episode of episodes) {
      this.remove(episode);
      this.#bytes.set(episode, share);
      this.#total += share;
    }
  }

  /** The episode is analysed; nothing of it is kept waiting. */
  remove(episode: Episode): void {
    this.#total -= this.#bytes.get(episode) ?? 0;
    this.#bytes.delete(episode);
    if (this.#bytes.size === 0) this.#total = 0; // Shares are fractions; nothing may pile up.
  }
}
