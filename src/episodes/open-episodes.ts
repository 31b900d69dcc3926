import { parseTime } from '../alert/timestamp.ts';
import type { OpenAlert } from '../report/case-file.ts';
import type { Episode, Identity } from './episode.ts';

/** Alerts that began further apart than this do not belong together by time. */
const nearbyMs = 15 * 60_000;

/** Handed to one investigation at most; each is scored there against the alert itself. */
const nearbyMax = 100;

/** The episodes that are firing now, in the order they opened. */
export class OpenEpisodes {
  readonly #episodes = new Map<Episode, number>();
  readonly #byName = new Map<string, number>();

  get size(): number {
    return this.#episodes.size;
  }

  [Symbol.iterator](): Iterator<Episode> {
    return this.#episodes.keys();
  }

  add(episode: Episode): void {
    this.#episodes.set(episode, parseTime(episode.startsAt) ?? 0);
    this.#byName.set(episode.name, this.countOfName(episode.name) + 1);
  }

  remove(episode: Episode): void {
    if (!this.#episodes.delete(episode)) return;
    const left = this.countOfName(episode.name) - 1;
    if (left > 0) this.#byName.set(episode.name, left);
    else this.#byName.delete(episode.name);
  }

  /** Open episodes whose alert has this name. */
  countOfName(name: string): number {
    return this.#byName.get(name) ?? 0;
  }

  /** Other alerts that are firing and began at about the same time; bounded. */
  near(episode: Episode): OpenAlert[] {
    const startsAt = parseTime(episode.startsAt) ?? 0;
    const found: OpenAlert[] = [];
    for (const [other, otherStartsAt] of this.#episodes) {
      if (found.length >= nearbyMax) break;
      if (other === episode || Math.abs(otherStartsAt - startsAt) > nearbyMs) continue;
      const identity = identityOf(other);
      if (identity === null) continue;
      const { fingerprint, startsAt: since } = other;
      found.push({ fingerprint, startsAt: since, ...identity });
    }
    return found;
  }
}

/** What tells an open episode's alert from others; null once it has ended. */
export function identityOf({ identity, latest }: Episode): Identity | null {
  return identity ?? latest?.identify() ?? null;
}
