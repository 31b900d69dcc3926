import { basename, dirname } from 'node:path';
import type { FileStat, FileSystem, OpenFile, OpenMode } from '../../../src/lib/file-system.ts';

const sectorBytes = 512;

interface Inode {
  /** The page cache, which reads see. */
  cached: Buffer;
  size: number;
  /** What is on disk. */
  durable: Buffer;
  durableSize: number;
  /** Sectors that may differ from those on disk; the next sync writes them. */
  readonly dirty: Set<number>;
  /** Sectors whose write-back failed: no later sync writes them, and a power loss loses them. */
  readonly abandoned: Set<number>;
}

/** A created, renamed or removed name; a power loss may undo it until the directory is synced. */
interface NameChange {
  readonly directory: string;
  apply(names: Map<string, Inode>): void;
}

interface DiskOptions {
  readonly random: () => number;
  /** One write in this many is short; 0 for none. */
  readonly shortWriteOneIn?: number;
  /** One sync in this many fails, and leaves the pages marked clean; 0 for none. */
  readonly failedSyncOneIn?: number;
}

class DiskError extends Error {
  override readonly name = 'DiskError';
  readonly code: string;

  constructor(code: string, path: string) {
    super(`${code}: ${path}`);
    this.code = code;
  }
}

/**
 * A disk as bad as POSIX allows. In a power loss each 512-byte sector that was not synced
 * independently survives, is lost, is torn in the middle or turns to zeros; a file size that was
 * not synced may be the old or the new one; names created, renamed or removed since their directory
 * was synced may be as before. A failed sync marks its pages clean.
 */
export class SimulatedDisk implements FileSystem {
  readonly #options: DiskOptions;
  #names = new Map<string, Inode>();
  #durableNames = new Map<string, Inode>();
  #directories = new Set<string>();
  #changes: NameChange[] = [];
  /** Number of crashes: file handles opened before the last one are invalid. */
  #generation = 0;
  #stepsLeft = Infinity;
  /** Steps of any kind since the disk was made. */
  steps = 0;

  constructor(options: DiskOptions) {
    this.#options = options;
  }

  /** After `count` more steps every step fails, as if the process had stopped. */
  stopAfter(count: number): void {
    this.#stepsLeft = count;
  }

  get isStopped(): boolean {
    return this.#stepsLeft <= 0;
  }

  /** Kills the process: what it wrote stays in the page cache. The next start can begin. */
  kill(): void {
    this.#generation += 1;
    this.#stepsLeft = Infinity;
  }

  losePower(): void {
    this.kill();
    const names = new Map(this.#durableNames);
    for (const change of this.#changes) if (this.#chance(2)) change.apply(names);
    this.#changes = [];
    this.#names = names;
    this.#durableNames = new Map(names);
    for (const inode of new Set(names.values())) this.#loseUnsynced(inode);
  }

  #loseUnsynced(inode: Inode): void {
    const isSynced = inode.dirty.size + inode.abandoned.size === 0;
    if (isSynced && inode.size === inode.durableSize) return;
    const size = this.#chance(2) ? inode.size : inode.durableSize;
    const after = Buffer.alloc(Math.max(inode.cached.length, inode.durable.length, size));
    inode.durable.copy(after, 0, 0, Math.min(inode.durableSize, inode.durable.length));
    for (const sector of new Set([...inode.dirty, ...inode.abandoned])) {
      this.#settleSector(inode, after, sector * sectorBytes);
    }
    after.fill(0, size);
    inode.cached = after;
    inode.size = size;
    inode.durable = Buffer.from(after);
    inode.durableSize = size;
    inode.dirty.clear();
    inode.abandoned.clear();
  }

  #settleSector(inode: Inode, after: Buffer, from: number): void {
    const to = Math.min(from + sectorBytes, inode.cached.length);
    const fate = this.#options.random() % 4;
    if (fate === 0) inode.cached.copy(after, from, from, to);
    if (fate === 1) inode.cached.copy(after, from, from, from + this.#below(to - from));
    // A sector that was on disk before keeps its old content instead of turning to zeros.
    if (fate === 2 && from >= inode.durableSize) after.fill(0, from, to);
  }

  async open(path: string, mode: OpenMode): Promise<OpenFile> {
    this.#step();
    let inode = this.#names.get(path);
    if (mode === 'create-durable' && inode !== undefined) throw new DiskError('EEXIST', path);
    if (inode === undefined) {
      if (mode === 'read') throw new DiskError('ENOENT', path);
      inode = newInode();
      this.#rename(path, inode);
    } else if (mode !== 'read') {
      resize(inode, 0);
    }
    return this.#openInode(inode, path, mode.endsWith('-durable'));
  }

  #openInode(inode: Inode, path: string, isDurable: boolean): OpenFile {
    const generation = this.#generation;
    const step = (): void => {
      this.#step();
      if (generation !== this.#generation) throw new DiskError('EBADF', path);
    };
    return {
      writev: async (parts, position) => {
        step();
        const bytes = Buffer.concat(parts);
        const isShort = this.#oneIn(this.#options.shortWriteOneIn);
        const count = isShort ? this.#below(bytes.length + 1) : bytes.length;
        write(inode, bytes.subarray(0, count), position);
        // A step of its own: power may fail between the write and the sync.
        if (isDurable) this.#sync(inode, path, step);
        return count;
      },
      read: async (target, position) => {
        step();
        const end = Math.min(inode.size, position + target.length);
        return position >= end ? 0 : inode.cached.copy(target, 0, position, end);
      },
      sync: async () => this.#sync(inode, path, step),
      truncate: async (length) => {
        step();
        resize(inode, length);
      },
      size: async () => {
        step();
        return inode.size;
      },
      close: async () => step(),
    };
  }

  #sync(inode: Inode, path: string, step: () => void): void {
    step();
    if (this.#oneIn(this.#options.failedSyncOneIn)) {
      for (const sector of inode.dirty) inode.abandoned.add(sector);
      inode.dirty.clear();
      throw new DiskError('EIO', path);
    }
    if (inode.durable.length < inode.size) inode.durable = grown(inode.durable, inode.size);
    for (const sector of inode.dirty) {
      const from = sector * sectorBytes;
      inode.cached.copy(inode.durable, from, from, Math.min(from + sectorBytes, inode.size));
    }
    inode.durable.fill(0, inode.size);
    inode.durableSize = inode.size;
    inode.dirty.clear();
  }

  async readdir(path: string): Promise<string[]> {
    this.#step();
    // A directory has no order, least of all that in which its files were made.
    const names = [...this.#names.keys()].filter((name) => dirname(name) === path);
    return names.map((name) => basename(name)).reverse();
  }

  async rename(from: string, to: string): Promise<void> {
    this.#step();
    const inode = this.#names.get(from);
    if (inode === undefined) throw new DiskError('ENOENT', from);
    this.#change(dirname(to), (names) => {
      names.delete(from);
      names.set(to, inode);
    });
  }

  async unlink(path: string): Promise<void> {
    this.#step();
    if (!this.#names.has(path)) throw new DiskError('ENOENT', path);
    this.#change(dirname(path), (names) => names.delete(path));
  }

  async mkdir(path: string): Promise<void> {
    this.#step();
    this.#directories.add(path);
  }

  async stat(path: string): Promise<FileStat | null> {
    this.#step();
    const inode = this.#names.get(path);
    const kind = inode ? 'file' : 'directory';
    if (inode === undefined && !this.#directories.has(path)) return null;
    const size = inode?.size ?? 0;
    return { kind, owner: 0, mode: 0o700, size, modifiedMs: 0, identity: path };
  }

  async syncDirectory(path: string): Promise<void> {
    this.#step();
    if (this.#oneIn(this.#options.failedSyncOneIn)) throw new DiskError('EIO', path);
    for (const change of this.#changes) {
      if (change.directory === path) change.apply(this.#durableNames);
    }
    this.#changes = this.#changes.filter(({ directory }) => directory !== path);
  }

  #rename(path: string, inode: Inode): void {
    this.#change(dirname(path), (names) => names.set(path, inode));
  }

  #change(directory: string, apply: (names: Map<string, Inode>) => void): void {
    apply(this.#names);
    this.#changes.push({ directory, apply });
  }

  #step(): void {
    this.steps += 1;
    if (this.#stepsLeft <= 0) throw new DiskError('EIO', '(stopped)');
    this.#stepsLeft -= 1;
  }

  #below(limit: number): number {
    return this.#options.random() % Math.max(1, limit);
  }

  #chance(oneIn: number): boolean {
    return this.#below(oneIn) === 0;
  }

  #oneIn(count: number | undefined): boolean {
    return count !== undefined && count > 0 && this.#chance(count);
  }

  /** The content of a file as a read sees it. */
  contentOf(path: string): Buffer {
    const inode = this.#names.get(path);
    if (inode === undefined) throw new DiskError('ENOENT', path);
    return Buffer.from(inode.cached.subarray(0, inode.size));
  }

  /** Creates a file that is already synced. */
  place(path: string, content: Uint8Array): void {
    const bytes = Buffer.from(content);
    const size = bytes.length;
    const inode = { ...newInode(), cached: bytes, size, durable: Buffer.from(bytes) };
    this.#names.set(path, { ...inode, durableSize: size });
    this.#durableNames = new Map(this.#names);
  }

  paths(): string[] {
    return [...this.#names.keys()].toSorted();
  }
}

function newInode(): Inode {
  const empty = Buffer.alloc(0);
  const sets = { dirty: new Set<number>(), abandoned: new Set<number>() };
  return { cached: empty, size: 0, durable: empty, durableSize: 0, ...sets };
}

function write(inode: Inode, bytes: Buffer, position: number): void {
  const end = position + bytes.length;
  if (bytes.length === 0) return;
  if (inode.cached.length < end) inode.cached = grown(inode.cached, end);
  bytes.copy(inode.cached, position);
  // A hole that the write leaves needs no sync: it reads as zeros before and after.
  for (let sector = sectorOf(position); sector <= sectorOf(end - 1); sector += 1) {
    inode.dirty.add(sector);
    inode.abandoned.delete(sector);
  }
  inode.size = Math.max(inode.size, end);
}

function resize(inode: Inode, size: number): void {
  if (inode.cached.length < size) inode.cached = grown(inode.cached, size);
  inode.cached.fill(0, size);
  inode.size = size;
}

function grown(buffer: Buffer, size: number): Buffer {
  const larger = Buffer.alloc(Math.max(size, buffer.length * 2));
  buffer.copy(larger);
  return larger;
}

function sectorOf(position: number): number {
  return Math.floor(position / sectorBytes);
}
