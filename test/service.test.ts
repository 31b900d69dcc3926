import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { Secrets } from '../src/config/secrets.ts';
import { loadSettings } from '../src/config/settings.ts';
import { startService } from '../src/service.ts';
import type { Logger } from '../src/telemetry/log.ts';
import { listenLocally } from './support/http/local-server.ts';
import { silentLog } from './support/silent-log.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

class UnstoppableSecrets extends Secrets {
  override stop(): void {
    throw new Error('cannot be stopped');
  }
}

test('startService() rejects with why it cannot start, even if something cannot be undone',
  async (t) => {
    const { port } = new URL(await listenLocally(t, createServer()));
    const directory = { PORT: port, DATA_DIR: temporaryDirectory() };
    const settings = loadSettings(directory, { cores: 1, isTerminal: false });
    const errors: string[] = [];
    const log: Logger = { ...silentLog, error: (message) => errors.push(message), with: () => log };
    const secrets = new UnstoppableSecrets([]);
    const starting = startService(settings, log, { version: '1', secrets });
    await assert.rejects(starting, { message: /^Cannot listen at HOST and PORT: / });
    assert.deepEqual(errors, ['Did not stop cleanly']);
  });
