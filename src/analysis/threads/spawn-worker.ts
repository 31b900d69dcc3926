import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Starts the module `name`, a neighbour of the file at `parentUrl`, as a worker thread.
 *
 * Compiled, it is plain JavaScript and the worker loads it directly. Run from source under tsx it
 * is TypeScript, and tsx does not reach into worker threads on Node 20, so there the worker
 * registers tsx itself before it imports the module.
 */
export function spawnWorker(name: string, parentUrl: string, options: WorkerOptions): Worker {
  if (parentUrl.endsWith('.js')) return new Worker(new URL(`${name}.js`, parentUrl), options);
  const tsx = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const module = JSON.stringify(new URL(`${name}.ts`, parentUrl).href);
  const bootstrap =
    `import(${tsx}).then(({ register }) => { register(); return import(${module}); });`;
  return new Worker(bootstrap, { ...options, eval: true });
}
