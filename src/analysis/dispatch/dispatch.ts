import { loggedKey } from '../../alert/episode-key.ts';
import { severityRank } from '../../alert/severity.ts';
import { isPending } from '../../episodes/analysis-state.ts';
import type { EpisodeBook } from '../../episodes/book/episode-book.ts';
import type { Episode } from '../../episodes/episode.ts';
import type { EpisodeJournal } from '../../episodes/episode-journal.ts';
import type { FreeRoom } from '../../lib/file-system.ts';
import { isAwaited } from '../../report/awaited-narrative.ts';
import type { Progress } from '../../report/report.ts';
import type { LastAlert } from '../last-alert.ts';
import type { ComingNarrative, FinishedReport } from '../threads/worker-messages.ts';
import type { Outcome } from '../threads/worker-thread.ts';
import { Attempts, type AttemptPorts, type ComingNarratives } from './attempts.ts';
import { nextDispatchMode, type DispatchMode } from './dispatch-mode.ts';
import type { EpisodeClaims } from './episode-claims.ts';
import { analysisEnd, Outcomes, type EndedAs, type OutcomePorts } from './outcomes.ts';
import { isUpToDate, Rechecks } from './rechecks.ts';

/** Episodes assigned in one go: blocks the event loop for less than a millisecond. */
const decidedAtOnce = 25;
/** Pause of all analyses after one that could not be stored: the next asks its sources anew. */
const storageRetryMs = 5_000;
/** Delay before a recheck is repeated that could not be stored: it asks the sources again. */
const recheckRetryMs = 60_000;
/** Why the existing report was kept. */
const answeredLess = 'The sources answered fewer questions than for this report.';
const recheckEnded = 'It ended without a report.';

export interface AnalysisJob {
  readonly episode: Episode;
  readonly severityRank: number;
  readonly queuedAt: number;
  readonly isUpdate: boolean;
  readonly isRecheck: boolean;
  readonly isSuspect: boolean;
  /** For a recheck: the alert that the existing report was made from. */
  readonly again: LastAlert | null;
}

interface DispatchPorts extends Omit<OutcomePorts, 'onStored' | 'hasModel'>, AttemptPorts {
  readonly queue: {
    add(job: AnalysisJob): void;
    claim(): AnalysisJob | null;
    release(job: AnalysisJob): void;
  };
  readonly claims: EpisodeClaims;
  readonly book: Pick<EpisodeBook, 'holds' | 'giveBack' | 'assignSome'>;
  readonly journal: Pick<EpisodeJournal, 'attempt' | 'release' | 'outcome'>;
  /** Whether the journal accepts records. */
  readonly canStore: () => boolean;
  /** Where reports are stored, and how much room is left there, for the log. */
  readonly room: () => Promise<DiskRoom>;
  /** Episodes have news, or an analysis began, progressed or ended. Called after it is recorded. */
  readonly onChange: () => void;
  /** An analysis ended with a report; `seconds` since its attempt began. */
  readonly onEnd: (episode: Episode, outcome: EndedAs, seconds: number) => void;
  /** Null without a language model. */
  readonly narrations: NarrationPorts | null;
}

export interface DiskRoom extends FreeRoom {
  readonly directory: string;
}

export interface NarrationPorts extends ComingNarratives {
  /** A report was stored. */
  add(episode: Episode): void;
  /** An analysis has ended without storing a report that awaits a narrative. */
  analysed(episode: Episode): void;
  /** The episode has news. */
  newsOf(episode: Episode): void;
}

/**
 * Takes jobs from the queue to the workers, and their outcomes to the store, one at a time for each
 * episode. A report counts once both its file and its outcome are on disk; what cannot be stored is
 * analysed again.
 */
export class Dispatch {
  readonly #ports: DispatchPorts;
  readonly #claims: EpisodeClaims;
  readonly #progress = new Map<Episode, Progress>();
  readonly #attempts: Attempts;
  readonly #outcomes: Outcomes;
  readonly #rechecks: Rechecks;
  /** Episodes whose new report says that a narrative will follow. */
  readonly #toNarrate = new Set<Episode>();
  readonly #underWay = new Set<Promise<void>>();
  #mode: DispatchMode = 'open';
  #isPumpDue = false;

  constructor(ports: DispatchPorts) {
    this.#ports = ports;
    this.#claims = ports.claims;
    this.#claims.subscribe((episode) => {
      if (episode.analysis === 'queued') this.enqueueAll([episode]);
    });
    this.#attempts = new Attempts(ports);
    this.#outcomes = new Outcomes({
      ...ports, hasModel: ports.narrations !== null, onStored: () => this.#stored(),
    });
    this.#rechecks = new Rechecks({
      clock: ports.clock,
      onDue: (episode, lastAlert) => this.#enqueueAgain(episode, lastAlert),
    });
  }

  /** False after a report could not be stored, until one can be. */
  get canStoreReports(): boolean {
    return this.#mode === 'open' || this.#mode === 'stopped';
  }

  /** Progress of the episode's running analysis; null when none is running. */
  progressOf(episode: Episode): Progress | null {
    return this.#progress.get(episode) ?? null;
  }

  /** Whether a report of the episode is being stored that will be narrated. */
  expectsNarrative(episode: Episode): boolean {
    return this.#toNarrate.has(episode);
  }

  /** Queues the episodes, except those that are already queued or being analysed. */
  enqueueAll(episodes: readonly Episode[]): void {
    for (const episode of episodes) this.#enqueue(episode);
    this.#ports.onChange();
    this.#pumpSoon();
  }

  /** Rechecks the episode at `at` (wall time in ms), unless there is news of it. */
  recheck(episode: Episode, lastAlert: LastAlert, at: number): void {
    this.#rechecks.add(episode, lastAlert, at);
  }

  #enqueue(episode: Episode): void {
    this.#ports.narrations?.newsOf(episode);
    if (this.#claims.isHeld(episode) || episode.analysis !== 'queued') return;
    if (!this.#ports.book.holds(episode)) return; // Retention may remove it at any time.
    this.#add(episode, null);
  }

  #isCurrent(episode: Episode, lastAlert: LastAlert): boolean {
    return isUpToDate(episode, lastAlert) && this.#ports.book.holds(episode);
  }

  #enqueueAgain(episode: Episode, lastAlert: LastAlert): void {
    if (!this.#isCurrent(episode, lastAlert)) return;
    // Something is being stored over its report; with news it would not be current.
    if (!this.#claims.isFree(episode)) {
      return this.recheck(episode, lastAlert, this.#ports.clock.now() + storageRetryMs);
    }
    this.#add(episode, lastAlert);
    this.pump();
  }

  #add(episode: Episode, again: LastAlert | null): void {
    if (again === null) this.#claims.hold(episode);
    else this.#claims.holdForRecheck(episode);
    this.#ports.queue.add({
      episode,
      severityRank: severityRank(episode.severity),
      queuedAt: this.#ports.clock.monotonic(),
      isUpdate: episode.conclusion !== null,
      isRecheck: again !== null,
      isSuspect: episode.attempts > 0,
      again,
    });
  }

  /** Pumps after this turn of the event loop, so that the sender is answered first. */
  #pumpSoon(): void {
    if (this.#isPumpDue) return;
    this.#isPumpDue = true;
    setImmediate(() => {
      this.#isPumpDue = false;
      this.pump();
    });
  }

  /** Starts as many queued analyses as there are free slots. */
  pump(): void {
    if (this.#mode === 'paused' || this.#mode === 'stopped') return;
    if (!this.#attempts.hasSlot) return;
    if (!this.#ports.book.assignSome(decidedAtOnce)) return this.#pumpSoon();
    // Checked for each job: starting a recheck takes its slot at once.
    while (this.#attempts.hasSlot) {
      const job = this.#ports.queue.claim();
      if (job === null) return;
      if (this.#isWanted(job)) this.#start(job);
      else this.#ports.queue.release(job);
    }
  }

  /** A recheck is dropped if news of the episode has been queued meanwhile. */
  #isWanted({ episode, again }: AnalysisJob): boolean {
    return again === null || this.#claims.beginRecheck(episode);
  }

  /** Claims nothing more; resolves once everything under way has ended or was released. */
  async stop(): Promise<void> {
    this.#mode = nextDispatchMode(this.#mode, 'stop');
    this.#rechecks.stop();
    await Promise.all([this.#claims.stop(), ...this.#underWay]);
  }

  #start(job: AnalysisJob): void {
    const { episode, again } = job;
    const run = (again === null ? this.#analyse(episode) : this.#takeRecheck(episode, again))
      .catch((error: unknown) => this.#lost(job, error))
      .finally(() => {
        this.#underWay.delete(run);
        this.#progress.delete(episode);
        this.#claims.release(episode);
        this.#ports.queue.release(job);
        if (episode.analysis === 'queued') this.#enqueue(episode);
        else if (this.#toNarrate.delete(episode)) this.#ports.narrations?.add(episode);
        else this.#ports.narrations?.analysed(episode);
        this.#ports.onChange();
        this.pump();
      });
    this.#underWay.add(run);
  }

  async #analyse(episode: Episode): Promise<void> {
    if (episode.latest === null || !isPending(episode.analysis)) return;
    const { clock } = this.#ports;
    const revision = episode.notifications;
    const beganAt = clock.monotonic();
    const run = await this.#attempts.begin(episode, (progress) => {
      this.#progress.set(episode, progress);
      this.#ports.onChange();
    });
    const outcome = run === null ? null : await run.outcome;
    await this.#outcomes.conclude(episode, revision, outcome);
    if (run !== null && outcome?.kind === 'done') {
      const { alert, group, receivedAt } = run.caseFile;
      this.#expectNarrative(episode, run.coming);
      this.#awaitMore(episode, { alert, group, receivedAt, revision }, outcome.report);
    }
    this.#measure(episode, outcome, (clock.monotonic() - beganAt) / 1000);
  }

  #awaitMore(
    episode: Episode,
    lastAlert: Omit<LastAlert, 'failedChecks'>,
    { recheckAt, failedChecks }: FinishedReport,
  ): void {
    this.#rechecks.add(episode, { ...lastAlert, failedChecks }, recheckAt);
  }

  /**
   * Neither charges nor journals an attempt: whatever its outcome, the existing report stays unless
   * the new one is better.
   */
  async #takeRecheck(episode: Episode, lastAlert: LastAlert): Promise<void> {
    const { clock, caseFileOf } = this.#ports;
    // Do not ask the sources for what could not be stored.
    if (!this.#ports.canStore()) {
      this.recheck(episode, lastAlert, clock.now() + recheckRetryMs);
      return;
    }
    const { revision, failedChecks, ...alertInGroup } = lastAlert;
    if (!this.#isCurrent(episode, lastAlert)) return;
    const beganAt = clock.monotonic();
    const run = await this.#attempts.run(
      episode, { ...caseFileOf(episode), ...alertInGroup }, () => {},
    );
    const outcome = await run.outcome;
    if (outcome.kind === 'stopped' || !this.#isCurrent(episode, lastAlert)) return;
    if (outcome.kind === 'unready') {
      return this.recheck(episode, lastAlert, clock.now() + recheckRetryMs);
    }
    if (outcome.kind !== 'done') {
      this.#ports.log.warn('A recheck ended without a report', {
        ...loggedKey(episode), error: outcome.kind === 'failed' ? outcome.message : 'died',
      });
      return this.#outcomes.keep(episode, revision, recheckEnded);
    }
    if (outcome.report.failedChecks > failedChecks) {
      await this.#outcomes.keep(episode, revision, answeredLess);
      return this.#awaitMore(episode, lastAlert, { ...outcome.report, failedChecks });
    }
    this.#expectNarrative(episode, run.coming);
    await this.#outcomes.store(episode, revision, 'reported', outcome.report);
    this.#awaitMore(episode, lastAlert, outcome.report);
    this.#measure(episode, outcome, (clock.monotonic() - beganAt) / 1000);
  }

  #expectNarrative(episode: Episode, coming: ComingNarrative | null): void {
    if (coming !== null && isAwaited(coming.narrative)) this.#toNarrate.add(episode);
  }

  #measure(episode: Episode, outcome: Outcome | null, seconds: number): void {
    const endedAs = analysisEnd(episode, outcome);
    if (endedAs !== null) this.#ports.onEnd(episode, endedAs, seconds);
  }

  /** The outcome could not be stored: gives the attempt back, and pauses everything briefly. */
  async #lost({ episode, again }: AnalysisJob, error: unknown): Promise<void> {
    const { clock } = this.#ports;
    if (again !== null) this.recheck(episode, again, clock.now() + recheckRetryMs);
    const before = this.#mode;
    this.#mode = nextDispatchMode(before, 'lost');
    if (before === 'open' || before === 'stopped') void this.#logLost(episode, error);
    if (this.#mode === 'paused' && before !== 'paused') {
      void clock.sleep(storageRetryMs).then(() => {
        this.#mode = nextDispatchMode(this.#mode, 'waited');
        this.pump();
      });
    }
    if (episode.analysis !== 'running') return;
    if (!(await this.#outcomes.release(episode))) this.#attempts.giveBackLater(episode);
  }

  async #logLost(episode: Episode, error: unknown): Promise<void> {
    const room = await this.#ports.room();
    this.#ports.log.error('Cannot store an analysis; trying again', {
      ...loggedKey(episode), error, ...room,
    });
  }

  #stored(): void {
    if (!this.canStoreReports) this.#ports.log.info('Analyses can be stored again');
    this.#mode = nextDispatchMode(this.#mode, 'stored');
  }
}
