import { loggedKey, type EpisodeKey } from '../../alert/episode-key.ts';
import type { EpisodeBook } from '../../episodes/book/episode-book.ts';
import type { Episode } from '../../episodes/episode.ts';
import type { EpisodeJournal } from '../../episodes/episode-journal.ts';
import type { OutcomeRecord } from '../../episodes/records.ts';
import type { Clock } from '../../lib/clock.ts';
import type { CaseFile } from '../../report/case-file.ts';
import { failedReport } from '../../report/new-report.ts';
import type { RecordingStore } from '../../report/store/recording-store.ts';
import type { ReportStore } from '../../report/store/report-store.ts';
import type { Logger } from '../../telemetry/log.ts';
import { finishedReport } from '../threads/finished-report.ts';
import type { FinishedReport } from '../threads/worker-messages.ts';
import type { Outcome, RecordedReport } from '../threads/worker-thread.ts';
import { keptReport } from './kept-report.ts';

/** An alert whose worker died this many times, counted across restarts, is quarantined. */
export const attemptsMax = 3;

/** How often, and how long apart, the existing report is read: a failure may be temporary. */
const readsMax = 5;
const readAgainMs = 1_000;

export type EndedAs = 'ready' | 'final' | 'failed' | 'quarantined';

export interface OutcomePorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly version: string;
  readonly caseFileOf: (episode: Episode) => CaseFile;
  readonly book: Pick<EpisodeBook, 'giveBack'>;
  readonly reports: Pick<ReportStore, 'read' | 'write'>;
  readonly recordings: Pick<RecordingStore, 'replace'>;
  readonly journal: Pick<EpisodeJournal, 'release' | 'outcome'>;
  /** A report and its outcome are on disk. */
  readonly onStored: () => void;
  readonly hasModel: boolean;
}

/** Turns the outcome of an attempt into a stored report, or gives the attempt back. */
export class Outcomes {
  readonly #ports: OutcomePorts;

  constructor(ports: OutcomePorts) {
    this.#ports = ports;
  }

  /** `outcome` is null when no attempt was left. */
  async conclude(episode: Episode, revision: number, outcome: Outcome | null): Promise<void> {
    const { log } = this.#ports;
    if (isUntouched(outcome)) return void (await this.release(episode));
    if (outcome?.kind === 'done') return this.store(episode, revision, 'reported', outcome.report);
    if (outcome?.kind === 'failed' && outcome.isDeadline) {
      const reason = 'It took longer than allowed (INVESTIGATION_TIMEOUT_SECONDS).';
      return this.#storeFailed(episode, revision, 'failed', reason);
    }
    if (outcome?.kind === 'failed') {
      log.error('Investigation failed', { ...loggedKey(episode), error: outcome.message });
      const reason = 'It was stopped by an internal error; see the log of this service.';
      return this.#storeFailed(episode, revision, 'failed', reason);
    }
    log.warn('Worker died during an investigation', {
      ...loggedKey(episode), attempt: episode.attempts, reason: outcome?.reason ?? 'restart',
    });
    if (episode.attempts < attemptsMax) return this.#ports.book.giveBack(episode);
    const reason =
      `Its worker died in all ${attemptsMax} attempts; it is tried again only on request.`;
    return this.#storeFailed(episode, revision, 'quarantined', reason);
  }

  /** Keeps the existing report if it is current: it says more than one about the failure. */
  async #storeFailed(
    episode: Episode,
    revision: number,
    state: 'failed' | 'quarantined',
    reason: string,
  ): Promise<void> {
    const { clock, version, caseFileOf, hasModel } = this.#ports;
    const kept = await this.#kept(episode, reason, readsMax);
    if (kept !== null) {
      return this.store(episode, revision, state === 'failed' ? 'reported' : state, kept);
    }
    const failed = failedReport(caseFileOf(episode), {
      now: clock.now(), version, reason, hasModel,
    });
    const report = { ...finishedReport(failed, null), recording: null };
    await this.store(episode, revision, state, report);
  }

  async #kept(episode: Episode, reason: string, reads: number): Promise<FinishedReport | null> {
    const { clock } = this.#ports;
    const { notifications, endsAt, conclusion } = episode;
    const stored = conclusion === null ? null : await this.#read(episode, reads);
    return keptReport(stored, { notifications, endsAt, reason, now: clock.now() });
  }

  /** A report that stays unreadable counts as none, or its analysis would never end. */
  async #read(episode: Episode, reads: number): Promise<string | null> {
    const { clock, log, reports } = this.#ports;
    for (let left = reads - 1; ; left -= 1) {
      try {
        return await reports.read(episode);
      } catch (error) {
        if (left === 0) {
          log.warn('Cannot read the stored report', { ...loggedKey(episode), error });
          return null;
        }
        await clock.sleep(readAgainMs);
      }
    }
  }

  /** Keeps the existing report, with a note on why no newer one replaced it. */
  async keep(episode: Episode, revision: number, reason: string): Promise<void> {
    const kept = await this.#kept(episode, reason, 1);
    if (kept !== null) await this.store(episode, revision, 'reported', kept);
  }

  /**
   * Resolves once both the report and its outcome are on disk; rejects if that fails. If
   * `report` has no member `recording`, the stored recording stays; null removes it.
   */
  async store(
    episode: Episode,
    revision: number,
    state: OutcomeRecord['state'],
    report: FinishedReport & Partial<RecordedReport>,
  ): Promise<void> {
    const { fingerprint, number } = episode;
    const { conclusion, recording } = report;
    const stored = await this.#ports.reports.write(episode, report.json);
    await this.#ports.journal.outcome({
      fingerprint, number, state, revision, conclusion, report: stored,
      isRecordedAnew: recording !== undefined || undefined,
    });
    if (recording !== undefined) this.#ports.recordings.replace(episode, recording);
    this.#ports.onStored();
  }

  /** Gives an attempt back; returns false if that could not be journalled. */
  async release(key: EpisodeKey): Promise<boolean> {
    try {
      await this.#ports.journal.release(key);
      return true;
    } catch (error) {
      this.#ports.book.giveBack(key);
      this.#ports.log.debug('Cannot record the released attempt', { error });
      return false;
    }
  }
}

/** Whether no thread got the alert, or it was taken back: then no attempt is charged. */
function isUntouched(
  outcome: Outcome | null,
): outcome is Extract<Outcome, { kind: 'stopped' | 'unready' }> {
  return outcome?.kind === 'stopped' || outcome?.kind === 'unready';
}

/** How the analysis ended, for metrics; null if it has no report, as the attempt was given back. */
export function analysisEnd(episode: Episode, outcome: Outcome | null): EndedAs | null {
  if (outcome?.kind === 'done') return outcome.report.status === 'final' ? 'final' : 'ready';
  if (outcome?.kind === 'failed') return 'failed';
  if (isUntouched(outcome)) return null;
  return episode.attempts >= attemptsMax ? 'quarantined' : null;
}
