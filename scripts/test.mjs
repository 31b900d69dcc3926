/**
 * Installs what is missing, compiles the tests and runs them with `node --test`.
 *
 *   npm test                      all tests that need nothing but Node
 *   npm test -- queue http/       only test files whose path contains one of the words
 *   npm run test:real             the tests against real programs (test/real)
 *
 * Node 20 expands no glob after `--test` and treats an empty run as a success, so the files are
 * listed here, and finding none is an error.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepare, service, takeOver } from './prepare.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const real = process.argv.includes('--real');

prepare({
  project: 'test', output: 'build', browser: 'build/src/browser',
  sources: ['src', 'test', 'scripts'],
});
takeOver(service, 'build/src');

const compiled = join(root, 'build', 'test');
const all = readdirSync(compiled, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.js') && name.startsWith(`real${sep}`) === real);
const hasWord = (name, word) => join('test', name).replace(/js$/, 'ts').includes(word);
const unmatched = words.filter((word) => !all.some((name) => hasWord(name, word)));
if (all.length === 0 || unmatched.length > 0) {
  process.stderr.write(`No test file matches: ${unmatched.join(' ') || '(all)'}\n`);
  process.exit(1);
}
const names = all
  .filter((name) => words.length === 0 || words.some((word) => hasWord(name, word)))
  .sort();

// Many tests wait for a disk or a deadline, so there are more processes than cores. Tests against
// real programs need the whole machine.
const processes = real ? 1 : 2 * availableParallelism();
// These begin first, so that none of them runs alone at the end.
const longest = [
  'acceptance-scenarios', 'http', 'attack', 'acceptance-0', 'acceptance-1', 'acceptance-2',
  'acceptance-3', 'episodes', 'recording', 'commands', 'app', 'analysis',
];
// They are shared out among so many processes.
const acceptanceGroups = 4;
const failed = join(root, 'build', 'failed-tests');
const { status } = spawnSync(
  process.execPath,
  [
    // Every thread would spend a fifth of its start on them; a run of some files shows more.
    ...(words.length === 0 ? [] : ['--enable-source-maps']),
    '--test', `--test-concurrency=${processes}`, '--test-timeout=600000',
    `--test-reporter=${process.stdout.isTTY ? 'spec' : 'tap'}`,
    '--test-reporter-destination=stdout',
    `--test-reporter=${new URL('failed-tests.mjs', import.meta.url).href}`,
    `--test-reporter-destination=${failed}`,
    ...processesFor(names),
  ],
  { cwd: root, stdio: 'inherit' },
);
process.stdout.write(readFileSync(failed, 'utf8'));
process.exitCode = status ?? 1;

/**
 * The files to run, one for each process, which imports its tests. The tests of a folder share one,
 * as they would otherwise spend most of their time on loading. Tests of whole services have a few,
 * as they wait much; the scenarios, which take longest, and each test of real programs have their
 * own. Node sorts the files by name.
 */
function processesFor(names) {
  const groups = new Map();
  let dealt = 0;
  for (const name of names) {
    const [folder] = name.includes(sep) ? name.split(sep) : ['tidy'];
    const alone = name.slice(0, -'.test.js'.length).replaceAll(sep, '-');
    const group = folder === 'real' || alone === 'acceptance-scenarios' ? alone
      : folder === 'acceptance' ? `acceptance-${dealt++ % acceptanceGroups}` : folder;
    groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  const together = join(compiled, 'together');
  rmSync(together, { recursive: true, force: true });
  mkdirSync(together);
  return [...groups].map(([group, tests]) => {
    const place = longest.includes(group) ? longest.indexOf(group) : longest.length;
    const file = join(together, `${String(place).padStart(2, '0')}-${group}.js`);
    const imports = tests.map((name) => `import '../${name.replaceAll(sep, '/')}';\n`);
    writeFileSync(file, imports.join(''));
    return file;
  });
}
