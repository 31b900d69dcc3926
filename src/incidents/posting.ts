import type { ObjectNames } from '../alert/similarity.ts';
import type { Term } from './label-terms.ts';

/** An alert, ready to be compared with open ones. */
export interface Sought {
  readonly names: ObjectNames;
  readonly terms: readonly Term[];
  /** Of all its labels together. */
  readonly weight: number;
  /** Milliseconds. */
  readonly onset: number;
}

/** An open alert. */
export interface Entry extends Sought {
  incident: string;
  onset: number;
  terms: readonly Term[];
  /** The lists it is in. */
  postings: readonly Posting[];
  isOpen: boolean;
  /** The search that looked at it last. */
  mark: number;
}

/** Beginnings further apart than this have nothing to do with each other. */
export const nearbyMs: number = 15 * 60_000;

/** Looked at in one list at most. */
const stepsMax = 64;

/** Whether an incident takes another member. */
export type Admits = (incident: string) => boolean;

/** Open alerts that have something in common, in the order in which they opened. */
export class Posting {
  #entries: Entry[] = [];
  #open = 0;

  get isEmpty(): boolean {
    return this.#open === 0;
  }

  add(entry: Entry): void {
    // Most stay alone, and a list that grows by itself has room for 17.
    if (this.#entries.length === 0) this.#entries = [entry];
    else this.#entries.push(entry);
    this.#open += 1;
  }

  /** To be called once for an entry that has just been closed. */
  removeClosed(): void {
    this.#open -= 1;
    while (this.#entries.length > 0 && !this.#entries.at(-1)?.isOpen) this.#entries.pop();
    // Half of them at a time, so that each removal costs little.
    if (this.#open * 2 < this.#entries.length) {
      this.#entries = this.#entries.filter(({ isOpen }) => isOpen);
    }
  }

  /** At most `countMax` that began near `onset`, the newest first. */
  newest(onset: number, countMax: number, admits: Admits): Entry[] {
    const found: Entry[] = [];
    let steps = 0;
    for (let index = this.#entries.length - 1; index >= 0 && steps < stepsMax; index--) {
      const entry = this.#entries[index];
      if (entry === undefined || !entry.isOpen) continue;
      steps += 1;
      if (Math.abs(entry.onset - onset) > nearbyMs || !admits(entry.incident)) continue;
      found.push(entry);
      if (found.length >= countMax) break;
    }
    return found;
  }
}
