import { severityRank, type Severity } from '../alert/severity.ts';
import type { Episode } from '../episodes/episode.ts';

/** The alerts of longer queues would mostly end before their turn. */
export const waitingMax = 200;

/** The queue of episodes that the model is to be asked about. */
export class WaitingEpisodes {
  readonly #episodes = new Set<Episode>();

  get size(): number {
    return this.#episodes.size;
  }

  /** Returns the one that a full queue drops: the least severe, and of equals the last added. */
  add(episode: Episode): Episode | null {
    this.#episodes.add(episode);
    if (this.size <= waitingMax) return null;
    return [...this.#episodes].reduce((least, other) =>
      severityRank(other.severity) >= severityRank(least.severity) ? other : least);
  }

  delete(episode: Episode): void {
    this.#episodes.delete(episode);
  }

  /** The most severe one, and of equals the first added; null when there is none. */
  worst(): Episode | null {
    let worst: Episode | null = null;
    for (const episode of this.#episodes) {
      const isWorse = worst === null
        || severityRank(episode.severity) < severityRank(worst.severity);
      if (isWorse) worst = episode;
    }
    return worst;
  }

  /** How many would come before a new one of this severity. */
  countBefore(severity: Severity): number {
    const rank = severityRank(severity);
    return [...this.#episodes].filter((other) => severityRank(other.severity) <= rank).length;
  }
}
