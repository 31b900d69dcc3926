import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Worker } from 'node:worker_threads';
import { spawnWorker } from '../../src/analysis/threads/spawn-worker.ts';
import type { SourceCall } from '../../src/analysis/threads/worker-messages.ts';
import { WorkerPool } from '../../src/analysis/threads/worker-pool.ts';
import type { DeathReason, Outcome } from '../../src/analysis/threads/worker-thread.ts';
import { systemClock, type Clock } from '../../src/lib/clock.ts';
import type { CaseFile } from '../../src/report/case-file.ts';
import { bySource } from '../../src/sources/asked-source.ts';
import type { Logger } from '../../src/telemetry/log.ts';
import { aGroup, anAlert } from '../support/samples/alerts.ts';
import { aCaseFile } from '../support/samples/case-files.ts';
import { silentLog } from '../support/silent-log.ts';

/** Real threads on a clock that runs a thousand times as fast. */
const fastClock: Clock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic() * 1_000,
  sleep: (ms, signal) => systemClock.sleep(ms / 1_000, signal),
};
/** Pauses are short, but a thread that loads slowly on a busy machine counts as no stuck one. */
const patientClock: Clock = { ...fastClock, monotonic: systemClock.monotonic };

interface Pool {
  readonly pool: WorkerPool;
  readonly deaths: DeathReason[];
  readonly exitCodes: number[];
}

interface PoolOver {
  readonly clock?: Clock;
  readonly workers?: number;
  readonly timeoutMs?: number;
  readonly onAsked?: (asked: SourceCall) => void;
  readonly log?: Logger;
  readonly onFree?: () => void;
  /** Runs before a thread is begun. */
  readonly beforeSpawn?: () => void;
  /** What is wrong with the next thread, see `hostile-worker`. */
  readonly flaw?: () => string | null;
}

async function startPool(
  t: TestContext,
  over: PoolOver = {},
): Promise<Pool> {
  const deaths: DeathReason[] = [];
  const exitCodes: number[] = [];
  const pool = new WorkerPool({
    workers: over.workers ?? 1,
    perWorker: 2,
    memoryMb: 32,
    timeoutMs: over.timeoutMs ?? 240_000,
    spawn: (options): Worker => {
      over.beforeSpawn?.();
      const given = { ...options, workerData: over.flaw?.() ?? null };
      const worker = spawnWorker('../support/hostile-worker', import.meta.url, given);
      return worker.once('exit', (code) => exitCodes.push(code));
    },
    clock: over.clock ?? systemClock,
    log: over.log ?? silentLog,
    onDeath: (reason) => deaths.push(reason),
    onAsked: (asked) => over.onAsked?.(asked),
  });
  // The clock's timers keep no process alive; in the service the listening socket does.
  const keepAlive = setInterval(() => {}, 60_000);
  t.after(() => clearInterval(keepAlive));
  t.after(() => pool.stop());
  await pool.start(() => over.onFree?.());
  return { pool, deaths, exitCodes };
}

function caseFile(name: string, groupKey = ''): CaseFile {
  const alert = anAlert({ labels: { alertname: name } });
  return aCaseFile({ alert, group: { ...aGroup, groupKey } });
}

async function untilFree(pool: WorkerPool, slots: number): Promise<void> {
  while (pool.freeSlots < slots) await systemClock.sleep(5);
}

function kindOf(outcome: Outcome): string {
  return outcome.kind === 'died' ? `died of ${outcome.reason}` : outcome.kind;
}

test('WorkerPool.run() brings back a report, its progress before it', async (t) => {
  const { pool } = await startPool(t);
  const steps: string[] = [];
  const outcome = await pool.run(caseFile('Fine'), ({ step }) => steps.push(step));
  assert.equal(outcome.kind === 'done' && outcome.report.conclusion.headline, 'Fine');
  assert.deepEqual(steps, ['Looking']);
  assert.equal(pool.freeSlots, 2);
});

const deadly: readonly [string, string][] = [
  ['memory', 'died of memory'],
  ['exit', 'died of crash'],
  ['throw', 'died of crash'],
];
for (const [name, expected] of deadly) {
  test(`WorkerPool.run() outlives a worker ended by "${name}", and replaces it`, async (t) => {
    const { pool, deaths } = await startPool(t);
    const beside = pool.run(caseFile('mute'), () => {});
    assert.equal(kindOf(await pool.run(caseFile(name), () => {})), expected);
    assert.equal(kindOf(await beside), expected, 'what ran beside it is told as well');
    assert.equal(deaths.length, 1);
    await untilFree(pool, 2);
    assert.equal((await pool.run(caseFile('Fine'), () => {})).kind, 'done');
  });
}

/** A log that keeps its errors. */
function errorLog(): { log: Logger; told: Parameters<Logger['error']>[] } {
  const told: Parameters<Logger['error']>[] = [];
  return { log: { ...silentLog, error: (...entry) => told.push(entry) }, told };
}

/** As Node says that the system allows no more threads. */
function refusal(): Error {
  return Object.assign(new Error('EAGAIN'), { code: 'ERR_WORKER_INIT_FAILED' });
}

test('WorkerPool replaces a thread although the system refuses one for a while', async (t) => {
  let refusals = 0;
  const { log, told } = errorLog();
  const { pool } = await startPool(t, {
    clock: patientClock, log,
    beforeSpawn() {
      if (refusals-- > 0) throw refusal();
    },
  });
  refusals = 2;
  await pool.run(caseFile('exit'), () => {});
  await untilFree(pool, 2);
  assert.ok(refusals < 0);
  assert.equal(told.length, 1, 'once');
  const { hint, ...counts } = told[0]?.[1] ?? {};
  assert.deepEqual(counts, { threads: 0, workers: 1 });
  assert.match(String(hint), /lower WORKERS, or raise TasksMax .*\.$/);
  assert.equal((await pool.run(caseFile('Fine'), () => {})).kind, 'done');
});

test('WorkerPool.start() makes do with the threads that the system allows', async (t) => {
  let left = 2;
  const { log, told } = errorLog();
  const { pool } = await startPool(t, {
    workers: 5, log,
    beforeSpawn() {
      if (left-- <= 0) throw refusal();
    },
  });
  await untilFree(pool, 4);
  assert.equal(pool.freeSlots, 4, 'of two threads');
  assert.equal(pool.isUp, true);
  assert.deepEqual(told.map(([, fields]) => fields?.['threads']), [2]);
  assert.equal((await pool.run(caseFile('Fine'), () => {})).kind, 'done');
});

test('WorkerPool.start() goes on without a thread, and has some once there is room', async (t) => {
  let isFull = true;
  const { pool } = await startPool(t, {
    workers: 2, clock: fastClock,
    beforeSpawn() {
      if (isFull) throw refusal();
    },
  });
  assert.deepEqual([pool.isUp, pool.freeSlots], [false, 0]);
  isFull = false;
  await untilFree(pool, 4);
  assert.equal(pool.isUp, true);
});

test('WorkerPool.start() rejects when no thread begins for another reason', async (t) => {
  await assert.rejects(startPool(t, { workers: 2, flaw: () => 'ends at once' }), /broken/);
});

test('WorkerPool.run() blames no alert for a thread that cannot load its work', async (t) => {
  let flaw: string | null = 'cannot load';
  const { log, told } = errorLog();
  const { pool, deaths } = await startPool(t, { clock: patientClock, log, flaw: () => flaw });
  for (let round = 1; round <= 4; round += 1) {
    await untilFree(pool, 2);
    const both = [pool.run(caseFile('Fine'), () => {}), pool.run(caseFile('exit'), () => {})];
    assert.deepEqual(await Promise.all(both), [{ kind: 'unready' }, { kind: 'unready' }]);
    assert.equal(pool.isUp, false, 'also while the next thread seems to be ready');
  }
  assert.deepEqual(deaths, ['start', 'start', 'start', 'start']);
  assert.equal(told.length, 1);
  assert.match(String(told[0]?.[1]?.['hint']), /no more files: raise LimitNOFILE/);
  flaw = null;
  let outcome = await pool.run(caseFile('Fine'), () => {});
  while (outcome.kind !== 'done') {
    await untilFree(pool, 2);
    outcome = await pool.run(caseFile('Fine'), () => {});
  }
  assert.equal(pool.isUp, true);
});

test('WorkerPool lets more and more time pass while threads cannot load their work', async (t) => {
  const pauses: number[] = [];
  const clock: Clock = {
    ...fastClock,
    sleep(ms, signal) {
      pauses.push(ms);
      return fastClock.sleep(ms, signal);
    },
  };
  const { pool, deaths } = await startPool(t, { clock, flaw: () => 'cannot load' });
  while (deaths.length < 6) {
    await untilFree(pool, 2);
    await pool.run(caseFile('Fine'), () => {});
  }
  const wanted = [1_000, 2_000, 4_000, 8_000, 10_000];
  assert.deepEqual(pauses.filter((ms) => wanted.includes(ms)).slice(0, 5), wanted);
});

/** The outcome once a thread has loaded its work, for which a fast clock may leave no time. */
async function runLoaded(pool: WorkerPool, name: string): Promise<string> {
  for (;;) {
    const kind = kindOf(await pool.run(caseFile(name), () => {}));
    if (kind !== 'unready') return kind;
    await untilFree(pool, 1);
  }
}

test('WorkerPool.run() ends a thread that is stuck in a loop', async (t) => {
  const { pool, deaths } = await startPool(t, { clock: fastClock });
  assert.equal(await runLoaded(pool, 'loop'), 'died of deadline');
  assert.equal(deaths.at(-1), 'deadline');
});

test('WorkerPool.run() ends no thread because the process stood still', async (t) => {
  let jumpedMs = 0;
  const clock: Clock = {
    now: () => systemClock.now(),
    monotonic: () => systemClock.monotonic() * 20 + jumpedMs,
    sleep: (ms, signal) => systemClock.sleep(ms / 20, signal),
  };
  const { pool, deaths } = await startPool(t, { clock });
  const outcome = pool.run(caseFile('mute'), () => {});
  jumpedMs = 37_000;
  await systemClock.sleep(600); // It has looked after its threads twice.
  assert.deepEqual(deaths, []);
  await pool.stop();
  assert.deepEqual(await outcome, { kind: 'stopped' });
});

test('WorkerPool.run() cancels at the deadline, and the thread lives', async (t) => {
  // The thread has all the time it needs to say that it has heard.
  const { pool, deaths } = await startPool(t, { clock: systemClock, timeoutMs: 1 });
  const outcome = await pool.run(caseFile('hang'), () => {});
  assert.deepEqual(outcome, { kind: 'failed', message: 'deadline', isDeadline: true });
  assert.deepEqual(deaths, []);
});

test('WorkerPool.run() ends a thread that ignores its deadline', async (t) => {
  const { pool } = await startPool(t, { clock: fastClock, timeoutMs: 1_000 });
  assert.equal(await runLoaded(pool, 'mute'), 'died of deadline');
});

test('WorkerPool.run() tells an error of the investigation from a death', async (t) => {
  const { pool } = await startPool(t);
  const outcome = await pool.run(caseFile('error'), () => {});
  assert.deepEqual(outcome, { kind: 'failed', message: 'went wrong', isDeadline: false });
});

test('WorkerPool.memoryBytes is what the threads told last', async (t) => {
  const { pool } = await startPool(t, { clock: fastClock, workers: 2 });
  while (pool.memoryBytes < 4) await systemClock.sleep(5);
  assert.equal(pool.memoryBytes, 4, 'both have answered a ping');
  assert.equal(kindOf(await pool.run(caseFile('loop'), () => {})), 'died of deadline');
  await untilFree(pool, 4);
  assert.ok([3, 4].includes(pool.memoryBytes), 'what a dead thread held is not counted');
});

test('WorkerPool.stop() gives back what runs, and lets threads end by themselves', async (t) => {
  const { pool, exitCodes } = await startPool(t, { workers: 2 });
  const outcome = pool.run(caseFile('mute'), () => {});
  await pool.stop();
  assert.deepEqual(exitCodes, [0, 0], 'terminated it would be 1');
  assert.deepEqual(await outcome, { kind: 'stopped' });
  assert.equal(pool.isUp, false);
  assert.deepEqual(await pool.run(caseFile('Fine'), () => {}), { kind: 'stopped' });
});

test('WorkerPool.stop() begins nothing new while it frees slots', async (t) => {
  let isStopping = false;
  let begun = 0;
  const { pool } = await startPool(t, {
    workers: 2,
    onFree: () => {
      if (!isStopping) return;
      begun += 1;
      void pool.run(caseFile('Fine'), () => {});
    },
  });
  await untilFree(pool, 4);
  const first = pool.run(caseFile('mute', 'a'), () => {});
  isStopping = true;
  await pool.stop();
  assert.equal(kindOf(await first), 'stopped');
  assert.equal(begun, 1, 'a task that took its place would be given back as well');
});

/** The thread that investigates an alert of the group. */
async function threadOf(pool: WorkerPool, group: string): Promise<string> {
  const outcome = await pool.run(caseFile('where', group), () => {});
  assert.ok(outcome.kind === 'done');
  return outcome.report.conclusion.headline;
}

test('WorkerPool.run() keeps a group in one thread while that has room', async (t) => {
  const { pool } = await startPool(t, { workers: 2 });
  await untilFree(pool, 4);
  const first = await threadOf(pool, 'a');
  const inFirst = pool.run(caseFile('mute', 'a'), () => {});
  assert.equal(await threadOf(pool, 'a'), first, 'though the other thread is less busy');
  assert.notEqual(await threadOf(pool, 'b'), first, 'another group goes to the other thread');
  const second = pool.run(caseFile('mute', 'a'), () => {});
  assert.notEqual(await threadOf(pool, 'a'), first, 'when there is no room');
  await pool.stop();
  assert.deepEqual((await Promise.all([inFirst, second])).map(kindOf), ['stopped', 'stopped']);
});

test('WorkerPool.run() finds another thread for a group whose thread died', async (t) => {
  const { pool } = await startPool(t, { workers: 2 });
  await untilFree(pool, 4);
  const first = await threadOf(pool, 'a');
  assert.equal(kindOf(await pool.run(caseFile('exit', 'a'), () => {})), 'died of crash');
  assert.notEqual(await threadOf(pool, 'a'), first);
});

test('WorkerPool tells threads of new secrets, and is told what they asked', async (t) => {
  const asked: SourceCall[] = [];
  const { pool } = await startPool(t, { onAsked: (each) => asked.push(each) });
  const access = {
    urls: ['http://new'], token: null, login: null, headers: [], ca: null, timeoutMs: 1,
  };
  const sources = { ...bySource(() => null), prometheus: access };
  pool.broadcast({ kind: 'sources', sources, model: null });
  const outcome = await pool.run(caseFile('ask'), () => {});
  assert.equal(outcome.kind === 'done' && outcome.report.conclusion.headline, 'http://new');
  assert.deepEqual(asked, [
    {
      source: 'prometheus', servers: ['http://p:9090'], server: 'http://p:9090',
      result: 'ok', durationMs: 5, failure: null, left: null,
    },
  ]);
});

test('WorkerPool logs what kept a thread from reading a source, with the stack', async (t) => {
  const logged: unknown[] = [];
  const log = { ...silentLog, error: (...entry: unknown[]) => logged.push(entry) };
  const { pool } = await startPool(t, { log });
  await pool.run(caseFile('ask'), () => {});
  const [[message, fields] = []] = logged as [string, { source: string; error: Error }][];
  assert.equal(message, 'Cannot read the answer of a source');
  assert.equal(fields?.source, 'loki');
  assert.match(fields.error.stack ?? '', /^TypeError: no such line\n +at misbehave/);
});

test('WorkerPool.stop() does not wait for a stuck thread', async (t) => {
  const { pool, exitCodes } = await startPool(t);
  await pool.run(caseFile('Fine'), () => {}); // From now on it is told of tasks at once.
  const outcome = pool.run(caseFile('loop'), () => {});
  await pool.stop();
  assert.deepEqual(await outcome, { kind: 'stopped' });
  assert.deepEqual(exitCodes, [1]);
});
