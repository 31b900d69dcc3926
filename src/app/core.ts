/**
 * The core: everything between an accepted notification and its reports, built in dependency order
 * and connected.
 */
import { AnalyseAgain } from '../analysis/dispatch/analyse-again.ts';
import { awaitedLooks } from '../analysis/dispatch/awaited-looks.ts';
import { Dispatch, type AnalysisJob } from '../analysis/dispatch/dispatch.ts';
import { SourceTrouble } from '../analysis/source-trouble.ts';
import { spawnWorker } from '../analysis/threads/spawn-worker.ts';
import type { WorkerSettings } from '../analysis/threads/worker-messages.ts';
import { questionsPerThread, WorkerPool } from '../analysis/threads/worker-pool.ts';
import { delivers, type Settings } from '../config/settings.ts';
import { caseFileOf } from '../episodes/case-file-of.ts';
import type { Episode } from '../episodes/episode.ts';
import { FeedbackTaker } from '../episodes/take-feedback.ts';
import { ReportReader } from '../episodes/view/report-reader.ts';
import { Intake } from '../intake/accept.ts';
import { Backlog } from '../intake/backlog.ts';
import { DedupWindow } from '../intake/dedup-window.ts';
import type { Clock } from '../lib/clock.ts';
import { JobQueue } from '../queue/job-queue.ts';
import { pendingNarrative } from '../report/awaited-narrative.ts';
import type { CaseFile } from '../report/case-file.ts';
import { reportUrl } from '../report/report-url.ts';
import { countQuery } from '../telemetry/service-metrics.ts';
import type { Basics } from './basics.ts';
import { sourceAccesses } from './connections.ts';
import type { Delivering } from './delivering.ts';
import type { Narrating, NarratingOptions } from './narrating.ts';
import { openStorage, type Storage } from './storage.ts';
import type { UpkeepPace } from './upkeep.ts';

export interface Core {
  readonly storage: Storage;
  readonly intake: Intake;
  readonly queue: JobQueue<AnalysisJob>;
  readonly pool: WorkerPool;
  /** False after a report could not be stored, until one can be. */
  readonly canStoreReports: () => boolean;
  readonly reader: ReportReader;
  readonly feedback: FeedbackTaker;
  readonly again: AnalyseAgain;
  /** Null without a language model. */
  readonly narrating: Narrating | null;
  /** Null where no receiver is configured. */
  readonly delivering: Delivering | null;
  /** Makes analyses query their sources with the current secrets. */
  readonly renewSources: () => void;
}

interface CoreOptions extends Basics {
  readonly reportBase: string;
  /** Called when something that pages show may have changed. */
  readonly onChange: () => void;
  readonly pace?: UpkeepPace | undefined;
}

/** Fingerprints remembered at most: a minute of the default global limit, 200 alerts each. */
const dedupEntriesMax = 200_000;

/** Opens the storage, starts the workers, and resumes what the last process left unfinished. */
export async function startCore(options: CoreOptions): Promise<Core> {
  const { settings, log, clock, version, metrics, shutdown, reportBase, onChange } = options;
  let delivering: Delivering | null = null;
  const storage = await openStorage({
    ...options, onForgotten: onChange, onReport: (key) => delivering?.offer(key),
  });
  shutdown.onStop('journal', () => storage.close());
  delivering = await deliveringFor(options, storage);

  const queue = new JobQueue<AnalysisJob>(({ episode }) => episode.incident?.id ?? episode.name);
  const caseFileFor = (episode: Episode): CaseFile =>
    caseFileOf(storage.book, episode, { reportBase, now: clock.now() });
  const pool = createPool(options, () => dispatch.pump());
  const narrating = await narratingFor(options, {
    storage, caseFileOf: caseFileFor,
    whileIdle: (episode, store) => dispatch.whileIdle(episode, store),
  });
  const narrations = narrating?.narrations ?? null;
  const dispatch = new Dispatch({
    clock, version, queue, pool, narrations,
    log: log.with({ component: 'analysis' }),
    caseFileOf: caseFileFor,
    book: storage.book,
    reports: storage.reports,
    recordings: storage.recordings,
    journal: storage.episodeJournal,
    canStore: storage.isAvailable,
    room: storage.room,
    onAttempt: () => metrics.analysisAttempts.inc(),
    onChange,
    onEnd: (_episode, outcome, seconds) => {
      metrics.analyses.inc({ outcome });
      metrics.analysisDuration.observe(seconds);
    },
  });
  stopTogether(options, pool, dispatch);
  await pool.start();
  if (narrating !== null) shutdown.onStop('narrations', narrating.stop);
  startUpkeep(options, storage);

  const backlog = new Backlog(settings.intake.queueLimit, () => ({
    alerts: queue.firstReports, bytes: storage.book.waitingWeight,
  }));
  const intake = new Intake({
    book: storage.book,
    dedup: restoredDedupWindow(storage, settings, clock),
    clock, reportBase, backlog,
    canStore: storage.isAvailable,
    store: storage.storeNotification,
    enqueue: (episodes) => {
      dispatch.enqueueAll(episodes);
      void storage.settle().then(onChange);
    },
    count: (outcome, alerts) => metrics.alerts.inc({ outcome }, alerts),
  });
  const reader = createReader(options, { storage, caseFileFor, dispatch, narrating });
  const requests = createRequests(options, { storage, dispatch, backlog });
  dispatch.enqueueAll(storage.pending);
  void resumeSecondLooks(options, storage, dispatch);
  void narrating?.resume();
  await startAskingAlertmanager(options, storage, dispatch);
  const renewSources = (): void => {
    const sources = sourceAccesses(settings.sources);
    pool.broadcast({ kind: 'sources', sources, model: null });
    narrating?.renew();
  };
  return {
    storage, intake, queue, pool, canStoreReports: () => dispatch.canStoreReports, reader,
    ...requests, narrating, delivering, renewSources,
  };
}

async function deliveringFor(options: CoreOptions, storage: Storage): Promise<Delivering | null> {
  if (!delivers(options.settings.delivery)) return null;
  const { startDelivering } = await import('./delivering.ts');
  return startDelivering({ ...options, storage });
}

async function narratingFor(
  options: CoreOptions,
  ports: Pick<NarratingOptions, 'storage' | 'caseFileOf' | 'whileIdle'>,
): Promise<Narrating | null> {
  const { model } = options.settings;
  if (model === null) return null;
  const { startNarrating } = await import('./narrating.ts');
  return startNarrating({ ...options, ...ports, model });
}

function createReader(
  { settings, clock, version, reportBase }: CoreOptions,
  { storage, caseFileFor, dispatch, narrating }: {
    readonly storage: Storage;
    readonly caseFileFor: (episode: Episode) => CaseFile;
    readonly dispatch: Dispatch;
    readonly narrating: Narrating | null;
  },
): ReportReader {
  const { narrations, questions } = narrating ?? { narrations: null, questions: null };
  return new ReportReader({
    book: storage.book,
    clock, version,
    caseFileOf: caseFileFor,
    reports: storage.reports,
    narration: narrations && {
      stepOf: (episode) => narrations.stepOf(episode)
        ?? (dispatch.expectsNarrative(episode) ? pendingNarrative.detail : null),
      revisionOf: (episode) => narrations.revisionOf(episode) + questions.revisionOf(episode),
      questionsOf: (episode) => questions.pendingOf(episode),
    },
    progressOf: (episode) => dispatch.progressOf(episode),
    recordingUrlOf: (episode) => {
      const isServed = settings.http.access.readAuth !== 'open';
      if (!isServed || !storage.recordings.has(episode)) return null;
      return `${reportUrl(reportBase, episode.fingerprint, episode.number)}/recording`;
    },
  });
}

/** What readers can request of existing reports: to take feedback, to analyse again. */
function createRequests(
  { clock, metrics, reportBase, onChange }: CoreOptions,
  { storage, dispatch, backlog }: {
    readonly storage: Storage;
    readonly dispatch: Dispatch;
    readonly backlog: Backlog;
  },
): Pick<Core, 'feedback' | 'again'> {
  const { book, episodeJournal, reports } = storage;
  return {
    feedback: new FeedbackTaker({
      book, clock, journal: episodeJournal,
      onTaken({ verdict }) {
        metrics.feedback.inc({ verdict });
        onChange();
      },
    }),
    again: new AnalyseAgain({
      clock, book, reports,
      journal: episodeJournal,
      reportBase,
      hasRoom: () => backlog.hasRoom,
      enqueue: (episode) => dispatch.enqueueAll([episode]),
    }),
  };
}

/** Runs in the background: these alerts have a report already. */
async function resumeSecondLooks(
  { clock, log }: CoreOptions,
  storage: Storage,
  dispatch: Dispatch,
): Promise<void> {
  try {
    for await (const look of awaitedLooks(storage, clock.now())) {
      dispatch.lookAgain(look.episode, look.told, look.at);
    }
  } catch (error) {
    log.warn('Cannot resume the second looks of the last process', { error });
  }
}

/** Where Alertmanager can be asked, it tells what is silenced, and what has ended. */
async function startAskingAlertmanager(
  { settings, ...options }: CoreOptions,
  storage: Storage,
  dispatch: Dispatch,
): Promise<void> {
  const { alertmanager } = settings.sources;
  if (alertmanager === null) return;
  const { presenceAsker, startReconciling } = await import('./reconciling.ts');
  startReconciling({
    ...options, storage, ask: presenceAsker(alertmanager, options),
    enqueue: (episode) => dispatch.enqueueAll([episode]),
    everyMs: options.pace?.reconcileEveryMs,
  });
}

function createPool(options: CoreOptions, onFree: () => void): WorkerPool {
  const { settings, log, clock, version, metrics } = options;
  const { workers, workerMemoryMb, investigationsPerWorker } = settings.analysis;
  const trouble = new SourceTrouble(clock, log.with({ component: 'sources' }));
  return new WorkerPool({
    workers,
    perWorker: investigationsPerWorker,
    memoryMb: workerMemoryMb,
    timeoutMs: settings.analysis.investigationTimeoutMs,
    spawn: (given) => {
      const sources = sourceAccesses(settings.sources);
      const workerData: WorkerSettings = {
        version, sources, model: null, atOnce: questionsPerThread(workers),
        records: settings.retention.recordingBytes > 0,
      };
      return spawnWorker('../analysis/threads/worker', import.meta.url, { ...given, workerData });
    },
    clock,
    log: log.with({ component: 'workers' }),
    onDeath: (reason) => metrics.workerRestarts.inc({ reason }),
    onAsked: (asked) => {
      countQuery(metrics, asked);
      trouble.asked(asked);
    },
    onFree,
  });
}

/** Stopping the pool ends running analyses, so that dispatch can put them back in the queue. */
function stopTogether({ shutdown }: CoreOptions, pool: WorkerPool, dispatch: Dispatch): void {
  shutdown.onStop('analysis', async () => {
    const stopped = dispatch.stop();
    await pool.stop();
    await stopped;
  });
}

function startUpkeep({ settings, shutdown }: CoreOptions, storage: Storage): void {
  const { ageMs, reports } = settings.retention;
  const stopped = new AbortController();
  const maintained = storage.maintain({ ageMs, episodesMax: reports }, stopped.signal);
  shutdown.onStop('upkeep', () => {
    stopped.abort();
    return maintained;
  });
}

/** Deduplication survives a restart: the journal has the last acceptance of each fingerprint. */
function restoredDedupWindow(storage: Storage, settings: Settings, clock: Clock): DedupWindow {
  const { dedupWindowMs } = settings.intake;
  const window = new DedupWindow(dedupWindowMs, dedupEntriesMax);
  const now = clock.now();
  const recent = [...storage.book.acceptances()]
    .map(([fingerprint, { status, at }]) => ({ fingerprint, status, ageMs: now - at }))
    .filter(({ ageMs }) => ageMs < dedupWindowMs)
    .sort((a, b) => b.ageMs - a.ageMs);
  for (const { fingerprint, status, ageMs } of recent) {
    window.restore(fingerprint, status, ageMs, clock.monotonic());
  }
  return window;
}
