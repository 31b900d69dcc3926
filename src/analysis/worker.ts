/**
 * Runs inside a worker thread: takes case files, answers with reports. Several investigations are
 * under way at once, since most of their time is waiting for others.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../lib/clock.ts';
import type { CaseFile } from '../report/case-file.ts';
import { investigate } from './investigate.ts';
import type { FromWorker, ToWorker, WorkerSettings } from './worker-messages.ts';

const { version } = workerData as WorkerSettings;
const running = new Map<number, AbortController>();

if (parentPort === null) throw new Error('Cannot run outside a worker thread');
const port = parentPort;

port.on('message', (message: ToWorker) => {
  if (message.kind === 'ping') say({ kind: 'pong' });
  else if (message.kind === 'cancel') running.get(message.id)?.abort(new Error(message.reason));
  else void run(message.id, message.caseFile);
});
say({ kind: 'ready' });

async function run(id: number, caseFile: CaseFile): Promise<void> {
  const cancelled = new AbortController();
  running.set(id, cancelled);
  try {
    const report = await investigate(caseFile, {
      clock: systemClock,
      version,
      signal: cancelled.signal,
      onProgress: (progress) => say({ kind: 'progress', id, progress }),
    });
    const { classification, certainty, headline } = report.verdict;
    const json = JSON.stringify(report);
    const { status } = report;
    say({ kind: 'done', id, report: { json, status, classification, certainty, headline } });
  } catch (error) {
    say({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) });
  } finally {
    running.delete(id);
  }
}

function say(message: FromWorker): void {
  port.postMessage(message);
}
