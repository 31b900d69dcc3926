import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  DirectoryError,
  type LockingProcess,
  lockDirectory,
} from '../../src/lib/directory-lock.ts';
import { type FileSystem, nodeFileSystem } from '../../src/lib/file-system.ts';
import { flock } from '../../src/lib/flock.ts';
import { delegate } from '../support/disk/planted-bugs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const script = fileURLToPath(new URL('../support/disk/hold-lock.js', import.meta.url));
const holder: LockingProcess = {
  pid: process.pid,
  platform: process.platform,
  geteuid: () => process.geteuid?.() ?? 0,
  kill: (pid, signal) => process.kill(pid, signal),
};

function freshDirectory(): string {
  return join(temporaryDirectory(), 'data');
}

async function refusal(
  directory: string,
  options: { files?: FileSystem; process?: LockingProcess } = {},
): Promise<string> {
  try {
    await lockDirectory(directory, options.files ?? nodeFileSystem, options.process ?? holder);
  } catch (error) {
    assert.ok(error instanceof DirectoryError, String(error));
    assert.ok(error.message.includes(directory), error.message);
    return error.message;
  }
  return assert.fail('the directory was not refused');
}

test('lockDirectory() makes an absent directory for its owner alone', async () => {
  const directory = freshDirectory();
  const lock = await lockDirectory(directory, nodeFileSystem);
  assert.equal(statSync(directory).mode & 0o777, 0o700);
  assert.equal(readFileSync(join(directory, 'lock'), 'utf8'), `${process.pid}\n`);
  await lock.release();
  assert.equal(existsSync(join(directory, 'lock')), false);
});

test('lockDirectory() lets a directory be locked again after it was released', async () => {
  const directory = freshDirectory();
  const first = await lockDirectory(directory, nodeFileSystem);
  assert.match(await refusal(directory), new RegExp(`process ${process.pid} is using it`));
  await first.release();
  await (await lockDirectory(directory, nodeFileSystem)).release();
});

test('lockDirectory() recognizes the same directory under another path', async (t) => {
  const parent = temporaryDirectory();
  const lock = await lockDirectory(join(parent, 'data'), nodeFileSystem);
  t.after(() => lock.release());
  symlinkSync(parent, join(parent, 'alias'));
  assert.match(await refusal(join(parent, 'alias', 'data')), /is using it/);
});

test('lockDirectory() names the holder, and works once that was killed', async (t) => {
  const directory = freshDirectory();
  const args = [script, directory];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  assert.match(await refusal(directory), new RegExp(`process ${child.pid} is using it`));
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  const lock = await lockDirectory(directory, nodeFileSystem);
  await lock.release();
});

/** Names of this process's abstract sockets, as the kernel lists them: `@` stands for zero. */
function ownAbstractNames(): string[] {
  const files = readdirSync('/proc/self/fd').flatMap((file) => {
    try {
      return readlinkSync(`/proc/self/fd/${file}`);
    } catch {
      return []; // The listing itself, closed by now.
    }
  });
  return readFileSync('/proc/net/unix', 'latin1').split('\n')
    .map((line) => line.split(/\s+/))
    .filter(([, , , , , , inode, name]) =>
      name?.startsWith('@') === true && files.includes(`socket:[${inode}]`))
    .map((fields) => fields.at(-1) ?? '');
}

test('lockDirectory() keeps out other versions of Node, which pad short names differently',
  { skip: process.platform !== 'linux' }, async (t) => {
    const lock = await lockDirectory(freshDirectory(), nodeFileSystem);
    t.after(() => lock.release());
    const names = ownAbstractNames().filter((name) => name.startsWith('@alert-analyst-'));
    assert.equal(names.length, 1);
    assert.match(names[0] ?? '', /^@[\w-]{107}$/); // All of `sun_path`, so there is no padding.
  });

test('lockDirectory() is not kept out by a stranger with the name of its socket', async (t) => {
  const directory = freshDirectory();
  const lock = await lockDirectory(directory, nodeFileSystem);
  const name = ownAbstractNames().find((each) => each.startsWith('@alert-analyst-')) ?? '';
  const hasFlock = await flock(directory) === 'taken';
  await lock.release();
  if (!hasFlock || name === '') return t.skip('no flock program');
  const stranger = createServer().listen(name.replace('@', '\0'));
  t.after(() => stranger.close());
  await once(stranger, 'listening');
  const own = await lockDirectory(directory, nodeFileSystem);
  assert.match(await refusal(directory), /is using it/);
  await own.release();
  // Whoever has it may also be without that program.
  writeFileSync(join(directory, 'lock'), `${process.ppid}\n`);
  assert.match(await refusal(directory), new RegExp(`process ${process.ppid} is using it`));
});

test('lockDirectory() keeps out a process in another container', async (t) => {
  const directory = freshDirectory();
  mkdirSync(directory, { mode: 0o700 });
  // That process' socket is in another network namespace.
  const elsewhere = await flock(directory);
  if (elsewhere === 'taken' || elsewhere === 'unsupported') return t.skip('no flock program');
  assert.match(await refusal(directory), /a process in another container .* is using it/);
  await elsewhere.release();
  const lock = await lockDirectory(directory, nodeFileSystem);
  assert.equal(await flock(directory), 'taken');
  await lock.release();
});

test('lockDirectory() gives the lock to one of many that start at once', async () => {
  const directory = freshDirectory();
  mkdirSync(directory, { mode: 0o700 });
  const attempts = Array.from({ length: 20 }, () => lockDirectory(directory, nodeFileSystem));
  const results = await Promise.allSettled(attempts);
  const locks = results.filter((result) => result.status === 'fulfilled');
  assert.equal(locks.length, 1);
  await locks[0]?.value.release();
});

test('lockDirectory() refuses a directory whose lock is not a file', async () => {
  const directory = freshDirectory();
  mkdirSync(join(directory, 'lock'), { recursive: true, mode: 0o700 });
  assert.match(await refusal(directory), /its lock file cannot be read/);
});

const modes: readonly (readonly [number, boolean])[] = [
  [0o700, true],
  [0o750, true],
  [0o755, true],
  [0o770, false],
  [0o702, false],
  [0o777, false],
];
for (const [mode, accepted] of modes) {
  const verb = accepted ? 'takes' : 'refuses';
  test(`lockDirectory() ${verb} a directory of mode ${mode.toString(8)}`, async () => {
    const directory = freshDirectory();
    mkdirSync(directory);
    chmodSync(directory, mode);
    if (accepted) await (await lockDirectory(directory, nodeFileSystem)).release();
    else assert.match(await refusal(directory), /others may write to it \(mode 07..\)/);
  });
}

test('lockDirectory() refuses a symbolic link and a file', async () => {
  const parent = temporaryDirectory();
  symlinkSync(parent, join(parent, 'link'));
  for (const link of [join(parent, 'link'), `${join(parent, 'link')}/`]) {
    assert.match(await refusal(link), /it is a symbolic link; name its target/);
  }
  writeFileSync(join(parent, 'file'), '');
  assert.match(await refusal(join(parent, 'file')), /it is not a directory/);
});

test('lockDirectory() refuses a directory of another user', async () => {
  const directory = temporaryDirectory();
  const stranger = { ...holder, geteuid: () => 12_345 };
  assert.match(await refusal(directory, { process: stranger }), /runs as user 12345/);
});

test('lockDirectory() refuses a directory whose parent is absent or not a directory', async () => {
  const parent = temporaryDirectory();
  writeFileSync(join(parent, 'file'), '');
  assert.match(await refusal(join(parent, 'absent', 'data')), /: .*absent does not exist$/);
  assert.match(await refusal(join(parent, 'file', 'data')), /it cannot be opened or created/);
});

test('lockDirectory() refuses a read-only directory and leaves no lock behind', async () => {
  const directory = temporaryDirectory();
  const readOnly: FileSystem = {
    ...delegate(nodeFileSystem),
    open: (path, mode) => {
      if (mode === 'read') return nodeFileSystem.open(path, mode);
      return Promise.reject(Object.assign(new Error('read-only'), { code: 'EROFS' }));
    },
  };
  assert.match(await refusal(directory, { files: readOnly }), /it cannot be written to/);
  await (await lockDirectory(directory, nodeFileSystem)).release();
});

for (const code of ['ENOSPC', 'EDQUOT']) {
  test(`lockDirectory() locks a directory in which there is no room left: ${code}`, async () => {
    const directory = temporaryDirectory();
    const full: FileSystem = {
      ...delegate(nodeFileSystem),
      open: (path, mode) => {
        if (mode === 'read') return nodeFileSystem.open(path, mode);
        return Promise.reject(Object.assign(new Error('no room'), { code }));
      },
    };
    const lock = await lockDirectory(directory, full);
    assert.match(await refusal(directory), /another process is using it/);
    await lock.release();
  });
}

test('lockDirectory() refuses a lock file that is a symbolic link', async () => {
  const directory = temporaryDirectory();
  const victim = join(temporaryDirectory(), 'victim');
  writeFileSync(victim, 'untouched');
  symlinkSync(victim, join(directory, 'lock'));
  await assert.rejects(lockDirectory(directory, nodeFileSystem));
  assert.equal(readFileSync(victim, 'utf8'), 'untouched');
});

test('lockDirectory() asks for the process in the lock file on other platforms', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'lock'), '4321\n');
  const alive = { ...holder, platform: 'darwin', kill: () => true };
  assert.match(await refusal(directory, { process: alive }), /process 4321 is using it/);
  const dead = {
    ...alive,
    kill: () => {
      throw Object.assign(new Error('no such process'), { code: 'ESRCH' });
    },
  };
  const lock = await lockDirectory(directory, nodeFileSystem, dead);
  await lock.release();
});
