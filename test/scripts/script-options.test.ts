import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const sendAlert = fileURLToPath(new URL('../../scripts/send-alert.js', import.meta.url));

function run(...options: readonly string[]): { status: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [sendAlert, ...options], {
    encoding: 'utf8',
  });
  return { status, out: stdout, err: stderr };
}

test('a script says what it does and takes when it is asked for help', () => {
  const { status, out, err } = run('--count', '3', '--help');
  assert.deepEqual([status, err], [0, '']);
  assert.match(out, /^Posts sample notifications .*\n\n {2}npx tsx \S+ \[--url/);
});

test('a script says which option it does not know, without a stack', () => {
  const { status, out, err } = run('--cuont', '3');
  assert.deepEqual([status, out], [2, '']);
  assert.match(err, /^Unknown option '--cuont'.*\n\nPosts sample notifications/);
  assert.doesNotMatch(err, /\n {4}at /);
});
