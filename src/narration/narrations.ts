import { severityOf, type Severity } from '../alert/severity.ts';
import type { TaskHooks, Outcome } from '../analysis/worker-pool.ts';
import type { Grant, NarrationJob } from '../analysis/worker-messages.ts';
import type { Episode } from '../episodes/episode.ts';
import type { EpisodeKey, OutcomeRecord } from '../episodes/records.ts';
import type { Clock } from '../lib/clock.ts';
import { keepNarrative } from '../model/keep-narrative.ts';
import { withoutNarrative } from '../model/narrate.ts';
import { isAwaited, pendingNarrative } from '../report/awaited-narrative.ts';
import type { CaseFile } from '../report/case-file.ts';
import type { Narrative, Report } from '../report/report.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Breaker } from './breaker.ts';
import { leftAlone, narrativePlan, tooManyWait, type AskingState } from './narrative-plan.ts';
import { NarrationPermits } from './permits.ts';
import type { TokenBudget } from './token-budget.ts';
import { TroubleLog } from './trouble-log.ts';
import { WaitingEpisodes } from './waiting-episodes.ts';

/** Narrations at the same time, in the whole process. */
export const narrationsAtOnce = 2;
export const narrationDeadlineMs = 240_000;
const writtenMax = 50;
/** An alert that is put off so often gets no narrative: others wait behind it. */
const putOffMax = 2;
const askedLater = 'It will be asked once that answers again.';

export interface NarrationsPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly grant: Pick<Grant, 'tokens' | 'prices'>;
  /** How long a narrative is kept although the evidence has changed. */
  readonly freshMs: number;
  readonly budget: TokenBudget;
  readonly breaker: Breaker;
  readonly narrate: (job: NarrationJob, hooks: TaskHooks) => Promise<Outcome>;
  /** Whether a thread would take a narration now; `pump` is to be called when one does again. */
  readonly isReady: () => boolean;
  readonly caseFileOf: (episode: Episode) => CaseFile;
  /** The stored report's text, or null when there is none or it is damaged. */
  readonly readReport: (fingerprint: string, number: number) => Promise<string | null>;
  readonly writeReport: (key: EpisodeKey, json: string) => Promise<void>;
  readonly recordOutcome: (outcome: OutcomeRecord) => Promise<void>;
  /** Runs `store` while no analysis of the episode is under way or waits; else resolves false. */
  readonly whileIdle: (episode: Episode, store: () => Promise<void>) => Promise<boolean>;
  /** What readers are shown may have changed. */
  readonly onChange: () => void;
  /** An investigation by the model ended with this. `seconds` since it began. */
  readonly onEnd: (narrative: Narrative, seconds: number) => void;
}

interface Running {
  readonly ended: AbortController;
  step: string;
}

/**
 * Reports that a model is to be asked about, the worst alerts first: a few at a time, within the
 * day's tokens. Each report was stored before it came here, and stays as it is if nothing comes.
 */
export class Narrations {
  readonly #ports: NarrationsPorts;
  readonly #troubles: TroubleLog;
  readonly #waiting = new WaitingEpisodes();
  readonly #running = new Map<Episode, Running>();
  readonly #underWay = new Set<Promise<void>>();
  /** A thread died while they were narrated: by them, or by the one beside them. */
  readonly #suspects = new WeakSet<Episode>();
  /** Written of a report that another was about to replace: the new one may keep it. */
  readonly #written = new Map<Episode, Report>();
  /** How often what is shown of the narrative has changed, in this process. */
  readonly #changes = new WeakMap<Episode, number>();
  /** How often each was put off that was asked about in vain. */
  readonly #putOff = new WeakMap<Episode, number>();
  readonly #stopped = new AbortController();
  #isAwaitingBreaker = false;

  constructor(ports: NarrationsPorts) {
    this.#ports = ports;
    this.#troubles = new TroubleLog(ports);
  }

  /** Whether the model answers, as far as is known. */
  get isConnected(): boolean {
    return this.#ports.breaker.state === 'closed';
  }

  get freshMs(): number {
    return this.#ports.freshMs;
  }

  /** What a report that is made now says of its narrative. */
  comingFor(caseFile: CaseFile): Narrative {
    const plan = narrativePlan(caseFile, this.#state(severityOf(caseFile.alert.labels)));
    return plan.kind === 'ask' ? pendingNarrative : plan.narrative;
  }

  /** What is told of a narrative that is not there yet; null when none is under way. */
  stepOf(episode: Episode): string | null {
    const running = this.#running.get(episode);
    if (running !== undefined) return running.step;
    if (!this.#waiting.has(episode)) return null;
    const { state } = this.#ports.breaker;
    return state === 'open' ? leftAlone(this.#state(episode.severity)) : pendingNarrative.detail;
  }

  /** Different whenever the narrative of the episode's report may look different. */
  revisionOf(episode: Episode): number {
    return this.#changes.get(episode) ?? 0;
  }

  /** A report of the episode was stored; its narrative may be pending. */
  add(episode: Episode): void {
    if (this.#stopped.signal.aborted) return;
    this.#wait(episode);
    this.pump();
  }

  /** Starts what waits, as far as there is room. */
  pump(): void {
    while (this.#hasRoom()) {
      const next = this.#waiting.worst(this.#running);
      if (next === null || (this.#suspects.has(next) && this.#running.size > 0)) return;
      this.#waiting.delete(next);
      this.#start(next);
    }
  }

  /** There is news of the episode: what is being written of an alert that has ended is not. */
  newsOf(episode: Episode): void {
    if (episode.endsAt === null) return;
    this.#waiting.delete(episode);
    this.#running.get(episode)?.ended.abort();
  }

  /** Ends what is under way; it is taken up again after a restart. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#waiting.clear();
    for (const { ended } of this.#running.values()) ended.abort();
    await Promise.all(this.#underWay);
    await this.#ports.budget.idle();
  }

  #state(severity: Severity): AskingState {
    const { budget, breaker } = this.#ports;
    return {
      isPassable: breaker.isPassable, whenOpen: `${askedLater} ${breaker.hint}`,
      shareUsed: budget.shareUsed, isCounted: budget.isCounted,
      waiting: this.#waiting.countBefore(severity),
    };
  }

  /**
   * A suspect runs alone: what dies with it the second time is its own doing. So does what tries
   * whether an endpoint that failed is well again.
   */
  #hasRoom(): boolean {
    const { breaker, isReady } = this.#ports;
    if (this.#stopped.signal.aborted || this.#waiting.size === 0 || !isReady()) return false;
    if (breaker.state === 'open') {
      this.#awaitBreaker(breaker.openMsLeft);
      return false;
    }
    const isAlone = breaker.state === 'half_open'
      || [...this.#running.keys()].some((episode) => this.#suspects.has(episode));
    return this.#running.size < (isAlone ? 1 : narrationsAtOnce);
  }

  #awaitBreaker(ms: number): void {
    if (this.#isAwaitingBreaker) return;
    this.#isAwaitingBreaker = true;
    this.#ports.clock.sleep(ms, this.#stopped.signal).then(() => {
      this.#isAwaitingBreaker = false;
      this.pump();
    }, () => undefined);
  }

  #start(episode: Episode): void {
    const running: Running = { ended: new AbortController(), step: pendingNarrative.detail };
    this.#running.set(episode, running);
    this.#track(episode, this.#run(episode, running).finally(() => this.#running.delete(episode)));
  }

  #track(episode: Episode, done: Promise<void>): void {
    const run = done
      .catch((error: unknown) => {
        const { fingerprint, number } = episode;
        this.#ports.log.warn('Cannot store a narrative', { fingerprint, episode: number, error });
      })
      .finally(() => {
        this.#underWay.delete(run);
        this.#changed(episode);
        this.pump();
      });
    this.#underWay.add(run);
  }

  /** Whoever has no place then is told so in the report. */
  #wait(episode: Episode): void {
    const leftOut = this.#waiting.add(episode);
    if (leftOut !== null) this.#track(leftOut, this.#leaveOut(leftOut));
  }

  async #leaveOut(episode: Episode): Promise<void> {
    const { clock, readReport } = this.#ports;
    const stored = await readReport(episode.fingerprint, episode.number);
    const report = stored === null ? null : (JSON.parse(stored) as Report);
    if (stored === null || report === null || !isAwaited(report.narrative)) return;
    const narrated = withoutNarrative(report, { ...tooManyWait, now: clock.now() });
    await this.#store(episode, { stored, before: report, narrated });
  }

  async #run(episode: Episode, running: Running): Promise<void> {
    const { clock, readReport, caseFileOf, onEnd } = this.#ports;
    const stored = await readReport(episode.fingerprint, episode.number);
    const report = stored === null ? null : (JSON.parse(stored) as Report);
    if (stored === null || report === null || !isAwaited(report.narrative)) return;
    const written = this.#takeWritten(episode, report);
    if (written !== null) {
      return this.#store(episode, { stored, before: report, narrated: written });
    }
    const caseFile = caseFileOf(episode);
    const plan = narrativePlan(caseFile, { ...this.#state(episode.severity), waiting: 0 });
    if (plan.kind === 'skip' && isAwaited(plan.narrative)) return this.#wait(episode);
    const beganAt = clock.monotonic();
    const narrated = plan.kind === 'skip'
      ? withoutNarrative(report, { ...plan.narrative, now: clock.now() })
      : await this.#narrated(running, episode, { caseFile, report: stored, rounds: plan.rounds });
    if (narrated === null) return;
    const { narrative } = narrated;
    // Counted first: whoever sees the narrative finds it in the metrics.
    if (plan.kind !== 'skip') onEnd(narrative, (clock.monotonic() - beganAt) / 1000);
    await this.#store(episode, { stored, before: report, narrated });
    if (isAwaited(narrative) && !running.ended.signal.aborted) this.#wait(episode);
    if (plan.kind === 'skip' || narrative.state === 'present') return;
    const { fingerprint, number } = episode;
    this.#troubles.withoutNarrative(narrative.detail, { fingerprint, episode: number });
  }

  /** Null when it was broken off: the report stays as it is, and waits again where it can. */
  async #narrated(
    running: Running,
    episode: Episode,
    { rounds, ...job }: { caseFile: CaseFile; report: string; rounds: number },
  ): Promise<Report | null> {
    const { budget, breaker, narrate, grant, clock, log } = this.#ports;
    const permits = new NarrationPermits(budget, breaker);
    const outcome = await narrate(
      { ...job, grant: { ...grant, rounds, deadlineMs: narrationDeadlineMs } },
      {
        signal: running.ended.signal,
        onPermit: (tokens) => permits.ask(tokens),
        onSpent: (spent) => {
          const before = breaker.state;
          permits.settle(spent);
          this.#troubles.ended(spent.failure, before);
          this.pump(); // The endpoint may have shown that it is well again.
        },
        onProgress: ({ step }) => {
          running.step = `${step}.`;
          this.#changed(episode);
        },
      },
    );
    permits.end();
    if (outcome.kind === 'done') {
      this.#suspects.delete(episode);
      const narrated = JSON.parse(outcome.report.json) as Report;
      return permits.hasAsked ? this.#putOffOrFailed(episode, narrated) : narrated;
    }
    if (running.ended.signal.aborted || this.#stopped.signal.aborted) return null;
    if (this.#isWorthAnother(episode, outcome)) {
      this.#wait(episode);
      return null;
    }
    log.error('Narration failed', {
      fingerprint: episode.fingerprint, episode: episode.number, outcome: outcome.kind,
      ...(outcome.kind === 'failed' && { error: outcome.message }),
    });
    const detail = 'The investigation by the language model stopped at an error of this service.';
    const report = JSON.parse(job.report) as Report;
    return withoutNarrative(report, { reason: 'failed', detail, now: clock.now() });
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

  /** What was written meanwhile of the report that this one replaced; null for nothing. */
  #takeWritten(episode: Episode, report: Report): Report | null {
    const written = this.#written.get(episode);
    this.#written.delete(episode);
    return written === undefined ? null : this.#kept(report, written);
  }

  #kept(report: Report, written: Report): Report | null {
    const { clock, freshMs } = this.#ports;
    return keepNarrative(report, written, { now: clock.now(), freshMs });
  }

  /** Where another report has taken the place of the one that was narrated, that one gets it. */
  async #store(
    episode: Episode,
    { stored, before, narrated }: { stored: string; before: Report; narrated: Report },
  ): Promise<void> {
    const { whileIdle, readReport, writeReport } = this.#ports;
    const { fingerprint, number } = episode;
    const isIdle = await whileIdle(episode, async () => {
      const current = await readReport(fingerprint, number);
      if (current === null) return;
      const now = current === stored ? before : (JSON.parse(current) as Report);
      const next = current === stored ? narrated : this.#kept(now, narrated);
      if (next === null || !isAwaited(now.narrative)) return;
      await writeReport({ fingerprint, number }, JSON.stringify(next));
      await this.#recordChange(episode, now, next);
    });
    if (isIdle || narrated.narrative.state === 'absent') return;
    this.#written.set(episode, narrated);
    const [oldest] = this.#written.keys();
    if (this.#written.size > writtenMax && oldest !== undefined) this.#written.delete(oldest);
  }

  async #recordChange(episode: Episode, before: Report, after: Report): Promise<void> {
    const { classification, certainty, headline } = after.verdict;
    const isSame = certainty === before.verdict.certainty && headline === before.verdict.headline;
    if (isSame) return;
    await this.#ports.recordOutcome({
      fingerprint: episode.fingerprint, number: episode.number, state: 'reported',
      revision: before.episode.notifications, conclusion: { classification, certainty, headline },
    });
  }

  #changed(episode: Episode): void {
    this.#changes.set(episode, this.revisionOf(episode) + 1);
    this.#ports.onChange();
  }
}
