import type { Grant, NarrationJob } from '../analysis/threads/worker-messages.ts';
import type { Outcome, TaskHooks } from '../analysis/threads/worker-pool.ts';
import type { Episode } from '../episodes/episode.ts';
import type { Clock } from '../lib/clock.ts';
import { withoutNarrative } from '../model/answer/narrate.ts';
import { isAwaited } from '../report/awaited-narrative.ts';
import type { CaseFile } from '../report/case-file.ts';
import type { Narrative, Report } from '../report/report.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Breaker } from './breaker.ts';
import { NarrationPermits } from './permits.ts';
import type { TokenBudget } from './token-budget.ts';
import { TroubleLog } from './trouble-log.ts';

export const narrationDeadlineMs = 240_000;
/** An alert that is put off so often gets no narrative: others wait behind it. */
const putOffMax = 2;
const ownError =
  'The investigation by the language model stopped at an error of this service.';

export interface NarrationRunnerPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly grant: Pick<Grant, 'tokens' | 'prices'>;
  readonly budget: TokenBudget;
  readonly breaker: Breaker;
  readonly narrate: (job: NarrationJob, hooks: TaskHooks) => Promise<Outcome>;
  /** An investigation by the model ended with this. `seconds` since it began. */
  readonly onEnd: (narrative: Narrative, seconds: number) => void;
}

/** What a model is asked about. */
export interface Task {
  readonly episode: Episode;
  readonly caseFile: CaseFile;
  /** The stored report's text. */
  readonly report: string;
  readonly rounds: number;
}

export interface RunHooks {
  /** Aborted when the narrative is not wanted any more. */
  readonly signal: AbortSignal;
  /** How far it is, as a sentence. */
  readonly onStep: (step: string) => void;
  /** A request of it has ended, and the breaker was told. */
  readonly onAnswer: () => void;
}

/** Has a model asked about one report, and knows what was tried before in vain. */
export class NarrationRunner {
  readonly #ports: NarrationRunnerPorts;
  readonly #troubles: TroubleLog;
  /** A thread died while they were narrated: by them, or by the one beside them. */
  readonly #suspects = new WeakSet<Episode>();
  /** How often each was put off that was asked about in vain. */
  readonly #putOff = new WeakMap<Episode, number>();

  constructor(ports: NarrationRunnerPorts) {
    this.#ports = ports;
    this.#troubles = new TroubleLog(ports);
  }

  /** To be run alone: what dies with it the second time is its own doing. */
  isSuspect(episode: Episode): boolean {
    return this.#suspects.has(episode);
  }

  /**
   * The report with its narrative, or with the reason why there is none. Null where it was broken
   * off, or is worth another try.
   */
  async run(task: Task, hooks: RunHooks): Promise<Report | null> {
    const { clock, onEnd } = this.#ports;
    const { episode } = task;
    const beganAt = clock.monotonic();
    const narrated = await this.#ask(task, hooks);
    if (narrated === null) return null;
    const { narrative } = narrated;
    // Counted first: whoever sees the narrative finds it in the metrics.
    onEnd(narrative, (clock.monotonic() - beganAt) / 1000);
    if (narrative.state === 'absent') {
      const { fingerprint, number } = episode;
      this.#troubles.withoutNarrative(narrative.detail, { fingerprint, episode: number });
    }
    return narrated;
  }

  async #ask({ episode, rounds, ...job }: Task, hooks: RunHooks): Promise<Report | null> {
    const { budget, breaker, narrate, grant } = this.#ports;
    const permits = new NarrationPermits(budget, breaker);
    const outcome = await narrate(
      { ...job, grant: { ...grant, rounds, deadlineMs: narrationDeadlineMs } },
      {
        signal: hooks.signal,
        onPermit: (tokens) => permits.ask(tokens),
        onSpent: (spent) => {
          const before = breaker.state;
          permits.settle(spent);
          this.#troubles.ended(spent.failure, before);
          hooks.onAnswer();
        },
        onProgress: ({ step }) => hooks.onStep(`${step}.`),
      },
    );
    permits.end();
    if (outcome.kind === 'done') {
      this.#suspects.delete(episode);
      const narrated = JSON.parse(outcome.report.json) as Report;
      return permits.hasAsked ? this.#putOffOrFailed(episode, narrated) : narrated;
    }
    if (hooks.signal.aborted || this.#isWorthAnother(episode, outcome)) return null;
    return this.#failed(episode, job.report, outcome);
  }

  /** What has been put off too often already has failed. */
  #putOffOrFailed(episode: Episode, narrated: Report): Report {
    const { narrative } = narrated;
    const times = (this.#putOff.get(episode) ?? 0) + 1;
    this.#putOff.delete(episode);
    if (narrative.state === 'present' || !isAwaited(narrative)) return narrated;
    if (times > putOffMax) return { ...narrated, narrative: { ...narrative, reason: 'failed' } };
    this.#putOff.set(episode, times);
    return narrated;
  }

  /** Nothing was asked where no thread was there, and who took one down is not known yet. */
  #isWorthAnother(episode: Episode, { kind }: Outcome): boolean {
    const isFirstDeath = kind === 'died' && !this.#suspects.has(episode);
    if (isFirstDeath) this.#suspects.add(episode);
    return kind === 'stopped' || isFirstDeath;
  }

  #failed(episode: Episode, json: string, outcome: Exclude<Outcome, { kind: 'done' }>): Report {
    const { clock, log } = this.#ports;
    log.error('Narration failed', {
      fingerprint: episode.fingerprint, episode: episode.number, outcome: outcome.kind,
      ...(outcome.kind === 'failed' && { error: outcome.message }),
    });
    const report = JSON.parse(json) as Report;
    return withoutNarrative(report, { reason: 'failed', detail: ownError, now: clock.now() });
  }
}
