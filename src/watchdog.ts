/**
 * Ends the process when its main thread hangs, so that whoever supervises it starts another: a
 * hanging service takes connections and answers nobody. Every acknowledged alert is on disk, and
 * the end is a kill, which the journal is made for.
 */
import type { Clock } from './lib/clock.ts';
import { spawnWorker } from './analysis/threads/spawn-worker.ts';

export interface Watchdog {
  stop(): Promise<void>;
}

interface WatchdogOptions {
  readonly clock: Clock;
  /** The thread itself ended: nobody watches any more, and the service goes on. */
  readonly onFailure: (error: Error) => void;
  readonly beatMs?: number;
  /** Looks in a row, one a beat, that find the main thread where it was. */
  readonly missedMax?: number;
}

/** What the thread is given. The number at index 0 of `beats` grows while the main thread runs. */
export interface WatchdogOrder {
  readonly beats: Int32Array;
  readonly beatMs: number;
  readonly missedMax: number;
}

export function startWatchdog(
  { clock, onFailure, beatMs = 1000, missedMax = 30 }: WatchdogOptions,
): Watchdog {
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const order: WatchdogOrder = { beats, beatMs, missedMax };
  const thread = spawnWorker('watchdog-thread', import.meta.url, {
    workerData: order, env: {}, name: 'watchdog',
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2 },
  });
  thread.on('error', onFailure);
  thread.unref();
  const stopping = new AbortController();
  void beat({ clock, beats, beatMs, signal: stopping.signal });
  return {
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
  while (!signal.aborted) {
    Atomics.add(beats, 0, 1);
    await clock.sleep(beatMs / 2, signal).catch(() => {}); // Aborted: the loop ends.
  }
}
