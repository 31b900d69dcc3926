import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { basename, dirname, join } from 'node:path';
import nodeProcess from 'node:process';
import { writeFully } from './atomic-file.ts';
import { type FileStat, type FileSystem, hasCode, withFile } from './file-system.ts';
import { flock, type KernelLock } from './flock.ts';

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
const foreignName = 'a process in another container or network namespace';

/**
 * Creates the directory if it is absent, checks that only we can write to it, and keeps a second
 * process out until released. Throws {@linkcode DirectoryError}.
 *
 * On Linux there are two locks, and the kernel frees both however the process ends: an abstract
 * socket named after the directory's identity, and {@linkcode flock} on the directory itself. The
 * socket needs no other program, but is seen only within one network namespace, and any user can
 * take its name. So with the other lock, which takes access to the directory, we believe the socket
 * only while the process named in the `lock` file runs. On other systems, or where neither works,
 * that process alone decides.
 */
export async function lockDirectory(
  directory: string,
  files: FileSystem,
  process: LockingProcess = nodeProcess,
): Promise<DirectoryLock> {
  const options = { directory, files, process };
  const stat = await checkDirectory(options);
  const path = join(directory, lockFileName);
  const locks: KernelLock[] = [];
  try {
    const socket = process.platform === 'linux' ? await listen(socketName(stat)) : 'unsupported';
    locks.push(socket);
    const holder = await readPid(files, path);
    const holderName = holder === null ? 'another process' : `process ${holder}`;
    const whole = await flock(directory);
    locks.push(whole);
    if (whole === 'taken') throw inUse(directory, isHeld(socket) ? foreignName : holderName);
    const isTaken = socket === 'taken' && (!isHeld(whole) || isRunning(process, holder));
    if (isTaken) throw inUse(directory, holderName);
    const isKept = process.platform === 'linux' && locks.some(isHeld);
    if (!isKept && isRunning(process, holder)) throw inUse(directory, holderName);
    await writePid(options, path);
  } catch (error) {
    await releaseAll(locks);
    throw error;
  }
  return {
    release: async () => {
      await files.unlink(path).catch(() => {}); // Only informative; the next start replaces it.
      await releaseAll(locks);
    },
  };
}

function isHeld(lock: KernelLock): lock is Exclude<KernelLock, string> {
  return typeof lock !== 'string';
}

async function releaseAll(locks: readonly KernelLock[]): Promise<void> {
  for (const lock of locks.filter(isHeld)) await lock.release();
}

/** Makes all checks but the lock itself. */
async function checkDirectory({ directory, files, process }: LockOptions): Promise<FileStat> {
  // Without a trailing slash, with which a symbolic link would be followed.
  const stat = await statOrMake(files, join(dirname(directory), basename(directory)));
  if (stat === null) throw new DirectoryError(directory, 'it disappeared while it was opened');
  if (stat.kind === 'symlink') {
    throw new DirectoryError(directory, 'it is a symbolic link; name its target');
  }
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

/** Locks by listening on the name. A sandbox may allow no Unix sockets. */
async function listen(name: string): Promise<KernelLock> {
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen(name);
    await once(server, 'listening');
    server.unref();
    return { release: () => close(server) };
  } catch (error) {
    return hasCode(error, 'EADDRINUSE') ? 'taken' : 'unsupported';
  }
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  await closed;
}

/** Null when there is no lock file, or no process id in it. */
async function readPid(files: FileSystem, path: string): Promise<number | null> {
  try {
    return await withFile(files, path, async (file) => {
      const bytes = Buffer.alloc(pidLengthMax);
      const pid = Number(bytes.toString('latin1', 0, await file.read(bytes, 0)).trim());
      return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
    });
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
    // The service starts even on a full disk.
    if (hasCode(error, 'ENOSPC') || hasCode(error, 'EDQUOT')) return;
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

function inUse(directory: string, who: string): DirectoryError {
  return new DirectoryError(directory, `${who} is using it; stop that, or set another DATA_DIR`);
}
