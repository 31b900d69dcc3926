/** The command `analyze` with a language model: same narrative and limits as in the service. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { closeSync, constants, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Report } from '../../src/report/report.ts';
import { modelAt, startFakeModel } from '../support/fake-model/fake-model.ts';
import type { Script } from '../support/fake-model/heard.ts';
import { isLast } from '../support/fake-model/scripted-models.ts';
import { type Environment } from '../support/programs/running-service.ts';
import { aFinding, anAnswer } from '../support/scripted-model.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const alert = {
  status: 'firing', fingerprint: 'f1', startsAt: '2026-11-20T10:00:00Z',
  labels: { alertname: 'PoolFull', severity: 'critical', instance: 'db-0' },
  annotations: { summary: 'The pool of db-0 holds 198 of 200 connections' },
};

const observer: Script = (heard) => !isLast(heard) ? { text: 'Enough.' } : {
  text: JSON.stringify(anAnswer({
    reading: 'The pool of db-0 is nearly full. It needs 512.',
    findings: [aFinding({ is: 'said', a: 'E2', quote: 'holds 198 of 200 connections' })],
  })),
};

interface Analyzed {
  readonly reports: readonly Report[];
  readonly directory: string;
  readonly run: (...args: readonly string[]) => Promise<string>;
}

async function analyzed(
  alerts: readonly object[],
  env: Environment,
): Promise<Analyzed> {
  const directory = temporaryDirectory();
  const file = join(directory, 'notification.json');
  writeFileSync(file, JSON.stringify({ version: '4', status: 'firing', alerts }));
  const run = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(
      process.execPath, ['dist/main.js', 'analyze', ...args],
      { env: { PATH: process.env['PATH'], ...env } },
    );
    return stdout;
  };
  const text = await run(file, '--json', '--record', join(directory, 'recording'));
  return { reports: JSON.parse(text) as Report[], directory, run };
}

function reasonIn(report: Report | undefined): string {
  const narrative = report?.narrative;
  return narrative?.state === 'absent' ? narrative.reason : 'present';
}

test('analyze adds what the evidence supports of the narrative, and replays without a model',
  async (t) => {
    const model = await startFakeModel(t, observer);
    const { reports: [report], directory, run } = await analyzed([alert], modelAt(model));
    const narrative = report?.narrative;
    assert.ok(narrative?.state === 'present', JSON.stringify(narrative));
    assert.equal(narrative.text, 'The pool of db-0 is nearly full.');
    const asked = model.requests.length;
    const replayed = await run('--replay', join(directory, 'recording'), '--json');
    assert.equal(reasonIn((JSON.parse(replayed) as Report[])[0]), 'not_configured');
    assert.equal(model.requests.length, asked, 'a replay does not ask the model');
  });

test('analyze has a report narrated at a terminal, too', async (t) => {
  const model = await startFakeModel(t, observer);
  const file = join(temporaryDirectory(), 'notification.json');
  writeFileSync(file, JSON.stringify({ version: '4', status: 'firing', alerts: [alert] }));
  const terminal = openSync('/dev/ptmx', constants.O_RDWR | constants.O_NOCTTY);
  t.after(() => closeSync(terminal));
  const child = spawn(process.execPath, ['dist/main.js', 'analyze', file, '--json'], {
    env: { PATH: process.env['PATH'], ...modelAt(model) }, stdio: ['ignore', 'pipe', terminal],
  });
  assert.ok(child.stdout !== null);
  const [report] = JSON.parse(await text(child.stdout)) as Report[];
  assert.equal(reasonIn(report), 'present');
});

test('analyze says in the report why there is no narrative', async (t) => {
  const model = await startFakeModel(t, observer);
  const info = { ...alert, labels: { ...alert.labels, severity: 'none' }, fingerprint: 'f2' };
  const { reports } = await analyzed([alert, info], modelAt(model, {
    MODEL_TOKENS_PER_ALERT: '1000',
  }));
  assert.deepEqual(reports.map(reasonIn), ['budget', 'severity']);
  assert.equal(model.requests.length, 0);
  const down = await analyzed([alert], modelAt({ url: model.url.replace(/:\d+/, ':9') }));
  assert.deepEqual(down.reports.map(reasonIn), ['failed']);
});

test('analyze stops asking the model when the daily tokens would be exceeded', async (t) => {
  const usage = { prompt_tokens: 6000, completion_tokens: 1000, total_tokens: 7000 };
  const model = await startFakeModel(t, observer, { alter: (body) => ({ ...body, usage }) });
  const alerts = ['f1', 'f2', 'f3', 'f4'].map((fingerprint) => ({
    ...alert, fingerprint, labels: { ...alert.labels, pod: fingerprint },
  }));
  const tokensPerDay = 40_000;
  const { reports } = await analyzed(alerts, modelAt(model, {
    MODEL_TOKENS_PER_ALERT: '30000', MODEL_TOKENS_PER_DAY: String(tokensPerDay),
  }));
  const reasons = reports.map(reasonIn);
  assert.ok(reasons.includes('present') && reasons.includes('budget'), reasons.join(' '));
  assert.ok((model.requests.length - 1) * usage.total_tokens <= tokensPerDay);
});
