import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { flock } from '../../src/lib/flock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const script = fileURLToPath(new URL('../support/disk/hold-lock.js', import.meta.url));

test('flock() keeps a second one out until the first is released', async (t) => {
  const directory = temporaryDirectory();
  const first = await flock(directory);
  if (first === 'unsupported') return t.skip('no flock program');
  assert.notEqual(first, 'taken');
  assert.equal(await flock(directory), 'taken');
  if (first !== 'taken') await first.release();
  const second = await flock(directory);
  assert.ok(typeof second === 'object');
  await second.release();
});

test('flock() is free again once its process was killed', async (t) => {
  const directory = join(temporaryDirectory(), 'data');
  const child = spawn(process.execPath, [script, directory], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const held = await flock(directory);
  if (typeof held === 'object') await held.release();
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  const freed = await flock(directory);
  if (freed === 'unsupported') return t.skip('no flock program');
  assert.equal(held, 'taken');
  assert.ok(typeof freed === 'object');
  await freed.release();
});

test('flock() says when it cannot lock', async () => {
  assert.equal(await flock(join(temporaryDirectory(), 'absent')), 'unsupported');
});
