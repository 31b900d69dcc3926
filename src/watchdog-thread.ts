/**
 * The thread of the watchdog. It counts its own looks and not the time that passes, so that a
 * machine that slept, or a process that was frozen as a whole, is not taken for a hanging one.
 */
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { WatchdogOrder } from './watchdog.ts';

const { beats, beatMs, missedMax } = workerData as WatchdogOrder;
const nobodyWakes = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

let seen = -1;
for (let missed = 0; missed < missedMax; missed += 1) {
  Atomics.wait(nobodyWakes, 0, 0, beatMs);
  const now = Atomics.load(beats, 0);
  if (now !== seen) missed = -1;
  seen = now;
}
// The log belongs to the main thread.
const message = 'The main thread hangs; the process ends to be started again';
try {
  writeSync(2, `${JSON.stringify({ level: 'error', message, beatMs, missedMax })}\n`);
} catch {
  // Nobody reads the log, or it is full. That is no reason to go on hanging.
}
process.kill(process.pid, 'SIGKILL');
