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

/** What locking needs of the current process; `node:process` fits. */
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
 * Creates the directory if it is absent, checks that only we can write to it, and keeps a second
 * process out until released. Throws {@linkcode DirectoryError}.
 *
 * On Linux the lock is an abstract socket named after the directory's identity. The kernel gives it
 * to one process at a time and frees it however that process ends, so there are no stale locks. It
 * only works within one network namespace: containers that share a volume do not see each other's.
 * On other systems we check whether the process named in the `lock` file is still running.
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
      await files.unlink(path).catch(() => {}); // Only informative; the next start replaces it.
      await close(server);
    },
  };
}

/** Makes all checks but the lock itself. */
async function checkDirectory({ directory, files, process }: LockOptions): Promise<FileStat> {
  const stat = await statOrMake(files, directory);
  if (stat === null) throw new DirectoryError(directory, 'it disappeared while it was opened');
  if (stat.kind === 'symlink') throw new DirectoryError(directory, 'it is a symbolic link');
  if (stat.kind !== 'directory') throw new DirectoryError(directory, 'it is not a directory');
  const user = process.geteuid?.() ?? stat.owner;
  if (stat.owner !== user) {
    const reason = `it belongs to user ${stat.owner}, but this process runs as user ${user}`;
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
    // So that the name survives a power loss; fails if we may not read the parent.
    await files.syncDirectory(dirname(directory)).catch(() => {});
    return await files.stat(directory);
  } catch (error) {
    // Parents are not created: one that is missing may be a volume that is not mounted.
    const above = dirname(directory);
    const isAlone = await files.stat(above).then((stat) => stat === null, () => false);
    const why = isAlone ? `${above} does not exist` : 'it cannot be opened or created';
    throw new DirectoryError(directory, why, error);
  }
}

/** The size of a Unix socket's address: unix(7), `sun_path`. */
const socketNameLength = 108;

/**
 * The leading zero byte makes the socket abstract: there is no file that could be left behind. The
 * name fills the address, as Node 20 pads a shorter one and later versions do not: theirs would be
 * another socket, and both processes would have the lock.
 */
function socketName({ identity }: FileStat): string {
  const digest = createHash('sha512').update(identity).digest('hex');
  return `\0alert-analyst-${digest}`.slice(0, socketNameLength);
}

/** Null when another process listens on the name. */
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

/** Null when there is no lock file, or no process id in it. */
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

/** Also checks that the directory is writable. */
async function writePid({ directory, files, process }: LockOptions, path: string): Promise<void> {
  try {
    const file = await files.open(path, 'replace');
    try {
      await writeFully(file, [Buffer.from(`${process.pid}\n`)], 0);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (hasCode(error, 'ENOSPC')) return; // The service starts even on a full disk.
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
