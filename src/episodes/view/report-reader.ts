import type { Clock } from '../../lib/clock.ts';
import { inTurns } from '../../lib/in-turns.ts';
import { pendingNarrative } from '../../report/awaited-narrative.ts';
import type { CaseFile } from '../../report/case-file.ts';
import { reportedIncident, type IncidentView } from '../../report/incident.ts';
import { lastFeedbackIn } from '../../report/last-feedback.ts';
import type { ListQuery } from '../../report/list-filter.ts';
import type { LiveState, LiveSubject } from '../../report/live-state.ts';
import { failedReport, newReport, reportedEpisode } from '../../report/new-report.ts';
import type { Narrative, Progress, AskedQuestion, Report } from '../../report/report.ts';
import type { ReportList } from '../../report/report-list.ts';
import { reportUrl } from '../../report/report-url.ts';
import type { ReportStore } from '../../report/store/report-store.ts';
import { storedReport } from '../../report/store/stored-report.ts';
import { isPending } from '../analysis-state.ts';
import type { EpisodeBook } from '../book/episode-book.ts';
import type { Episode } from '../episode.ts';
import type { Moved } from './incident-timeline.ts';
import { incidentView, type PathOfReport } from './incident-view.ts';
import { listReports } from './list-reports.ts';
import { liveState } from './live-state.ts';
import { statusOf } from './report-status.ts';

export interface ReportReaderPorts {
  readonly book: EpisodeBook;
  readonly clock: Clock;
  readonly version: string;
  readonly caseFileOf: (episode: Episode) => CaseFile;
  readonly reports: Pick<ReportStore, 'read'>;
  readonly progressOf: (episode: Episode) => Progress | null;
  /** URL of the recording of the episode's report, or null. */
  readonly recordingUrlOf: (episode: Episode) => string | null;
  /** Null without a language model. */
  readonly narration: ShownNarration | null;
}

/** The progress of narratives that are not written yet. */
export interface ShownNarration {
  /** The current step, as a sentence; null when no narrative is under way. */
  stepOf(episode: Episode): string | null;
  /** Changes whenever the narrative or the questions of a report may look different. */
  revisionOf(episode: Episode): number;
  /** Questions about the report that have no answer yet. */
  questionsOf(episode: Episode): readonly AskedQuestion[];
}

/** Reports of an incident that are searched for changes: with a cause first, by likely origin. */
const readForIncident = 5;
const movedPerReport = 4;

interface FoundInReport {
  readonly moved: readonly Moved[];
  readonly path: readonly PathOfReport[];
}

/** Reports as readers see them: as stored, brought up to date with what is known now. */
export class ReportReader {
  readonly #ports: ReportReaderPorts;

  constructor(ports: ReportReaderPorts) {
    this.#ports = ports;
  }

  /** The report of episode `number`, or of the newest one; null when there is no such episode. */
  async find(fingerprint: string, number: number | null): Promise<Report | null> {
    const { book, reports, clock, version, caseFileOf, narration } = this.#ports;
    const episode = book.find(fingerprint, number);
    if (episode === null) return null;
    const now = clock.now();
    const { feedback } = episode;
    const isUnwritten = episode.conclusion === null && isPending(episode.analysis);
    if (isUnwritten) return { ...this.#unwritten(episode, now), feedback };
    // Before the file is read: afterwards, a narrative that the file lacks may have been stored.
    const step = this.#narrationStep(episode);
    const stored = await storedReport(reports, episode);
    if (stored === null) {
      if (isPending(episode.analysis)) return { ...this.#unwritten(episode, now), feedback };
      const reason = 'The stored report is missing or damaged.';
      const hasModel = narration !== null;
      return { ...failedReport(caseFileOf(episode), { now, version, reason, hasModel }), feedback };
    }
    const report = this.#broughtUpToDate(episode, stored);
    const pending = narration?.questionsOf(episode) ?? [];
    return {
      ...report, narrative: this.#narrativeOf(episode, report, step), feedback,
      questions: [...stored.questions ?? [], ...pending],
    };
  }

  /** The incident with this id; null when it is unknown or has only one alert. */
  async incident(id: string, reportBase: string): Promise<IncidentView | null> {
    const { book } = this.#ports;
    const { members } = book.rankedMembers(id);
    const hasCause = ({ conclusion }: Episode): boolean => (conclusion?.cause ?? null) !== null;
    const concluded = members.filter(({ conclusion }) => conclusion !== null)
      .sort((a, b) => Number(hasCause(b)) - Number(hasCause(a)));
    const read = await Promise.all(concluded.slice(0, readForIncident)
      .map((episode) => this.#foundIn(episode)));
    return incidentView(book, id, {
      reportBase,
      moved: read.flatMap(({ moved }) => moved), paths: read.flatMap(({ path }) => path),
    });
  }

  list(query: ListQuery, reportBase: string): Promise<ReportList> {
    const { book, clock } = this.#ports;
    return inTurns(listReports(book, query, { now: clock.now(), reportBase }), clock);
  }

  /** The strong changes in the episode's stored report, and its path. */
  async #foundIn(episode: Episode): Promise<FoundInReport> {
    // One unreadable report must not hide the others; opening it shows the error.
    const stored = await storedReport(this.#ports.reports, episode).catch(() => null);
    if (stored === null) return { moved: [], path: [] };
    const { changes, timeline, path = null } = stored;
    const strong = new Set(changes.flatMap(({ rank, strength }) =>
      strength === 'strong' ? [rank] : []));
    const moved = timeline
      .filter(({ change }) => change !== undefined && strong.has(change))
      .slice(0, movedPerReport)
      .map(({ at, text }) => ({ at, text, episode }));
    return { moved, path: path === null ? [] : [{ path, episode }] };
  }

  /** The current state of the subject; null if it does not exist. */
  live(subject: LiveSubject): LiveState | null {
    const { book, progressOf, narration } = this.#ports;
    return liveState(book, subject, {
      progressOf, narrationRevisionOf: (episode) => narration?.revisionOf(episode) ?? 0,
    });
  }

  #unwritten(episode: Episode, now: number): Report {
    const { version, caseFileOf, progressOf, narration } = this.#ports;
    const report = newReport(caseFileOf(episode), {
      status: statusOf(episode), now, version, progress: progressOf(episode),
    });
    return narration === null ? report : { ...report, narrative: pendingNarrative };
  }

  /**
   * Replaces what may have changed since the report was stored: the episode may have ended, and the
   * service moved to another address.
   */
  #broughtUpToDate(episode: Episode, stored: Report): Report {
    const { book, progressOf, caseFileOf, recordingUrlOf } = this.#ports;
    const { fingerprint, number } = episode;
    const caseFile = caseFileOf(episode);
    const current = reportedEpisode(caseFile);
    const { reportBase, reportUrl: url } = caseFile;
    const episodes = stored.history.episodes.map((each) => ({
      ...each, report_url: reportUrl(reportBase, fingerprint, each.number),
      ...(each.number === number && { ends_at: current.ends_at }),
    }));
    return {
      ...stored,
      report_url: url,
      related: stored.related.map((each) => (
        { ...each, report_url: reportUrl(reportBase, each.fingerprint, null) })),
      history: { ...stored.history, episodes, last_said: lastFeedbackIn(caseFile) },
      status: isPending(episode.analysis) ? statusOf(episode) : stored.status,
      progress: progressOf(episode),
      episode: {
        ...current,
        of: book.find(fingerprint, null)?.number ?? number,
        suppressed: book.open.suppressionOf(episode),
      },
      provenance: { ...stored.provenance, recording_url: recordingUrlOf(episode) },
      incident: reportedIncident(caseFile),
    };
  }

  /** Shows a pending narrative that nobody works on as interrupted; the file is not changed. */
  #narrativeOf(episode: Episode, { narrative }: Report, stepBefore: string | null): Narrative {
    if (narrative.state === 'present' || narrative.reason !== 'pending') return narrative;
    const step = this.#narrationStep(episode) ?? stepBefore;
    if (step === null) return { state: 'absent', reason: 'failed', detail: interrupted };
    return { ...narrative, detail: step };
  }

  /** The step of a narrative that is under way or will be; null if there is none. */
  #narrationStep(episode: Episode): string | null {
    const step = this.#ports.narration?.stepOf(episode) ?? null;
    return step ?? (isPending(episode.analysis) ? pendingNarrative.detail : null);
  }
}

const interrupted = 'The investigation by the language model was interrupted before it answered.';
