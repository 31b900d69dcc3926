/** Whatever step of install.sh is the last, the next run sets everything right. */
import assert from 'node:assert/strict';
import {
  chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { runProgram } from '../support/programs/programs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const deploy = join(process.cwd(), 'scripts/deploy');
const files = ['dist/main.js', 'dist/browser/live.js', 'package.json', 'LICENSE'];
const directory = temporaryDirectory();

/** A built tree whose files all name its version. */
function tree(version: string): string {
  const folder = join(directory, version);
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), version);
  }
  return folder;
}

/** What a whole program in the folder is; null if there is none. */
function versionIn(folder: string): string | null {
  if (!existsSync(folder)) return null;
  const versions = new Set(files.map((file) => {
    const path = join(folder, file);
    return existsSync(path) ? readFileSync(path, 'utf8') : 'lost';
  }));
  return [...versions].join(' and ');
}

const trees = Object.fromEntries(['v1', 'v2', 'v3', 'v4'].map((version) =>
  [version, tree(version)]));
/** Answers as a node would, at once. */
const node = join(directory, 'node');
writeFileSync(node, '#!/bin/sh\necho v24.0.0\n');
chmodSync(node, 0o755);
/** Stands for a machine that goes down at that step: copying and deleting are done in part. */
const cutInstaller = join(directory, 'install.sh');
writeFileSync(cutInstaller, readFileSync(join(deploy, 'install.sh'), 'utf8')
  .replace(/^here=.*/m, `here=${deploy}`)
  .replace(/^run\(\) \{$/m, `run() {
    if [ "$LEFT" = 0 ]; then
      for last in "$@"; do :; done
      case $1 in
        rm) rm -f "$last/dist/main.js" ;;
        cp) cp "$tree/LICENSE" "$program.new" ;;
      esac
      exit 9
    fi
    LEFT=$((LEFT - 1))`));

interface Run {
  readonly status: number | null;
  readonly output: string;
}

/** Runs the script, up to so many of its steps; to its end where they are not given. */
function run(root: string, args: readonly string[], steps = -1): Promise<Run> {
  return runProgram('/bin/sh', [cutInstaller, '--node', node, '--prefix', root, ...args], {
    env: { LEFT: String(steps) },
  });
}

const install = (version: string): string[] => ['--from', trees[version] ?? ''];

async function prepared(versions: readonly string[]): Promise<string> {
  const root = temporaryDirectory();
  for (const version of versions) {
    const { status, output } = await run(root, install(version));
    assert.equal(status, 0, output);
  }
  return root;
}

/** A copy of the root after each number of steps that does not complete the run. */
async function* cut(root: string, args: readonly string[]): AsyncIterable<string> {
  for (let steps = 0; ; steps += 1) {
    const copy = join(temporaryDirectory(), 'root');
    cpSync(root, copy, { recursive: true });
    const { status, output } = await run(copy, args, steps);
    if (status === 0) return;
    assert.equal(status, 9, output);
    yield copy;
  }
}

const program = (root: string): string => join(root, 'opt/alert-analyst');

function namesIn(root: string): string[] {
  const folder = dirname(program(root));
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

async function assertRightAfter(root: string, kept: readonly string[]): Promise<void> {
  const left = namesIn(root).join(' ');
  const copy = join(temporaryDirectory(), 'root');
  cpSync(root, copy, { recursive: true });
  const back = await run(copy, ['--rollback']);
  if (kept.length > 1) assert.equal(back.status, 0, `${left}: ${back.output}`);
  const version = versionIn(program(copy));
  if (kept.length > 0) assert.ok(kept.includes(version ?? ''), `${left}: rolled back ${version}`);
  for (const where of [copy, root]) {
    const again = await run(where, install('v4'));
    assert.equal(again.status, 0, `${left}: ${again.output}`);
    assert.equal(versionIn(program(where)), 'v4', left);
    const old = versionIn(`${program(where)}.old`);
    assert.ok(old === null || ['v1', 'v2', 'v3'].includes(old), `${left}: ${old} is kept`);
    assert.ok(old !== null || kept.length === 0, `${left}: none is kept`);
    const others = namesIn(where).filter((name) => !/analyst(\.old)?$/.test(name));
    assert.deepEqual(others, [], left);
  }
}

const cases: readonly (readonly [string, versions: string[], args: string[], kept: string[]])[] = [
  ['a first installation', [], install('v1'), []],
  ['a first upgrade', ['v1'], install('v2'), ['v1']],
  ['an upgrade', ['v1', 'v2'], install('v3'), ['v1', 'v2']],
  ['the same version', ['v1', 'v2'], install('v2'), ['v1', 'v2']],
  ['a rollback', ['v1', 'v2'], ['--rollback'], ['v1', 'v2']],
];
for (const [what, versions, args, kept] of cases) {
  test(`install.sh rolls back and installs after ${what} was cut short at any step`, async () => {
    const root = await prepared(versions);
    let steps = 0;
    for await (const copy of cut(root, args)) {
      steps += 1;
      await assertRightAfter(copy, kept);
    }
    assert.ok(steps >= 3, `${steps} steps`);
  });
}

test('install.sh undoes an upgrade between its renames, and keeps what that had', async () => {
  const root = await prepared(['v1', 'v2']);
  let undone = 0;
  for await (const copy of cut(root, install('v3'))) {
    if (existsSync(program(copy))) continue;
    undone += 1;
    assert.equal((await run(copy, ['--rollback'])).status, 0);
    assert.deepEqual([versionIn(program(copy)), versionIn(`${program(copy)}.old`)], ['v2', 'v1']);
  }
  assert.equal(undone, 1);
});

test('install.sh sets right what a rollback leaves that was cut short itself', async () => {
  const root = await prepared(['v1', 'v2']);
  for await (const upgrading of cut(root, install('v3'))) {
    for await (const rolling of cut(upgrading, ['--rollback'])) {
      await assertRightAfter(rolling, ['v1', 'v2']);
    }
  }
});

test('install.sh removes everything after an uninstallation was cut short', async () => {
  const root = await prepared(['v1', 'v2']);
  for await (const copy of cut(root, ['--uninstall'])) {
    const again = join(temporaryDirectory(), 'root');
    cpSync(copy, again, { recursive: true });
    assert.equal((await run(copy, ['--uninstall'])).status, 0);
    assert.deepEqual(namesIn(copy), []);
    assert.equal((await run(again, install('v3'))).status, 0);
    const old = versionIn(`${program(again)}.old`);
    assert.ok([null, 'v1', 'v2'].includes(old), `${old} is kept`);
  }
});

test('install.sh refuses a node whose path a unit cannot hold, before it changes anything',
  async () => {
    const root = await prepared([]);
    const odd = ['a&b', 'c|d', 'e f', "g'h", 'i"j', 'k%n', 'l\\m', 'n$o', 'p;q', 'r\ns', 't#u'];
    for (const name of odd) {
      const folder = join(directory, name);
      mkdirSync(folder);
      symlinkSync(node, join(folder, 'node'));
      const oddly = ['--node', join(folder, 'node')];
      const { status, output } = await run(root, [...install('v1'), ...oddly]);
      assert.equal(status, 1, name);
      assert.match(output, /node has characters that a unit cannot hold: use --node FILE/, name);
      assert.deepEqual(readdirSync(root), [], name);
      rmSync(folder, { recursive: true });
    }
  });
