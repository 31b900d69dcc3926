/**
 * Entry point of a worker thread. Its work is most of the program, and every thread has its own
 * copy of that, so it is loaded when there is any: a thread without work takes little memory.
 */
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import type { FromWorker, ToWorker } from './worker-messages.ts';

/** If loading fails, the unhandled rejection ends the thread, and another one replaces it. */
let work: Promise<typeof import('./thread-work.ts')> | null = null;

parentPort?.on('message', (message: ToWorker) => {
  if (message.kind === 'ping') return sendMemory('pong');
  if (message.kind === 'end') process.exit();
  work ??= load();
  if (message.kind !== 'load') void work.then(({ receive }) => receive(message));
});
sendMemory('ready');

async function load(): Promise<typeof import('./thread-work.ts')> {
  const loaded = await import('./thread-work.ts');
  await loaded.ready;
  send({ kind: 'loaded' });
  return loaded;
}

function sendMemory(kind: 'ready' | 'pong'): void {
  const { total_heap_size: heap, external_memory: outside } = getHeapStatistics();
  send({ kind, memoryBytes: heap + outside });
}

function send(message: FromWorker): void {
  parentPort?.postMessage(message);
}
