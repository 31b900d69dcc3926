/**
 * Entry point of a worker thread. Its work is most of the program, of which every thread has its
 * own copy, so it is loaded with the first message: a thread without work takes little memory.
 */
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import type { FromWorker, ToWorker } from './worker-messages.ts';

/** If loading fails, the unhandled rejection ends the thread, and another one replaces it. */
let work: Promise<typeof import('./thread-work.ts')> | null = null;

parentPort?.on('message', (message: ToWorker) => {
  if (message.kind === 'ping') return send('pong');
  if (message.kind === 'end') process.exit();
  work ??= import('./thread-work.ts');
  void work.then(({ receive }) => receive(message));
});
send('ready');

function send(kind: 'ready' | 'pong'): void {
  const { total_heap_size: heap, external_memory: outside } = getHeapStatistics();
  parentPort?.postMessage({ kind, memoryBytes: heap + outside } satisfies FromWorker);
}
