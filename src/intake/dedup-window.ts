import type { AlertStatus } from '../alert/alert.ts';

interface Accepted {
  readonly status: AlertStatus;
  /** Monotonic milliseconds. */
  readonly at: number;
}

/**
 * The fingerprints accepted within the last `windowMs`, each with the status it was accepted in.
 *
 * The window slides: an entry counts from its acceptance, repeats do not extend it. Times are
 * monotonic: a wall clock that is set back or forth neither keeps an entry alive nor ends it.
 *
 * Entries are dropped a window's worth at a time. One after the other from the front of a single
 * map would cost each acceptance a walk over the holes that those before it left.
 */
export class DedupWindow {
  readonly #windowMs: number;
  readonly #entriesMax: number;
  #entries = new Map<string, Accepted>();
  /** Accepted before these; when they are dropped they have left the window, or it is full. */
  #earlier: ReadonlyMap<string, Accepted> = new Map<string, Accepted>();
  /** When the first of `#entries` was accepted. */
  #since = -Infinity;

  constructor(windowMs: number, entriesMax: number) {
    this.#windowMs = windowMs;
    this.#entriesMax = entriesMax;
  }

  /** At most; one that was accepted twice may count twice. */
  get size(): number {
    return this.#entries.size + this.#earlier.size;
  }

  /** Whether the last alert accepted for the fingerprint had this status, within the window. */
  has(fingerprint: string, status: AlertStatus, now: number): boolean {
    const last = this.#entries.get(fingerprint) ?? this.#earlier.get(fingerprint);
    return last?.status === status && now - last.at < this.#windowMs;
  }

  /**
   * Remembers an acceptance. Beyond the bound the older half goes: a repeat of these would then be
   * taken for news, which costs an analysis and loses nothing.
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
   * Takes up an acceptance from before a restart, `ageMs` ago by the wall clock. An age below zero
   * means that clock was set back; the entry then lives one window from now, never longer. To be
   * called for the oldest first.
   */
  restore(fingerprint: string, status: AlertStatus, ageMs: number, now: number): void {
    if (ageMs < this.#windowMs) this.add(fingerprint, status, now - Math.max(0, ageMs));
  }
}
