import { once } from 'node:events';
import type { Worker, WorkerOptions } from 'node:worker_threads';
import { slept, type Clock } from '../../lib/clock.ts';
import { ShortLivedMap } from '../../lib/short-lived-map.ts';
import type { Permit, Spent } from '../../model/client/meter.ts';
import type { ModelCall } from '../../model/client/model-client.ts';
import type { UsedTool } from '../../model/tools/tool.ts';
import type { Progress } from '../../report/report.ts';
import type { Logger } from '../../telemetry/log.ts';
import type { SourceCall, FinishedReport, FromWorker, ToWorker } from './worker-messages.ts';

/** Why a thread ended without being asked to; `start`: before it could begin any work. */
export type DeathReason = 'memory' | 'deadline' | 'crash' | 'start';

export type Outcome =
  | { readonly kind: 'done'; readonly report: RecordedReport }
  /** The investigation failed; its thread lives on. */
  | { readonly kind: 'failed'; readonly message: string; readonly isDeadline: boolean }
  /** The thread died, because of this investigation or of another one in it. */
  | { readonly kind: 'died'; readonly reason: DeathReason }
  /** The thread ended before it got the investigation, which is therefore not to blame. */
  | { readonly kind: 'unready' }
  /** The thread is stopping. */
  | { readonly kind: 'stopped' };

export interface RecordedReport extends FinishedReport {
  /** Resolves once packed, or to null if there is none or the thread has died. Never rejects. */
  readonly recording: Promise<Uint8Array | null> | null;
}

export interface ThreadOptions {
  /** Limit of its old generation; above 64 a runaway can take the process down. */
  readonly memoryMb: number;
  /** Deadline of a task. */
  readonly timeoutMs: number;
  readonly spawn: (options: WorkerOptions) => Worker;
  readonly clock: Clock;
  readonly log: Logger;
  /** It has asked a source something. */
  readonly onAsked: (asked: SourceCall) => void;
  /** It has asked the model something. */
  readonly onModelAsked?: (asked: ModelCall) => void;
  /** The model has called a tool. */
  readonly onToolUsed?: (used: UsedTool) => void;
  /** A slot may have become free. */
  readonly onFree: () => void;
}

/** What the pool hears of a thread. */
interface ThreadEvents {
  /** It has loaded what its work needs, for the first time. */
  readonly onWorking: () => void;
  /** It has ended; `reason` is null if it was stopped. Called before its tasks are settled. */
  readonly onExit: (thread: WorkerThread, reason: DeathReason | null) => void;
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

/**
 * A thread is `starting` until it is heard of, `idle` until it gets work, `loading` the code for
 * that, and then `working`. It gets its tasks only then: what ends it before says nothing
 * about them.
 */
type Stage = 'starting' | 'idle' | 'loading' | 'working';

interface Task {
  readonly id: number;
  readonly finish: (outcome: Outcome) => void;
  readonly hooks: TaskHooks;
  readonly done: AbortController;
  isCancelled: boolean;
}

/** How long an investigation has to end by itself after its deadline. */
const graceMs = 5_000;
/** A busy thread that is silent for this long is stuck in a loop. */
export const silenceMaxMs = 30_000;
/** How long a thread has to exit by itself when it is stopped. */
const exitMs = 1_000;
/** Shared, as an abort without a reason would create an error with a stack for every task. */
const ended = new Error('The task has ended');
/**
 * Limit of a thread's young generation, all three parts of it: half of V8's default. That saves 10
 * to 40 MB at the same throughput; a quarter would save little more and cost a fifth of it.
 */
const youngGenerationMb = 24;

/** One worker thread and the tasks in it, each of which has a deadline. */
export class WorkerThread {
  readonly #options: ThreadOptions;
  readonly #events: ThreadEvents;
  readonly #worker: Worker;
  readonly #tasks = new ShortLivedMap<number, Task>();
  /** Callbacks for the recordings of ended tasks. */
  readonly #recordings = new ShortLivedMap<number, (recording: Uint8Array | null) => void>();
  #nextId = 1;
  #stage: Stage = 'starting';
  #isStopped = false;
  /** Messages for it once it is working, in this order. */
  #held: ToWorker[] = [];
  /** The error that ended it; null if there was none. */
  #failure: unknown = null;
  /** Set once the reason is known: when the thread fails, or before it is terminated. */
  #endedFor: DeathReason | null = null;
  /** When its last message came: monotonic ms. */
  #lastMessageAt: number;
  #memoryBytes = 0;

  /** @throws {Error} When the system has no thread or memory left for it. */
  constructor(options: ThreadOptions, events: ThreadEvents) {
    const { memoryMb, spawn, clock, log } = options;
    this.#options = options;
    this.#events = events;
    this.#lastMessageAt = clock.monotonic();
    this.#worker = spawn({
      env: {}, // A thread that reads hostile data must not see the process's secrets.
      resourceLimits: {
        maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: youngGenerationMb,
      },
    });
    this.#worker.on('message', (message: FromWorker) => this.#receive(message));
    this.#worker.on('error', (error) => {
      const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      this.#endedFor ??= isMemory ? 'memory' : 'crash';
      this.#failure = error;
      if (this.#stage === 'working') log.error('Worker thread failed', { error });
    });
    this.#worker.on('exit', () => this.#exited());
  }

  /** Whether it takes work. */
  get isReady(): boolean {
    return this.#stage !== 'starting' && !this.#isStopped && this.#endedFor === null;
  }

  /** Whether it takes work, and has proved to be able to do it. */
  get isWorking(): boolean {
    return this.isReady && this.#stage === 'working';
  }

  /** Where it is, or was when it ended. */
  get stage(): Stage {
    return this.#stage;
  }

  /** The error that ended it; null if there was none. */
  get failure(): unknown {
    return this.#failure;
  }

  get taskCount(): number {
    return this.#tasks.size;
  }

  /** Its heap and external memory, as last reported. */
  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /** Resolves when it has sent something for the first time; rejects if it ends before that. */
  async begun(): Promise<void> {
    const ended = once(this.#worker, 'exit').then(() => Promise.reject(new Error('It has ended')));
    await Promise.race([once(this.#worker, 'message'), ended]);
  }

  /** Has a task done, which `messageOf` describes. Never rejects. */
  run(hooks: TaskHooks, messageOf: (id: number) => ToWorker): Promise<Outcome> {
    return new Promise((resolve) => {
      const id = this.#nextId++;
      const done = new AbortController();
      const cancel = (): void => this.send({ kind: 'cancel', id, reason: 'ended' });
      const finish = (outcome: Outcome): void => {
        this.#tasks.delete(id);
        hooks.signal?.removeEventListener('abort', cancel);
        done.abort(ended);
        resolve(outcome);
        this.#options.onFree();
      };
      const task: Task = { id, finish, hooks, done, isCancelled: false };
      this.#tasks.set(id, task);
      if (this.#tasks.size === 1) this.#lastMessageAt = this.#options.clock.monotonic();
      this.#load();
      this.send(messageOf(id));
      hooks.signal?.addEventListener('abort', cancel, { once: true });
      if (hooks.signal?.aborted === true) cancel();
      void this.#holdToDeadline(task);
    });
  }

  send(message: ToWorker): void {
    if (this.#stage === 'loading') this.#held.push(message);
    else this.#worker.postMessage(message);
  }

  #load(): void {
    if (this.#stage !== 'idle') return;
    this.#worker.postMessage({ kind: 'load' } satisfies ToWorker);
    this.#stage = 'loading';
  }

  /**
   * Pings it, and ends it if it is busy and, at `now` (monotonic ms), has been silent for too long.
   * `couldNotAnswer` says that this is not its fault.
   */
  check(now: number, couldNotAnswer: boolean): void {
    if (couldNotAnswer) this.#lastMessageAt = now;
    const isStuck = this.#tasks.size > 0 && now - this.#lastMessageAt > silenceMaxMs;
    if (isStuck) this.#terminate('deadline');
    else this.#worker.postMessage({ kind: 'ping' } satisfies ToWorker);
  }

  /**
   * Settles its tasks as stopped and lets it exit by itself, between two turns of its event loop:
   * terminating it while it opens a zlib stream would abort the whole process (Node 20: "close
   * before init").
   */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const task of this.#tasks.values()) task.finish({ kind: 'stopped' });
    const exited = new AbortController();
    this.#worker.once('exit', () => exited.abort());
    this.#worker.postMessage({ kind: 'end' } satisfies ToWorker);
    const { clock } = this.#options;
    if (await slept(clock, exitMs, exited.signal)) await this.#worker.terminate();
  }

  #receive(message: FromWorker): void {
    const { clock, log, onAsked, onModelAsked, onToolUsed, onFree } = this.#options;
    this.#lastMessageAt = clock.monotonic();
    if (message.kind === 'ready' || message.kind === 'pong') {
      this.#memoryBytes = message.memoryBytes;
      if (message.kind === 'pong') return;
      this.#stage = 'idle';
      return onFree();
    }
    if (message.kind === 'loaded') return this.#begin();
    if (message.kind === 'asked') return onAsked(message.asked);
    if (message.kind === 'broken') {
      const { source, error } = message;
      return log.error('Cannot read the answer of a source', { source, error });
    }
    if (message.kind === 'model-asked') return onModelAsked?.(message.asked);
    if (message.kind === 'tool-used') return onToolUsed?.(message.used);
    if (message.kind === 'recorded') return this.#finishRecording(message.id, message.recording);
    const task = this.#tasks.get(message.id);
    if (task === undefined) return;
    if (message.kind === 'progress') task.hooks.onProgress(message.progress);
    else if (message.kind === 'spent') task.hooks.onSpent?.(message.spent);
    else if (message.kind === 'permit') void this.#permit(task, message.tokens);
    else if (message.kind === 'done') {
      const recording = new Promise<Uint8Array | null>((resolve) => {
        this.#recordings.set(message.id, resolve);
      });
      task.finish({ kind: 'done', report: { ...message.report, recording } });
    }
    else task.finish({ kind: 'failed', message: message.message, isDeadline: task.isCancelled });
  }

  #begin(): void {
    this.#stage = 'working';
    for (const message of this.#held) this.#worker.postMessage(message);
    this.#held = [];
    this.#events.onWorking();
  }

  #finishRecording(id: number, recording: Uint8Array | null): void {
    this.#recordings.delete(id)?.(recording);
  }

  /** Answers a narration's question; without `onPermit` there is no budget. */
  async #permit({ id, hooks }: Task, tokens: number): Promise<void> {
    const answer = await (hooks.onPermit?.(tokens) ?? Promise.resolve('budget' as const));
    this.send({ kind: 'permitted', id, permit: answer });
  }

  #exited(): void {
    this.#endedFor ??= 'crash';
    for (const [id] of this.#recordings) this.#finishRecording(id, null);
    if (this.#isStopped) return this.#events.onExit(this, null);
    if (this.#stage !== 'working') {
      this.#events.onExit(this, 'start');
      for (const task of this.#tasks.values()) task.finish({ kind: 'unready' });
      return;
    }
    const reason = this.#endedFor;
    this.#options.log.warn('Worker thread ended', { reason, investigations: this.#tasks.size });
    this.#events.onExit(this, reason);
    for (const task of this.#tasks.values()) task.finish({ kind: 'died', reason });
  }

  async #holdToDeadline(task: Task): Promise<void> {
    const { clock, timeoutMs } = this.#options;
    if (!(await slept(clock, timeoutMs, task.done.signal))) return;
    task.isCancelled = true;
    this.send({ kind: 'cancel', id: task.id, reason: 'deadline' });
    if (await slept(clock, graceMs, task.done.signal)) this.#terminate('deadline');
  }

  #terminate(reason: DeathReason): void {
    this.#endedFor ??= reason;
    void this.#worker.terminate();
  }
}
