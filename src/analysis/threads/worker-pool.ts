import { slept } from '../../lib/clock.ts';
import { shortageBehind } from '../../lib/shortage.ts';
import type { CaseFile } from '../../report/case-file.ts';
import type { Progress } from '../../report/report.ts';
import type { ComingNarrative, NarrationJob, ToWorker } from './worker-messages.ts';
import {
  silenceMaxMs, WorkerThread, type DeathReason, type Outcome, type TaskHooks, type ThreadOptions,
} from './worker-thread.ts';

interface PoolOptions extends Omit<ThreadOptions, 'onFree'> {
  readonly workers: number;
  readonly perWorker: number;
  readonly onDeath: (reason: DeathReason) => void;
}

const pingEveryMs = 5_000;
/** Most groups whose last thread is remembered. */
const groupsMax = 1_000;
/** Delay before a dead thread is replaced, so that one that dies at once causes no busy loop. */
const respawnDelayMs = 500;
/** It doubles up to this while threads die before they can begin any work. */
const respawnDelayMaxMs = 10_000;

/**
 * Worker threads as bulkheads: a runaway investigation is ended by its thread's memory limit or by
 * its deadline, and takes down only the others in the same thread.
 */
export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #threads = new Set<WorkerThread>();
  readonly #stopped = new AbortController();
  /** The thread that took the last alert of each group, oldest first. */
  readonly #lastThreadOf = new Map<string, WorkerThread>();
  #respawnDelayMs = respawnDelayMs;
  #onFree: () => void = () => {};
  #isRefilling = false;
  /** What kept the last thread from beginning, as logged; null once all are there and one works. */
  #trouble: string | null = null;
  /** Whether the last thread that got its first work could not load what it needs for it. */
  #cannotLoad = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /**
   * Starts the threads, and resolves when the first is ready for work. Where the system has no room
   * for even one, it resolves as well: it is tried again, and alerts wait. Rejects if all end at
   * once for another reason. `onFree` is called whenever a slot may have become free.
   */
  async start(onFree: () => void): Promise<void> {
    this.#onFree = onFree;
    const refusal = this.#fill();
    if (refusal !== null && shortageBehind(refusal) === null) throw refusal;
    void this.#refill();
    void this.#watch();
    try {
      await Promise.any([...this.#threads].map((thread) => thread.begun()));
    } catch (error) {
      const { errors } = error as AggregateError;
      const other = errors.find((each) => shortageBehind(each) === null) as unknown;
      if (other !== undefined) throw other;
    }
  }

  /** Whether at least one thread takes work, and nothing keeps them all from doing it. */
  get isUp(): boolean {
    const ready = this.#ready();
    return ready.some(({ isWorking }) => isWorking) || (ready.length > 0 && !this.#cannotLoad);
  }

  get freeSlots(): number {
    let free = 0;
    for (const { isReady, taskCount } of this.#threads) {
      if (isReady) free += Math.max(0, this.#options.perWorker - taskCount);
    }
    return free;
  }

  /** Heaps and external memory of all threads, as reported within the last 5 s. */
  get memoryBytes(): number {
    let bytes = 0;
    for (const { memoryBytes } of this.#threads) bytes += memoryBytes;
    return bytes;
  }

  /**
   * Runs one investigation: in the thread that took the last alert of its group, if that has a free
   * slot, as alerts of a group ask the same questions and a thread caches the answers; otherwise in
   * the least busy thread. Never rejects.
   */
  run(
    caseFile: CaseFile,
    onProgress: (progress: Progress) => void,
    coming: ComingNarrative | null = null,
  ): Promise<Outcome> {
    return this.#run(caseFile.group.groupKey, { onProgress }, (id) => {
      return { kind: 'investigate', id, caseFile, coming };
    });
  }

  /** Has a stored report narrated; the outcome is the report with its narrative. Never rejects. */
  narrate(job: NarrationJob, hooks: TaskHooks): Promise<Outcome> {
    return this.#run('', hooks, (id) => ({ kind: 'narrate', id, ...job }));
  }

  #run(groupKey: string, hooks: TaskHooks, messageOf: (id: number) => ToWorker): Promise<Outcome> {
    // While one thread is being stopped, those after it would still take work.
    const thread = this.#stopped.signal.aborted ? undefined : this.#threadFor(groupKey);
    return thread?.run(hooks, messageOf) ?? Promise.resolve({ kind: 'stopped' });
  }

  /** Sends the message to every thread; later ones have to be started with the same news. */
  broadcast(message: ToWorker): void {
    for (const thread of this.#threads) thread.send(message);
  }

  /** Settles running tasks as stopped, then ends the threads. */
  async stop(): Promise<void> {
    this.#stopped.abort(new Error('Pool is stopping'));
    await Promise.all([...this.#threads].map((thread) => thread.stop()));
  }

  #ready(): WorkerThread[] {
    return [...this.#threads].filter(({ isReady }) => isReady);
  }

  #threadFor(groupKey: string): WorkerThread | undefined {
    const last = this.#lastThreadOf.get(groupKey);
    const hasRoom = last?.isReady === true && last.taskCount < this.#options.perWorker;
    const [leastBusy] = this.#ready().sort((a, b) => a.taskCount - b.taskCount);
    const thread = hasRoom ? last : leastBusy;
    if (thread === undefined || groupKey === '') return thread;
    this.#lastThreadOf.delete(groupKey);
    this.#lastThreadOf.set(groupKey, thread);
    const [oldest] = this.#lastThreadOf.keys();
    if (this.#lastThreadOf.size > groupsMax && oldest !== undefined) {
      this.#lastThreadOf.delete(oldest);
    }
    return thread;
  }

  #spawn(): void {
    const options = { ...this.#options, onFree: () => this.#onFree() };
    const thread = new WorkerThread(options, {
      onWorking: () => this.#isWorking(),
      onExit: (exited, reason) => {
        this.#threads.delete(exited);
        if (reason === null) return;
        this.#options.onDeath(reason);
        if (reason === 'start') {
          this.#cannotLoad ||= exited.stage !== 'starting';
          this.#cannotBegin(exited.failure);
        }
        void this.#refill();
      },
    });
    this.#threads.add(thread);
  }

  /** Starts the threads that are missing; returns why the system refused one, or null. */
  #fill(): unknown {
    try {
      while (this.#threads.size < this.#options.workers) this.#spawn();
      return null;
    } catch (error) {
      this.#cannotBegin(error);
      return error;
    }
  }

  async #refill(): Promise<void> {
    if (this.#isRefilling) return;
    this.#isRefilling = true;
    const { clock, workers } = this.#options;
    while (this.#threads.size < workers) {
      if (!(await slept(clock, this.#respawnDelayMs, this.#stopped.signal))) return;
      this.#fill();
    }
    this.#isRefilling = false;
  }

  /** Logs it if it is news: it is tried again and again. */
  #cannotBegin(error: unknown): void {
    this.#respawnDelayMs = Math.min(2 * this.#respawnDelayMs, respawnDelayMaxMs);
    const shortage = shortageBehind(error);
    const trouble = shortage?.of ?? 'other';
    if (this.#trouble === trouble) return;
    this.#trouble = trouble;
    const { workers, log } = this.#options;
    const threads = this.#threads.size;
    const advice = shortage === null ? { error } : { hint: `${shortage.advice}.` };
    log.error('Cannot start a worker thread; trying again', { threads, workers, ...advice });
  }

  #isWorking(): void {
    this.#respawnDelayMs = respawnDelayMs;
    this.#cannotLoad = false;
    if (this.#trouble === null || this.#threads.size < this.#options.workers) return;
    this.#trouble = null;
    this.#options.log.info('Worker threads can be started again');
  }

  /** Pings all threads, and ends those that are busy and have been silent for too long. */
  async #watch(): Promise<void> {
    const { clock } = this.#options;
    let lookedAt = clock.monotonic();
    while (await slept(clock, pingEveryMs, this.#stopped.signal)) {
      const now = clock.monotonic();
      // If the whole process stood still, as in a paused container, no thread could answer.
      const stoodStill = now - lookedAt > silenceMaxMs;
      lookedAt = now;
      for (const thread of this.#threads) thread.check(now, stoodStill);
    }
  }
}

/** Concurrent queries of the whole process to one source, unless it has more threads than that. */
const atOnceInAll = 4;

/** A thread's share of the process's concurrent queries: at least one. */
export function questionsPerThread(threads: number): number {
  return Math.max(1, Math.floor(atOnceInAll / threads));
}
