import assert from 'node:assert/strict';
import { renameSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { redactionsOf, Secret, tokenLines } from '../../src/config/secret.ts';
import { SecretFile } from '../../src/config/secret-file.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface Watched {
  readonly path: string;
  readonly clock: ManualClock;
  /** Why it failed, once until the reason changes. */
  readonly failures: string[];
  /** Of all attempts. */
  readonly attempts: string[];
  readonly changes: string[];
  readonly secretFile: SecretFile;
}

function watch(t: TestContext, values: readonly string[]): Watched {
  const path = join(temporaryDirectory(), 'token');
  writeFileSync(path, values.join('\n'));
  const clock = new ManualClock();
  const failures: string[] = [];
  const attempts: string[] = [];
  const changes: string[] = [];
  const secret = new Secret({ name: 'ACCESS_TOKEN', file: path, format: tokenLines }, values);
  const secretFile = SecretFile.watch(secret, {
    clock,
    onChange: ({ name }) => changes.push(name),
    onFailure: (_secret, { message }, isNews) => {
      attempts.push(message);
      if (isNews) failures.push(message);
    },
  });
  t.after(() => secretFile.stop());
  return { path, clock, failures, attempts, changes, secretFile };
}

/** Lets the polls of the next seconds happen until one has had the effect. */
async function pollUntil(clock: ManualClock, holds: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + 20_000;
  while (!holds() && performance.now() < giveUpAt) {
    await clock.advance(100);
  }
  assert.ok(holds());
}

test('SecretFile takes a new value and keeps the old one valid for five minutes', async (t) => {
  const { path, clock, changes, secretFile } = watch(t, ['old']);
  assert.deepEqual(secretFile.current(), ['old']);
  writeFileSync(path, 'new\n');
  await secretFile.reload();
  assert.deepEqual(secretFile.current(), ['new', 'old']);
  assert.deepEqual(changes, ['ACCESS_TOKEN']);
  await clock.advance(5 * 60_000 - 1);
  assert.deepEqual(secretFile.current(), ['new', 'old']);
  await clock.advance(1);
  assert.deepEqual(secretFile.current(), ['new']);
});

test('SecretFile notices by itself that the file has changed', async (t) => {
  const { path, clock, secretFile } = watch(t, ['old']);
  writeFileSync(path, 'new-by-polling');
  await pollUntil(clock, () => secretFile.current()[0] === 'new-by-polling');
});

test('SecretFile follows a link to another file, as mounted secrets change', async (t) => {
  const { path, clock, secretFile } = watch(t, ['old']);
  writeFileSync(`${path}-2`, 'new');
  symlinkSync(`${path}-2`, `${path}-link`);
  renameSync(`${path}-link`, path);
  await pollUntil(clock, () => secretFile.current()[0] === 'new');
});

test('SecretFile keeps its value when the file is broken, and says so once', async (t) => {
  const { path, failures, changes, secretFile } = watch(t, ['old']);
  writeFileSync(path, '\n \n');
  await secretFile.reload();
  await secretFile.reload();
  assert.deepEqual(failures, ['is empty']);
  unlinkSync(path);
  await secretFile.reload();
  await secretFile.reload();
  assert.equal(failures.length, 2);
  assert.match(failures[1] ?? '', /ENOENT/);
  assert.deepEqual(secretFile.current(), ['old']);
  assert.deepEqual(changes, []);
});

test('SecretFile recovers, and reports the same failure again when it comes back', async (t) => {
  const { path, failures, secretFile } = watch(t, ['old']);
  for (const content of ['', 'old', '']) {
    writeFileSync(path, content);
    await secretFile.reload();
  }
  assert.deepEqual(failures, ['is empty', 'is empty']);
});

test('SecretFile retries a broken file and reports each failure', async (t) => {
  const { path, clock, failures, attempts } = watch(t, ['old']);
  writeFileSync(path, '');
  await pollUntil(clock, () => attempts.length >= 3);
  assert.deepEqual(failures, ['is empty']);
});

test('SecretFile never quotes the content of the file in a failure', async (t) => {
  const { path, failures, secretFile } = watch(t, ['old']);
  writeFileSync(path, 'canary-é');
  await secretFile.reload();
  assert.equal(failures.length, 1);
  assert.ok(!failures.join().includes('canary'));
});

test('SecretFile keeps values of two rotations, each for its own five minutes', async (t) => {
  const { path, clock, secretFile } = watch(t, ['a', 'b']);
  writeFileSync(path, 'b\nc');
  await secretFile.reload();
  await clock.advance(60_000);
  writeFileSync(path, 'c\na');
  await secretFile.reload();
  assert.deepEqual(secretFile.current(), ['c', 'a', 'b']);
  await clock.advance(5 * 60_000);
  assert.deepEqual(secretFile.current(), ['c', 'a']);
});

test('SecretFile keeps what an earlier rotation removed through the next one', async (t) => {
  const { path, secretFile } = watch(t, ['a']);
  assert.equal(secretFile.current(), secretFile.current(), 'one array, so that callers can cache');
  for (const value of ['b', 'c']) {
    writeFileSync(path, value);
    await secretFile.reload();
  }
  assert.deepEqual(secretFile.current(), ['c', 'b', 'a']);
});

test('SecretFile notices a link to another file of the same size and time', async (t) => {
  const { path, clock, secretFile } = watch(t, ['old']);
  writeFileSync(`${path}-2`, 'new');
  for (const file of [path, `${path}-2`]) utimesSync(file, 1, 1);
  await pollUntil(clock, () => clock.monotonic() > 10_000);
  renameSync(`${path}-2`, path);
  await pollUntil(clock, () => secretFile.current()[0] === 'new');
});

test('SecretFile reads again once the folder of the file is back, unchanged', async (t) => {
  const { path, clock, failures, attempts } = watch(t, ['old']);
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

test('SecretFile never changes a secret that was given as a variable', async () => {
  const secret = new Secret({ name: 'ACCESS_TOKEN', file: null, format: tokenLines }, ['fixed']);
  const events: unknown[] = [];
  const clock = new ManualClock();
  const fixed = SecretFile.watch(secret, {
    clock,
    onChange: (changed) => events.push(changed),
    onFailure: (_secret, error) => events.push(error),
  });
  await fixed.reload();
  await clock.advance(60_000);
  assert.deepEqual(fixed.current(), ['fixed']);
  assert.deepEqual(events, []);
  fixed.stop();
});

test('redactionsOf() hides the value of a header, not its name, scheme or tenant', () => {
  const headers = new Secret({ name: 'LOKI_HEADERS', file: null, format: tokenLines }, ['x']);
  assert.deepEqual(redactionsOf(headers, ['X-Key: abc:def']), ['abc:def']);
  assert.deepEqual(redactionsOf(headers, ['Authorization: Bearer  abc']), ['abc']);
  assert.deepEqual(redactionsOf(headers, ['X-Scope-OrgID: shop', 'THANOS-TENANT: shop']), []);
  const plain = new Secret({ name: 'ACCESS_TOKEN', file: null, format: tokenLines }, ['x']);
  assert.deepEqual(redactionsOf(plain, ['a: b']), ['a: b']);
});
