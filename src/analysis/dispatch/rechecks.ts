import type { Episode } from '../../episodes/episode.ts';
import { slept, type Clock } from '../../lib/clock.ts';
import type { LastAlert } from '../last-alert.ts';

interface RechecksOptions {
  readonly clock: Clock;
  readonly onDue: (episode: Episode, lastAlert: LastAlert) => void;
}

/** Limits memory, as each keeps its alert until it is due; of more, those due first are kept. */
export const rechecksMax = 1_000;
/** All looks are due sooner than this, unless the clock was set back. */
const waitMsMax = 12 * 60 * 60_000;

interface Waiting {
  /** Revision of the episode that the look is for. */
  readonly revision: number;
  readonly at: number;
  readonly superseded: AbortController;
}

/**
 * Timers of episodes that are analysed again once there is more to see. After a restart they are
 * restored from the reports: see {@linkcode awaitedRechecks}.
 */
export class Rechecks {
  readonly #options: RechecksOptions;
  readonly #waiting = new Map<Episode, Waiting>();
  #isStopped = false;

  constructor(options: RechecksOptions) {
    this.#options = options;
  }

  /**
   * `at` is wall time in ms; null if the new report asks for no recheck. Either way it replaces
   * what an earlier report of the episode asked for.
   */
  add(episode: Episode, lastAlert: LastAlert, at: number | null): void {
    const earlier = this.#waiting.get(episode);
    if (earlier !== undefined && earlier.revision > lastAlert.revision) return;
    earlier?.superseded.abort();
    this.#waiting.delete(episode);
    if (at === null || this.#isStopped || !this.#hasPlace(at)) return;
    void this.#wait(episode, lastAlert, at);
  }

  /** Makes room for a look by giving up the one that is due last, if that is a later one. */
  #hasPlace(at: number): boolean {
    if (this.#waiting.size < rechecksMax) return true;
    let [latest, latestAt]: [Episode | null, number] = [null, at];
    for (const [episode, waiting] of this.#waiting) {
      if (waiting.at > latestAt) [latest, latestAt] = [episode, waiting.at];
    }
    if (latest === null) return false;
    this.#waiting.get(latest)?.superseded.abort();
    return this.#waiting.delete(latest);
  }

  async #wait(episode: Episode, lastAlert: LastAlert, at: number): Promise<void> {
    const { clock, onDue } = this.#options;
    const superseded = new AbortController();
    this.#waiting.set(episode, { revision: lastAlert.revision, at, superseded });
    const waitMs = Math.min(Math.max(0, at - clock.now()), waitMsMax);
    if (!(await slept(clock, waitMs, superseded.signal))) return;
    this.#waiting.delete(episode);
    onDue(episode, lastAlert);
  }

  stop(): void {
    this.#isStopped = true;
    for (const { superseded } of this.#waiting.values()) superseded.abort();
  }
}

/** Whether the episode has had no news since: news gets an analysis of its own. */
export function isUpToDate(episode: Episode, { revision }: LastAlert): boolean {
  const { analysis, notifications } = episode;
  return analysis === 'reported' && notifications === revision;
}
