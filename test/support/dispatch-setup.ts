import assert from 'node:assert/strict';
import {
  Dispatch, type AnalysisJob, type NarrationPorts,
} from '../../src/analysis/dispatch/dispatch.ts';
import { EpisodeClaims } from '../../src/analysis/dispatch/episode-claims.ts';
import type { EndedAs } from '../../src/analysis/dispatch/outcomes.ts';
import type { Outcome, RecordedReport } from '../../src/analysis/threads/worker-thread.ts';
import { EpisodeBook } from '../../src/episodes/book/episode-book.ts';
import { caseFileOf } from '../../src/episodes/case-file-of.ts';
import type { Episode } from '../../src/episodes/episode.ts';
import { createEpisodeJournal } from '../../src/episodes/episode-journal.ts';
import { JobQueue } from '../../src/queue/job-queue.ts';
import type { CaseFile } from '../../src/report/case-file.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { ManualClock } from './manual-clock.ts';
import { anAlert, fingerprint } from './samples/alerts.ts';

export const done: Outcome = {
  kind: 'done',
  report: {
    json: '{"by":"worker"}', status: 'ready',
    conclusion: { classification: 'actionable', certainty: 'possible', headline: 'CPU is high' },
    recheckAt: null, failedChecks: 0, recording: null,
  },
};

/** A dispatch whose workers and disk are controlled by the test. */
export interface DispatchSetup {
  readonly dispatch: Dispatch;
  readonly claims: EpisodeClaims;
  readonly book: EpisodeBook;
  readonly clock: ManualClock;
  readonly reports: Map<string, string>;
  readonly recordings: Map<string, RecordedReport['recording']>;
  readonly ended: EndedAs[];
  /** The step of the first episode at each notified change. */
  readonly changes: (string | null)[];
  /** Fingerprints of the investigations started, in order. */
  readonly begun: string[];
  /** The report that each investigation was told it replaces. */
  readonly previous: (string | null)[];
  /** The case files of the investigations started, in order. */
  readonly told: CaseFile[];
  /** The messages that were logged. */
  readonly logged: string[];
  /** Calls to the worker pool, the report store and the attempt counter, in order. */
  readonly calls: string[];
  readonly disk: {
    reportsFail: boolean; readsFail: boolean; journalFails: boolean;
  };
  /** Ends the oldest running investigation. */
  end(outcome: Outcome): Promise<void>;
  tell(name: string, kind?: 'opened' | 'refreshed' | 'resolved', severity?: string): Episode;
}

export interface SetupOptions {
  readonly slots?: number;
  readonly narrations?: NarrationPorts | null;
}

export function setUpDispatch({ slots = 4, narrations = null }: SetupOptions = {}): DispatchSetup {
  const clock = new ManualClock(Date.parse('2026-11-20T10:00:00Z'));
  const book = new EpisodeBook();
  const reports = new Map<string, string>();
  const recordings = new Map<string, RecordedReport['recording']>();
  const ended: EndedAs[] = [];
  const changes: (string | null)[] = [];
  const progressNow = (): string | null => {
    const [episode] = book.all();
    return episode === undefined ? null : (dispatch.progressOf(episode)?.step ?? null);
  };
  const begun: string[] = [];
  const previous: (string | null)[] = [];
  const told: CaseFile[] = [];
  const calls: string[] = [];
  const logged: string[] = [];
  const disk = { reportsFail: false, readsFail: false, journalFails: false };
  const running: ((outcome: Outcome) => void)[] = [];
  let sequence = 0;
  const append = (): Promise<number> =>
    disk.journalFails ? Promise.reject(new Error('No room')) : Promise.resolve(++sequence);
  const claims = new EpisodeClaims();
  const dispatch = new Dispatch({
    clock, claims,
    narrations,
    log: createLogger({
      level: 'info', format: 'json', now: () => clock.now(),
      write: (line) => logged.push((JSON.parse(line) as { message: string }).message),
    }),
    version: '1.0.0',
    queue: new JobQueue<AnalysisJob>(({ episode }) => episode.incident?.id ?? episode.name),
    pool: {
      get freeSlots() {
        return slots - running.length;
      },
      run(caseFile, _onProgress, coming) {
        calls.push('run');
        previous.push(coming?.previous ?? null);
        begun.push(caseFile.alert.fingerprint);
        told.push(caseFile);
        return new Promise((resolve) => running.push(resolve));
      },
    },
    caseFileOf: (episode) => caseFileOf(book, episode, { reportBase: 'http://localhost', now: 0 }),
    book,
    reports: {
      async read({ fingerprint, number }) {
        calls.push('read');
        if (disk.readsFail) throw new Error('EIO');
        return reports.get(`${fingerprint}/${number}`) ?? null;
      },
      async write({ fingerprint, number }, json) {
        calls.push('write');
        if (disk.reportsFail) throw new Error('No room');
        reports.set(`${fingerprint}/${number}`, json);
        return { file: 1, offset: 0, bytes: json.length };
      },
    },
    recordings: {
      replace: ({ fingerprint, number }, coming) => {
        recordings.set(`${fingerprint}/${number}`, coming);
      },
    },
    journal: createEpisodeJournal(append, book),
    canStore: () => !disk.journalFails,
    room: async () => ({ directory: '/data', freeBytes: 0, freeFiles: 9 }),
    onAttempt: () => void calls.push('attempt'),
    onChange: () => void changes.push(progressNow()),
    onEnd: (_episode, outcome) => ended.push(outcome),
  });
  return {
    dispatch, claims, book, clock, reports, recordings, ended, changes, begun, previous, told,
    calls, logged, disk,
    async end(outcome) {
      running.shift()?.(outcome);
      await clock.advance(0);
      dispatch.pump();
      await clock.advance(0);
    },
    tell(name, kind = 'opened', severity = 'warning') {
      const labels = { alertname: 'HighCPU', instance: 'a:9100', severity };
      const ending = { status: 'resolved', endsAt: new Date(clock.now()).toISOString() } as const;
      const alert = anAlert({
        fingerprint: fingerprint(name), labels, ...(kind === 'resolved' && ending),
      });
      const accepted = [{ fingerprint: alert.fingerprint, kind, number: 1, index: 0, alert }];
      const receivedAt = clock.now();
      const text = JSON.stringify({ alerts: [alert] });
      book.applyNotification(++sequence, { receivedAt, text, accepted });
      const episode = book.find(name, 1);
      assert.ok(episode);
      dispatch.enqueueAll([episode]);
      return episode;
    },
  };
}
