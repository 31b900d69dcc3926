import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { WorkerSettings } from './worker-messages.ts';

/**
 * Starts the module `name`, a neighbour of the file at `parentUrl`, as a worker thread.
 *
 * When compiled, the module is JavaScript and the worker loads it directly. Under tsx it is
 * TypeScript, which worker threads on Node 20 do not inherit the loader for, so the worker first
 * registers tsx itself.
 */
export function spawnWorker(name: string, parentUrl: string, options: WorkerOptions): Worker {
  if (parentUrl.endsWith('.js')) return new Worker(new URL(`${name}.js`, parentUrl), options);
  const tsx = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const module = JSON.stringify(new URL(`${name}.ts`, parentUrl).href);
  const bootstrap =
    `import(${tsx}).then(({ register }) => { register(); return import(${module}); });`;
  return new Worker(bootstrap, { ...options, eval: true });
}

/** Starts a thread that investigates and narrates. */
export function spawnAnalyst(workerData: WorkerSettings, options: WorkerOptions): Worker {
  return spawnWorker('worker', import.meta.url, { ...options, workerData });
}
