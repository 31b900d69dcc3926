/**
 * Where a worker thread begins. What it does is most of what the program is, and every thread has
 * its own copy of it: it is loaded with the first message, so a thread without work takes little.
 */
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import type { FromWorker, ToWorker } from './worker-messages.ts';

/** A thread that cannot load its work ends by the rejection, and another takes its place. */
let work: Promise<typeof import('./thread-work.ts')> | null = null;

parentPort?.on('message', (message: ToWorker) => {
  if (message.kind === 'ping') return say('pong');
  if (message.kind === 'end') process.exit();
  work ??= import('./thread-work.ts');
  void work.then(({ hear }) => hear(message));
});
say('ready');

function say(kind: 'ready' | 'pong'): void {
  const { total_heap_size: heap, external_memory: outside } = getHeapStatistics();
  parentPort?.postMessage({ kind, memoryBytes: heap + outside } satisfies FromWorker);
}
