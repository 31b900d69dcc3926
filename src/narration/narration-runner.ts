import { loggedKey } from '../alert/episode-key.ts';
import type { Grant, NarrationJob } from '../analysis/threads/worker-messages.ts';
import type { Outcome, TaskHooks } from '../analysis/threads/worker-thread.ts';
import type { Episode } from '../episodes/episode.ts';
import type { Clock } from '../lib/clock.ts';
import { withoutNarrative } from '../model/answer/narrate.ts';
import { isAwaited } from '../report/awaited-narrative.ts';
import type { CaseFile } from '../report/case-file.ts';
import { readReport } from '../report/read-report.ts';
import type { Narrative, Report } from '../report/report.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Breaker } from './breaker.ts';
import { NarrationPermits } from './permits.ts';
import type { TokenBudget } from './token-budget.ts';
import { TroubleLog } from './trouble-log.ts';

/** An alert that was put off more often gets no narrative, as others are waiting behind it. */
const putOffMax = 2;
const ownError =
  "The language model's investigation failed with an internal error of this service.";

export interface NarrationRunnerPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly grant: Omit<Grant, 'rounds'>;
  readonly budget: TokenBudget;
  readonly breaker: Breaker;
  readonly narrate: (job: NarrationJob, hooks: TaskHooks) => Promise<Outcome>;
  /** Called when an investigation has ended; `seconds` is how long it took. */
  readonly onEnd: (narrative: Narrative, seconds: number) => void;
}

interface Task {
  readonly episode: Episode;
  readonly caseFile: CaseFile;
  /** The stored report as JSON text. */
  readonly report: string;
  /** Rounds of tool calls. */
  readonly rounds: number;
}

interface RunHooks {
  /** Aborted when the narrative is no longer wanted. */
  readonly signal: AbortSignal;
  /** Called with the progress, as a sentence. */
  readonly onStep: (step: string) => void;
  /** Called when a request has ended and the breaker knows its outcome. */
  readonly onAnswer: () => void;
}

/** Has reports narrated one by one, and remembers those whose attempts failed. */
export class NarrationRunner {
  readonly #ports: NarrationRunnerPorts;
  readonly #troubles: TroubleLog;
  /** Episodes during whose narration a thread died, because of them or of another one. */
  readonly #suspects = new WeakSet<Episode>();
  /** How often the narration of an episode was put off after requests had been made. */
  readonly #putOff = new WeakMap<Episode, number>();

  constructor(ports: NarrationRunnerPorts) {
    this.#ports = ports;
    this.#troubles = new TroubleLog(ports);
  }

  /** Whether the episode is to be run alone, so that a second death can be attributed to it. */
  isSuspect(episode: Episode): boolean {
    return this.#suspects.has(episode);
  }

  /**
   * The report with its narrative, or with the reason why there is none. Null when the run was
   * cancelled or is to be repeated.
   */
  async run(task: Task, hooks: RunHooks): Promise<Report | null> {
    const { clock, onEnd } = this.#ports;
    const { episode } = task;
    const beganAt = clock.monotonic();
    const narrated = await this.#ask(task, hooks);
    if (narrated === null) return null;
    const { narrative } = narrated;
    // Counted before it is stored, so that a visible narrative is always in the metrics.
    onEnd(narrative, (clock.monotonic() - beganAt) / 1000);
    if (narrative.state === 'absent') this.#troubles.withoutNarrative(narrative.detail, episode);
    return narrated;
  }

  async #ask({ episode, rounds, ...job }: Task, hooks: RunHooks): Promise<Report | null> {
    const { budget, breaker, narrate, grant } = this.#ports;
    const permits = new NarrationPermits(budget, breaker);
    const outcome = await narrate(
      { ...job, question: null, grant: { ...grant, rounds } },
      {
        signal: hooks.signal,
        onPermit: (tokens) => permits.ask(tokens),
        onSpent: (spent) => {
          const before = breaker.state;
          permits.account(spent);
          this.#troubles.ended(spent.failure, before);
          hooks.onAnswer();
        },
        onProgress: ({ step }) => hooks.onStep(`${step}.`),
      },
    );
    permits.end();
    if (outcome.kind === 'done') {
      this.#suspects.delete(episode);
      const narrated = readReport(outcome.report.json);
      return permits.hasAsked ? this.#putOffOrFailed(episode, narrated) : narrated;
    }
    if (hooks.signal.aborted || this.#isWorthAnother(episode, outcome)) return null;
    return this.#failed(episode, job.report, outcome);
  }

  /** Counts how often a narration was put off; after too many times it has failed. */
  #putOffOrFailed(episode: Episode, narrated: Report): Report {
    const { narrative } = narrated;
    const times = (this.#putOff.get(episode) ?? 0) + 1;
    this.#putOff.delete(episode);
    if (narrative.state === 'present' || !isAwaited(narrative)) return narrated;
    if (times > putOffMax) return { ...narrated, narrative: { ...narrative, reason: 'failed' } };
    this.#putOff.set(episode, times);
    return narrated;
  }

  /** True if no thread was available, or for the first death, whose cause is not known yet. */
  #isWorthAnother(episode: Episode, { kind }: Outcome): boolean {
    const isFirstDeath = kind === 'died' && !this.#suspects.has(episode);
    if (isFirstDeath) this.#suspects.add(episode);
    return kind === 'stopped' || kind === 'unready' || isFirstDeath;
  }

  #failed(episode: Episode, json: string, outcome: Exclude<Outcome, { kind: 'done' }>): Report {
    const { clock, log } = this.#ports;
    log.error('Narration failed', {
      ...loggedKey(episode), outcome: outcome.kind,
      ...(outcome.kind === 'failed' && { error: outcome.message }),
    });
    const report = readReport(json);
    return withoutNarrative(report, { reason: 'failed', detail: ownError, now: clock.now() });
  }
}
