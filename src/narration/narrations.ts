import { loggedKey } from '../alert/episode-key.ts';
import { severityOf, type Severity } from '../alert/severity.ts';
import type { Episode } from '../episodes/episode.ts';
import { withoutNarrative } from '../model/answer/narrate.ts';
import { isAwaited, pendingNarrative } from '../report/awaited-narrative.ts';
import type { CaseFile } from '../report/case-file.ts';
import type { AbsentNarrative, Narrative, Report } from '../report/report.ts';
import { NarrationRunner, type NarrationRunnerPorts } from './narration-runner.ts';
import { nextNarrationState, type NarrationEvent, type NarrationState } from './narration-state.ts';
import {
  pausedText, narrativePlan, crowdedOut, type AskingState,
} from './narrative-plan.ts';
import {
  NarrativeStore, type AwaitingReport, type NarrativeStorePorts,
} from './narrative-store.ts';
import { WaitingEpisodes } from './waiting-episodes.ts';

/** Concurrent narrations in the whole process. */
export const narrationsAtOnce = 2;
/** A narrative that could not be written is tried again after this. */
const storeAgainMs = 10_000;
const askedLater = 'It will be asked once the endpoint answers again.';

interface NarrationsPorts extends NarrationRunnerPorts, NarrativeStorePorts {
  /** Whether a thread is free for a narration; when one becomes free, `pump` must be called. */
  readonly isReady: () => boolean;
  readonly caseFileOf: (episode: Episode) => CaseFile;
  /** Called when something that readers see may have changed. */
  readonly onChange: () => void;
}

type RunEnd = Extract<NarrationEvent, 'end' | 'postpone' | 'hold'>;

interface Run {
  readonly ended: AbortController;
  step: string;
}

/**
 * Schedules narrations of stored reports: the most severe alerts first, a few at a time, within the
 * day's tokens. A report stays as it is if no narrative comes of it.
 */
export class Narrations {
  readonly #ports: NarrationsPorts;
  readonly #runner: NarrationRunner;
  readonly #store: NarrativeStore;
  /** Episodes that are not in the map are idle. */
  readonly #states = new Map<Episode, NarrationState>();
  /** Episodes whose state is `waiting`. */
  readonly #waiting = new WaitingEpisodes();
  /** Episodes that the model is being asked about. */
  readonly #asking = new Map<Episode, Run>();
  readonly #underWay = new Set<Promise<void>>();
  /** How often the visible narrative has changed in this process. */
  readonly #changes = new WeakMap<Episode, number>();
  readonly #stopped = new AbortController();
  /** When the breaker is checked again, by the monotonic clock. */
  #wakesAt = Infinity;

  constructor(ports: NarrationsPorts) {
    this.#ports = ports;
    this.#runner = new NarrationRunner(ports);
    this.#store = new NarrativeStore(ports);
  }

  /** Whether the model answers, as far as known. */
  get isConnected(): boolean {
    return this.#ports.breaker.state === 'closed';
  }

  get freshMs(): number {
    return this.#ports.freshMs;
  }

  /** The narrative, or reason for its absence, of a report that is being made now. */
  comingFor(episode: Episode, caseFile: CaseFile): Narrative {
    const isBeingWritten = this.#asking.get(episode)?.ended.signal.aborted === false;
    if (isBeingWritten || this.#store.hasWritten(episode)) return pendingNarrative;
    const state = this.#askingState(severityOf(caseFile.alert.labels));
    const hasPlace = this.#stateOf(episode) === 'waiting';
    const plan = narrativePlan(caseFile, hasPlace ? { ...state, waiting: 0 } : state);
    return plan.kind === 'ask' ? pendingNarrative : plan.narrative;
  }

  /** The progress of a missing narrative, as a sentence; null when none is under way. */
  stepOf(episode: Episode): string | null {
    const state = this.#stateOf(episode);
    if (state === 'idle') return null;
    if (state === 'waiting' && this.#ports.breaker.state === 'open') {
      return pausedText(this.#askingState(episode.severity));
    }
    if (state === 'held') return 'The language model has answered; its answer is not stored yet.';
    return this.#asking.get(episode)?.step ?? pendingNarrative.detail;
  }

  /** Changes whenever the narrative of the episode's report may look different. */
  revisionOf(episode: Episode): number {
    return this.#changes.get(episode) ?? 0;
  }

  /** To be called when a report was stored whose narrative may be pending. */
  add(episode: Episode): void {
    if (this.#stopped.signal.aborted) return;
    this.#move(episode, 'add');
    this.pump();
  }

  /** To be called when an analysis has ended without a new report for `add`. */
  analysed(episode: Episode): void {
    if (this.#stopped.signal.aborted) return;
    this.#move(episode, 'analysed');
    this.pump();
  }

  /** Starts waiting narrations, as far as there is room. */
  pump(): void {
    while (this.#hasRoom()) {
      const next = this.#waiting.worst();
      if (next === null || (this.#runner.isSuspect(next) && this.#asking.size > 0)) return;
      this.#start(next, () => this.#askAbout(next));
    }
  }

  /** To be called when the episode has changed; cancels its narration if its alert has ended. */
  newsOf(episode: Episode): void {
    if (episode.endsAt === null) return;
    this.#move(episode, 'drop');
    this.#asking.get(episode)?.ended.abort();
  }

  /** Cancels the running narrations; they are repeated after a restart. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    for (const episode of [...this.#states.keys()]) this.#move(episode, 'drop');
    for (const { ended } of this.#asking.values()) ended.abort();
    await Promise.all(this.#underWay);
    await this.#ports.budget.idle();
  }

  #stateOf(episode: Episode): NarrationState {
    return this.#states.get(episode) ?? 'idle';
  }

  #move(episode: Episode, event: NarrationEvent): void {
    const state = nextNarrationState(this.#stateOf(episode), event);
    if (state === 'idle') this.#states.delete(episode);
    else this.#states.set(episode, state);
    if (state === 'waiting') this.#wait(episode);
    else this.#waiting.delete(episode);
  }

  /** A finished narrative is stored at once; one that the queue has no room for is left out. */
  #wait(episode: Episode): void {
    if (this.#store.hasWritten(episode)) {
      return this.#start(episode, () => this.#saveWritten(episode));
    }
    const leftOut = this.#waiting.add(episode);
    if (leftOut !== null) this.#start(leftOut, () => this.#leaveOut(leftOut));
  }

  #askingState(severity: Severity): AskingState {
    const { budget, breaker } = this.#ports;
    return {
      isPassable: breaker.isPassable, whenOpen: `${askedLater} ${breaker.hint}`,
      shareUsed: budget.shareUsed, isCounted: budget.isCounted,
      waiting: this.#waiting.countBefore(severity),
    };
  }

  /** A suspect runs alone, and so does the probe of a failing endpoint. */
  #hasRoom(): boolean {
    const { breaker, isReady } = this.#ports;
    if (this.#stopped.signal.aborted || this.#waiting.size === 0 || !isReady()) return false;
    if (breaker.state === 'open') {
      this.#awaitBreaker(breaker.openMsLeft);
      return false;
    }
    const isAlone = breaker.state === 'half_open'
      || [...this.#asking.keys()].some((episode) => this.#runner.isSuspect(episode));
    return this.#asking.size < (isAlone ? 1 : narrationsAtOnce);
  }

  #awaitBreaker(ms: number): void {
    const { clock } = this.#ports;
    const at = clock.monotonic() + ms;
    // Rounding to whole milliseconds may make the same moment look a little earlier.
    if (at > this.#wakesAt - 1) return;
    this.#wakesAt = at;
    clock.sleep(ms, this.#stopped.signal).then(() => {
      if (this.#wakesAt === at) this.#wakesAt = Infinity;
      this.pump();
    }, () => undefined);
  }

  #start(episode: Episode, work: () => Promise<RunEnd>): void {
    this.#move(episode, 'start');
    const run = work()
      .catch((error: unknown) => {
        this.#ports.log.warn('Cannot read or store a narrated report', {
          ...loggedKey(episode), error,
        });
        return this.#store.hasWritten(episode) ? this.#storeLater(episode) : 'end';
      })
      .then((end) => {
        this.#underWay.delete(run);
        this.#move(episode, end);
        this.#changed(episode);
        this.pump();
      });
    this.#underWay.add(run);
  }

  #storeLater(episode: Episode): RunEnd {
    const { clock } = this.#ports;
    clock.sleep(storeAgainMs, this.#stopped.signal).then(() => {
      if (this.#stateOf(episode) === 'held') this.#move(episode, 'retry');
    }, () => undefined); // Stopped: the report still says that its narrative is pending.
    return 'hold';
  }

  async #saveWritten(episode: Episode): Promise<RunEnd> {
    const before = await this.#store.awaiting(episode);
    const written = this.#store.takeWritten(episode, before);
    if (before === null) return 'end';
    return written === null ? 'postpone' : this.#save(episode, before, written);
  }

  async #leaveOut(episode: Episode): Promise<RunEnd> {
    const before = await this.#store.awaiting(episode);
    return before === null ? 'end' : this.#saveWithout(episode, before, crowdedOut);
  }

  #askAbout(episode: Episode): Promise<RunEnd> {
    const run: Run = { ended: new AbortController(), step: pendingNarrative.detail };
    this.#asking.set(episode, run);
    return this.#narrate(episode, run).finally(() => this.#asking.delete(episode));
  }

  async #narrate(episode: Episode, run: Run): Promise<RunEnd> {
    const before = await this.#store.awaiting(episode);
    if (before === null) return 'end';
    const caseFile = this.#ports.caseFileOf(episode);
    const plan = narrativePlan(caseFile, { ...this.#askingState(episode.severity), waiting: 0 });
    if (plan.kind === 'skip') {
      const { narrative } = plan;
      return isAwaited(narrative) ? 'postpone' : this.#saveWithout(episode, before, narrative);
    }
    const narrated = await this.#runner.run(
      { episode, caseFile, report: before.json, rounds: plan.rounds },
      {
        signal: run.ended.signal,
        onStep: (step) => {
          run.step = step;
          this.#changed(episode);
        },
        onAnswer: () => this.pump(), // The endpoint may have recovered.
      },
    );
    if (narrated === null) return 'postpone';
    return this.#save(episode, before, narrated);
  }

  #saveWithout(
    episode: Episode,
    before: AwaitingReport,
    narrative: AbsentNarrative,
  ): Promise<RunEnd> {
    const now = this.#ports.clock.now();
    return this.#save(episode, before, withoutNarrative(before.report, { ...narrative, now }));
  }

  async #save(episode: Episode, before: AwaitingReport, narrated: Report): Promise<RunEnd> {
    const isIdle = await this.#store.store(episode, before, narrated);
    if (isAwaited(narrated.narrative)) return 'postpone';
    return isIdle ? 'end' : 'hold';
  }

  #changed(episode: Episode): void {
    this.#changes.set(episode, this.revisionOf(episode) + 1);
    this.#ports.onChange();
  }
}
