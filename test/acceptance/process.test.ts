/** The service as a process: its files, its exit, and a second process beside it. */
import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { listenTo } from '../support/http/event-stream.ts';
import { eventually, freePort, startProgram } from '../support/programs/programs.ts';
import {
  spawnAnalyst, startAnalyst, unlimited, type AnalystOptions,
} from '../support/programs/running-analyst.ts';
import { answering, startFakeSource } from '../support/sources/fake-source.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

async function post(url: string, count: number, prefix: string): Promise<number> {
  const alerts = Array.from({ length: count }, (_, index) => ({
    labels: { alertname: 'Posted', instance: `${prefix}${index}` },
    fingerprint: `${prefix}${index}`,
  }));
  const body = JSON.stringify({ version: '4', status: 'firing', alerts });
  return (await fetch(`${url}/webhook`, { method: 'POST', body })).status;
}

async function queueIsEmpty(url: string): Promise<true | null> {
  const health = (await (await fetch(`${url}/health`)).json()) as { queue_size: number };
  return health.queue_size === 0 ? true : null;
}

test('only the owner can access the data directory, whatever the umask', async (t) => {
  const dataDirectory = join(temporaryDirectory(), 'data');
  const umask = process.umask(0);
  const { url } = await startAnalyst({ dataDirectory, env: unlimited }, t)
    .finally(() => process.umask(umask));
  assert.equal(await post(url, 20, 'm'), 200);
  await eventually('the analyses to end', () => queueIsEmpty(url));
  const names = await readdir(dataDirectory, { recursive: true });
  assert.ok(names.some((name) => name.endsWith('.pack')), names.join());
  for (const name of ['.', ...names]) {
    // A file that was still being written has its last name by now.
    const found = await stat(join(dataDirectory, name)).catch(() => null);
    if (found === null && name.endsWith('.tmp')) continue;
    assert.ok(found !== null, `${name} is gone`);
    const expected = found.isDirectory() ? '700' : '600';
    assert.equal((found.mode & 0o777).toString(8), expected, name);
  }
});

test('a second process on the same directory or port exits with 1 and says why', async (t) => {
  const dataDirectory = join(temporaryDirectory(), 'data');
  const { url, program } = await startAnalyst({ dataDirectory }, t);
  const exited = async (options: AnalystOptions): Promise<string> => {
    const second = spawnAnalyst(options, t);
    await eventually('the second to exit', () => second.hasExited() || null);
    assert.equal(second.exitCode(), 1);
    return second.output();
  };
  const owner = new RegExp(`process ${program.pid} is using it; stop that`);
  assert.match(await exited({ dataDirectory }), owner);
  const port = Number(new URL(url).port);
  assert.match(await exited({ dataDirectory: `${dataDirectory}-2`, port }),
    /Cannot listen at HOST and PORT: listen EADDRINUSE/);
  assert.equal(await post(url, 1, 's'), 200, 'the first goes on');
});

test('no signal opens a debugger', async (t) => {
  const dataDirectory = join(temporaryDirectory(), 'data');
  const env = { NODE_OPTIONS: '--inspect-port=0' };
  const { url, program } = await startAnalyst({ dataDirectory, env }, t);
  process.kill(program.pid, 'SIGUSR1');
  await delay(1000); // Node takes some milliseconds.
  assert.equal(await post(url, 1, 'd'), 200, 'the signal ends nothing');
  assert.doesNotMatch(program.output(), /Debugger listening/);
});

test('open pages leave connections for senders, however few files may be open', async (t) => {
  const dataDirectory = join(temporaryDirectory(), 'data');
  const port = String(await freePort());
  const main = join(process.cwd(), 'dist', 'main.js');
  const limited = ['-c', 'ulimit -n 256 && exec "$0" "$1"', process.execPath, main];
  const program = startProgram('sh', limited, { env: { PORT: port, DATA_DIR: dataDirectory } });
  t.after(() => program.stop('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  const isHealthy = async (): Promise<true | null> => (await fetch(`${url}/health`)).ok || null;
  await eventually('GET /health to answer 200', isHealthy, { program, withinMs: 60_000 });
  const statuses: number[] = [];
  for (let n = 0; n < 33; n += 1) statuses.push((await listenTo(t, `${url}/events`)).status);
  assert.deepEqual(statuses, [...Array<number>(32).fill(200), 503]);
  assert.equal(await post(url, 1, 'a'), 200);
});

test('alerts as large as a body may be are reported, and nothing else suffers', async (t) => {
  const dataDirectory = join(temporaryDirectory(), 'data');
  const { url, program } = await startAnalyst({ dataDirectory, env: unlimited }, t);
  for (const name of ['one', 'two', 'three']) {
    const labels = Object.fromEntries(Array.from({ length: 240 }, (_, index) =>
      [`label_${index}`, `${name}${'x'.repeat(60_000)}`]));
    const body = JSON.stringify({
      version: '4', alerts: [{ labels: { ...labels, alertname: 'Large' }, fingerprint: name }],
    });
    assert.equal((await fetch(`${url}/webhook`, { method: 'POST', body })).status, 200);
  }
  await eventually('the queue to be empty', () => queueIsEmpty(url), { program });
  for (const name of ['one', 'two', 'three']) {
    const answer = await fetch(`${url}/report/${name}.json`);
    assert.equal(((await answer.json()) as { status: string }).status, 'ready', name);
  }
  const metrics = await (await fetch(`${url}/metrics`)).text();
  assert.doesNotMatch(metrics, /worker_restarts_total\{[^}]*\} [1-9]/);
});

test('the largest answer that a source may give crashes neither a small thread nor the process',
  async (t) => {
    const metric = { __name__: 'up', long: `${'x'.repeat(15_000_000)}\u{8a9e}` };
    const data = { resultType: 'vector', result: [{ metric, value: [1, '1'] }] };
    const source = await startFakeSource(t, answering(JSON.stringify({ status: 'success', data })));
    const { url, program } = await startAnalyst({
      dataDirectory: join(temporaryDirectory(), 'data'),
      env: { ...unlimited, WORKERS: '1', WORKER_MEMORY_MB: '32', PROMETHEUS_URL: source.url },
    }, t);
    assert.equal(await post(url, 3, 'answered'), 200);
    await eventually('the queue to be empty', () => queueIsEmpty(url), { program });
    const metrics = await (await fetch(`${url}/metrics`)).text();
    assert.match(metrics, /analyses_total\{outcome="ready"\} 3/);
    assert.doesNotMatch(metrics, /worker_restarts_total\{[^}]*\} [1-9]/);
  });
