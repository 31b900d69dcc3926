/**
 * Makes a checkout runnable: installs the development packages when the lock file is newer than
 * node_modules, and builds `dist` when a source file is newer than it. Plain JavaScript, because it
 * runs before the compiler is installed.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The service, built from `src` as it is run. */
export const service = {
  project: 'src', output: 'dist', browser: 'dist/browser', sources: ['src'],
};

/**
 * Installs and builds what is out of date. `project` is the folder with the tsconfig.json to build,
 * `browser` the output folder of the scripts that are inlined into pages.
 */
export function prepare({ project, output, browser, sources }) {
  const installed = join(root, 'node_modules', '.package-lock.json');
  if (changedAt(join(root, 'package-lock.json')) > changedAt(installed)) {
    run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
    touch(installed);
  }
  if (isFresh({ output, sources })) return;
  rmSync(join(root, output), { recursive: true, force: true });
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  run(process.execPath, [compiler, '-p', project]);
  run(process.execPath, [compiler, '-p', 'src/browser', '--outDir', browser]);
  markBuilt(output);
}

/** Copies what is out of date from a folder that was just built from the same sources. */
export function takeOver({ output, sources }, from) {
  if (isFresh({ output, sources })) return;
  rmSync(join(root, output), { recursive: true, force: true });
  cpSync(join(root, from), join(root, output), { recursive: true });
  markBuilt(output);
}

function isFresh({ output, sources }) {
  const inputs = ['tsconfig.json', 'package.json', ...sources].map((name) => join(root, name));
  return Math.max(...inputs.map(newestIn)) <= changedAt(join(root, output, '.built'));
}

function markBuilt(output) {
  mkdirSync(join(root, output), { recursive: true });
  writeFileSync(join(root, output, '.built'), '');
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (error) process.stderr.write(`Cannot run ${command}: ${error.message}\n`);
  if (status !== 0) process.exit(status ?? 1);
}

function changedAt(path) {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}

function newestIn(path) {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestIn(join(path, name))));
}

function touch(path) {
  const now = new Date();
  if (existsSync(path)) utimesSync(path, now, now);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) prepare(service);
