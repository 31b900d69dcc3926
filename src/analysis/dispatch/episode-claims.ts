import type { Episode } from '../../episodes/episode.ts';

/**
 * Who may replace the report of an episode: one analysis, from when it is queued until its report
 * is stored, or what adds a narrative or an answer to the report, but never two at once.
 */
export class EpisodeClaims {
  /** Episodes that are queued or analysed, or whose report is being added to. */
  readonly #held = new Set<Episode>();
  /** Episodes queued only for a recheck, which news does not wait for. */
  readonly #lookedAtAgain = new Set<Episode>();
  readonly #stores = new Set<Promise<void>>();
  #onFreed: (episode: Episode) => void = () => {};
  #isStopped = false;

  isHeld(episode: Episode): boolean {
    return this.#held.has(episode);
  }

  /** Whether neither an analysis nor a recheck is queued or under way, and nothing is added. */
  isFree(episode: Episode): boolean {
    return !this.#held.has(episode) && !this.#lookedAtAgain.has(episode);
  }

  /** An analysis of the episode is queued. */
  hold(episode: Episode): void {
    this.#held.add(episode);
  }

  /** A recheck of the episode is queued. */
  holdForRecheck(episode: Episode): void {
    this.#lookedAtAgain.add(episode);
  }

  /** The queued recheck may begin; false if an analysis was queued meanwhile. */
  beginRecheck(episode: Episode): boolean {
    this.#lookedAtAgain.delete(episode);
    if (this.#held.has(episode)) return false;
    this.#held.add(episode);
    return true;
  }

  /** The analysis or the recheck has ended. */
  release(episode: Episode): void {
    this.#held.delete(episode);
  }

  /**
   * Runs `store` if no analysis of the episode is queued or under way, and lets none begin until it
   * has ended. Otherwise runs nothing and resolves to false. Rejects if `store` does.
   */
  async whileIdle(episode: Episode, store: () => Promise<void>): Promise<boolean> {
    if (this.#isStopped || !this.isFree(episode)) return false;
    this.#held.add(episode);
    const run = store().finally(() => {
      this.#stores.delete(ended);
      this.#held.delete(episode);
      this.#onFreed(episode);
    });
    const ended = run.catch(() => undefined); // The caller gets the error.
    this.#stores.add(ended);
    await run;
    return true;
  }

  /** `onFreed` is called for each episode that `whileIdle` has let go. */
  subscribe(onFreed: (episode: Episode) => void): void {
    this.#onFreed = onFreed;
  }

  /** Lets nothing more begin; resolves once all that `whileIdle` runs has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#stores);
  }
}
