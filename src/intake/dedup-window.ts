import type { AlertStatus } from '../alert/alert.ts';

interface Accepted {
  readonly status: AlertStatus;
  /** Monotonic milliseconds. */
  readonly at: number;
}

/**
 * The fingerprints accepted within the last `windowMs`, each with the status it was accepted in.
 *
 * The window slides: an entry counts from its acceptance, repeats do not extend it. Entries stand
 * in the map in order of acceptance, so what has left the window is dropped from the front, at a
 * cost that is paid once per entry. Times are monotonic: a wall clock that is set back or forth
 * neither keeps an entry alive nor ends it.
 */
export class DedupWindow {
  readonly #windowMs: number;
  readonly #entriesMax: number;
  readonly #entries = new Map<string, Accepted>();
  /** Nothing leaves the window before; so most acceptances need not look at the front. */
  #nextLeavesAt = -Infinity;

  constructor(windowMs: number, entriesMax: number) {
    this.#windowMs = windowMs;
    this.#entriesMax = entriesMax;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Whether the last alert accepted for the fingerprint had this status, within the window. */
  has(fingerprint: string, status: AlertStatus, now: number): boolean {
    const last = this.#entries.get(fingerprint);
    return last?.status === status && now - last.at < this.#windowMs;
  }

  /**
   * Remembers an acceptance. Beyond the bound the oldest entry goes: a repeat of it would then be
   * taken for news, which costs an analysis and loses nothing.
   */
  add(fingerprint: string, status: AlertStatus, now: number): void {
    this.#entries.delete(fingerprint);
    this.#entries.set(fingerprint, { status, at: now });
    if (now < this.#nextLeavesAt && this.#entries.size <= this.#entriesMax) return;
    for (const [oldest, { at }] of this.#entries) {
      this.#nextLeavesAt = at + this.#windowMs;
      if (now - at < this.#windowMs && this.#entries.size <= this.#entriesMax) break;
      this.#entries.delete(oldest);
    }
  }

  /**
   * Takes up an acceptance from before a restart, `ageMs` ago by the wall clock. An age below zero
   * means that clock was set back; the entry then lives one window from now, never longer.
   */
  restore(fingerprint: string, status: AlertStatus, ageMs: number, now: number): void {
    if (ageMs >= this.#windowMs) this.#entries.delete(fingerprint);
    else this.add(fingerprint, status, now - Math.max(0, ageMs));
  }
}
