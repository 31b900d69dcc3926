import { isDeepStrictEqual } from 'node:util';
import { conclusionOf } from '../episodes/conclusion.ts';
import type { Episode } from '../episodes/episode.ts';
import type { EpisodeJournal } from '../episodes/episode-journal.ts';
import type { Clock } from '../lib/clock.ts';
import { keepNarrative } from '../model/answer/keep-narrative.ts';
import { isAwaited } from '../report/awaited-narrative.ts';
import { readReport } from '../report/read-report.ts';
import type { Report } from '../report/report.ts';
import type { Extent } from '../report/store/pack-files.ts';
import type { ReportStore } from '../report/store/report-store.ts';

export interface NarrativeStorePorts {
  readonly clock: Clock;
  /** How long a narrative is kept although the evidence has changed. */
  readonly freshMs: number;
  readonly reports: Pick<ReportStore, 'read' | 'write'>;
  readonly journal: Pick<EpisodeJournal, 'outcome' | 'moved'>;
  /** Runs `store` unless an analysis of the episode is running or queued; then resolves false. */
  readonly whileIdle: (episode: Episode, store: () => Promise<void>) => Promise<boolean>;
}

export interface AwaitingReport {
  readonly json: string;
  readonly report: Report;
}

interface Written {
  /** JSON text of the report that was narrated. */
  readonly of: string;
  readonly narrated: Report;
}

const writtenMax = 50;

/** Stores narratives over their reports, which may have been replaced, or soon will be. */
export class NarrativeStore {
  readonly #ports: NarrativeStorePorts;
  /** Narratives that could not be stored yet, as an analysis was under way or the disk failed. */
  readonly #written = new Map<Episode, Written>();

  constructor(ports: NarrativeStorePorts) {
    this.#ports = ports;
  }

  /** The episode's report; null when there is none or it awaits no narrative. */
  async awaiting(episode: Episode): Promise<AwaitingReport | null> {
    const json = await this.#ports.reports.read(episode);
    if (json === null) return null;
    const report = readReport(json);
    return isAwaited(report.narrative) ? { json, report } : null;
  }

  /** Whether there is a narrative of the episode that has not been stored yet. */
  hasWritten(episode: Episode): boolean {
    return this.#written.has(episode);
  }

  /** Removes such a narrative, and returns the current report with it; null if it does not fit. */
  takeWritten(episode: Episode, now: AwaitingReport | null): Report | null {
    const written = this.#written.get(episode);
    this.#written.delete(episode);
    return written === undefined || now === null ? null : this.#fitted(now, written);
  }

  /**
   * Stores a narrated report; if its report was replaced meanwhile, the new one gets the narrative,
   * provided that it still fits. Resolves with false, and keeps the narrative for later, while an
   * analysis of the episode is under way, which may replace the report once more.
   */
  async store(episode: Episode, before: AwaitingReport, narrated: Report): Promise<boolean> {
    const { whileIdle, reports } = this.#ports;
    const written = { of: before.json, narrated };
    const isIdle = await whileIdle(episode, async () => {
      const current = await this.awaiting(episode);
      if (current === null) return;
      const next = this.#fitted(current, written);
      if (next === null) return;
      const stored = await reports.write(episode, JSON.stringify(next));
      await this.#journal(episode, current.report, next, stored);
    }).catch((error: unknown) => {
      this.#keepWritten(episode, written); // Its tokens have been paid for.
      throw error;
    });
    if (!isIdle) this.#keepWritten(episode, written);
    return isIdle;
  }

  #fitted({ json, report }: AwaitingReport, { of, narrated }: Written): Report | null {
    const { clock, freshMs } = this.#ports;
    return json === of ? narrated : keepNarrative(report, narrated, { now: clock.now(), freshMs });
  }

  #keepWritten(episode: Episode, written: Written): void {
    if (written.narrated.narrative.state === 'absent') return;
    this.#written.set(episode, written);
    const [oldest] = this.#written.keys();
    if (this.#written.size > writtenMax && oldest !== undefined) this.#written.delete(oldest);
  }

  async #journal(
    episode: Episode, before: Report, narrated: Report, report: Extent,
  ): Promise<void> {
    const { journal } = this.#ports;
    const { fingerprint, number, report: from } = episode;
    const conclusion = conclusionOf(narrated);
    if (isDeepStrictEqual(conclusion, conclusionOf(before))) {
      return journal.moved({ fingerprint, number, from, report });
    }
    const revision = before.episode.notifications;
    await journal.outcome({
      fingerprint, number, state: 'reported', revision, conclusion, report,
    });
  }
}
