import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secrets } from '../src/config/secrets.ts';
import { loadSettings } from '../src/config/settings.ts';
import { startCore } from '../src/core.ts';
import { systemClock } from '../src/lib/clock.ts';
import { Shutdown } from '../src/lib/shutdown.ts';
import { Registry } from '../src/telemetry/metrics.ts';
import { createServiceMetrics } from '../src/telemetry/service-metrics.ts';
import { silentLog } from './support/silent-log.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

test('startCore() has narratives end while their reports can be stored', async () => {
  const stopped: string[] = [];
  class ToldShutdown extends Shutdown {
    override onStop(name: string, stop: () => void | Promise<void>): void {
      super.onStop(name, () => {
        stopped.push(name);
        return stop();
      });
    }
  }
  const shutdown = new ToldShutdown();
  const settings = loadSettings({
    DATA_DIR: temporaryDirectory(), WORKERS: '1',
    MODEL_PROVIDER: 'openai', MODEL_NAME: 'm', MODEL_API_KEY: 'key-of-a-model-1',
    MODEL_URL: 'http://127.0.0.1:9',
  }, { cores: 1, isTerminal: false });
  await startCore({
    settings, secrets: new Secrets(settings.secrets), log: silentLog, clock: systemClock,
    version: '1', shutdown, reportBase: 'http://localhost', onChange() {},
    metrics: createServiceMetrics(new Registry(), { version: '1', nodeVersion: '20', model: null }),
  });
  await shutdown.stop();
  const inOrder = ['narrations', 'analysis', 'journal'];
  assert.deepEqual(stopped.filter((name) => inOrder.includes(name)), inOrder);
});
