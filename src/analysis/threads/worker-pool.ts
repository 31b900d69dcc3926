import { once } from 'node:events';
import type { Worker, WorkerOptions } from 'node:worker_threads';
import type { Clock } from '../../lib/clock.ts';
import { PassingMap } from '../../lib/passing-map.ts';
import type { Permit, Spent } from '../../model/client/meter.ts';
import type { Asked as ModelAsked } from '../../model/client/model-client.ts';
import type { UsedTool } from '../../model/tools/tool.ts';
import type { CaseFile } from '../../report/case-file.ts';
import type { Progress } from '../../report/report.ts';
import type { Logger } from '../../telemetry/log.ts';
import type {
  Asked, ComingNarrative, FinishedReport, FromWorker, NarrationJob, ToWorker,
} from './worker-messages.ts';

/** Why a thread ended without being asked to. */
export type DeathReason = 'memory' | 'deadline' | 'crash';

export type Outcome =
  | { readonly kind: 'done'; readonly report: RecordedReport }
  /** The investigation failed; its thread lives on. */
  | { readonly kind: 'failed'; readonly message: string; readonly isDeadline: boolean }
  /** The thread died, because of this investigation or of another one in it. */
  | { readonly kind: 'died'; readonly reason: DeathReason }
  /** The pool is stopping. */
  | { readonly kind: 'stopped' };

export interface RecordedReport extends FinishedReport {
  /** Resolves once packed, or to null if there is none or the thread has died. Never rejects. */
  readonly recording: Promise<Uint8Array | null> | null;
}

interface PoolOptions {
  readonly workers: number;
  readonly perWorker: number;
  /** Limit of each thread's old generation; above 64 a runaway can take the process down. */
  readonly memoryMb: number;
  readonly timeoutMs: number;
  readonly spawn: (options: WorkerOptions) => Worker;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onDeath: (reason: DeathReason) => void;
  /** A thread has asked a source something. */
  readonly onAsked: (asked: Asked) => void;
  /** A thread has asked the model something. */
  readonly onModelAsked?: (asked: ModelAsked) => void;
  /** The model has called a tool. */
  readonly onToolUsed?: (used: UsedTool) => void;
  /** A slot may have become free. */
  readonly onFree: () => void;
}

/** Callbacks of one task while it runs. */
export interface TaskHooks {
  readonly onProgress: (progress: Progress) => void;
  /** A narration asks whether it may make a request of this many tokens. */
  readonly onPermit?: (tokens: number) => Promise<Permit>;
  readonly onSpent?: (spent: Spent) => void;
  /** Aborting it cancels the task, which then ends soon. */
  readonly signal?: AbortSignal;
}

interface Task {
  readonly id: number;
  readonly settle: (outcome: Outcome) => void;
  readonly hooks: TaskHooks;
  readonly done: AbortController;
  isCancelled: boolean;
}

interface Thread {
  readonly worker: Worker;
  readonly tasks: PassingMap<number, Task>;
  /** Callbacks for the recordings of ended tasks. */
  readonly recordings: PassingMap<number, (recording: Uint8Array | null) => void>;
  isReady: boolean;
  /** Set once the reason is known: when the thread fails, or before it is terminated. */
  endedFor: DeathReason | null;
  /** When its last message came: monotonic ms. */
  lastMessageAt: number;
  /** As last reported. */
  memoryBytes: number;
}

/** How long an investigation has to end by itself after its deadline. */
const graceMs = 5_000;
const pingEveryMs = 5_000;
/** A busy thread that is silent for this long is stuck in a loop. */
const silenceMaxMs = 30_000;
/** How long a thread has to exit by itself when the pool stops. */
const exitMs = 1_000;
/** Most groups whose last thread is remembered. */
const groupsMax = 1_000;
/** Shared, as an abort without a reason would create an error with a stack for every task. */
const ended = new Error('The task has ended');
/**
 * Limit of a thread's young generation, all three parts of it: half of V8's default. That saves 10
 * to 40 MB at the same throughput; a quarter would save little more and cost a fifth of it.
 */
const youngGenerationMb = 24;
/** Delay before a dead thread is replaced, so that one that dies at once causes no busy loop. */
const respawnDelayMs = 500;

/**
 * Worker threads as bulkheads: a runaway investigation is ended by its thread's memory limit or by
 * its deadline, and takes down only the others in the same thread.
 */
export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #threads = new Set<Thread>();
  readonly #stopped = new AbortController();
  /** The thread that took the last alert of each group, oldest first. */
  readonly #lastThreadOf = new Map<string, Thread>();
  #nextId = 1;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Starts the threads and resolves when the first is ready for work. */
  async start(): Promise<void> {
    const threads = Array.from({ length: this.#options.workers }, () => this.#spawn());
    void this.#watch();
    await Promise.race(threads.map(({ worker }) => once(worker, 'message')));
  }

  /** Whether at least one thread takes work. */
  get isUp(): boolean {
    return [...this.#threads].some((thread) => thread.isReady);
  }

  get freeSlots(): number {
    let free = 0;
    for (const thread of this.#threads) {
      if (thread.isReady) free += Math.max(0, this.#options.perWorker - thread.tasks.size);
    }
    return free;
  }

  /** Heaps and external memory of all threads, as reported within the last 5 s. */
  get memoryBytes(): number {
    let bytes = 0;
    for (const thread of this.#threads) bytes += thread.memoryBytes;
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
    return this.#start(caseFile.group.groupKey, { onProgress }, (id) => {
      return { kind: 'investigate', id, caseFile, coming };
    });
  }

  /** Has a stored report narrated; the outcome is the report with its narrative. Never rejects. */
  narrate(job: NarrationJob, hooks: TaskHooks): Promise<Outcome> {
    return this.#start('', hooks, (id) => ({ kind: 'narrate', id, ...job }));
  }

  #start(
    groupKey: string,
    hooks: TaskHooks,
    messageOf: (id: number) => ToWorker,
  ): Promise<Outcome> {
    const thread = this.#threadFor(groupKey);
    if (this.#stopped.signal.aborted || thread === undefined) {
      return Promise.resolve({ kind: 'stopped' });
    }
    return new Promise((resolve) => {
      const id = this.#nextId++;
      const done = new AbortController();
      const cancel = (): void => send(thread, { kind: 'cancel', id, reason: 'ended' });
      const settle = (outcome: Outcome): void => {
        thread.tasks.delete(id);
        hooks.signal?.removeEventListener('abort', cancel);
        done.abort(ended);
        resolve(outcome);
        this.#options.onFree();
      };
      const task: Task = { id, settle, hooks, done, isCancelled: false };
      thread.tasks.set(id, task);
      if (thread.tasks.size === 1) thread.lastMessageAt = this.#options.clock.monotonic();
      send(thread, messageOf(id));
      hooks.signal?.addEventListener('abort', cancel, { once: true });
      if (hooks.signal?.aborted === true) cancel();
      void this.#holdToDeadline(thread, task);
    });
  }

  /** Sends the message to every thread; later ones have to be started with the same news. */
  broadcast(message: ToWorker): void {
    for (const thread of this.#threads) send(thread, message);
  }

  /** Settles running tasks as stopped, then ends the threads. */
  async stop(): Promise<void> {
    this.#stopped.abort(new Error('Pool is stopping'));
    const threads = [...this.#threads];
    for (const thread of threads) {
      thread.isReady = false;
      for (const task of thread.tasks.values()) task.settle({ kind: 'stopped' });
    }
    await Promise.all(threads.map((thread) => this.#endGracefully(thread)));
  }

  /**
   * Lets the thread exit by itself, between two turns of its event loop: terminating it while it
   * opens a zlib stream would abort the whole process (Node 20: "close before init").
   */
  async #endGracefully(thread: Thread): Promise<void> {
    const exited = new AbortController();
    thread.worker.once('exit', () => exited.abort());
    send(thread, { kind: 'end' });
    if (await this.#sleeps(exitMs, exited.signal)) await thread.worker.terminate();
  }

  #threadFor(groupKey: string): Thread | undefined {
    const ready = [...this.#threads].filter((thread) => thread.isReady);
    const last = this.#lastThreadOf.get(groupKey);
    const hasRoom = last?.isReady === true && last.tasks.size < this.#options.perWorker;
    const [leastBusy] = ready.sort((a, b) => a.tasks.size - b.tasks.size);
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

  #spawn(): Thread {
    const { memoryMb, spawn, clock } = this.#options;
    const worker = spawn({
      env: {}, // A thread that reads hostile data must not see the process's secrets.
      resourceLimits: {
        maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: youngGenerationMb,
      },
    });
    const tasks = new PassingMap<number, Task>();
    const thread: Thread = {
      worker, tasks, recordings: new PassingMap(), isReady: false, endedFor: null,
      lastMessageAt: clock.monotonic(), memoryBytes: 0,
    };
    this.#threads.add(thread);
    worker.on('message', (message: FromWorker) => this.#receive(thread, message));
    worker.on('error', (error) => {
      const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      thread.endedFor ??= isMemory ? 'memory' : 'crash';
      this.#options.log.error('Worker thread failed', { error });
    });
    worker.on('exit', () => this.#removeDead(thread));
    return thread;
  }

  #receive(thread: Thread, message: FromWorker): void {
    thread.lastMessageAt = this.#options.clock.monotonic();
    if (message.kind === 'ready' || message.kind === 'pong') {
      thread.memoryBytes = message.memoryBytes;
      if (message.kind === 'ready') this.#setReady(thread);
      return;
    }
    if (message.kind === 'asked') return this.#options.onAsked(message.asked);
    if (message.kind === 'broken') {
      const { source, error } = message;
      return this.#options.log.error('Cannot read the answer of a source', { source, error });
    }
    if (message.kind === 'model-asked') return this.#options.onModelAsked?.(message.asked);
    if (message.kind === 'tool-used') return this.#options.onToolUsed?.(message.used);
    if (message.kind === 'recorded') return settleRecording(thread, message.id, message.recording);
    const task = thread.tasks.get(message.id);
    if (task === undefined) return;
    if (message.kind === 'progress') task.hooks.onProgress(message.progress);
    else if (message.kind === 'spent') task.hooks.onSpent?.(message.spent);
    else if (message.kind === 'permit') void permit(thread, task, message.tokens);
    else if (message.kind === 'done') {
      const recording = new Promise<Uint8Array | null>((resolve) => {
        thread.recordings.set(message.id, resolve);
      });
      task.settle({ kind: 'done', report: { ...message.report, recording } });
    }
    else task.settle({ kind: 'failed', message: message.message, isDeadline: task.isCancelled });
  }

  #setReady(thread: Thread): void {
    thread.isReady = !this.#stopped.signal.aborted;
    this.#options.onFree();
  }

  #removeDead(thread: Thread): void {
    thread.isReady = false;
    this.#threads.delete(thread);
    for (const [id] of thread.recordings) settleRecording(thread, id, null);
    if (this.#stopped.signal.aborted) return;
    const reason = thread.endedFor ?? 'crash';
    this.#options.log.warn('Worker thread ended', { reason, investigations: thread.tasks.size });
    this.#options.onDeath(reason);
    for (const task of thread.tasks.values()) task.settle({ kind: 'died', reason });
    void this.#replace();
  }

  /** Retries when the system has no thread or memory left for a new one. */
  async #replace(): Promise<void> {
    while (await this.#sleeps(respawnDelayMs, this.#stopped.signal)) {
      try {
        this.#spawn();
        return;
      } catch (error) {
        this.#options.log.error('Cannot start a worker thread', { error });
      }
    }
  }

  async #holdToDeadline(thread: Thread, task: Task): Promise<void> {
    if (!(await this.#sleeps(this.#options.timeoutMs, task.done.signal))) return;
    task.isCancelled = true;
    send(thread, { kind: 'cancel', id: task.id, reason: 'deadline' });
    if (await this.#sleeps(graceMs, task.done.signal)) this.#terminate(thread, 'deadline');
  }

  /** Pings all threads, and ends those that are busy and have been silent for too long. */
  async #watch(): Promise<void> {
    const { clock } = this.#options;
    let lookedAt = clock.monotonic();
    while (await this.#sleeps(pingEveryMs, this.#stopped.signal)) {
      const now = clock.monotonic();
      // If the whole process stood still, as in a paused container, no thread could answer.
      const stoodStill = now - lookedAt > silenceMaxMs;
      lookedAt = now;
      for (const thread of this.#threads) {
        if (stoodStill) thread.lastMessageAt = now;
        const isStuck = thread.tasks.size > 0 && now - thread.lastMessageAt > silenceMaxMs;
        if (isStuck) this.#terminate(thread, 'deadline');
        else send(thread, { kind: 'ping' });
      }
    }
  }

  #terminate(thread: Thread, reason: DeathReason): void {
    thread.endedFor ??= reason;
    thread.isReady = false;
    void thread.worker.terminate();
  }

  /** Resolves to whether the time passed without `signal` being aborted. */
  #sleeps(ms: number, signal: AbortSignal): Promise<boolean> {
    return this.#options.clock.sleep(ms, signal).then(() => true, () => false);
  }
}

function settleRecording(thread: Thread, id: number, recording: Uint8Array | null): void {
  thread.recordings.delete(id)?.(recording);
}

/** Answers a narration's question; without `onPermit` there is no budget. */
async function permit(thread: Thread, { id, hooks }: Task, tokens: number): Promise<void> {
  const answer = await (hooks.onPermit?.(tokens) ?? Promise.resolve('budget' as const));
  send(thread, { kind: 'permitted', id, permit: answer });
}

function send(thread: Thread, message: ToWorker): void {
  thread.worker.postMessage(message);
}
