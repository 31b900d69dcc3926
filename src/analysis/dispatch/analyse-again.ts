import { receivedInReport } from '../../episodes/alert-from-report.ts';
import { isPending } from '../../episodes/analysis-state.ts';
import type { EpisodeBook } from '../../episodes/book/episode-book.ts';
import { remembered } from '../../episodes/case-file-of.ts';
import { startOf, type Episode } from '../../episodes/episode.ts';
import type { EpisodeJournal } from '../../episodes/episode-journal.ts';
import { ReceivedAlert } from '../../episodes/received-alert.ts';
import type { Clock } from '../../lib/clock.ts';
import type { AgainResult } from '../../report/feedback.ts';
import type { Report } from '../../report/report.ts';
import { reportUrl } from '../../report/report-url.ts';
import type { ReportStore } from '../../report/store/report-store.ts';
import { storedReport } from '../../report/store/stored-report.ts';

/** Minimum age of a report for a new analysis: before that, the sources have hardly changed. */
export const againAfterMs = 60_000;

export interface AnalyseAgainPorts {
  readonly clock: Clock;
  readonly book: Pick<EpisodeBook, 'find'>;
  readonly reports: Pick<ReportStore, 'read'>;
  readonly journal: Pick<EpisodeJournal, 'again'>;
  readonly reportBase: string;
  readonly hasRoom: () => boolean;
  readonly enqueue: (episode: Episode) => void;
}

/**
 * Queues a new analysis of an episode on request. The request is on disk before it is answered, and
 * the old report stays until the new one replaces it.
 */
export class AnalyseAgain {
  readonly #ports: AnalyseAgainPorts;
  /** Requests under way, which share their result with further requests for the same episode. */
  readonly #asking = new Map<Episode, Promise<AgainResult>>();

  constructor(ports: AnalyseAgainPorts) {
    this.#ports = ports;
  }

  ask(fingerprint: string): Promise<AgainResult> {
    const episode = this.#ports.book.find(fingerprint, null);
    if (episode === null) return Promise.resolve({ kind: 'not_found' });
    if (isPending(episode.analysis)) return Promise.resolve(this.#queued(episode));
    const asking = this.#asking.get(episode) ?? this.#ask(episode).finally(() => {
      this.#asking.delete(episode);
    });
    this.#asking.set(episode, asking);
    return asking;
  }

  async #ask(episode: Episode): Promise<AgainResult> {
    const { clock, reports, hasRoom, journal, enqueue } = this.#ports;
    const { fingerprint, number } = episode;
    const report = await storedReport(reports, episode);
    const waitMs = report === null ? 0 : waitAfter(report, clock.now());
    if (waitMs > 0) return { kind: 'too_soon', waitMs };
    const received = receivedBefore(episode, report);
    if (received === null) return { kind: 'forgotten' };
    if (!hasRoom()) return { kind: 'queue_full' };
    try {
      await journal.again({ fingerprint, number, told: received });
    } catch {
      return { kind: 'storage_unavailable' }; // The journal has said why in the log.
    }
    enqueue(episode);
    return this.#queued(episode);
  }

  #queued({ fingerprint, number }: Episode): AgainResult {
    const { reportBase } = this.#ports;
    return { kind: 'queued', number, reportUrl: reportUrl(reportBase, fingerprint, number) };
  }
}

function waitAfter({ updated_at: updatedAt }: Report, now: number): number {
  const age = now - Date.parse(updatedAt);
  // A negative age, from a clock that was set back, must not block requests for long.
  return age >= 0 && age < againAfterMs ? againAfterMs - age : 0;
}

/** The alert to analyse again; null if only its name is left, which is too little to go by. */
function receivedBefore(episode: Episode, report: Report | null): ReceivedAlert | null {
  if (report !== null) return receivedInReport(episode, report);
  if (episode.identity === null) return null;
  return ReceivedAlert.of(remembered(episode), startOf(episode));
}
