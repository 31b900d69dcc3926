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

/** Why a thread ended that was not asked to. */
export type DeathReason = 'memory' | 'deadline' | 'crash';

export type Outcome =
  | { readonly kind: 'done'; readonly report: RecordedReport }
  /** The investigation itself gave up; the thread lives. */
  | { readonly kind: 'failed'; readonly message: string; readonly isDeadline: boolean }
  /** The thread died, by this investigation or by one beside it. */
  | { readonly kind: 'died'; readonly reason: DeathReason }
  /** The pool is stopping. */
  | { readonly kind: 'stopped' };

export interface RecordedReport extends FinishedReport {
  /** Comes when it is packed; null when there is none, or the thread is gone. Never rejects. */
  readonly recording: Promise<Uint8Array | null> | null;
}

interface PoolOptions {
  readonly workers: number;
  readonly perWorker: number;
  /** Old generation of each thread; above 64 a runaway can take the process down with it. */
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

/** What becomes of the narrative of the report that an investigation makes. */
export interface RunNarrative extends Omit<ComingNarrative, 'hasPrevious'> {
  /** The text of the report that the new one replaces; null when there is none. */
  readonly readPrevious: (() => Promise<string | null>) | null;
}

/** Told of one task while it runs. */
export interface TaskHooks {
  readonly onProgress: (progress: Progress) => void;
  /** A narration wants to make a request of so many tokens. */
  readonly onPermit?: (tokens: number) => Promise<Permit>;
  readonly onSpent?: (spent: Spent) => void;
  /** Called once the thread has its job, which does not wait for it. */
  readonly readPrevious?: (() => Promise<string | null>) | null;
  /** Aborting it ends the task, soon. */
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
  /** Where the recordings of ended tasks are awaited. */
  readonly recordings: PassingMap<number, (recording: Uint8Array | null) => void>;
  isReady: boolean;
  /** Set before the thread is terminated on purpose. */
  endedFor: DeathReason | null;
  heardAt: number;
  /** As it last told. */
  memoryBytes: number;
}

/** How long an investigation may take to end by itself, after its deadline. */
const graceMs = 5_000;
const pingEveryMs = 5_000;
/** A busy thread that says nothing for so long is stuck in a loop. */
const silenceMaxMs = 30_000;
/** How long a thread has for ending by itself, when all is to end. */
const leaveMs = 1_000;
/** Groups whose last thread is remembered. */
const groupsMax = 1_000;
/** Made once: an abort without a reason makes an error, with its stack, for every task. */
const ended = new Error('The task has ended');
/**
 * New objects of a thread, all three parts of it: half of what V8 takes by itself. With it as many
 * reports are made in 10 to 40 MB less; a quarter would save little more and cost one in five.
 */
const youngGenerationMb = 24;
/** A dead thread is replaced after this long: one that dies at once makes no busy loop. */
const respawnDelayMs = 500;

/**
 * Worker threads as bulkheads: what runs away in one is ended by its memory limit or its deadline,
 * and takes down only what ran beside it.
 */
export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #threads = new Set<Thread>();
  readonly #stopped = new AbortController();
  /** Where the last alert of a group went, the oldest first. */
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

  /** Heaps of the threads and what these hold outside, as told within the last 5 s. */
  get memoryBytes(): number {
    let bytes = 0;
    for (const thread of this.#threads) bytes += thread.memoryBytes;
    return bytes;
  }

  /**
   * Runs one investigation, in the thread that had the last alert of its group while that has room:
   * a thread keeps what it asked, and alerts of a group ask the same. Else in the least busy one.
   * Never rejects.
   */
  run(
    caseFile: CaseFile,
    onProgress: (progress: Progress) => void,
    given: RunNarrative | null = null,
  ): Promise<Outcome> {
    const { readPrevious = null } = given ?? {};
    const coming = given && {
      narrative: given.narrative, freshMs: given.freshMs, hasPrevious: readPrevious !== null,
    };
    return this.#start(caseFile.group.groupKey, { onProgress, readPrevious }, (id) => {
      return { kind: 'investigate', id, caseFile, coming };
    });
  }

  /** Has a stored report narrated; what comes is the report with its narrative. Never rejects. */
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
      const cancel = (): void => tell(thread, { kind: 'cancel', id, reason: 'ended' });
      const settle = (outcome: Outcome): void => {
        thread.tasks.delete(id);
        hooks.signal?.removeEventListener('abort', cancel);
        done.abort(ended);
        resolve(outcome);
        this.#options.onFree();
      };
      const task: Task = { id, settle, hooks, done, isCancelled: false };
      thread.tasks.set(id, task);
      if (thread.tasks.size === 1) thread.heardAt = this.#options.clock.monotonic();
      tell(thread, messageOf(id));
      void tellPrevious(thread, task);
      hooks.signal?.addEventListener('abort', cancel, { once: true });
      if (hooks.signal?.aborted === true) cancel();
      void this.#holdToDeadline(thread, task);
    });
  }

  /** Tells every thread that takes work; those that start later must be started with the news. */
  tellAll(message: ToWorker): void {
    for (const thread of this.#threads) tell(thread, message);
  }

  /** Tells running investigations to end, then ends the threads. */
  async stop(): Promise<void> {
    this.#stopped.abort(new Error('Pool is stopping'));
    const threads = [...this.#threads];
    for (const thread of threads) {
      thread.isReady = false;
      for (const task of thread.tasks.values()) task.settle({ kind: 'stopped' });
    }
    await Promise.all(threads.map((thread) => this.#leave(thread)));
  }

  /**
   * Lets the thread end by itself, between two of its turns. One that is terminated just as it
   * opens a stream of zlib takes the whole process along (Node 20: "close before init").
   */
  async #leave(thread: Thread): Promise<void> {
    const left = new AbortController();
    thread.worker.once('exit', () => left.abort());
    tell(thread, { kind: 'end' });
    if (await this.#sleeps(leaveMs, left.signal)) await thread.worker.terminate();
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
      env: {}, // No secret of the process is any business of a thread that reads hostile data.
      resourceLimits: {
        maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: youngGenerationMb,
      },
    });
    const tasks = new PassingMap<number, Task>();
    const thread: Thread = {
      worker, tasks, recordings: new PassingMap(), isReady: false, endedFor: null,
      heardAt: clock.monotonic(), memoryBytes: 0,
    };
    this.#threads.add(thread);
    worker.on('message', (message: FromWorker) => this.#hear(thread, message));
    worker.on('error', (error) => {
      const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      thread.endedFor ??= isMemory ? 'memory' : 'crash';
      this.#options.log.error('Worker thread failed', { error });
    });
    worker.on('exit', () => this.#bury(thread));
    return thread;
  }

  #hear(thread: Thread, message: FromWorker): void {
    thread.heardAt = this.#options.clock.monotonic();
    if (message.kind === 'ready' || message.kind === 'pong') {
      thread.memoryBytes = message.memoryBytes;
      if (message.kind === 'ready') this.#takeIn(thread);
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

  #takeIn(thread: Thread): void {
    thread.isReady = !this.#stopped.signal.aborted;
    this.#options.onFree();
  }

  #bury(thread: Thread): void {
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

  /** A system that has no thread left to give, or no memory for one, is asked again. */
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
    tell(thread, { kind: 'cancel', id: task.id, reason: 'deadline' });
    if (await this.#sleeps(graceMs, task.done.signal)) this.#end(thread, 'deadline');
  }

  /** Ends threads that are busy and have not answered for too long; asks all how they are. */
  async #watch(): Promise<void> {
    const { clock } = this.#options;
    let lookedAt = clock.monotonic();
    while (await this.#sleeps(pingEveryMs, this.#stopped.signal)) {
      const now = clock.monotonic();
      // In a process that was stopped for a while, as a paused container is, nobody could answer.
      const stoodStill = now - lookedAt > silenceMaxMs;
      lookedAt = now;
      for (const thread of this.#threads) {
        if (stoodStill) thread.heardAt = now;
        const isStuck = thread.tasks.size > 0 && now - thread.heardAt > silenceMaxMs;
        if (isStuck) this.#end(thread, 'deadline');
        else tell(thread, { kind: 'ping' });
      }
    }
  }

  #end(thread: Thread, reason: DeathReason): void {
    thread.endedFor ??= reason;
    thread.isReady = false;
    void thread.worker.terminate();
  }

  /** Whether the time passed without `signal` being aborted. */
  #sleeps(ms: number, signal: AbortSignal): Promise<boolean> {
    return this.#options.clock.sleep(ms, signal).then(() => true, () => false);
  }
}

function settleRecording(thread: Thread, id: number, recording: Uint8Array | null): void {
  thread.recordings.delete(id)?.(recording);
}

/** What cannot be read is not there. */
async function tellPrevious(thread: Thread, { id, hooks }: Task): Promise<void> {
  const report = await hooks.readPrevious?.().catch(() => null);
  const isWanted = report !== undefined && thread.tasks.get(id) !== undefined;
  if (isWanted) tell(thread, { kind: 'previous', id, report });
}

/** A task that nobody gives permits has none to ask for. */
async function permit(thread: Thread, { id, hooks }: Task, tokens: number): Promise<void> {
  const answer = await (hooks.onPermit?.(tokens) ?? Promise.resolve('budget' as const));
  tell(thread, { kind: 'permitted', id, permit: answer });
}

function tell(thread: Thread, message: ToWorker): void {
  thread.worker.postMessage(message);
}
