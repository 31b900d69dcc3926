import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  closeSync, openSync, renameSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { redactionsOf, Secret } from '../../src/config/secret.ts';
import { tokenLines } from '../../src/config/secret-format.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface Followed {
  readonly path: string;
  readonly clock: ManualClock;
  /** Why it failed, once until the reason changes. */
  readonly failures: string[];
  /** The outcome of every attempt. */
  readonly attempts: string[];
  readonly changes: string[];
  readonly secret: Secret;
}

function follow(t: TestContext, values: readonly string[]): Followed {
  const path = join(temporaryDirectory(), 'token');
  writeFileSync(path, values.join('\n'));
  const clock = new ManualClock();
  const failures: string[] = [];
  const attempts: string[] = [];
  const changes: string[] = [];
  const secret = new Secret({ name: 'ACCESS_TOKEN', file: path, format: tokenLines }, values);
  const stop = secret.follow({
    clock,
    onChange: ({ name }) => changes.push(name),
    onFailure: (_secret, { message }, isNews) => {
      attempts.push(message);
      if (isNews) failures.push(message);
    },
  });
  t.after(stop);
  return { path, clock, failures, attempts, changes, secret };
}

/** Lets the polls of the next seconds happen until one has had the effect. */
async function pollUntil(clock: ManualClock, holds: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + 20_000;
  while (!holds() && performance.now() < giveUpAt) {
    await clock.advance(100);
  }
  assert.ok(holds());
}

test('Secret takes a new value and keeps the old one valid for five minutes', async (t) => {
  const { path, clock, changes, secret } = follow(t, ['old']);
  assert.deepEqual(secret.values(), ['old']);
  writeFileSync(path, 'new\n');
  await secret.reload();
  assert.deepEqual(secret.values(), ['new', 'old']);
  assert.deepEqual(changes, ['ACCESS_TOKEN']);
  await clock.advance(5 * 60_000 - 1);
  assert.deepEqual(secret.values(), ['new', 'old']);
  await clock.advance(1);
  assert.deepEqual(secret.values(), ['new']);
});

test('Secret notices by itself that the file has changed', async (t) => {
  const { path, clock, secret } = follow(t, ['old']);
  writeFileSync(path, 'new-by-polling');
  await pollUntil(clock, () => secret.values()[0] === 'new-by-polling');
});

test('Secret notices a link to another file, as mounted secrets change', async (t) => {
  const { path, clock, secret } = follow(t, ['old']);
  writeFileSync(`${path}-2`, 'new');
  symlinkSync(`${path}-2`, `${path}-link`);
  renameSync(`${path}-link`, path);
  await pollUntil(clock, () => secret.values()[0] === 'new');
});

test('Secret keeps its value when the file is broken, and says so once', async (t) => {
  const { path, failures, changes, secret } = follow(t, ['old']);
  writeFileSync(path, '\n \n');
  await secret.reload();
  await secret.reload();
  assert.deepEqual(failures, ['is empty']);
  unlinkSync(path);
  await secret.reload();
  await secret.reload();
  assert.equal(failures.length, 2);
  assert.match(failures[1] ?? '', /ENOENT/);
  assert.deepEqual(secret.values(), ['old']);
  assert.deepEqual(changes, []);
});

test('Secret recovers, and reports the same failure again when it comes back', async (t) => {
  const { path, failures, secret } = follow(t, ['old']);
  for (const content of ['', 'old', '']) {
    writeFileSync(path, content);
    await secret.reload();
  }
  assert.deepEqual(failures, ['is empty', 'is empty']);
});

test('Secret retries a broken file and reports each failure', async (t) => {
  const { path, clock, failures, attempts } = follow(t, ['old']);
  writeFileSync(path, '');
  await pollUntil(clock, () => attempts.length >= 3);
  assert.deepEqual(failures, ['is empty']);
});

test('Secret never quotes the content of the file in a failure', async (t) => {
  const { path, failures, secret } = follow(t, ['old']);
  writeFileSync(path, 'canary-é');
  await secret.reload();
  assert.equal(failures.length, 1);
  assert.ok(!failures.join().includes('canary'));
});

test('Secret keeps values of two rotations, each for its own five minutes', async (t) => {
  const { path, clock, secret } = follow(t, ['a', 'b']);
  writeFileSync(path, 'b\nc');
  await secret.reload();
  await clock.advance(60_000);
  writeFileSync(path, 'c\na');
  await secret.reload();
  assert.deepEqual(secret.values(), ['c', 'a', 'b']);
  await clock.advance(5 * 60_000);
  assert.deepEqual(secret.values(), ['c', 'a']);
});

test('Secret keeps what an earlier rotation removed through the next one', async (t) => {
  const { path, secret } = follow(t, ['a']);
  assert.equal(secret.values(), secret.values(), 'one array, so that callers can cache');
  for (const value of ['b', 'c']) {
    writeFileSync(path, value);
    await secret.reload();
  }
  assert.deepEqual(secret.values(), ['c', 'b', 'a']);
});

test('Secret notices a link to another file of the same size and time', async (t) => {
  const { path, clock, secret } = follow(t, ['old']);
  writeFileSync(`${path}-2`, 'new');
  for (const file of [path, `${path}-2`]) utimesSync(file, 1, 1);
  await pollUntil(clock, () => clock.monotonic() > 10_000);
  renameSync(`${path}-2`, path);
  await pollUntil(clock, () => secret.values()[0] === 'new');
});

test('Secret reads again once the folder of the file is back, unchanged', async (t) => {
  const { path, clock, failures, attempts } = follow(t, ['old']);
  const folder = dirname(path);
  const giveUpAt = performance.now() + 20_000;
  // Once it has read the file again, the same failure is news again.
  while (failures.length < 2 && performance.now() < giveUpAt) {
    await clock.advance(5_000);
    await setTimeout(20);
    renameSync(folder, `${folder}-away`);
    const before = attempts.length;
    await pollUntil(clock, () => attempts.length > before);
    renameSync(`${folder}-away`, folder);
  }
  assert.equal(failures.length, 2);
});

test('secrets whose files hang leave threads to others', async (t) => {
  const directory = temporaryDirectory();
  const files = Array.from({ length: 6 }, (_, index) => join(directory, `${index}`));
  execFileSync('mkfifo', files); // Opening one takes until somebody writes to it.
  const stops = files.map((file) =>
    new Secret({ name: 'ACCESS_TOKEN', file, format: tokenLines }, ['a']).follow({
      clock: new ManualClock(), onChange() {}, onFailure() {},
    }));
  t.after(() => {
    for (const stop of stops) stop();
    const opened = files.map((file) => openSync(file, 'r+'));
    for (const file of files) rmSync(file);
    for (const descriptor of opened) closeSync(descriptor);
  });
  await setTimeout(200);
  const read = readFile('package.json').then(() => 'read');
  assert.equal(await Promise.race([read, setTimeout(5_000, 'no thread is free')]), 'read');
});

test('a secret that was given as a variable never changes', async () => {
  const secret = new Secret({ name: 'ACCESS_TOKEN', file: null, format: tokenLines }, ['fixed']);
  const events: unknown[] = [];
  const clock = new ManualClock();
  const stop = secret.follow({
    clock,
    onChange: (changed) => events.push(changed),
    onFailure: (_secret, error) => events.push(error),
  });
  await secret.reload();
  await clock.advance(60_000);
  assert.deepEqual(secret.values(), ['fixed']);
  assert.deepEqual(events, []);
  stop();
});

test('Secret.redactions() hides the value of a header, not its name, scheme or tenant', () => {
  const hidden = (name: string, value: string): readonly string[] =>
    new Secret({ name, file: null, format: tokenLines }, [value]).redactions();
  assert.deepEqual(hidden('LOKI_HEADERS', 'X-Key: abc:def'), ['abc:def']);
  assert.deepEqual(hidden('LOKI_HEADERS', 'Authorization: Bearer  abc'), ['abc']);
  assert.deepEqual(hidden('LOKI_HEADERS', 'X-Scope-OrgID: shop'), []);
  assert.deepEqual(hidden('LOKI_HEADERS', 'THANOS-TENANT: shop'), []);
  assert.deepEqual(hidden('ACCESS_TOKEN', 'a: b'), ['a: b']);
});

test('redactionsOf() hides old and new values alike', async (t) => {
  const directory = temporaryDirectory();
  const file = join(directory, 'token');
  writeFileSync(file, 'first-token-value\n');
  const environment = { ACCESS_TOKEN_FILE: file, READ_USER: 'u', READ_PASSWORD: 'pass-word' };
  const settings = loadSettings(environment, { cores: 1, isTerminal: false });
  const { secrets } = settings;
  const { token, login } = settings.http.access;
  assert.deepEqual(token?.values(), ['first-token-value']);

  const changed: string[] = [];
  const failed: string[] = [];
  for (const secret of secrets) {
    t.after(secret.follow({
      clock: new ManualClock(),
      onChange: ({ name }) => changed.push(name),
      onFailure: ({ name }) => failed.push(name),
    }));
  }
  writeFileSync(file, 'second-token-value\n');
  assert.equal(await token?.reload(), true);
  assert.deepEqual(token?.values(), ['second-token-value', 'first-token-value']);
  assert.deepEqual(login?.password.values(), ['pass-word']);
  assert.deepEqual(redactionsOf(secrets).toSorted(), [
    'first-token-value', 'pass-word', 'second-token-value',
  ]);

  writeFileSync(file, '');
  assert.equal(await token?.reload(), false);
  assert.deepEqual([changed, failed], [['ACCESS_TOKEN'], ['ACCESS_TOKEN']]);
  assert.equal(token?.values()[0], 'second-token-value');
});
