import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCore, type Core } from '../../src/app/core.ts';
import { loadSettings, type Settings } from '../../src/config/settings.ts';
import { commandClock, systemClock } from '../../src/lib/clock.ts';
import { Shutdown } from '../../src/lib/shutdown.ts';
import type { Logger } from '../../src/telemetry/log.ts';
import { Registry } from '../../src/telemetry/metrics.ts';
import { createServiceMetrics } from '../../src/telemetry/service-metrics.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

class ToldShutdown extends Shutdown {
  readonly stopped: string[] = [];

  override onStop(name: string, stop: () => void | Promise<void>): void {
    super.onStop(name, () => {
      this.stopped.push(name);
      return stop();
    });
  }
}

function start(shutdown: Shutdown, settings: Settings, log: Logger = silentLog): Promise<Core> {
  return startCore({
    settings, log, clock: systemClock, version: '1', shutdown,
    metrics: createServiceMetrics(new Registry(), { version: '1', nodeVersion: '20', model: null }),
  }, { reportBase: 'http://localhost', onChange() {} });
}

test('startCore() stops narratives while their reports can still be stored', async () => {
  const shutdown = new ToldShutdown();
  await start(shutdown, loadSettings({
    DATA_DIR: temporaryDirectory(), WORKERS: '1',
    MODEL_PROVIDER: 'openai', MODEL_NAME: 'm', MODEL_API_KEY: 'key-of-a-model-1',
    MODEL_URL: 'http://127.0.0.1:9',
  }, { cores: 1, isTerminal: false }));
  await shutdown.stop();
  const inOrder = ['narrations', 'analysis', 'journal'];
  assert.deepEqual(shutdown.stopped.filter((name) => inOrder.includes(name)), inOrder);
});

test('startCore() leaves no thread behind if none can be started', async () => {
  const directory = { DATA_DIR: temporaryDirectory(), WORKERS: '1' };
  const settings = loadSettings(directory, { cores: 1, isTerminal: false });
  const ended: string[] = [];
  const log: Logger = { ...silentLog, warn: (message) => ended.push(message), with: () => log };
  const shutdown = new Shutdown();
  // With less still, Node 26 ends the process in place of the thread.
  const tooSmall = { ...settings, analysis: { ...settings.analysis, workerMemoryMb: 3 } };
  await assert.rejects(start(shutdown, tooSmall, log), { code: 'ERR_WORKER_OUT_OF_MEMORY' });
  await shutdown.stop();
  const before = ended.length;
  await commandClock.sleep(1_000); // Twice as long as it takes until another is begun.
  assert.equal(ended.length, before);
});
