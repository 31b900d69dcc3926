import type { Episode } from '../../episodes/episode.ts';
import type { EpisodeJournal } from '../../episodes/episode-journal.ts';
import type { CaseFile } from '../../report/case-file.ts';
import { foundIn } from '../../report/found-before.ts';
import { caseEndOf } from '../../report/new-report.ts';
import { readReport } from '../../report/read-report.ts';
import type { Narrative, Progress } from '../../report/report.ts';
import { asItFired } from '../last-alert.ts';
import type { ComingNarrative } from '../threads/worker-messages.ts';
import type { Outcome } from '../threads/worker-thread.ts';
import { attemptsMax, type OutcomePorts } from './outcomes.ts';

export interface AttemptPorts extends Pick<OutcomePorts, 'caseFileOf' | 'reports'> {
  readonly pool: {
    readonly freeSlots: number;
    run(
      caseFile: CaseFile,
      onProgress: (progress: Progress) => void,
      coming: ComingNarrative | null,
    ): Promise<Outcome>;
  };
  readonly journal: Pick<EpisodeJournal, 'attempt' | 'release'>;
  readonly onAttempt: () => void;
  /** Null without a language model. */
  readonly narrations: ComingNarratives | null;
}

export interface ComingNarratives {
  /** The narrative that a report made now starts with. */
  comingFor(episode: Episode, caseFile: CaseFile): Narrative;
  /** How long later reports keep a narrative although the evidence has changed. */
  readonly freshMs: number;
}

interface Run {
  readonly caseFile: CaseFile;
  readonly coming: ComingNarrative | null;
  readonly outcome: Promise<Outcome>;
}

export class Attempts {
  readonly #ports: AttemptPorts;
  /** Investigations that are being prepared: each will take a slot. */
  #starting = 0;
  /** Episodes whose last attempt was given back in memory, but not yet in the journal. */
  readonly #charged = new WeakSet<Episode>();

  constructor(ports: AttemptPorts) {
    this.#ports = ports;
  }

  get hasSlot(): boolean {
    return this.#ports.pool.freeSlots > this.#starting;
  }

  /** Journals an attempt and then starts it; null if no attempts are left. */
  async begin(episode: Episode, onProgress: (progress: Progress) => void): Promise<Run | null> {
    const { journal, caseFileOf, onAttempt } = this.#ports;
    this.#starting += 1;
    try {
      if (this.#charged.has(episode)) {
        await journal.release(episode);
        this.#charged.delete(episode);
      }
      if (episode.attempts >= attemptsMax) return null;
      await journal.attempt(episode);
    } finally {
      this.#starting -= 1; // In the turn in which it starts to run.
    }
    onAttempt();
    onProgress({ step: 'Starting', done: 0, of: 1 });
    return this.run(episode, caseFileOf(episode), onProgress);
  }

  /** Starts an investigation that is neither charged nor journalled. */
  async run(
    episode: Episode,
    caseFile: CaseFile,
    onProgress: (progress: Progress) => void,
  ): Promise<Run> {
    this.#starting += 1;
    try {
      const previous = await this.#previousOf(episode, caseFile);
      const complete = withEarlier(caseFile, previous);
      const coming = this.#comingFor(episode, complete, previous);
      const outcome = this.#ports.pool.run(complete, onProgress, coming);
      return { caseFile: complete, coming, outcome };
    } finally {
      this.#starting -= 1; // In the turn in which the pool gives it a slot.
    }
  }

  /** The episode's attempt could not be given back in the journal: its next one does that first. */
  giveBackLater(episode: Episode): void {
    this.#charged.add(episode);
  }

  /** The text of the report that this one replaces, where any of it may be kept. */
  async #previousOf(episode: Episode, caseFile: CaseFile): Promise<string | null> {
    const { narrations, reports } = this.#ports;
    const { conclusion } = episode;
    if (conclusion === null) return null;
    const isRemembered = conclusion.certainty === 'possible' || caseEndOf(caseFile) !== null;
    if (narrations === null && !isRemembered) return null;
    return reports.read(episode).catch(() => null); // It has nothing to keep.
  }

  #comingFor(
    episode: Episode,
    caseFile: CaseFile,
    previous: string | null,
  ): ComingNarrative | null {
    const { narrations } = this.#ports;
    if (narrations === null) return null;
    const narrative = narrations.comingFor(episode, caseFile);
    return { narrative, previous, freshMs: narrations.freshMs };
  }
}

/**
 * Adds what explained the alert before: while it fires, no more than another that was open. An
 * ended one also gets what it stated while it fired.
 */
function withEarlier(caseFile: CaseFile, previous: string | null): CaseFile {
  if (previous === null) return caseFile;
  try {
    const report = readReport(previous);
    const foundBefore = foundIn(report);
    const hasEnded = caseEndOf(caseFile) !== null;
    const told = hasEnded ? { alert: asItFired(caseFile.alert, report) } : {};
    const isKept = hasEnded || foundBefore?.certainty === 'possible';
    return isKept ? { ...caseFile, ...told, foundBefore } : caseFile;
  } catch {
    return caseFile; // An unreadable report has nothing to keep.
  }
}
