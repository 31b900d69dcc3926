import type { EpisodeKey } from '../../alert/episode-key.ts';
import type { Fingerprint } from '../../alert/fingerprint.ts';

/** Most fingerprints of a generation; there are two, and the older is dropped for a new one. */
const generationMax = 50_000;

/**
 * The last episode of each alert whose episodes retention has removed. An alert that comes
 * back goes on counting from there: otherwise a link in an old ticket would lead to another
 * episode, for example for an alert of every month.
 */
export class RetiredNumbers {
  #newer = new Map<Fingerprint, number>();
  #older: ReadonlyMap<Fingerprint, number> = new Map();

  /** The number of the last removed episode; 0 if none is known. */
  lastOf(fingerprint: Fingerprint): number {
    return this.#newer.get(fingerprint) ?? this.#older.get(fingerprint) ?? 0;
  }

  retire({ fingerprint, number }: EpisodeKey): void {
    if (this.#newer.size >= generationMax && !this.#newer.has(fingerprint)) {
      [this.#older, this.#newer] = [this.#newer, new Map()];
    }
    this.#newer.set(fingerprint, Math.max(number, this.lastOf(fingerprint)));
  }

  /** The earliest retired first. */
  *all(): Iterable<EpisodeKey> {
    for (const [fingerprint, number] of this.#older) yield { fingerprint, number };
    for (const [fingerprint, number] of this.#newer) yield { fingerprint, number };
  }
}
