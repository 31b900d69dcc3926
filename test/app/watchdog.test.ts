import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const watchdog = new URL('../../src/app/watchdog.js', import.meta.url).href;
const clock = new URL('../../src/lib/clock.js', import.meta.url).href;

/**
 * Starts a process with a watchdog that bites after 20 missed beats of 50 ms once it is told that
 * the start is over, and runs `then`.
 */
async function startWatched(
  t: TestContext, then: string, log: 'pipe' | number = 'pipe',
): Promise<ChildProcess> {
  const file = join(temporaryDirectory(), 'program.mjs');
  writeFileSync(file, `
    import { startWatchdog } from ${JSON.stringify(watchdog)};
    import { systemClock as clock } from ${JSON.stringify(clock)};
    const watchdog = startWatchdog({ clock, beatMs: 50, missedMax: 20, onFailure: console.error });
    watchdog.started();
    console.log('started');
    ${then}`);
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', log] });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout ?? child, 'data');
  return child;
}

test('startWatchdog kills a process whose main thread hangs, and logs it', async (t) => {
  const child = await startWatched(t, 'setTimeout(() => { for (;;); }, 100);');
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code, signal] = await once(child, 'close');
  assert.deepEqual([code, signal], [null, 'SIGKILL']);
  const entry = JSON.parse(said) as { level: string; message: string };
  assert.equal(entry.level, 'error');
  assert.match(entry.message, /main thread hangs/);
});

test('startWatchdog kills a process that hangs although nobody reads its log', async (t) => {
  const child = await startWatched(t, `process.stdin.once('data', () => {
    const end = Date.now() + 30_000;
    while (Date.now() < end);
  });`);
  child.stderr?.destroy();
  child.stdin?.write('hang');
  const [code, signal] = await once(child, 'exit');
  assert.deepEqual([code, signal], [null, 'SIGKILL']);
});

test('startWatchdog kills a process that hangs because its terminal does', async (t) => {
  const terminal = openSync('/dev/ptmx', constants.O_RDWR | constants.O_NOCTTY);
  t.after(() => closeSync(terminal)); // Until then nobody reads what is written to it.
  const child = await startWatched(t, `setTimeout(() => {
    for (;;) process.stderr.write('x'.repeat(65_536));
  }, 100);`, terminal);
  const [code, signal] = await once(child, 'exit', { signal: AbortSignal.timeout(10_000) });
  assert.deepEqual([code, signal], [null, 'SIGKILL']);
});

test('startWatchdog spares a process that is busy, or frozen for a while', async (t) => {
  const child = await startWatched(t, `
    const busy = () => { const end = Date.now() + 100; while (Date.now() < end); };
    setInterval(busy, 110);`);
  await delay(500);
  child.kill('SIGSTOP');
  await delay(2000);
  child.kill('SIGCONT');
  await delay(200);
  assert.deepEqual([child.exitCode, child.signalCode], [null, null]);
});

test('startWatchdog gives a start more time', async (t) => {
  const file = join(temporaryDirectory(), 'program.mjs');
  writeFileSync(file, `
    import { startWatchdog } from ${JSON.stringify(watchdog)};
    import { systemClock as clock } from ${JSON.stringify(clock)};
    const watchdog = startWatchdog({
      clock, beatMs: 20, missedMax: 5, missedAtStartMax: 10_000, onFailure: console.error,
    });
    setTimeout(() => {
      for (const end = Date.now() + 1000; Date.now() < end;);
      watchdog.started();
      console.log('started');
      for (;;);
    }, 100);`);
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [, signal] = await once(child, 'close');
  assert.deepEqual([said.trim(), signal], ['started', 'SIGKILL']);
});

test('startWatchdog neither keeps a process alive nor outlives its stop', async (t) => {
  const left = await startWatched(t, '');
  assert.deepEqual(await once(left, 'exit'), [0, null]);
  const stopped = await startWatched(t, `
    await watchdog.stop();
    const end = Date.now() + 1500;
    while (Date.now() < end);`);
  assert.deepEqual(await once(stopped, 'exit'), [0, null]);
});

test('startWatchdog goes on without a thread that the system refuses', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', `
    import { syncBuiltinESMExports } from 'node:module';
    import threads from 'node:worker_threads';
    threads.Worker = function () { throw new Error('EAGAIN'); };
    syncBuiltinESMExports();
    const { startWatchdog } = await import(${JSON.stringify(watchdog)});
    const { systemClock: clock } = await import(${JSON.stringify(clock)});
    const { stop } = startWatchdog({ clock, onFailure: ({ message }) => console.log(message) });
    await stop();`], { encoding: 'utf8' });
  assert.deepEqual([status, stdout, stderr], [0, 'EAGAIN\n', '']);
});

test('the service warns that the first process of a container cannot be killed', async (t) => {
  const apart = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child'];
  const able = spawnSync('unshare', [...apart, 'true']);
  if (able.status !== 0) return t.skip('no namespaces of processes here');
  const child = spawn('unshare', [...apart, process.execPath, 'dist/main.js'], {
    env: { PATH: process.env['PATH'], PORT: '0', DATA_DIR: join(temporaryDirectory(), 'data') },
  });
  t.after(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stderr });
  for await (const line of lines) {
    const { message } = JSON.parse(line) as { message: string };
    assert.notEqual(message, 'Ready', 'it has not warned');
    if (message.includes('id 1')) return;
  }
  assert.fail('it has ended without a warning');
});
