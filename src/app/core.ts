/**
 * The core: everything between an accepted notification and its reports, built in dependency order
 * and connected.
 */
import type { EpisodeKey } from '../alert/episode-key.ts';
import { AnalyseAgain } from '../analysis/dispatch/analyse-again.ts';
import { awaitedRechecks } from '../analysis/dispatch/awaited-rechecks.ts';
import { Dispatch, type AnalysisJob } from '../analysis/dispatch/dispatch.ts';
import { EpisodeClaims } from '../analysis/dispatch/episode-claims.ts';
import { SourceTrouble } from '../analysis/source-trouble.ts';
import { spawnAnalyst } from '../analysis/threads/spawn-worker.ts';
import { questionsPerThread, WorkerPool } from '../analysis/threads/worker-pool.ts';
import { Secret, redactionsOf } from '../config/secret.ts';
import { delivers, type Settings } from '../config/settings.ts';
import type { Address, Receivers } from '../delivery/receivers.ts';
import { caseFileOf } from '../episodes/case-file-of.ts';
import type { Episode } from '../episodes/episode.ts';
import type { EpisodeJournal } from '../episodes/episode-journal.ts';
import { FeedbackTaker } from '../episodes/take-feedback.ts';
import { ReportReader } from '../episodes/view/report-reader.ts';
import { Intake } from '../intake/accept.ts';
import { Backlog } from '../intake/backlog.ts';
import { DedupWindow } from '../intake/dedup-window.ts';
import type { Clock } from '../lib/clock.ts';
import { Shutdown } from '../lib/shutdown.ts';
import type { Narrator, NarratorOptions } from '../narration/narrator.ts';
import { JobQueue } from '../queue/job-queue.ts';
import { pendingNarrative } from '../report/awaited-narrative.ts';
import type { CaseFile } from '../report/case-file.ts';
import { reportUrl } from '../report/report-url.ts';
import { countQuery } from '../telemetry/service-metrics.ts';
import { sourceAccesses, grantOf, modelAccess } from './connections.ts';
import type { Foundation } from './foundation.ts';
import type { MaintenancePace } from './maintenance.ts';
import type { ReconcilingOptions } from './reconciling.ts';
import { openStorage, type Storage } from './storage.ts';

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
  readonly narrator: Narrator | null;
  /** Null where no receiver is configured. */
  readonly receivers: Receivers | null;
  /** Makes analyses query their sources with the current secrets. */
  readonly renewSources: () => void;
}

interface CoreOptions {
  readonly reportBase: string;
  /** Called when something that pages show may have changed. */
  readonly onChange: () => void;
  readonly pace?: MaintenancePace | undefined;
}

/** Fingerprints remembered at most: a minute of the default global limit, 200 alerts each. */
const dedupEntriesMax = 200_000;

/**
 * Opens the storage, starts the workers, and resumes what the last process left unfinished. Each
 * part is built from those above it: where a later one needs to hear something, it subscribes.
 */
export async function startCore(
  foundation: Foundation,
  { reportBase, onChange, pace }: CoreOptions,
): Promise<Core> {
  const { settings, log, clock, version, metrics, shutdown } = foundation;
  const storage = await openStorage(foundation, { pace, onForgotten: onChange });
  shutdown.onStop('journal', () => storage.close());
  const { book, reports, recordings } = storage;
  const receivers = await receiversFor(foundation, { storage, reportBase });
  const journal = withReports(storage.episodeJournal, receivers);

  const queue = new JobQueue<AnalysisJob>(({ episode }) => episode.incident?.id ?? episode.name);
  const claims = new EpisodeClaims();
  const caseFileFor = (episode: Episode): CaseFile =>
    caseFileOf(book, episode, { reportBase, now: clock.now() });
  const pool = createPool(foundation);
  const narrator = await narratorFor(foundation, {
    book, reports, journal, onChange,
    caseFileOf: caseFileFor,
    whileIdle: claims.whileIdle.bind(claims),
  });
  const dispatch = new Dispatch({
    clock, version, queue, claims, pool, book, reports, recordings, journal, onChange,
    narrations: narrator?.narrations ?? null,
    log: log.with({ component: 'analysis' }),
    caseFileOf: caseFileFor,
    canStore: storage.isAvailable,
    room: storage.room,
    onAttempt: () => metrics.analysisAttempts.inc(),
    onEnd: (_episode, outcome, seconds) => {
      metrics.analyses.inc({ outcome });
      metrics.analysisDuration.observe(seconds);
    },
  });
  stopTogether(shutdown, pool, dispatch);
  await pool.start(() => dispatch.pump());
  if (narrator !== null) shutdown.onStop('narrations', narrator.stop);
  startMaintenance(foundation, storage);

  const backlog = new Backlog(settings.intake.queueLimit, () => ({
    alerts: queue.firstReports, bytes: book.waitingWeight,
  }));
  const intake = createIntake(foundation, {
    storage, reportBase, backlog,
    enqueue(episodes) {
      dispatch.enqueueAll(episodes);
      void storage.assignIncidents().then(onChange);
    },
  });
  const reader = createReader(foundation, { storage, reportBase, caseFileFor, dispatch, narrator });
  const feedback = createFeedback(foundation, { book, journal, onChange });
  const enqueue = (episode: Episode): void => dispatch.enqueueAll([episode]);
  const again = new AnalyseAgain({
    clock, book, reports, journal, reportBase, enqueue, hasRoom: () => backlog.hasRoom,
  });
  dispatch.enqueueAll(storage.pending);
  void resumeRechecks(foundation, storage, dispatch);
  void narrator?.resume();
  await startAskingAlertmanager(foundation, {
    book, reports, journal, enqueue, onChange, everyMs: pace?.reconcileEveryMs,
  });
  return {
    storage, intake, queue, pool, canStoreReports: () => dispatch.canStoreReports, reader,
    feedback, again, narrator, receivers,
    renewSources() {
      pool.broadcast({ kind: 'sources', sources: sourceAccesses(settings.sources), model: null });
      narrator?.renew();
    },
  };
}

async function receiversFor(
  { settings: { delivery }, clock, log, metrics, shutdown }: Foundation,
  { storage: { book, reports }, reportBase }: { storage: Storage; reportBase: string },
): Promise<Receivers | null> {
  if (!delivers(delivery)) return null;
  const { startReceivers } = await import('../delivery/receivers.ts');
  const receivers = startReceivers({
    addresses: { webhook: addressOf(delivery.webhook), slack: addressOf(delivery.slack) },
    clock, metrics, book, reports, reportBase,
    log: log.with({ component: 'delivery' }),
  });
  shutdown.onStop('deliveries', receivers.stop);
  return receivers;
}

function addressOf(url: Secret | null): Address | null {
  return url && { setting: url.name, url: () => url.values()[0] ?? '' };
}

/** A report counts, and is announced to others, once the journal says where it is. */
function withReports(
  journal: EpisodeJournal,
  receivers: Receivers | null,
): EpisodeJournal {
  if (receivers === null) return journal;
  const announcing = <T extends EpisodeKey>(write: (event: T) => Promise<void>) =>
    async (event: T): Promise<void> => {
      await write(event);
      receivers.offer(event);
    };
  return { ...journal, outcome: announcing(journal.outcome), moved: announcing(journal.moved) };
}

/** Null without a language model. */
async function narratorFor(
  { settings, clock, log, metrics, version }: Foundation,
  { book, reports, journal, caseFileOf, whileIdle, onChange }: Pick<
    NarratorOptions, 'book' | 'reports' | 'journal' | 'caseFileOf' | 'whileIdle' | 'onChange'
  >,
): Promise<Narrator | null> {
  const { model, secrets, sources, dataDirectory, analysis } = settings;
  if (model === null) return null;
  const { startNarrator } = await import('../narration/narrator.ts');
  const { createRedactor } = await import('../redaction/redactor.ts');
  return startNarrator({
    clock, metrics, version, dataDirectory, book, reports, journal, caseFileOf, whileIdle, onChange,
    log: log.with({ component: 'model' }),
    workerMemoryMb: analysis.workerMemoryMb,
    limits: {
      tokensPerDay: model.tokensPerDay, grant: grantOf(model), freshMs: model.reanalyseAfterMs,
    },
    access: () => ({
      sources: sourceAccesses(sources),
      model: { access: modelAccess(model), secrets: redactionsOf(secrets) },
    }),
    mask: (text) => createRedactor({ secrets: redactionsOf(secrets) }).redact(text),
  });
}

function createIntake(
  { settings, clock, metrics }: Foundation,
  { storage, reportBase, backlog, enqueue }: {
    readonly storage: Storage;
    readonly reportBase: string;
    readonly backlog: Backlog;
    readonly enqueue: (episodes: readonly Episode[]) => void;
  },
): Intake {
  return new Intake({
    book: storage.book,
    clock, reportBase, backlog, enqueue,
    dedup: restoredDedupWindow(storage, settings, clock),
    canStore: storage.isAvailable,
    store: storage.storeNotification,
    count: (outcome, alerts) => metrics.alerts.inc({ outcome }, alerts),
  });
}

function createReader(
  { settings, clock, version }: Foundation,
  { storage, reportBase, caseFileFor, dispatch, narrator }: {
    readonly storage: Storage;
    readonly reportBase: string;
    readonly caseFileFor: (episode: Episode) => CaseFile;
    readonly dispatch: Dispatch;
    readonly narrator: Narrator | null;
  },
): ReportReader {
  const { narrations, questions } = narrator ?? { narrations: null, questions: null };
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

function createFeedback(
  { clock, metrics }: Foundation,
  { book, journal, onChange }: {
    readonly book: Storage['book'];
    readonly journal: EpisodeJournal;
    readonly onChange: () => void;
  },
): FeedbackTaker {
  return new FeedbackTaker({
    book, clock, journal,
    onTaken({ verdict }) {
      metrics.feedback.inc({ verdict });
      onChange();
    },
  });
}

/** Runs in the background: these alerts have a report already. */
async function resumeRechecks(
  { clock, log }: Foundation,
  storage: Storage,
  dispatch: Dispatch,
): Promise<void> {
  try {
    for await (const recheck of awaitedRechecks(storage, clock.now())) {
      dispatch.recheck(recheck.episode, recheck.lastAlert, recheck.at);
    }
  } catch (error) {
    log.warn('Cannot resume the rechecks of the last process', { error });
  }
}

/** Where Alertmanager can be asked, it tells what is silenced, and what has ended. */
async function startAskingAlertmanager(
  { settings, clock, log, metrics, shutdown }: Foundation,
  { book, reports, journal, enqueue, onChange, everyMs }: Pick<
    ReconcilingOptions, 'book' | 'reports' | 'journal' | 'enqueue' | 'onChange' | 'everyMs'
  >,
): Promise<void> {
  const { alertmanager } = settings.sources;
  if (alertmanager === null) return;
  const { presenceAsker, startReconciling } = await import('./reconciling.ts');
  startReconciling({
    ask: presenceAsker(alertmanager, { clock, metrics }),
    clock, log, shutdown, book, reports, journal, enqueue, onChange, everyMs,
  });
}

function createPool({ settings, log, clock, version, metrics }: Foundation): WorkerPool {
  const { workers, workerMemoryMb, investigationsPerWorker } = settings.analysis;
  const trouble = new SourceTrouble(clock, log.with({ component: 'sources' }));
  return new WorkerPool({
    workers,
    perWorker: investigationsPerWorker,
    memoryMb: workerMemoryMb,
    timeoutMs: settings.analysis.investigationTimeoutMs,
    spawn: (given) => spawnAnalyst({
      version, model: null,
      sources: sourceAccesses(settings.sources),
      atOnce: questionsPerThread(workers),
      records: settings.retention.recordingBytes > 0,
    }, given),
    clock,
    log: log.with({ component: 'workers' }),
    onDeath: (reason) => metrics.workerRestarts.inc({ reason }),
    onAsked: (asked) => {
      countQuery(metrics, asked);
      trouble.asked(asked);
    },
  });
}

/** Stopping the pool ends running analyses, so that dispatch can put them back in the queue. */
function stopTogether(shutdown: Shutdown, pool: WorkerPool, dispatch: Dispatch): void {
  shutdown.onStop('analysis', async () => {
    const stopped = dispatch.stop();
    await pool.stop();
    await stopped;
  });
}

function startMaintenance({ settings, shutdown }: Foundation, storage: Storage): void {
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
