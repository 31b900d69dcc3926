import { labelOf } from '../alert/labels.ts';
import { parseTime } from '../alert/timestamp.ts';
import type { OpenAlert } from '../report/case-file.ts';
import type { Episode, Identity } from './episode.ts';

/** Alerts that began further apart than this do not belong together by time. */
const nearbyMs = 15 * 60_000;

/** Handed to one investigation at most; each is scored there against the alert itself. */
const nearbyMax = 100;

/** More text than this and an alert's labels are not handed on as a neighbour's. */
const identityLengthMax = 8 * 1024;

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
      if (identity === null || lengthOf(identity.labels) > identityLengthMax) continue;
      const { fingerprint, startsAt: since } = other;
      found.push({ fingerprint, startsAt: since, ...identity });
    }
    return found;
  }
}

/** What tells an open episode's alert from others; null once it has ended. */
export function identityOf({ identity, latest }: Episode): Identity | null {
  if (identity !== null || latest === null) return identity;
  const { alert, group } = latest.read();
  return { labels: alert.labels, groupKey: group.groupKey };
}

function lengthOf(labels: Readonly<Record<string, string>>): number {
  let length = 0;
  for (const name of Object.keys(labels)) {
    length += name.length + (labelOf(labels, name)?.length ?? 0);
  }
  return length;
}
