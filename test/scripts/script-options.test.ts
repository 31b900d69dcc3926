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

test('a script prints what it does and its options for --help', () => {
  const { status, out, err } = run('--count', '3', '--help');
  assert.deepEqual([status, err], [0, '']);
  assert.match(out, /^Posts sample notifications .*\n\n {2}npx tsx \S+ \[--url/);
});

const refused: readonly (readonly [what: string, options: readonly string[], problem: RegExp])[] = [
  ['an unknown option', ['--cuont', '3'], /^Unknown option '--cuont'/],
  ['a number that is none', ['--count', 'three'], /^--count must be a number .*, not 'three'\n/],
  ['an empty number', ['--count='], /^--count must be a number .*, not ''\n/],
  ['a negative number', ['--count=-1'], /^--count must be a number of 0 or more, not '-1'\n/],
  ['a number without an end', ['--count', 'Infinity'], /^--count must be a number /],
  ['an unknown choice', ['--sample', 'fire'], /^--sample must be one of firing, .*, not 'fire'\n/],
];
for (const [what, options, problem] of refused) {
  test(`a script refuses ${what} with exit code 2, its help and no stack trace`, () => {
    const { status, out, err } = run(...options);
    assert.deepEqual([status, out], [2, '']);
    assert.match(err, problem);
    assert.match(err, /\n\nPosts sample notifications/);
    assert.doesNotMatch(err, /\n {4}at /);
  });
}
