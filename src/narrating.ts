/** The language model: its queue of narratives, its thread, and its metrics. */
import { join } from 'node:path';
import type { Dispatch } from './analysis/dispatch/dispatch.ts';
import { spawnWorker } from './analysis/threads/spawn-worker.ts';
import type { WorkerModel, WorkerSettings } from './analysis/threads/worker-messages.ts';
import { WorkerPool } from './analysis/threads/worker-pool.ts';
import { modelAccess, type ModelSettings } from './config/model-settings.ts';
import type { Secrets } from './config/secrets.ts';
import type { Episode } from './episodes/episode.ts';
import type { Clock } from './lib/clock.ts';
import { nodeFileSystem } from './lib/file-system.ts';
import { Breaker } from './narration/breaker.ts';
import { narrationDeadlineMs } from './narration/narration-runner.ts';
import { Narrations, narrationsAtOnce } from './narration/narrations.ts';
import { pendingNarrations } from './narration/pending-narrations.ts';
import { TokenBudget } from './narration/token-budget.ts';
import type { CaseFile } from './report/case-file.ts';
import type { Narrative } from './report/report.ts';
import type { SourceAccesses } from './sources/asked-source.ts';
import type { Storage } from './storage.ts';
import type { Logger } from './telemetry/log.ts';
import type { ServiceMetrics } from './telemetry/service-metrics.ts';

export interface Narrating {
  readonly narrations: Narrations;
  /** Updates the gauges, before a scrape. */
  readonly measure: () => void;
  /** Goes on with the current secrets. */
  readonly renew: () => void;
  /** Starts the thread, and queues the narratives that the last process left pending. */
  readonly resume: () => Promise<void>;
  /** Stops running narratives. Finished ones are still stored, so the dispatch must stop later. */
  readonly stop: () => Promise<void>;
}

export interface NarratingOptions {
  readonly settings: ModelSettings;
  readonly dataDirectory: string;
  readonly memoryMb: number;
  readonly secrets: Secrets;
  readonly log: Logger;
  readonly clock: Clock;
  readonly version: string;
  readonly metrics: ServiceMetrics;
  readonly storage: Storage;
  /** How the sources are reached with the current secrets. */
  readonly sources: () => SourceAccesses;
  readonly caseFileOf: (episode: Episode) => CaseFile;
  readonly whileIdle: Dispatch['whileIdle'];
  readonly onChange: () => void;
}

/** Queries at a time from the model's tools to a source, on top of those of the analyses. */
const sourceQuestionsAtOnce = 1;
/** Time for the thread to wind up by itself after its own deadline has passed. */
const graceMs = 15_000;

/** Uses a thread of its own, so that a slow model or a huge answer cannot affect analyses. */
export async function startNarrating(options: NarratingOptions): Promise<Narrating> {
  const { settings, clock, metrics, storage, onChange } = options;
  const log = options.log.with({ component: 'model' });
  const budget = await TokenBudget.open({
    path: join(options.dataDirectory, 'model-budget.json'),
    files: nodeFileSystem, clock, tokensPerDay: settings.tokensPerDay,
    onTrouble: (error) => log.error('Cannot store the token budget of the model', { error }),
  });
  const breaker = new Breaker(clock);
  const pool = createPool(options, log, () => narrations.pump());
  let { apiKey } = modelAccess(settings, options.secrets);
  const narrations = new Narrations({
    clock, log, budget, breaker, onChange, freshMs: settings.reanalyseAfterMs,
    grant: { tokens: settings.tokensPerAlert, prices: settings.prices },
    narrate: (job, hooks) => pool.narrate(job, hooks),
    isReady: () => pool.freeSlots > 0,
    caseFileOf: options.caseFileOf,
    reports: storage.reports,
    record: storage.episodeJournal,
    whileIdle: options.whileIdle,
    onEnd: (narrative, seconds) => countNarrative(metrics, narrative, seconds),
  });
  return {
    narrations,
    renew() {
      const model = workerModel(options);
      pool.broadcast({ kind: 'sources', sources: options.sources(), model });
      if (model.access.apiKey === apiKey) return;
      apiKey = model.access.apiKey;
      breaker.tryNow();
      narrations.pump();
    },
    measure() {
      metrics.workerMemory.set(pool.memoryBytes, { work: 'narration' });
      metrics.modelBudget.set(settings.tokensPerDay);
      metrics.modelTokensToday.set(budget.used);
      metrics.modelPaused.set(breaker.state === 'open' ? 1 : 0);
    },
    async resume() {
      void pool.start().catch(() => undefined); // A thread that dies at once is replaced.
      try {
        const { book, reports } = storage;
        for await (const episode of pendingNarrations(book, reports)) narrations.add(episode);
      } catch (error) {
        log.warn('Cannot resume the narratives of the last process', { error });
      }
    },
    async stop() {
      const stopped = narrations.stop();
      await pool.stop();
      await stopped;
    },
  };
}

function createPool(options: NarratingOptions, log: Logger, onFree: () => void): WorkerPool {
  const { sources, clock, metrics, version, memoryMb } = options;
  return new WorkerPool({
    workers: 1,
    perWorker: narrationsAtOnce,
    memoryMb,
    timeoutMs: narrationDeadlineMs + graceMs,
    spawn: (given) => {
      const workerData: WorkerSettings = {
        version, sources: sources(), model: workerModel(options),
        atOnce: sourceQuestionsAtOnce, records: false,
      };
      return spawnWorker('analysis/threads/worker', import.meta.url, { ...given, workerData });
    },
    clock, log,
    onDeath: (reason) => metrics.workerRestarts.inc({ reason }),
    onAsked: ({ source, result, durationMs }) => {
      metrics.evidenceRequests.inc({ source, outcome: result });
      metrics.evidenceDuration.observe(durationMs / 1000, { source });
    },
    onModelAsked: (asked) => {
      metrics.modelRequests.inc({ outcome: asked.errorType ?? 'ok' });
      metrics.genAi?.asked(asked);
    },
    onToolUsed: ({ tool, seconds, isError }) => metrics.genAi?.toolUsed(tool, seconds, isError),
    onFree,
  });
}

function workerModel({ settings, secrets }: NarratingOptions): WorkerModel {
  return { access: modelAccess(settings, secrets), secrets: secrets.redactions() };
}

function countNarrative(metrics: ServiceMetrics, narrative: Narrative, seconds: number): void {
  metrics.genAi?.investigated(seconds, narrative.state === 'absent' ? 'other' : null);
  if (narrative.state === 'absent') return;
  for (const { verified } of narrative.claims) {
    metrics.modelClaims.inc({ outcome: verified ? 'verified' : 'struck' });
  }
}
