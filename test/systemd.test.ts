import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { tellReady } from '../src/systemd.ts';
import type { Logger } from '../src/telemetry/log.ts';
import { silentLog } from './support/silent-log.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

/** A folder whose systemd-notify writes down what it is given, and ends with the code. */
function fakeNotify(t: TestContext, code: number): { PATH: string; given: string } {
  const folder = temporaryDirectory(t);
  const given = join(folder, 'given');
  const script = `#!/bin/sh\necho "$NOTIFY_SOCKET $* $SECRET" >'${given}'\nexit ${code}\n`;
  writeFileSync(join(folder, 'systemd-notify'), script, { mode: 0o755 });
  return { PATH: folder, given };
}

function recordWarnings(): { log: Logger; warnings: string[] } {
  const warnings: string[] = [];
  return { log: { ...silentLog, warn: (message) => warnings.push(message) }, warnings };
}

test('tellReady has systemd-notify tell, and hands it nothing else', async (t) => {
  const { PATH, given } = fakeNotify(t, 0);
  const { log, warnings } = recordWarnings();
  await tellReady({ NOTIFY_SOCKET: '/run/n', PATH, SECRET: 'secret' }, log);
  assert.equal(readFileSync(given, 'utf8'), '/run/n --ready \n');
  assert.deepEqual(warnings, []);
});

test('tellReady starts nothing when nobody wants to be told', async (t) => {
  const { PATH, given } = fakeNotify(t, 0);
  await tellReady({ PATH }, silentLog);
  assert.ok(!existsSync(given));
});

test('tellReady warns when it cannot tell', async (t) => {
  const { log, warnings } = recordWarnings();
  await tellReady({ NOTIFY_SOCKET: '/run/n', PATH: fakeNotify(t, 1).PATH }, log);
  await tellReady({ NOTIFY_SOCKET: '/run/n', PATH: '/nonexistent' }, log);
  assert.equal(warnings.length, 2);
});
