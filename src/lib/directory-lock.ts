import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import nodeProcess from 'node:process';
import { type FileStat, type FileSystem, hasCode } from './file-system.ts';
import { writeFully } from './atomic-file.ts';

/** A directory that cannot be used; the message names it and says what to do. */
export class DirectoryError extends Error {
  override readonly name = 'DirectoryError';

  constructor(directory: string, reason: string, cause?: unknown) {
    super(`Cannot use the data directory ${directory}: ${reason}`, { cause });
  }
}

interface DirectoryLock {
  release(): Promise<void>;
}

interface LockOptions {
  readonly directory: string;
  readonly files: FileSystem;
  readonly process: LockingProcess;
}

/** What a lock needs to know of the process that takes it; `node:process` fits. */
export interface LockingProcess {
  readonly pid: number;
  readonly platform: string;
  /** Absent on Windows, where files have no owners. */
  geteuid?(): number;
  kill(pid: number, signal: 0): unknown;
}

const lockFileName = 'lock';
const pidLengthMax = 16;

/**
 * Makes the directory if it is absent, checks that it is ours alone, and keeps a second process
 * out until released. Throws {@linkcode DirectoryError}.
 *
 * On Linux the lock is an abstract socket named after the directory itself: the kernel gives it to
 * one process at a time and takes it back however that process ends, so there is no stale lock.
 * It is seen by the processes of one network namespace; containers that share a volume have one
 * each. Elsewhere the process named in the `lock` file is asked for.
 */
export async function lockDirectory(
  directory: string,
  files: FileSystem,
  process: LockingProcess = nodeProcess,
): Promise<DirectoryLock> {
  const options = { directory, files, process };
  const stat = await checkDirectory(options);
  const path = join(directory, lockFileName);
  const server = process.platform === 'linux' ? await listen(socketName(stat)) : null;
  try {
    const holder = await readPid(files, path);
    const isTaken = process.platform === 'linux' ? server === null : isRunning(process, holder);
    if (isTaken) throw inUse(directory, holder);
    await writePid(options, path);
  } catch (error) {
    await close(server);
    throw error;
  }
  return {
    release: async () => {
      await files.unlink(path).catch(() => {}); // It is only a note; the next start replaces it.
      await close(server);
    },
  };
}

/** Every refusal but the lock itself. Resolves to what the directory is. */
async function checkDirectory({ directory, files, process }: LockOptions): Promise<FileStat> {
  const stat = await statOrMake(files, directory);
  if (stat === null) throw new DirectoryError(directory, 'it vanished while it was opened');
  if (stat.kind === 'symlink') throw new DirectoryError(directory, 'it is a symbolic link');
  if (stat.kind !== 'directory') throw new DirectoryError(directory, 'it is not a directory');
  const user = process.geteuid?.() ?? stat.owner;
  if (stat.owner !== user) {
    const reason = `it belongs to user ${stat.owner}, and this process runs as user ${user}`;
    throw new DirectoryError(directory, reason);
  }
  if ((stat.mode & 0o022) !== 0) {
    const mode = stat.mode.toString(8).padStart(4, '0');
    throw new DirectoryError(directory, `others may write to it (mode ${mode}); set mode 0700`);
  }
  return stat;
}

async function statOrMake(files: FileSystem, directory: string): Promise<FileStat | null> {
  try {
    const stat = await files.stat(directory);
    if (stat !== null) return stat;
    await files.mkdir(directory);
    // The name must outlive a power loss; a parent that we may not read is synced by nobody else.
    await files.syncDirectory(dirname(directory)).catch(() => {});
    return await files.stat(directory);
  } catch (error) {
    // It is not made together with those above it, which may be a volume that is not mounted.
    const above = dirname(directory);
    const isAlone = await files.stat(above).then((stat) => stat === null, () => false);
    const why = isAlone ? `there is no directory ${above}` : 'it cannot be opened or created';
    throw new DirectoryError(directory, why, error);
  }
}

/** The leading zero byte makes the socket abstract: it has no file that could be left over. */
function socketName({ identity }: FileStat): string {
  return `\0alert-analyst-${createHash('sha256').update(identity).digest('hex')}`;
}

/** Null when somebody else has the name. */
async function listen(name: string): Promise<Server | null> {
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen(name);
    await once(server, 'listening');
    server.unref();
    return server;
  } catch (error) {
    if (hasCode(error, 'EADDRINUSE')) return null;
    throw error;
  }
}

async function close(server: Server | null): Promise<void> {
  if (server === null) return;
  const closed = once(server, 'close');
  server.close();
  await closed;
}

/** Null when there is no lock file, or nothing sensible in it. */
async function readPid(files: FileSystem, path: string): Promise<number | null> {
  try {
    const file = await files.open(path, 'read');
    try {
      const bytes = Buffer.alloc(pidLengthMax);
      const pid = Number(bytes.toString('latin1', 0, await file.read(bytes, 0)).trim());
      return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw new DirectoryError(dirname(path), 'its lock file cannot be read', error);
  }
}

/** Also finds out whether the directory can be written to. */
async function writePid({ directory, files, process }: LockOptions, path: string): Promise<void> {
  try {
    const file = await files.open(path, 'replace');
    try {
      await writeFully(file, [Buffer.from(`${process.pid}\n`)], 0);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (hasCode(error, 'ENOSPC')) return; // The journal opens on a full disk, and so do we.
    throw new DirectoryError(directory, 'it cannot be written to', error);
  }
}

function isRunning(process: LockingProcess, pid: number | null): boolean {
  if (pid === null || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

function inUse(directory: string, holder: number | null): DirectoryError {
  const who = holder === null ? 'another process' : `process ${holder}`;
  return new DirectoryError(directory, `${who} is using it; stop that, or set another DATA_DIR`);
}
