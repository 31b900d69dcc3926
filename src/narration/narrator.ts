/** The language model at work: its queue of narratives, its thread, and its metrics. */
import { join } from 'node:path';
import { spawnAnalyst } from '../analysis/threads/spawn-worker.ts';
import type { Grant, WorkerModel, WorkerSettings } from '../analysis/threads/worker-messages.ts';
import { WorkerPool } from '../analysis/threads/worker-pool.ts';
import type { EpisodeBook } from '../episodes/book/episode-book.ts';
import type { Episode } from '../episodes/episode.ts';
import type { EpisodeJournal } from '../episodes/episode-journal.ts';
import type { Clock } from '../lib/clock.ts';
import { nodeFileSystem } from '../lib/file-system.ts';
import type { CaseFile } from '../report/case-file.ts';
import type { Narrative } from '../report/report.ts';
import type { ReportStore } from '../report/store/report-store.ts';
import type { Logger } from '../telemetry/log.ts';
import { countQuery, type ServiceMetrics } from '../telemetry/service-metrics.ts';
import { Breaker } from './breaker.ts';
import { Narrations, narrationsAtOnce } from './narrations.ts';
import { pendingNarrations } from './pending-narrations.ts';
import { Questions } from './questions.ts';
import { TokenBudget } from './token-budget.ts';

export interface Narrator {
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

export interface NarratorOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ServiceMetrics;
  readonly version: string;
  /** Where the tokens used today are kept. */
  readonly dataDirectory: string;
  readonly workerMemoryMb: number;
  readonly limits: NarratorLimits;
  /** What the thread is given: the sources and the model with their current secrets. */
  readonly access: () => { sources: WorkerSettings['sources']; model: WorkerModel };
  /** Masks the current secrets in a text. */
  readonly mask: (text: string) => string;
  readonly book: EpisodeBook;
  readonly reports: ReportStore;
  readonly journal: EpisodeJournal;
  readonly caseFileOf: (episode: Episode) => CaseFile;
  /** Runs `store` unless an analysis of the episode is running or queued; then resolves false. */
  readonly whileIdle: (episode: Episode, store: () => Promise<void>) => Promise<boolean>;
  /** Called when something that readers see may have changed. */
  readonly onChange: () => void;
}

interface NarratorLimits {
  readonly tokensPerDay: number;
  readonly grant: Omit<Grant, 'rounds'>;
  /** How long later reports keep a narrative although the evidence has changed. */
  readonly freshMs: number;
}

/** Queries at a time from the model's tools to a source, on top of those of the analyses. */
const sourceQuestionsAtOnce = 1;
/** Time for the thread to wind up by itself after its own deadline has passed. */
const graceMs = 15_000;

/** Uses a thread of its own, so that a slow model or a huge answer cannot affect analyses. */
export async function startNarrator(options: NarratorOptions): Promise<Narrator> {
  const { clock, log, metrics, book, reports, journal, caseFileOf, whileIdle, onChange } = options;
  const { tokensPerDay, grant, freshMs } = options.limits;
  const budget = await TokenBudget.open({
    path: join(options.dataDirectory, 'model-budget.json'),
    files: nodeFileSystem, clock, tokensPerDay,
    onTrouble: (error) => log.error('Cannot store the token budget of the model', { error }),
  });
  const breaker = new Breaker(clock);
  const pool = createPool(options);
  const shared = {
    clock, log, budget, breaker, onChange, grant, caseFileOf, reports, journal, whileIdle,
    narrate: pool.narrate.bind(pool),
    isReady: () => pool.freeSlots > 0,
  };
  const narrations = new Narrations({
    ...shared, freshMs,
    onEnd: (narrative, seconds) => countNarrative(metrics, narrative, seconds),
  });
  const questions = new Questions({
    ...shared, mask: options.mask,
    find: (fingerprint, number) => book.find(fingerprint, number),
  });
  let { apiKey } = options.access().model.access;
  return {
    narrations, questions,
    renew() {
      const { sources, model } = options.access();
      pool.broadcast({ kind: 'sources', sources, model });
      if (model.access.apiKey === apiKey) return;
      apiKey = model.access.apiKey;
      breaker.tryNow();
      narrations.pump();
    },
    measure() {
      metrics.workerMemory.set(pool.memoryBytes, { work: 'narration' });
      metrics.modelBudget.set(tokensPerDay);
      metrics.modelTokensToday.set(budget.used);
      metrics.modelPaused.set(breaker.state === 'open' ? 1 : 0);
    },
    async resume() {
      const started = pool.start(() => {
        questions.pump();
        narrations.pump();
      });
      void started.catch(() => undefined); // A thread that dies at once is replaced.
      try {
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

function createPool(
  { clock, log, metrics, version, workerMemoryMb, limits, access }: NarratorOptions,
): WorkerPool {
  return new WorkerPool({
    workers: 1,
    perWorker: narrationsAtOnce,
    memoryMb: workerMemoryMb,
    timeoutMs: limits.grant.deadlineMs + graceMs,
    spawn: (given) => spawnAnalyst({
      version, ...access(), atOnce: sourceQuestionsAtOnce, records: false,
    }, given),
    clock, log,
    onDeath: (reason) => metrics.workerRestarts.inc({ reason }),
    onAsked: (asked) => countQuery(metrics, asked),
    onModelAsked: (asked) => {
      metrics.modelRequests.inc({ outcome: asked.errorType ?? 'ok' });
      metrics.genAi?.asked(asked);
    },
    onToolUsed: ({ tool, seconds, isError }) => metrics.genAi?.toolUsed(tool, seconds, isError),
  });
}

function countNarrative(metrics: ServiceMetrics, narrative: Narrative, seconds: number): void {
  metrics.genAi?.investigated(seconds, narrative.state === 'absent' ? 'other' : null);
  if (narrative.state === 'absent') return;
  const { made = 0, held_at_first: held = 0 } = narrative.asserted ?? {};
  metrics.modelClaims.inc({ outcome: 'verified' }, held);
  metrics.modelClaims.inc({ outcome: 'struck' }, made - held);
}
