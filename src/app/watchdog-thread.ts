/**
 * The thread of the watchdog. It counts its own checks rather than elapsed time, so that a machine
 * that slept, or a process that was frozen as a whole, does not count as hanging.
 */
import { write } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { WatchdogOrder } from './watchdog.ts';

const { beats, beatMs, missedMax, missedAtStartMax } = workerData as WatchdogOrder;
const neverNotified = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

const patience = (): number => (Atomics.load(beats, 1) === 0 ? missedAtStartMax : missedMax);

let seen = -1;
for (let missed = 0; missed < patience(); missed += 1) {
  Atomics.wait(neverNotified, 0, 0, beatMs);
  const now = Atomics.load(beats, 0);
  if (now !== seen) missed = -1;
  seen = now;
}
// The logger belongs to the main thread, which hangs. It may do so because its log does: a terminal
// that nobody reads holds up whoever writes to it, so the line gets one beat and not more.
const message = 'The main thread hangs; killing the process so that it is restarted';
write(2, `${JSON.stringify({ level: 'error', message, beatMs, missed: patience() })}\n`, () => {});
Atomics.wait(neverNotified, 0, 0, beatMs);
process.kill(process.pid, 'SIGKILL');
