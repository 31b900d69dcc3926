/** What defaults depend on: how much of the machine this process may use, whoever limits it. */
import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';

export interface Machine {
  readonly cores: number;
  /** Whether the log goes to a terminal. */
  readonly isTerminal: boolean;
  /** In bytes, by the control group or the machine; absent where it is unknown. */
  readonly memory?: number;
  /** Most threads, by the control groups or the limit of processes; absent where there is none. */
  readonly threads?: number;
}

/** Reads a file as text; throws where there is none. */
type ReadText = (path: string) => string;

export function readMachine(
  isTerminal: boolean, read: ReadText = (path) => readFileSync(path, 'utf8'),
): Machine {
  const constrained = process.constrainedMemory() || Infinity; // 0 where it is unknown.
  const threads = Math.min(...threadLimits((path) => {
    try {
      return read(path);
    } catch {
      return ''; // Not Linux, or no such control group.
    }
  }));
  return {
    cores: availableParallelism(), isTerminal, memory: Math.min(constrained, totalmem()),
    ...(threads !== Infinity && { threads }),
  };
}

/** Limits of the user and of the control groups around the process, of either version. */
function threadLimits(read: ReadText): number[] {
  const groups = read('/proc/self/cgroup');
  const first = /^\d+:(?:\S+,)?pids(?:,\S+)?:(\/.*)$/m.exec(groups)?.[1];
  const mount = first === undefined ? '/sys/fs/cgroup' : '/sys/fs/cgroup/pids';
  const names = (first ?? /^0::(\/.*)$/m.exec(groups)?.[1] ?? '').split('/').filter(Boolean);
  const limits = [/^Max processes +(\d+)/m.exec(read('/proc/self/limits'))?.[1]];
  for (let depth = names.length; depth >= 0; depth -= 1) {
    const path = [mount, ...names.slice(0, depth), 'pids.max'].join('/');
    limits.push(/^\d+/.exec(read(path))?.[0]);
  }
  return limits.map((limit) => (limit === undefined ? Infinity : Number(limit)));
}

/** More are of little use: most of an analysis is waiting, and a worker does several at a time. */
const workersMax = 8;
const mib = 1024 * 1024;
/** What all but the workers take: the program, open alerts, what waits, bodies and answers. */
const reservedBytes = 256 * mib;
/**
 * What a worker may take besides its heap while sources answer as much as they may: its young
 * generation, answers as they arrive, and those kept for recordings. Measured: 90 to 120 MiB.
 */
const besideHeapBytes = 128 * mib;
/** Threads of Node itself, the main thread, the watchdog, the narration, helpers at start. */
const reservedThreads = 16;

/** As many workers as the machine has room for: at least one. `heapMb` is the limit of each. */
export function defaultWorkers(
  { cores, memory = Infinity, threads = Infinity }: Machine, heapMb: number,
): number {
  const inMemory = Math.floor((memory - reservedBytes) / (heapMb * mib + besideHeapBytes));
  return Math.max(1, Math.min(workersMax, cores - 1, inMemory, threads - reservedThreads));
}
