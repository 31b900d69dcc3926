import type { Subject } from '../alert/subject.ts';

/** An alert that is prepared for comparison with open ones. */
export interface Sought {
  readonly subject: Subject;
  readonly terms: readonly Term[];
  readonly group: SenderGroup;
  /** Sum over all its labels. */
  readonly weight: number;
  /** In ms since the epoch. */
  readonly onset: number;
  /** Its rule looks so far back that it goes on firing when its trouble is long over. */
  readonly isLingering: boolean;
}

/** An open alert. */
export interface Entry extends Sought {
  incident: Joinable;
  onset: number;
  terms: readonly Term[];
  isOpen: boolean;
  /** The last search that looked at it. */
  mark: number;
}

/** An incident, as the search for it sees it. */
export interface Joinable {
  /** Whether it takes no more members. */
  readonly isFull: boolean;
  /** The last search that found it. */
  mark: number;
}

/** Alerts that came in one group of their sender; those of a group that says nothing, by name. */
export interface SenderGroup {
  readonly key: string;
  /** Null if the key says enough. */
  readonly name: string | null;
  readonly posting: Posting;
  /** How many open alerts are of it. */
  uses: number;
}

/** A label and its value, which alerts can share. */
export interface Term {
  readonly name: string;
  readonly value: string;
  readonly weight: number;
  readonly posting: Posting;
  /** How many open alerts have it. */
  uses: number;
  /** The last search for an alert that has it. */
  mark: number;
}

/** Alerts that begin further apart than this are considered unrelated. */
export const nearbyMs: number = 15 * 60_000;
/** The same for one that lingers, and for what else began before it fired. */
const lingeringNearMs = 2 * 60_000;

/** Most entries of one list that a search looks at. */
const stepsMax = 64;

/** Open alerts that have something in common, in the order in which they opened. */
export class Posting {
  #entries: Entry[] = [];
  #open = 0;

  get isEmpty(): boolean {
    return this.#open === 0;
  }

  add(entry: Entry): void {
    // Most lists keep one entry, but `push` would allocate room for 17.
    if (this.#entries.length === 0) this.#entries = [entry];
    else this.#entries.push(entry);
    this.#open += 1;
  }

  /** To be called once for each entry that was closed. */
  removeClosed(): void {
    this.#open -= 1;
    // Only once half of them are closed, so that a removal costs little on average.
    if (this.#open * 2 < this.#entries.length) {
      this.#entries = this.#entries.filter(({ isOpen }) => isOpen);
    }
  }

  /**
   * At most `countMax` entries that began near `onset` and whose incident has room, newest first.
   * They are put into `found`, in place of what it has: to make a list for each search took longer
   * than the search.
   */
  newest(onset: number, countMax: number, found: Entry[]): readonly Entry[] {
    found.length = 0;
    let steps = 0;
    for (let index = this.#entries.length - 1; index >= 0 && steps < stepsMax; index--) {
      const entry = this.#entries[index];
      if (entry === undefined || !entry.isOpen) continue;
      steps += 1;
      const withinMs = entry.isLingering && entry.onset < onset ? lingeringNearMs : nearbyMs;
      if (Math.abs(entry.onset - onset) > withinMs || entry.incident.isFull) continue;
      found.push(entry);
      if (found.length >= countMax) break;
    }
    return found;
  }
}
