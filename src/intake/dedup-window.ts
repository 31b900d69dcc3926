import type { AlertStatus } from '../alert/alert.ts';

interface Accepted {
  readonly status: AlertStatus;
  /** Monotonic milliseconds. */
  readonly at: number;
}

/**
 * The fingerprints accepted within the last `windowMs`, each with the status it was accepted in.
 *
 * The window slides: an entry counts from its acceptance, duplicates do not extend it. Times are
 * monotonic, so setting the wall clock neither prolongs nor ends an entry.
 *
 * Entries are dropped a whole generation at a time. Deleting the oldest one by one from a single
 * map would make each acceptance walk over the holes that earlier deletions left.
 */
export class DedupWindow {
  readonly #windowMs: number;
  readonly #entriesMax: number;
  #entries = new Map<string, Accepted>();
  /** The previous generation; dropped once all of it has left the window, or beyond the bound. */
  #earlier: ReadonlyMap<string, Accepted> = new Map<string, Accepted>();
  /** When the first of `#entries` was accepted. */
  #since = -Infinity;

  constructor(windowMs: number, entriesMax: number) {
    this.#windowMs = windowMs;
    this.#entriesMax = entriesMax;
  }

  /** An upper bound: a fingerprint in both generations counts twice. */
  get size(): number {
    return this.#entries.size + this.#earlier.size;
  }

  /** Whether the last alert accepted for the fingerprint had this status, within the window. */
  has(fingerprint: string, status: AlertStatus, now: number): boolean {
    const last = this.#entries.get(fingerprint) ?? this.#earlier.get(fingerprint);
    return last?.status === status && now - last.at < this.#windowMs;
  }

  /**
   * Remembers an acceptance. Beyond the bound the older generation is dropped early: a duplicate of
   * one of those would then be accepted again, which costs some work but loses nothing.
   */
  add(fingerprint: string, status: AlertStatus, now: number): void {
    const isFull = this.#entries.size >= this.#entriesMax / 2;
    if (isFull || now - this.#since >= this.#windowMs) {
      this.#earlier = this.#entries;
      this.#entries = new Map();
      this.#since = now;
    }
    this.#entries.set(fingerprint, { status, at: now });
  }

  /**
   * Restores an acceptance from before a restart, `ageMs` ago by the wall clock. A negative age
   * means that the clock was set back; the entry then lives one window from now, never longer. Must
   * be called for the oldest first.
   */
  restore(fingerprint: string, status: AlertStatus, ageMs: number, now: number): void {
    this.add(fingerprint, status, now - Math.max(0, ageMs));
  }
}
