import { type BigIntStats, close, constants, fstat, fsync, ftruncate } from 'node:fs';
import { open as openCallback, read as readCallback, writev as writevCallback } from 'node:fs';
import { lstat, mkdir, readdir, rename, unlink } from 'node:fs/promises';

/**
 * `read`: an existing file, only to read. `replace`: a new or emptied file. `replace-durable`: the
 * same, and what is written is durable when `writev` resolves: one trip to the disk where a write
 * and a sync are two. `create-durable`: likewise, but refused when the name is taken.
 */
export type OpenMode = 'read' | 'create-durable' | 'replace' | 'replace-durable';

/** An open file. Its methods reject with the system's error, which carries a `code`. */
export interface OpenFile {
  /**
   * Resolves to the bytes written, fewer than asked when the disk fills up: no error then. After
   * a failure of a durable write the descriptor must not be trusted again.
   */
  writev(parts: readonly Uint8Array[], position: number): Promise<number>;
  /** Resolves to the bytes read: fewer than `target` holds only at the end of the file. */
  read(target: Uint8Array, position: number): Promise<number>;
  /** Makes the file durable. After a failure the descriptor must not be trusted again. */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  size(): Promise<number>;
  close(): Promise<void>;
}

export interface FileStat {
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
  /** The owner's numeric user id. */
  readonly owner: number;
  /** The permission bits alone, e.g. 0o700. */
  readonly mode: number;
  readonly size: number;
  /** Wall time in ms. */
  readonly modifiedMs: number;
  /** Names the file or directory itself, whatever path leads to it. */
  readonly identity: string;
}

/** All that this service does with files, so that tests can put a treacherous disk in its place. */
export interface FileSystem {
  open(path: string, mode: OpenMode): Promise<OpenFile>;
  readdir(path: string): Promise<string[]>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Makes one directory with mode 0700; one that is there already is left as it is. */
  mkdir(path: string): Promise<void>;
  /** Says what is at the path itself: a symbolic link is not followed. Null when nothing is. */
  stat(path: string): Promise<FileStat | null>;
  /** Makes the names in a directory durable: what was created, renamed or removed in it. */
  syncDirectory(path: string): Promise<void>;
}

const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_NOFOLLOW, O_DSYNC } = constants;

const openFlags: Readonly<Record<OpenMode, number>> = {
  read: O_RDONLY,
  'create-durable': O_RDWR | O_CREAT | O_EXCL | O_DSYNC,
  replace: O_RDWR | O_CREAT | O_TRUNC,
  'replace-durable': O_RDWR | O_CREAT | O_TRUNC | O_DSYNC,
};

/** The machine's own files: created for their owner alone, and never opened through a symlink. */
export const nodeFileSystem: FileSystem = {
  open: openFile,
  readdir: (path) => readdir(path),
  rename: (from, to) => rename(from, to),
  unlink: (path) => unlink(path),
  mkdir: makeDirectory,
  stat: statPath,
  syncDirectory,
};

/** True for an error of the file system that carries this code, e.g. `ENOENT`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

async function openFile(path: string, mode: OpenMode): Promise<OpenFile> {
  const flags = openFlags[mode] | O_NOFOLLOW;
  const descriptor = await called<number>((done) => openCallback(path, flags, 0o600, done));
  return fileOf(descriptor);
}

/** Callbacks instead of `FileHandle`: a commit is two calls, and each promise hop costs there. */
function fileOf(descriptor: number): OpenFile {
  return {
    writev: (parts, position) =>
      called((done) => writevCallback(descriptor, parts, position, done)),
    read: (target, position) => readFully(descriptor, target, position),
    sync: () => called((done) => fsync(descriptor, done)),
    truncate: (length) => called((done) => ftruncate(descriptor, length, done)),
    size: async () => {
      const stat = await called<BigIntStats>((done) => fstat(descriptor, { bigint: true }, done));
      return Number(stat.size);
    },
    close: () => called((done) => close(descriptor, done)),
  };
}

async function readFully(fd: number, target: Uint8Array, position: number): Promise<number> {
  let done = 0;
  while (done < target.length) {
    const from = done;
    const count = await called<number>((finish) =>
      readCallback(fd, target, from, target.length - from, position + from, finish),
    );
    if (count === 0) break;
    done += count;
  }
  return done;
}

async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

async function statPath(path: string): Promise<FileStat | null> {
  try {
    const stat = await lstat(path, { bigint: true });
    return {
      kind: kindOf(stat),
      owner: Number(stat.uid),
      mode: Number(stat.mode & 0o777n),
      size: Number(stat.size),
      modifiedMs: Number(stat.mtimeMs),
      identity: `${stat.dev}-${stat.ino}`,
    };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function kindOf(stat: BigIntStats): FileStat['kind'] {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'directory';
  return stat.isSymbolicLink() ? 'symlink' : 'other';
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await openFile(path, 'read');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

type Done<T> = (error: Error | null, value: T) => void;

function called<T = void>(call: (done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, value) => (error ? reject(error) : resolve(value)));
  });
}
