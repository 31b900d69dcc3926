import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { startService } from '../../src/app/service.ts';
import { Secret } from '../../src/config/secret.ts';
import { tokenLines } from '../../src/config/secret-format.ts';
import { loadSettings } from '../../src/config/settings.ts';
import type { Logger } from '../../src/telemetry/log.ts';
import { listenLocally } from '../support/http/local-server.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

class UnstoppableSecret extends Secret {
  override follow(): () => void {
    return () => {
      throw new Error('cannot be stopped');
    };
  }
}

test('startService() rejects with why it cannot start, even if something cannot be undone',
  async (t) => {
    const { port } = new URL(await listenLocally(t, createServer()));
    const directory = { PORT: port, DATA_DIR: temporaryDirectory() };
    const settings = loadSettings(directory, { cores: 1, isTerminal: false });
    const errors: string[] = [];
    const log: Logger = { ...silentLog, error: (message) => errors.push(message), with: () => log };
    const secret = new UnstoppableSecret({ name: 'X', file: null, format: tokenLines }, ['x']);
    const starting = startService({ ...settings, secrets: [secret] }, log, { version: '1' });
    await assert.rejects(starting, { message: /^Cannot listen at HOST and PORT: / });
    assert.deepEqual(errors, ['Did not stop cleanly']);
  });
