import { dirname, join } from 'node:path';
import { writeFully } from '../../lib/atomic-file.ts';
import type { Clock } from '../../lib/clock.ts';
import { type FileSystem, hasCode, type OpenFile, withFile } from '../../lib/file-system.ts';
import { number, objectOf, type Parser } from '../../lib/parse.ts';

/** Where a content lies: in which file, from which byte, and how many. */
export interface Extent {
  readonly file: number;
  readonly offset: number;
  readonly bytes: number;
}

export const extent: Parser<Extent> = objectOf<Extent>({
  file: number, offset: number, bytes: number,
});

export function isSameExtent(a: Extent | null, b: Extent | null): boolean {
  return a?.file === b?.file && a?.offset === b?.offset && a?.bytes === b?.bytes;
}

interface PackOptions {
  readonly directory: string;
  readonly files: FileSystem;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Whether a content is durable when `append` resolves. */
  readonly isDurable: boolean;
  /** A file that has this length is not written to any more. */
  readonly packBytes?: number | undefined;
  /** Room that may be lost to what is not live, besides as much as is live. */
  readonly spareBytes?: number | undefined;
  /** Whether files stay that hold nothing known: what is known may be incomplete. */
  readonly keepsUnknown?: boolean | undefined;
}

interface Pack {
  /** Null until it is measured. */
  bytes: number | null;
  liveBytes: number;
  live: number;
  /** Something in it cannot be copied to another. */
  isStuck: boolean;
}

interface OpenPack {
  readonly number: number;
  readonly path: string;
  readonly file: OpenFile;
  readonly identity: string | undefined;
  readonly counts: Pack;
  end: number;
}

interface Waiting {
  readonly parts: readonly Uint8Array[];
  readonly bytes: number;
  readonly resolve: (extent: Extent) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * How long a content lets others join its write: each write wakes a thread, which costs the main
 * thread as much as all else that it does with a report.
 */
const lingerMs = 10;
const packBytesDefault = 1024 * 1024;
const spareBytesDefault = 64 * 1024 * 1024;

/**
 * Contents appended to numbered files. Whatever comes within a few milliseconds, or while a write
 * is under way, shares a write, so that a burst costs few trips to the disk. A content is never
 * changed: who replaces it frees it, and a file goes when nothing in it is live. The owner keeps
 * the extents, durably and only once `append` has resolved. So a file needs no repair after a
 * crash: nothing refers to what is unfinished in it, and only new files are written to.
 */
export class PackFiles {
  readonly #options: PackOptions;
  /** By number, the oldest first. */
  readonly #packs: Map<number, Pack>;
  #next: number;
  #current: OpenPack | null = null;
  #bytes = 0;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | null = null;

  /** Use {@linkcode PackFiles.open}. */
  private constructor(options: PackOptions, packs: Map<number, Pack>, next: number) {
    this.#options = options;
    this.#packs = packs;
    this.#next = next;
  }

  /** Creates the directory if it is absent; its parent must exist. `live` are all known extents. */
  static async open(options: PackOptions, live: Iterable<Extent>): Promise<PackFiles> {
    const { directory, files, keepsUnknown = false } = options;
    await files.mkdir(directory);
    await files.syncDirectory(dirname(directory));
    const present = (await files.readdir(directory)).flatMap(numbersIn).sort((a, b) => a - b);
    const packs = new Map(present.map((name) => [name, newPack(null)]));
    const next = (present.at(-1) ?? 0) + 1;
    const opened = new PackFiles(options, packs, next);
    for (const known of live) {
      opened.#count(known);
      opened.#next = Math.max(opened.#next, known.file + 1);
    }
    for (const [name, pack] of packs) {
      if (keepsUnknown && pack.live === 0) packs.delete(name);
    }
    return opened;
  }

  /** Length of all files, as far as they have been measured. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the file that holds it exists. */
  has({ file }: Extent): boolean {
    return this.#packs.has(file);
  }

  pathOf(file: number): string {
    return join(this.#options.directory, `${String(file).padStart(8, '0')}${ending}`);
  }

  /** Resolves once the content is written; `parts` must not change until then. */
  append(parts: readonly Uint8Array[]): Promise<Extent> {
    const bytes = sumOf(parts, ({ length }) => length);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ parts, bytes, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  /** Null if the file is gone or too short. */
  async read({ file, offset, bytes }: Extent): Promise<Buffer | null> {
    try {
      return await withFile(this.#options.files, this.pathOf(file), async (opened) => {
        // Before memory is taken for it: a damaged record may name any size.
        if (offset + bytes > (await opened.size())) return null;
        const content = Buffer.allocUnsafe(bytes);
        return (await opened.read(content, offset)) === bytes ? content : null;
      });
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return null;
      throw error;
    }
  }

  /**
   * Nothing refers to the content any more. Not to be called if the record that was to refer to it
   * could not be written: a failed write may still turn up after a crash. The next start knows.
   */
  free({ file, bytes }: Extent): void {
    const pack = this.#packs.get(file);
    if (pack === undefined) return;
    pack.live -= 1;
    pack.liveBytes -= bytes;
  }

  /** Removes files in which nothing is live, and writes to a new one if the current one is gone. */
  async tidy(): Promise<void> {
    await this.#checkPlace();
    for (const [name, pack] of this.#packs) {
      if (name === this.#current?.number) continue;
      if (pack.live <= 0) await this.#remove(name);
      else if (pack.bytes === null) await this.#measure(name, pack);
    }
  }

  /** Removes the oldest files, whatever is in them, until the others have at most this length. */
  async shrinkTo(bytesMax: number): Promise<void> {
    for (const name of this.#packs.keys()) {
      if (this.#bytes <= bytesMax) return;
      if (name !== this.#current?.number) await this.#remove(name);
    }
  }

  /** Something in the file cannot be copied, so that it cannot be cleared. */
  setStuck(file: number): void {
    const pack = this.#packs.get(file);
    if (pack !== undefined) pack.isStuck = true;
  }

  /** The file with the least in it if too much room is lost to what is not live; else null. */
  sparsest(): number | null {
    const known = [...this.#packs].filter(([name, { bytes, isStuck }]) =>
      bytes !== null && !isStuck && name !== this.#current?.number);
    const live = sumOf(known, ([, { liveBytes }]) => liveBytes);
    const { spareBytes = spareBytesDefault } = this.#options;
    if (sumOf(known, ([, { bytes }]) => bytes ?? 0) <= 2 * live + spareBytes) return null;
    const shareOf = ({ liveBytes, bytes }: Pack): number => liveBytes / Math.max(1, bytes ?? 0);
    const [first] = known.sort(([, a], [, b]) => shareOf(a) - shareOf(b));
    return first?.[0] ?? null;
  }

  /** Waits for pending appends. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#seal();
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#options.clock.sleep(lingerMs, undefined, true);
      const batch = this.#takeBatch();
      try {
        await this.#write(batch);
      } catch (error) {
        for (const { reject } of batch) reject(error);
        // What follows a failed write cannot be trusted, and the file may have been removed.
        await this.#seal();
      }
    }
    this.#writing = null;
  }

  #takeBatch(): Waiting[] {
    let bytes = 0;
    const { packBytes = packBytesDefault } = this.#options;
    const tooMany = this.#waiting.findIndex((waiting) => (bytes += waiting.bytes) > packBytes);
    return this.#waiting.splice(0, tooMany < 0 ? this.#waiting.length : Math.max(1, tooMany));
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const pack = (this.#current ??= await this.#begin());
    await writeFully(pack.file, batch.flatMap(({ parts }) => parts), pack.end);
    for (const { bytes, resolve } of batch) {
      const written = { file: pack.number, offset: pack.end, bytes };
      pack.end += bytes;
      this.#bytes += bytes;
      this.#count(written);
      resolve(written);
    }
    pack.counts.bytes = pack.end;
    if (pack.end >= (this.#options.packBytes ?? packBytesDefault)) await this.#seal();
  }

  async #begin(): Promise<OpenPack> {
    const { files, directory, isDurable } = this.#options;
    const name = this.#next;
    this.#next += 1;
    const path = this.pathOf(name);
    await files.mkdir(directory); // An operator may have removed it.
    const file = await files.open(path, isDurable ? 'create-durable' : 'replace');
    try {
      if (isDurable) await files.syncDirectory(directory);
      const identity = (await files.stat(path))?.identity;
      const counts = newPack(0);
      this.#packs.set(name, counts);
      return { number: name, path, file, identity, counts, end: 0 };
    } catch (error) {
      await file.close().catch(() => {}); // The first error counts.
      throw error;
    }
  }

  async #seal(): Promise<void> {
    const pack = this.#current;
    this.#current = null;
    await pack?.file.close().catch(() => {}); // What was acknowledged is on disk already.
  }

  /** After the file was removed or replaced, writes would go on without an error. */
  async #checkPlace(): Promise<void> {
    const pack = this.#current;
    if (pack === null) return;
    const found = await this.#options.files.stat(pack.path);
    const isGone = found === null || found.identity !== pack.identity;
    if (isGone && this.#current === pack) this.#current = null; // Closed with the process.
  }

  async #measure(name: number, pack: Pack): Promise<void> {
    pack.bytes = (await this.#options.files.stat(this.pathOf(name)))?.size ?? 0;
    this.#bytes += pack.bytes;
  }

  async #remove(name: number): Promise<void> {
    try {
      await this.#options.files.unlink(this.pathOf(name));
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
    this.#bytes -= this.#packs.get(name)?.bytes ?? 0;
    this.#packs.delete(name);
  }

  #count({ file, bytes }: Extent): void {
    const pack = this.#packs.get(file);
    if (pack === undefined) return;
    pack.live += 1;
    pack.liveBytes += bytes;
  }
}

const ending = '.pack';

function newPack(bytes: number | null): Pack {
  return { bytes, liveBytes: 0, live: 0, isStuck: false };
}

function numbersIn(name: string): number[] {
  const match = /^(\d{8,15})\.pack$/.exec(name);
  return match === null ? [] : [Number(match[1])];
}

function sumOf<T>(items: Iterable<T>, valueOf: (item: T) => number): number {
  let sum = 0;
  for (const item of items) sum += valueOf(item);
  return sum;
}
