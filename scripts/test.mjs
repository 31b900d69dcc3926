/**
 * Installs, builds and runs the tests, compiled, with `node --test`.
 *
 *   npm test                      everything that needs only Node
 *   npm test -- queue http/       only test files whose path contains one of the words
 *   npm run test:real             the tests against real programs (test/real)
 *
 * Node 20 expands no pattern after `--test` and calls an empty run a success; so the files are
 * listed here, and finding none is a failure.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepare, service } from './prepare.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const real = process.argv.includes('--real');

prepare(service);
prepare({
  project: 'test', output: 'build', browser: 'build/src/browser',
  sources: ['src', 'test', 'scripts'],
});

const compiled = join(root, 'build', 'test');
const files = readdirSync(compiled, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.js') && name.startsWith(`real${sep}`) === real)
  .filter((name) => words.length === 0 || words.some((word) => name.includes(word)))
  .map((name) => join(compiled, name))
  .sort();
if (files.length === 0) {
  process.stderr.write(`No test file matches: ${words.join(' ') || '(all)'}\n`);
  process.exit(1);
}

const limits = real ? ['--test-concurrency=1', '--test-timeout=600000'] : ['--test-timeout=120000'];
const { status } = spawnSync(
  process.execPath,
  ['--enable-source-maps', ...limits, '--test', ...files],
  { cwd: root, stdio: 'inherit' },
);
process.exit(status ?? 1);
