/** Slow or closed pipes, a full disk for output, a failing source, a file that hangs. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync, fstatSync, ftruncateSync, openSync, readFileSync, rmSync, writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually, freePort, runProgram } from '../support/programs/programs.ts';
import { startFakeSource } from '../support/sources/fake-source.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const main = join(process.cwd(), 'dist', 'main.js');
const body = JSON.stringify({ alerts: [{ labels: { alertname: 'Piped' } }] });

interface Started {
  readonly child: ChildProcess;
  /** Its exit code, and standard output and error together. */
  readonly end: Promise<{ readonly code: number | null; readonly said: string }>;
}

interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The output that is redirected to a full device. */
  readonly full?: 'stdout' | 'stderr';
}

function start(
  t: TestContext,
  args: readonly string[],
  { env = {}, full }: StartOptions = {},
): Started {
  const fullFile = openSync('/dev/full', 'w');
  const output = (name: string): number | 'pipe' => (full === name ? fullFile : 'pipe');
  const child = spawn(process.execPath, [main, ...args], {
    env, stdio: ['pipe', output('stdout'), output('stderr')],
  });
  closeSync(fullFile);
  t.after(() => child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  }
  return { child, end: once(child, 'close').then(([code]) => ({ code, said })) };
}

test('analyze waits for standard input that arrives in pieces', async (t) => {
  const { child, end } = start(t, ['analyze', '-']);
  child.stdin?.write(body.slice(0, 20));
  // By the time that another run is complete, the first has long been reading.
  await runProgram(process.execPath, [main, 'analyze', '-'], { input: body });
  child.stdin?.on('error', () => {});
  child.stdin?.end(body.slice(20));
  const { code, said } = await end;
  assert.match(said, /^Piped\n/);
  assert.equal(code, 0);
});

test('analyze exits with 0 when its reader closes the pipe', async (t) => {
  const { child, end } = start(t, ['analyze', '-']);
  child.stdout?.destroy();
  child.stdin?.end(body);
  assert.deepEqual(await end, { code: 0, said: '' });
});

test('analyze waits for the retry of a query that failed', async (t) => {
  const { url } = await startFakeSource(t, (response) => response.writeHead(502).end());
  const { child, end } = start(t, ['analyze', '-'], { env: { PROMETHEUS_URL: url } });
  child.stdin?.end(body);
  const { code, said } = await end;
  assert.match(said, /Cannot read from Prometheus: it answered 502/);
  assert.equal(code, 0);
});

test('a command fails with one line when its output cannot be written', async (t) => {
  const { code, said } = await start(t, ['--help'], { full: 'stdout' }).end;
  assert.match(said, /^Cannot write the output: ENOSPC[^\n]*\n$/);
  assert.equal(code, 1);
});

for (const full of [undefined, 'stderr'] as const) {
  const what = full === undefined ? 'is not read' : 'cannot be written';
  test(`the service goes on when its log ${what}`, async (t) => {
    const port = String(await freePort());
    const env = {
      PORT: port, DATA_DIR: join(temporaryDirectory(), 'data'), LOG_LEVEL: 'debug',
    };
    const { child, end } = start(t, [], { env, ...(full && { full }) });
    child.stderr?.destroy();
    const get = async (path: string): Promise<number> =>
      (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    await eventually('the service to be ready', async () => {
      return child.exitCode !== null || (await get('/health')) === 200 || null;
    });
    assert.equal(await get('/nowhere'), 404, 'what is refused is logged');
    assert.equal(await get('/health'), 200);
    child.kill('SIGTERM');
    assert.equal((await end).code, 0);
  });
}

test('the service ends when it is stopped, although the reader of its log hangs', async (t) => {
  const port = String(await freePort());
  const env = {
    PORT: port, DATA_DIR: join(temporaryDirectory(), 'data'), LOG_LEVEL: 'debug',
    READ_LIMIT_PER_CLIENT: '0', READ_LIMIT_TOTAL: '0',
  };
  const { child, end } = start(t, [], { env });
  child.stderr?.pause();
  const get = async (path: string): Promise<string> =>
    (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  await eventually('the service to be ready', () => get('/health').catch(() => null));
  // More than fits into all buffers of a pipe.
  for (let round = 0; round < 40; round += 1) {
    await Promise.all(Array.from({ length: 100 }, () => get('/nowhere')));
  }
  child.kill('SIGTERM');
  const ended = await once(child, 'exit', { signal: AbortSignal.timeout(10_000) });
  assert.deepEqual(ended, [null, 'SIGTERM']);
  child.stderr?.resume();
  const { said } = await end;
  assert.doesNotMatch(said, /"message":"Stopped"/, 'it was written after what nobody read');
});

test('the service ends when it is stopped, although a file that it opens hangs', async (t) => {
  const [directory, port] = [temporaryDirectory(), String(await freePort())];
  const file = join(directory, 'token');
  writeFileSync(file, 'a-token-of-senders');
  const env = { PORT: port, DATA_DIR: join(directory, 'data'), ACCESS_TOKEN_FILE: file };
  const { child } = start(t, [], { env });
  await eventually('the service to be ready', async () => {
    const health = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null);
    return health?.status === 200 || null;
  });
  rmSync(file);
  execFileSync('mkfifo', [file]); // Opening it takes until somebody writes to it.
  child.kill('SIGHUP');
  await delay(300);
  child.kill('SIGTERM');
  const ended = await once(child, 'exit', { signal: AbortSignal.timeout(10_000) });
  assert.deepEqual(ended, [null, 'SIGTERM']);
});

test('each line to journald begins with its priority, and no line to anything else', (t) => {
  const file = join(temporaryDirectory(), 'log');
  const descriptor = openSync(file, 'a');
  t.after(() => closeSync(descriptor));
  const { dev, ino } = fstatSync(descriptor);
  const linesOf = (stream: string, settings: Readonly<Record<string, string>>): string[] => {
    ftruncateSync(descriptor);
    // The data directory cannot be made, so the service ends by itself.
    const env = { JOURNAL_STREAM: stream, DATA_DIR: '/dev/null/data', PORT: '0', ...settings };
    spawnSync(process.execPath, [main], { env, stdio: ['ignore', 'ignore', descriptor] });
    return readFileSync(file, 'utf8').trimEnd().split('\n');
  };
  const heads = (lines: readonly string[]): string[] => lines.map((line) => line.slice(0, 4));
  const journal = `${dev}:${ino}`;
  const logged = linesOf(journal, {});
  assert.deepEqual(heads(logged), ['<4>{', '<3>{'], logged.join('\n'));
  assert.deepEqual(heads(linesOf(journal, { PORT: 'x' })), ['<3>C', '<3> ']);
  assert.deepEqual(heads(linesOf(`${dev}:${ino + 1}`, {})), ['{"ti', '{"ti']);
});
