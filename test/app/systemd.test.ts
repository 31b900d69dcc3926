import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { notifyReady } from '../../src/app/systemd.ts';
import type { Logger } from '../../src/telemetry/log.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** A folder whose systemd-notify writes down what it is given, and ends with the code. */
function fakeNotify(code: number): { PATH: string; given: string } {
  const folder = temporaryDirectory();
  const given = join(folder, 'given');
  const script = `#!/bin/sh\necho "$NOTIFY_SOCKET $* $SECRET" >'${given}'\nexit ${code}\n`;
  writeFileSync(join(folder, 'systemd-notify'), script, { mode: 0o755 });
  return { PATH: folder, given };
}

function recordWarnings(): { log: Logger; warnings: string[] } {
  const warnings: string[] = [];
  return { log: { ...silentLog, warn: (message) => warnings.push(message) }, warnings };
}

test('notifyReady runs systemd-notify, without the rest of the environment', async () => {
  const { PATH, given } = fakeNotify(0);
  const { log, warnings } = recordWarnings();
  await notifyReady({ NOTIFY_SOCKET: '/run/n', PATH, SECRET: 'secret' }, log);
  assert.equal(readFileSync(given, 'utf8'), '/run/n --ready \n');
  assert.deepEqual(warnings, []);
});

test('notifyReady runs nothing when systemd did not ask', async () => {
  const { PATH, given } = fakeNotify(0);
  await notifyReady({ PATH }, silentLog);
  assert.ok(!existsSync(given));
});

test('notifyReady warns when it fails', async () => {
  const { log, warnings } = recordWarnings();
  await notifyReady({ NOTIFY_SOCKET: '/run/n', PATH: fakeNotify(1).PATH }, log);
  await notifyReady({ NOTIFY_SOCKET: '/run/n', PATH: '/nonexistent' }, log);
  assert.equal(warnings.length, 2);
});
