import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { families } from '../../src/knowledge/families.ts';
import { fillShell } from '../../src/knowledge/fill-template.ts';
import { sampleLabels } from '../support/samples/knowledge-labels.ts';

const templates = families.flatMap(({ causes, steps }) =>
  [...causes.map((cause) => cause.test), ...steps.map(({ command }) => command)])
  .flatMap((template) => (template?.kind === 'shell' ? [template.template] : []));
const commands = templates.map((template) => fillShell(template, sampleLabels) ?? '');

test('labels in a command for another host are quoted for its shell as well', () => {
  const remote = templates.filter((template) => template.startsWith('ssh '));
  assert.ok(remote.length > 50);
  for (const template of remote) assert.match(template, /^ssh -- \{[a-z|.]+\} '[^']+'$/u);
});

test('the command for the busiest processes shows those, of the second round', () => {
  const command = commands.find((text) => text.includes("'top -b")) ?? '';
  // As top writes it: busiest first, and averages since the start of each in the first round.
  const round = (first: string): string =>
    `top - 03:00:00 up 9 days\\n\\n  PID %CPU COMMAND\\n${first}` +
    Array.from({ length: 60 }, (_, n) => `${n + 10} 0.0 idle${n}\\n`).join('');
  const script = 'ssh() { shift 2; eval "$1"; }\n' +
    `top() { printf '%b' '${round('7 3.0 since-boot\\n')}${round('8 99.0 busy\\n')}'; }\n` +
    command;
  const { stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
  assert.match(stdout, /^top - .*\n\n.*PID.*\n8 99\.0 busy\n/u, stderr);
  assert.doesNotMatch(stdout, /since-boot/u);
  assert.ok(stdout.split('\n').length <= 26);
});

test('logs of containers that ended are read past those that never did', () => {
  const previous = commands.filter((text) => text.includes(' --previous '));
  assert.ok(previous.length >= 3);
  for (const text of previous) assert.match(text, / --all-containers --ignore-errors /u);
});
