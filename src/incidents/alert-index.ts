import type { Subject } from '../alert/subject.ts';
import type { FoundSubjects } from './found.ts';

/** An alert that is prepared for comparison with open ones. */
export interface IndexedAlert {
  readonly subject: Subject;
  readonly terms: readonly Term[];
  readonly group: SenderGroup;
  /** Sum over all its labels. */
  readonly weight: number;
  /** In ms since the epoch. */
  readonly onset: number;
  /** Its rule looks so far back that it goes on firing when its trouble is long over. */
  readonly isLingering: boolean;
  /** Nothing is joined by it: it is known to be noise. */
  readonly isQuiet: boolean;
  /** What its investigation found behind it; null before, and if that is nothing. */
  readonly found: FoundSubjects | null;
  /** By what those find it that call a thing by another label, or found it; each once. */
  readonly keys: readonly string[];
  /** The journal record that opened its episode, and its index there: the order of all. */
  readonly sequence: number;
  readonly index: number;
}

/** An open alert. */
export interface IndexEntry extends IndexedAlert {
  incident: Joinable;
  onset: number;
  terms: readonly Term[];
  isQuiet: boolean;
  found: FoundSubjects | null;
  keys: readonly string[];
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
  #entries: IndexEntry[] = [];
  #open = 0;

  get isEmpty(): boolean {
    return this.#open === 0;
  }

  /** Into the order of opening, also if it is added late. */
  add(entry: IndexEntry): void {
    this.#open += 1;
    // Most lists keep one entry, but `push` would allocate room for 17.
    if (this.#entries.length === 0) return void (this.#entries = [entry]);
    let at = this.#entries.length;
    while (at > 0 && openedBefore(entry, this.#entries[at - 1])) at -= 1;
    if (at === this.#entries.length) this.#entries.push(entry);
    else this.#entries.splice(at, 0, entry);
  }

  /** Removes one that is still open. */
  drop(entry: IndexEntry): void {
    this.#open -= 1;
    this.#entries = this.#entries.filter((each) => each !== entry);
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
   * At most `countMax` entries that began near `onset`, are no noise and whose incident has room,
   * newest first.
   * They are put into `found`, in place of what it has: to make a list for each search took longer
   * than the search.
   */
  newest(onset: number, countMax: number, found: IndexEntry[]): readonly IndexEntry[] {
    found.length = 0;
    let steps = 0;
    for (let index = this.#entries.length - 1; index >= 0 && steps < stepsMax; index--) {
      const entry = this.#entries[index];
      if (entry === undefined || !entry.isOpen) continue;
      steps += 1;
      const withinMs = entry.isLingering && entry.onset < onset ? lingeringNearMs : nearbyMs;
      const isFar = Math.abs(entry.onset - onset) > withinMs;
      if (isFar || entry.isQuiet || entry.incident.isFull) continue;
      found.push(entry);
      if (found.length >= countMax) break;
    }
    return found;
  }
}

function openedBefore(entry: IndexEntry, other: IndexEntry | undefined): boolean {
  return other !== undefined &&
    (entry.sequence - other.sequence || entry.index - other.index) < 0;
}
