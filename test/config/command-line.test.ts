import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CommandLine, helpText, misuseText, parseCommandLine,
} from '../../src/config/command-line.ts';
import { listVariables } from '../../src/config/settings.ts';

const understood: readonly (readonly [string, CommandLine])[] = [
  ['', { command: 'serve' }],
  ['--help', { command: 'help' }],
  ['-h', { command: 'help' }],
  ['analyze x --help', { command: 'help' }],
  ['--version', { command: 'version' }],
  ['--check-config', { command: 'check-config' }],
  ['check-model', { command: 'check-model' }],
  ['analyze alert.json', { command: 'analyze', file: 'alert.json', format: 'text', record: null }],
  ['analyze -', { command: 'analyze', file: '-', format: 'text', record: null }],
  ['analyze - --json', { command: 'analyze', file: '-', format: 'json', record: null }],
  ['analyze --markdown a', { command: 'analyze', file: 'a', format: 'markdown', record: null }],
  ['analyze a --record b --json',
    { command: 'analyze', file: 'a', format: 'json', record: 'b' }],
  ['analyze a --record=b', { command: 'analyze', file: 'a', format: 'text', record: 'b' }],
  ['analyze -- --a', { command: 'analyze', file: '--a', format: 'text', record: null }],
  ['analyze --replay b', { command: 'replay', file: 'b', format: 'text' }],
  ['analyze --json --replay -', { command: 'replay', file: '-', format: 'json' }],
  ['analyze --now', { command: 'analyze-now', url: null, format: 'text', record: null }],
  ['analyze --now http://a --json --record b',
    { command: 'analyze-now', url: 'http://a', format: 'json', record: 'b' }],
  ['analyze --json a --json', { command: 'analyze', file: 'a', format: 'json', record: null }],
];

for (const [line, expected] of understood) {
  test(`parseCommandLine() understands "${line}"`, () => {
    assert.deepEqual(parseCommandLine(line.split(' ').filter(Boolean)), expected);
  });
}

const misunderstood: readonly (readonly [string, RegExp])[] = [
  ['serve', /^Unknown argument: "serve"$/],
  ['--port=80', /^Unknown argument: "--port=80"$/],
  ['--check-config x', /^Unknown argument: "x"$/],
  ['check-model x', /^Unknown argument: "x"$/],
  ['analyze', /^analyze needs a file/],
  ['analyze ', /^analyze needs a file/],
  ['analyze --json', /^analyze needs a file/],
  ['analyze -json a', /^Unknown option '-j'/],
  ['analyze a b', /^Unknown argument: "b"$/],
  ['analyze a --record', /^Option '--record <value>' argument missing/],
  ['analyze a --record --json', /^Option '--record' argument is ambiguous/],
  ['analyze a --json=yes', /^Option '--json' does not take an argument/],
  ['analyze --replay a --record b', /exclude each other/],
  ['analyze --replay a b', /^Unknown argument: "b"$/],
  ['analyze --now a b', /^Unknown argument: "b"$/],
  ['analyze --now --replay b', /exclude each other/],
  ['analyze a --yaml', /^Unknown option '--yaml'/],
  ['analyze a --json --markdown', /exclude each other/],
];

for (const [line, expected] of misunderstood) {
  test(`parseCommandLine() refuses "${line}"`, () => {
    const parsed = parseCommandLine(line.split(' '));
    assert.ok(parsed.command === 'misuse');
    assert.match(parsed.problem, expected);
    assert.match(misuseText(parsed.problem), /\n\nUsage: /);
  });
}

test('helpText() names every variable with its default, within 100 columns', () => {
  const variables = listVariables();
  const text = helpText(variables);
  for (const { name } of variables) assert.match(text, new RegExp(`^  ${name}( \\*)? `, 'm'));
  for (const line of text.split('\n')) assert.ok(line.length <= 100, line);
  assert.match(text, /^  PORT +Port to listen on; 0 picks a free one\. Default: 8080\.$/m);
  assert.match(text, /^  ACCESS_TOKEN \* /m);
  assert.doesNotMatch(text, /\n\n\n|[ \t]\n/);
});
