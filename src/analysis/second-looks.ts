import type { Episode } from '../episodes/episode.ts';
import type { Clock } from '../lib/clock.ts';
import type { CaseFile } from '../report/case-file.ts';

/** What an episode was told last, which nobody else keeps once its report is written. */
export interface ToldAlert extends Pick<CaseFile, 'alert' | 'group' | 'receivedAt'> {
  /** The episode's `notifications` at that time. */
  readonly revision: number;
}

export interface SecondLooksOptions {
  readonly clock: Clock;
  readonly onDue: (episode: Episode, told: ToldAlert) => void;
}

/** In a storm the first of its alerts are enough: each keeps its notification until it is due. */
const waitingMax = 1_000;

/**
 * Episodes to be analysed once more when there is more to see. They are not kept over a restart:
 * the report that is there is whole, only some minutes younger than it could be.
 */
export class SecondLooks {
  readonly #options: SecondLooksOptions;
  readonly #stopped = new AbortController();
  #waiting = 0;

  constructor(options: SecondLooksOptions) {
    this.#options = options;
  }

  /** `at` is wall time in milliseconds. */
  add(episode: Episode, told: ToldAlert, at: number): void {
    const { clock, onDue } = this.#options;
    if (this.#waiting >= waitingMax || this.#stopped.signal.aborted) return;
    this.#waiting += 1;
    const due = clock.sleep(Math.max(0, at - clock.now()), this.#stopped.signal);
    void due.finally(() => (this.#waiting -= 1)).then(
      () => {
        if (isUpToDate(episode, told)) onDue(episode, told);
      },
      () => undefined, // Stopped.
    );
  }

  stop(): void {
    this.#stopped.abort();
  }
}

/** Whether the episode still is as it was told: news of it has an analysis of its own. */
export function isUpToDate(episode: Episode, { revision }: ToldAlert): boolean {
  const { analysis, endsAt, notifications } = episode;
  return analysis === 'reported' && endsAt === null && notifications === revision;
}
