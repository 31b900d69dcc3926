/**
 * Kills the process when its main thread hangs, so that its supervisor restarts it: a service that
 * hangs accepts connections but answers none. Every acknowledged alert is on disk, and the journal
 * is designed to survive a kill.
 */
import { spawnWorker } from '../analysis/threads/spawn-worker.ts';
import { slept, type Clock } from '../lib/clock.ts';

interface Watchdog {
  /** The start is over. */
  started(): void;
  stop(): Promise<void>;
}

interface WatchdogOptions {
  readonly clock: Clock;
  /** The watchdog's own thread failed: the service goes on without one. */
  readonly onFailure: (error: unknown) => void;
  readonly beatMs?: number;
  /** After so many checks in a row, one per beat, without progress the process is killed. */
  readonly missedMax?: number;
  /** The same during the start: one that is killed begins anew, with as much to replay. */
  readonly missedAtStartMax?: number;
}

/**
 * The thread's input. The main thread keeps incrementing index 0 of `beats`, and sets index 1 once
 * it has started.
 */
export interface WatchdogOrder {
  readonly beats: Int32Array;
  readonly beatMs: number;
  readonly missedMax: number;
  readonly missedAtStartMax: number;
}

export function startWatchdog(options: WatchdogOptions): Watchdog {
  try {
    return startThread(options);
  } catch (error) {
    options.onFailure(error); // The system allows no more threads.
    return { started() {}, stop: () => Promise.resolve() };
  }
}

function startThread(
  { clock, onFailure, beatMs = 1000, missedMax = 30, missedAtStartMax = 600 }: WatchdogOptions,
): Watchdog {
  const beats = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const order: WatchdogOrder = { beats, beatMs, missedMax, missedAtStartMax };
  const thread = spawnWorker('watchdog-thread', import.meta.url, {
    workerData: order, env: {}, name: 'watchdog',
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2 },
  });
  thread.on('error', onFailure);
  thread.unref();
  const stopping = new AbortController();
  void beat({ clock, beats, beatMs, signal: stopping.signal });
  return {
    started: () => void Atomics.store(beats, 1, 1),
    stop: async () => {
      stopping.abort();
      await thread.terminate();
    },
  };
}

async function beat(
  { clock, beats, beatMs, signal }: {
    clock: Clock; beats: Int32Array; beatMs: number; signal: AbortSignal;
  },
): Promise<void> {
  do {
    Atomics.add(beats, 0, 1);
  } while (await slept(clock, beatMs / 2, signal));
}
