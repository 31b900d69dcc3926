import { severityRank, type Severity } from '../alert/severity.ts';
import type { Episode } from '../episodes/episode.ts';

/** More are not kept: their alerts would be over before a model came to them. */
export const waitingMax = 200;

/** Episodes that a model is to be asked about, in the order they came. */
export class WaitingEpisodes {
  readonly #episodes = new Set<Episode>();

  get size(): number {
    return this.#episodes.size;
  }

  /** Returns the one that has no place now: the mildest, and of equals the one that came last. */
  add(episode: Episode): Episode | null {
    this.#episodes.add(episode);
    if (this.size <= waitingMax) return null;
    return [...this.#episodes].reduce((mild, other) => {
      return severityRank(other.severity) >= severityRank(mild.severity) ? other : mild;
    });
  }

  delete(episode: Episode): void {
    this.#episodes.delete(episode);
  }

  /** The worst of them, the oldest of equals; null when there is none. */
  worst(): Episode | null {
    let worst: Episode | null = null;
    for (const episode of this.#episodes) {
      const isWorse = worst === null
        || severityRank(episode.severity) < severityRank(worst.severity);
      if (isWorse) worst = episode;
    }
    return worst;
  }

  /** How many would be asked about before one of this severity that comes now. */
  countBefore(severity: Severity): number {
    const rank = severityRank(severity);
    return [...this.#episodes].filter((other) => severityRank(other.severity) <= rank).length;
  }
}
