import { setMaxListeners } from 'node:events';
import type { Episode } from '../episodes/episode.ts';
import type { Clock } from '../lib/clock.ts';
import type { ToldAlert } from './told-alert.ts';

export interface SecondLooksOptions {
  readonly clock: Clock;
  readonly onDue: (episode: Episode, told: ToldAlert) => void;
}

/** In a storm the first of its alerts are enough: each keeps its notification until it is due. */
export const waitingMax = 1_000;
/** Looks are due sooner than this; only a clock that was set back says otherwise. */
const waitMsMax = 15 * 60_000;

/**
 * Episodes to be analysed once more when there is more to see. After a restart they are found again
 * by their reports: see {@linkcode awaitedLooks}.
 */
export class SecondLooks {
  readonly #options: SecondLooksOptions;
  readonly #stopped = new AbortController();
  #waiting = 0;

  constructor(options: SecondLooksOptions) {
    this.#options = options;
    // All of them wait for it: from the eleventh on Node would warn of a leak.
    setMaxListeners(0, this.#stopped.signal);
  }

  /** `at` is wall time in milliseconds. */
  add(episode: Episode, told: ToldAlert, at: number): void {
    const { clock, onDue } = this.#options;
    if (this.#waiting >= waitingMax || this.#stopped.signal.aborted) return;
    this.#waiting += 1;
    const waitMs = Math.min(Math.max(0, at - clock.now()), waitMsMax);
    const due = clock.sleep(waitMs, this.#stopped.signal);
    void due.finally(() => (this.#waiting -= 1)).then(
      () => onDue(episode, told),
      () => undefined, // Stopped.
    );
  }

  stop(): void {
    this.#stopped.abort();
  }
}

/** Whether the episode still is as it was told: news of it has an analysis of its own. */
export function isUpToDate(episode: Episode, { revision }: ToldAlert): boolean {
  const { analysis, notifications } = episode;
  return analysis === 'reported' && notifications === revision;
}
