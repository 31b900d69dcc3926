import type { Episode } from '../../episodes/episode.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ToldAlert } from '../told-alert.ts';

interface SecondLooksOptions {
  readonly clock: Clock;
  readonly onDue: (episode: Episode, told: ToldAlert) => void;
}

/** In a storm the first of its alerts are enough: each keeps its notification until it is due. */
export const waitingMax = 1_000;
/** Looks are due sooner than this; only a clock that was set back says otherwise. */
const waitMsMax = 15 * 60_000;

interface Waiting {
  /** Of what was told. */
  readonly revision: number;
  readonly superseded: AbortController;
}

/**
 * Episodes to be analysed once more when there is more to see. After a restart they are found again
 * by their reports: see {@linkcode awaitedLooks}.
 */
export class SecondLooks {
  readonly #options: SecondLooksOptions;
  readonly #waiting = new Map<Episode, Waiting>();
  #isStopped = false;

  constructor(options: SecondLooksOptions) {
    this.#options = options;
  }

  /**
   * `at` is wall time in milliseconds; null where the report that was made last asks for none. An
   * earlier report of the episode asks for nothing any more.
   */
  add(episode: Episode, told: ToldAlert, at: number | null): void {
    const earlier = this.#waiting.get(episode);
    if (earlier !== undefined && earlier.revision > told.revision) return;
    earlier?.superseded.abort();
    this.#waiting.delete(episode);
    if (at === null || this.#waiting.size >= waitingMax || this.#isStopped) return;
    void this.#wait(episode, told, at);
  }

  async #wait(episode: Episode, told: ToldAlert, at: number): Promise<void> {
    const { clock, onDue } = this.#options;
    const superseded = new AbortController();
    this.#waiting.set(episode, { revision: told.revision, superseded });
    const waitMs = Math.min(Math.max(0, at - clock.now()), waitMsMax);
    try {
      await clock.sleep(waitMs, superseded.signal);
    } catch {
      return;
    }
    this.#waiting.delete(episode);
    onDue(episode, told);
  }

  stop(): void {
    this.#isStopped = true;
    for (const { superseded } of this.#waiting.values()) superseded.abort();
  }
}

/** Whether the episode still is as it was told: news of it has an analysis of its own. */
export function isUpToDate(episode: Episode, { revision }: ToldAlert): boolean {
  const { analysis, notifications } = episode;
  return analysis === 'reported' && notifications === revision;
}
