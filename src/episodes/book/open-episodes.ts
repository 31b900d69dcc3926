import type { Suppression } from '../../alert/alert.ts';
import { nearbyMs } from '../../incidents/alert-index.ts';
import { byOpening } from '../../incidents/member.ts';
import type { OpenAlert } from '../../report/case-file.ts';
import { startOf, type Episode } from '../episode.ts';
import { weightOf, type Identity } from '../received-alert.ts';
import type { Mutable } from './alert-history.ts';

/** Most alerts passed to one investigation, which scores each of them. */
const nearbyMax = 100;

/** Episodes are indexed by spans of this length in which they began. */
const spanMs = nearbyMs / 3;

interface Opened {
  /** In ms since the epoch. */
  readonly startsAt: number;
  /** Rank in the order of opening. */
  readonly place: number;
}

/** The episodes that are firing now, in the order in which they opened. */
export class OpenEpisodes {
  readonly #episodes = new Map<Episode, Opened>();
  readonly #bySpan = new Map<number, Set<Episode>>();
  readonly #byName = new Map<string, number>();
  #places = 0;
  #weight = 0;
  #suppressions: ReadonlyMap<Episode, Suppression> = new Map();
  #suppressionsRevision = 0;

  get size(): number {
    return this.#episodes.size;
  }

  [Symbol.iterator](): Iterator<Episode> {
    return this.#episodes.keys();
  }

  /** Memory taken by the texts that are kept of those that have their report, in bytes. */
  get weight(): number {
    return this.#weight;
  }

  add(episode: Episode): void {
    this.#weight += identityWeight(episode.identity);
    this.#place(episode, this.#places++);
    this.#byName.set(episode.name, this.countOfName(episode.name) + 1);
  }

  remove(episode: Episode): void {
    const opened = this.#episodes.get(episode);
    if (opened === undefined) return;
    this.#episodes.delete(episode);
    this.#weight -= identityWeight(episode.identity);
    this.#leaveSpan(episode, opened);
    const left = this.countOfName(episode.name) - 1;
    if (left > 0) this.#byName.set(episode.name, left);
    else this.#byName.delete(episode.name);
  }

  /** Has this kept of an open episode after its alert is freed. */
  keep(episode: Mutable<Episode>, identity: Identity | null): void {
    if (identity === episode.identity) return;
    this.#weight += identityWeight(identity) - identityWeight(episode.identity);
    episode.identity = identity;
  }

  /** Takes why nobody is notified of alerts, by fingerprint; true if that is news. */
  suppress(suppressions: ReadonlyMap<string, Suppression | null>): boolean {
    const before = this.#suppressions;
    const now = new Map<Episode, Suppression>();
    for (const episode of this) {
      const suppression = suppressions.get(episode.fingerprint) ?? null;
      if (suppression !== null) now.set(episode, suppression);
    }
    this.#suppressions = now;
    const isSame = now.size === before.size &&
      [...now].every(([episode, suppression]) => before.get(episode) === suppression);
    if (!isSame) this.#suppressionsRevision += 1;
    return !isSame;
  }

  /** Null if notifications are sent, if that is unknown, and for an episode that has ended. */
  suppressionOf(episode: Episode): Suppression | null {
    return this.#episodes.has(episode) ? (this.#suppressions.get(episode) ?? null) : null;
  }

  /** Rises when the suppression of any episode changes. */
  get suppressionsRevision(): number {
    return this.#suppressionsRevision;
  }

  /** Restores the order of opening after episodes were added in another order. */
  sort(): void {
    const ordered = [...this.#episodes.keys()]
      .sort((a, b) => byOpening(a, b) || startOf(a) - startOf(b));
    this.#episodes.clear();
    this.#bySpan.clear();
    for (const episode of ordered) this.#place(episode, this.#places++);
  }

  /** To be called when the episode's start has changed. */
  moved(episode: Episode): void {
    const opened = this.#episodes.get(episode);
    if (opened === undefined) return;
    this.#leaveSpan(episode, opened);
    this.#place(episode, opened.place);
  }

  #place(episode: Episode, place: number): void {
    const startsAt = startOf(episode);
    this.#episodes.set(episode, { startsAt, place });
    const span = this.#bySpan.get(spanAt(startsAt)) ?? new Set();
    this.#bySpan.set(spanAt(startsAt), span.add(episode));
  }

  #leaveSpan(episode: Episode, { startsAt }: Opened): void {
    const span = this.#bySpan.get(spanAt(startsAt));
    span?.delete(episode);
    if (span?.size === 0) this.#bySpan.delete(spanAt(startsAt));
  }

  countOfName(name: string): number {
    return this.#byName.get(name) ?? 0;
  }

  /** Those that began at most `withinMs` from `at` (ms since the epoch), in no certain order. */
  *beganNear(at: number, withinMs: number): Generator<Episode> {
    for (let span = spanAt(at - withinMs); span <= spanAt(at + withinMs); span++) {
      for (const episode of this.#bySpan.get(span) ?? []) {
        const startsAt = this.#episodes.get(episode)?.startsAt ?? Infinity;
        if (Math.abs(startsAt - at) <= withinMs) yield episode;
      }
    }
  }

  /**
   * Other firing alerts that began at about the same time, in the order of opening, at most 100,
   * without those whose reports say that they are noise: these have nothing to do with any other.
   * Called for each analysis and each page, so it does not go through all open episodes.
   */
  near(episode: Episode): OpenAlert[] {
    const startsAt = startOf(episode);
    const found: { readonly place: number; readonly alert: OpenAlert }[] = [];
    const lastSpan = spanAt(startsAt + nearbyMs);
    for (let span = spanAt(startsAt - nearbyMs); span <= lastSpan; span++) {
      const enough = found.length + nearbyMax;
      for (const other of this.#bySpan.get(span) ?? []) {
        if (found.length >= enough) break;
        const opened = this.#episodes.get(other);
        if (opened === undefined || other === episode) continue;
        if (other.conclusion?.classification === 'noisy') continue;
        if (Math.abs(opened.startsAt - startsAt) > nearbyMs) continue;
        const identity = identityOf(other);
        if (identity === null) continue;
        const { fingerprint, startsAt: since, latest } = other;
        const receivedAt = latest === null ? null : new Date(latest.at).toISOString();
        const alert = { fingerprint, startsAt: since, receivedAt, labels: identity.labels };
        found.push({ place: opened.place, alert });
      }
    }
    return found.sort((a, b) => a.place - b.place).slice(0, nearbyMax).map(({ alert }) => alert);
  }
}

/** The number of the span that contains this time (ms since the epoch). */
function spanAt(ms: number): number {
  return Math.floor(ms / spanMs);
}

/** The labels and group key of an open episode's alert; null if they are no longer kept. */
export function identityOf({ identity, latest }: Episode): Identity | null {
  return identity ?? latest?.identify() ?? null;
}

/** Memory taken by its texts, in bytes. */
export function identityWeight(identity: Identity | null): number {
  if (identity === null) return 0;
  let weight = weightOf(identity.groupKey);
  for (const [name, value] of Object.entries(identity.labels)) {
    weight += weightOf(name) + weightOf(value);
  }
  return weight;
}
