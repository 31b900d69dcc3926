/**
 * A worker thread that misbehaves as the alert's name says, for tests of the pool: `loop`,
 * `memory`, `exit`, `throw`, `error` (fails in an orderly way), `hang` (until cancelled), `mute`
 * (never answers), `where` (answers with its thread id), `ask` (reports a query, and answers with
 * the address of the source it was given last). With any other name it answers at once. Before any
 * of that it may fail as its data says: `ends at once`, or `cannot load` what its work needs.
 */
import { parentPort, threadId, workerData } from 'node:worker_threads';
import type { FromWorker, ToWorker } from '../../src/analysis/threads/worker-messages.ts';

const port = parentPort;
let access = '';
const cancels = new Map<number, () => void>();

port?.on('message', (message: ToWorker) => {
  if (message.kind === 'ping') return say({ kind: 'pong', memoryBytes: 2 });
  if (message.kind === 'cancel') return cancels.get(message.id)?.();
  if (message.kind === 'sources') {
    access = message.sources.prometheus?.urls[0] ?? '';
    return;
  }
  if (message.kind === 'permitted') return;
  if (message.kind === 'end') process.exit();
  if (message.kind === 'load') return load();
  const { id, caseFile } = message;
  misbehave(caseFile.alert.labels['alertname'] ?? '', id);
});
if (workerData === 'ends at once') throw new Error('It is broken');
say({ kind: 'ready', memoryBytes: 1 });

function load(): void {
  if (workerData === 'cannot load') throw Object.assign(new Error('no file'), { code: 'EMFILE' });
  say({ kind: 'loaded' });
}

function misbehave(name: string, id: number): void {
  if (name === 'loop') for (;;);
  if (name === 'memory') fill();
  if (name === 'exit') process.exit(3);
  if (name === 'throw') throw new Error('Uncaught in the worker');
  if (name === 'hang') {
    cancels.set(id, () => say({ kind: 'failed', id, message: 'deadline' }));
  } else if (name === 'error') {
    say({ kind: 'failed', id, message: 'went wrong' });
  } else if (name !== 'mute') {
    if (name === 'ask') {
      const outcome = { result: 'ok', durationMs: 5, failure: null, left: null } as const;
      const server = 'http://p:9090';
      const asked = { source: 'prometheus', servers: [server], server, ...outcome } as const;
      say({ kind: 'asked', asked });
      say({ kind: 'broken', source: 'loki', error: new TypeError('no such line') });
    }
    say({ kind: 'progress', id, progress: { step: 'Looking', done: 1, of: 2 } });
    sayDone(id, name === 'where' ? `${threadId}` : name === 'ask' ? access : name);
  }
}

function sayDone(id: number, headline: string): void {
  const conclusion = { classification: 'actionable', certainty: 'possible', headline } as const;
  const json = JSON.stringify({ by: 'test' });
  const report = { json, status: 'ready', conclusion, recheckAt: null, failedChecks: 0 } as const;
  say({ kind: 'done', id, report });
}

function fill(): void {
  const kept: unknown[] = [];
  for (let i = 0; ; i++) kept.push({ i, text: `${i}`.repeat(50) });
}

function say(message: FromWorker): void {
  port?.postMessage(message);
}
