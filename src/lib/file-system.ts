import { type BigIntStats, close, constants, fstat, fsync, ftruncate } from 'node:fs';
import { open as openCallback, read as readCallback, writev as writevCallback } from 'node:fs';
import { lstat, mkdir, readdir, rename, statfs, unlink } from 'node:fs/promises';

/**
 * `read`: an existing file, read-only. `replace`: a new or truncated file. `replace-durable`: the
 * same, but written data is durable when `writev` resolves (O_DSYNC), which takes one trip to the
 * disk where a write and a sync take two. `create-durable`: likewise, but fails if the name is
 * taken.
 */
export type OpenMode = 'read' | 'create-durable' | 'replace' | 'replace-durable';

/** An open file. Its methods reject with the system's error, which has a `code`. */
export interface OpenFile {
  /**
   * Resolves to the number of bytes written: fewer than given, without an error, when the disk
   * fills up. After a failed durable write the file must not be used any more.
   */
  writev(parts: readonly Uint8Array[], position: number): Promise<number>;
  /** Resolves to the number of bytes read: fewer than asked only at the end of the file. */
  read(target: Uint8Array, position: number): Promise<number>;
  /** Flushes the file to disk. After a failure the descriptor must not be trusted again. */
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
  /** Wall time in ms since the epoch. */
  readonly modifiedMs: number;
  /** Device and inode: the same whatever path leads to the file. */
  readonly identity: string;
}

/** Everything this service does with files, so that tests can replace it by a faulty disk. */
export interface FileSystem {
  open(path: string, mode: OpenMode): Promise<OpenFile>;
  readdir(path: string): Promise<string[]>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Makes one directory with mode 0700; an existing one is left as it is. */
  mkdir(path: string): Promise<void>;
  /** Describes what is at the path, without following a symbolic link; null when nothing is. */
  stat(path: string): Promise<FileStat | null>;
  /** Makes changes of names in the directory durable: files created, renamed or removed. */
  syncDirectory(path: string): Promise<void>;
}

const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_NOFOLLOW, O_NONBLOCK, O_DSYNC } = constants;

const openFlags: Readonly<Record<OpenMode, number>> = {
  read: O_RDONLY,
  'create-durable': O_RDWR | O_CREAT | O_EXCL | O_DSYNC,
  replace: O_RDWR | O_CREAT | O_TRUNC,
  'replace-durable': O_RDWR | O_CREAT | O_TRUNC | O_DSYNC,
};

/** The real file system: files are created with mode 0600 and never opened through a symlink. */
export const nodeFileSystem: FileSystem = {
  open: openFile,
  readdir: (path) => readdir(path),
  rename: (from, to) => rename(from, to),
  unlink: (path) => unlink(path),
  mkdir: makeDirectory,
  stat: statPath,
  syncDirectory,
};

/** What an ordinary user may still store on a disk; null where the system does not tell. */
export interface FreeRoom {
  readonly freeBytes: number | null;
  /** For how many more files there are inodes; null also if the file system sets no limit. */
  readonly freeFiles: number | null;
}

export async function freeRoomAt(path: string): Promise<FreeRoom> {
  try {
    const { bavail, bsize, files, ffree } = await statfs(path);
    return { freeBytes: bavail * bsize, freeFiles: files === 0 ? null : ffree };
  } catch {
    return { freeBytes: null, freeFiles: null };
  }
}

/** Opens a file for reading, for as long as `use` takes. */
export async function withFile<T>(
  files: FileSystem,
  path: string,
  use: (file: OpenFile) => Promise<T>,
): Promise<T> {
  const file = await files.open(path, 'read');
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** Whether the error has this code, e.g. `ENOENT`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

async function openFile(path: string, mode: OpenMode): Promise<OpenFile> {
  // Makes no difference to a file; without it, opening a named pipe would hang a thread for good.
  const flags = openFlags[mode] | O_NOFOLLOW | O_NONBLOCK;
  const descriptor = await called<number>((done) => openCallback(path, flags, 0o600, done));
  return fileOf(descriptor, path);
}

/** Uses callbacks rather than `FileHandle`, whose extra promises are noticeable in every commit. */
function fileOf(descriptor: number, path: string): OpenFile {
  return {
    writev: (parts, position) =>
      called((done) => writevCallback(descriptor, parts, position, done), path),
    read: (target, position) => readFully({ descriptor, path }, target, position),
    sync: () => called((done) => fsync(descriptor, done), path),
    truncate: (length) => called((done) => ftruncate(descriptor, length, done), path),
    size: async () => {
      const read = (done: Done<BigIntStats>): void => fstat(descriptor, { bigint: true }, done);
      return Number((await called(read, path)).size);
    },
    close: () => called((done) => close(descriptor, done), path),
  };
}

async function readFully(
  { descriptor, path }: { readonly descriptor: number; readonly path: string },
  target: Uint8Array,
  position: number,
): Promise<number> {
  let done = 0;
  while (done < target.length) {
    const from = done;
    const count = await called<number>((finish) => {
      const length = target.length - from;
      readCallback(descriptor, target, from, length, position + from, finish);
    }, path);
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

/** Node's errors name a `path` that was passed, but not the file behind a descriptor. */
function called<T = void>(call: (done: Done<T>) => void, path?: string): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, value) => {
      if (!error) return resolve(value);
      if (path !== undefined) error.message += ` '${path}'`;
      reject(error);
    });
  });
}
