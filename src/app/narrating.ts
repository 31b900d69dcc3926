/** The language model: its queue of narratives, its thread, and its metrics. */
import { join } from 'node:path';
import type { Dispatch } from '../analysis/dispatch/dispatch.ts';
import { spawnWorker } from '../analysis/threads/spawn-worker.ts';
import type { WorkerModel, WorkerSettings } from '../analysis/threads/worker-messages.ts';
import { WorkerPool } from '../analysis/threads/worker-pool.ts';
import type { ModelSettings } from '../config/model-settings.ts';
import { redactionsOf } from '../config/secret.ts';
import type { Episode } from '../episodes/episode.ts';
import { nodeFileSystem } from '../lib/file-system.ts';
import { Breaker } from '../narration/breaker.ts';
import { Narrations, narrationsAtOnce } from '../narration/narrations.ts';
import { pendingNarrations } from '../narration/pending-narrations.ts';
import { Questions } from '../narration/questions.ts';
import { TokenBudget } from '../narration/token-budget.ts';
import { createRedactor } from '../redaction/redactor.ts';
import type { CaseFile } from '../report/case-file.ts';
import type { Narrative } from '../report/report.ts';
import type { Logger } from '../telemetry/log.ts';
import { countQuery, type ServiceMetrics } from '../telemetry/service-metrics.ts';
import type { Basics } from './basics.ts';
import { grantOf, modelAccess, sourceAccesses } from './connections.ts';
import type { Storage } from './storage.ts';

export interface Narrating {
  readonly narrations: Narrations;
  readonly questions: Questions;
  /** Updates the gauges, before a scrape. */
  readonly measure: () => void;
  /** Goes on with the current secrets. */
  readonly renew: () => void;
  /** Starts the thread, and queues the narratives that the last process left pending. */
  readonly resume: () => Promise<void>;
  /** Stops running narratives. Finished ones are still stored, so the dispatch must stop later. */
  readonly stop: () => Promise<void>;
}

export interface NarratingOptions extends Basics {
  readonly model: ModelSettings;
  readonly storage: Storage;
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
  const { model, clock, metrics, storage, onChange } = options;
  const log = options.log.with({ component: 'model' });
  const budget = await TokenBudget.open({
    path: join(options.settings.dataDirectory, 'model-budget.json'),
    files: nodeFileSystem, clock, tokensPerDay: model.tokensPerDay,
    onTrouble: (error) => log.error('Cannot store the token budget of the model', { error }),
  });
  const breaker = new Breaker(clock);
  const pool = createPool(options, log, () => {
    questions.pump();
    narrations.pump();
  });
  let { apiKey } = modelAccess(model);
  const narrations = new Narrations({
    clock, log, budget, breaker, onChange, freshMs: model.reanalyseAfterMs,
    grant: grantOf(model),
    narrate: (job, hooks) => pool.narrate(job, hooks),
    isReady: () => pool.freeSlots > 0,
    caseFileOf: options.caseFileOf,
    reports: storage.reports,
    journal: storage.episodeJournal,
    whileIdle: options.whileIdle,
    onEnd: (narrative, seconds) => countNarrative(metrics, narrative, seconds),
  });
  const redact = (text: string): string =>
    createRedactor({ secrets: workerModel(options).secrets }).redact(text);
  const questions = new Questions({
    clock, log, budget, breaker, onChange, grant: grantOf(model), mask: redact,
    narrate: (job, hooks) => pool.narrate(job, hooks),
    isReady: () => pool.freeSlots > 0,
    find: (fingerprint, number) => storage.book.find(fingerprint, number),
    caseFileOf: options.caseFileOf, reports: storage.reports, whileIdle: options.whileIdle,
    journal: storage.episodeJournal,
  });
  return {
    narrations, questions,
    renew() {
      const changed = workerModel(options);
      const sources = sourceAccesses(options.settings.sources);
      pool.broadcast({ kind: 'sources', sources, model: changed });
      if (changed.access.apiKey === apiKey) return;
      apiKey = changed.access.apiKey;
      breaker.tryNow();
      narrations.pump();
    },
    measure() {
      metrics.workerMemory.set(pool.memoryBytes, { work: 'narration' });
      metrics.modelBudget.set(model.tokensPerDay);
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
      questions.stop();
      const stopped = narrations.stop();
      await pool.stop();
      await stopped;
    },
  };
}

function createPool(options: NarratingOptions, log: Logger, onFree: () => void): WorkerPool {
  const { settings, clock, metrics, version } = options;
  return new WorkerPool({
    workers: 1,
    perWorker: narrationsAtOnce,
    memoryMb: settings.analysis.workerMemoryMb,
    timeoutMs: options.model.timeoutMs + graceMs,
    spawn: (given) => {
      const workerData: WorkerSettings = {
        version, sources: sourceAccesses(settings.sources), model: workerModel(options),
        atOnce: sourceQuestionsAtOnce, records: false,
      };
      return spawnWorker('../analysis/threads/worker', import.meta.url, { ...given, workerData });
    },
    clock, log,
    onDeath: (reason) => metrics.workerRestarts.inc({ reason }),
    onAsked: (asked) => countQuery(metrics, asked),
    onModelAsked: (asked) => {
      metrics.modelRequests.inc({ outcome: asked.errorType ?? 'ok' });
      metrics.genAi?.asked(asked);
    },
    onToolUsed: ({ tool, seconds, isError }) => metrics.genAi?.toolUsed(tool, seconds, isError),
    onFree,
  });
}

function workerModel({ model, settings }: NarratingOptions): WorkerModel {
  return { access: modelAccess(model), secrets: redactionsOf(settings.secrets) };
}

function countNarrative(metrics: ServiceMetrics, narrative: Narrative, seconds: number): void {
  metrics.genAi?.investigated(seconds, narrative.state === 'absent' ? 'other' : null);
  if (narrative.state === 'absent') return;
  const { made = 0, held_at_first: held = 0 } = narrative.asserted ?? {};
  metrics.modelClaims.inc({ outcome: 'verified' }, held);
  metrics.modelClaims.inc({ outcome: 'struck' }, made - held);
}
