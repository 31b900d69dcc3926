import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { spawnWorker } from '../../src/analysis/threads/spawn-worker.ts';
import type { ToWorker, WorkerSettings } from '../../src/analysis/threads/worker-messages.ts';
import { bySource } from '../../src/sources/asked-source.ts';
import { aCaseFile } from '../support/samples/case-files.ts';

const sources = bySource(() => null);
const access = {
  provider: 'openai', url: 'http://127.0.0.1:9', name: 'm', apiKey: null, effort: null,
  requestMs: 90_000,
} as const;
const grant = { rounds: 1, tokens: 1_000, outputTokens: 16_000, deadlineMs: 1_000, prices: null };

/** What keeps a thread from loading a file, as a process with too many files open is kept. */
function refusing(file: string): string[] {
  const inUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
  const hooks = inUrl(`export function load(url, context, next) {
    if (url.includes('/${file}.')) throw new Error('EMFILE');
    return next(url, context);
  }`);
  return ['--import', inUrl(`import { register } from 'node:module'; register("${hooks}");`)];
}

const works: readonly [file: string, settings: Partial<WorkerSettings>, work: ToWorker][] = [
  ['investigate', {}, { kind: 'investigate', id: 1, caseFile: aCaseFile(), coming: null }],
  ['narrate-report', { model: { access, secrets: [] } },
    { kind: 'narrate', id: 1, question: null, caseFile: aCaseFile(), report: '{}', grant }],
];

for (const [file, settings, work] of works) {
  test(`a thread that cannot load ${file} ends, so that another can take its place`, async () => {
    const given: WorkerSettings = {
      version: '1', sources, model: null, atOnce: 1, records: false, ...settings,
    };
    const thread = spawnWorker('../../src/analysis/threads/worker', import.meta.url, {
      workerData: given, execArgv: refusing(file),
    });
    const said: string[] = [];
    thread.on('message', ({ kind }: { kind: string }) => {
      said.push(kind);
      if (kind === 'failed') void thread.terminate();
    });
    thread.postMessage(work);
    await assert.rejects(once(thread, 'exit'), { message: 'EMFILE' });
    assert.deepEqual(said, ['ready']);
  });
}
