import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { writeFileAtomically } from '../lib/atomic-file.ts';
import { type FileSystem, hasCode } from '../lib/file-system.ts';
import { Limiter } from '../lib/limiter.ts';

/** A report that cannot be read. */
export interface DamagedReport {
  /** The name under which the file was set aside. */
  readonly path: string;
  readonly reason: string;
}

export interface ReportStoreOptions {
  readonly onDamage?: (damaged: DamagedReport) => void;
}

const firstLineBytesMax = 64;
const corruptEnding = '.corrupt';
/**
 * Files are written on the four threads that also take the journal to the disk, and whoever sent
 * an alert waits for the journal: reports, for which nobody waits, leave it two of them.
 */
const changesMax = 2;

/**
 * One file for each episode's report, in one of 256 folders. Names are made from a hash of the
 * fingerprint: the fingerprint is a stranger's text. The first line holds the length and the
 * CRC-32 of the JSON behind it, so that a torn or altered file is never shown as a report.
 */
export class ReportStore {
  readonly #directory: string;
  readonly #files: FileSystem;
  readonly #onDamage: (damaged: DamagedReport) => void;
  /** The last change of each file that is being changed: those to one file follow one another. */
  readonly #changing = new Map<string, Promise<void>>();
  readonly #folders = new Set<string>();
  readonly #limiter = new Limiter(changesMax);

  /** Use {@linkcode ReportStore.open}. */
  private constructor(directory: string, files: FileSystem, options: ReportStoreOptions) {
    this.#directory = directory;
    this.#files = files;
    this.#onDamage = options.onDamage ?? (() => {});
  }

  /** Makes `directory` if it is absent; its parent must exist. */
  static async open(
    directory: string,
    files: FileSystem,
    options: ReportStoreOptions = {},
  ): Promise<ReportStore> {
    await files.mkdir(directory);
    await files.syncDirectory(dirname(directory));
    return new ReportStore(directory, files, options);
  }

  /** Resolves when the report is on disk; rejects and leaves the earlier one when it cannot be. */
  write(fingerprint: string, episode: number, json: string): Promise<void> {
    const { folder, path } = this.#placeOf(fingerprint, episode);
    return this.#change(path, async () => {
      const body = Buffer.from(json);
      const firstLine = `${body.length} ${crc32(body).toString(16).padStart(8, '0')}\n`;
      await this.#makeFolder(folder);
      await writeFileAtomically(this.#files, path, [Buffer.from(firstLine), body]);
    });
  }

  /** Null when there is none, or when it was damaged: then it is set aside and reported. */
  async read(fingerprint: string, episode: number): Promise<string | null> {
    const { path } = this.#placeOf(fingerprint, episode);
    const content = await this.#readFile(path);
    if (content === null) return null;
    const body = intactBody(content);
    if (body === null) await this.#setAside(path);
    return body;
  }

  remove(fingerprint: string, episode: number): Promise<void> {
    const { path, folder } = this.#placeOf(fingerprint, episode);
    return this.#change(path, async () => {
      try {
        await this.#files.unlink(path);
        await this.#files.syncDirectory(folder);
      } catch (error) {
        if (!hasCode(error, 'ENOENT')) throw error;
      }
    });
  }

  #placeOf(fingerprint: string, episode: number): { folder: string; path: string } {
    const hash = createHash('sha256').update(fingerprint).digest('hex');
    const folder = join(this.#directory, hash.slice(0, 2));
    return { folder, path: join(folder, `${hash}-${episode}.json`) };
  }

  async #change(path: string, change: () => Promise<void>): Promise<void> {
    const before = this.#changing.get(path) ?? Promise.resolve();
    const limited = (): Promise<void> => this.#limiter.run(change);
    const changed = before.then(limited, limited);
    this.#changing.set(path, changed);
    try {
      await changed;
    } finally {
      if (this.#changing.get(path) === changed) this.#changing.delete(path);
    }
  }

  async #makeFolder(folder: string): Promise<void> {
    if (this.#folders.has(folder)) return;
    await this.#files.mkdir(folder);
    await this.#files.syncDirectory(this.#directory);
    this.#folders.add(folder);
  }

  async #readFile(path: string): Promise<Buffer | null> {
    try {
      const file = await this.#files.open(path, 'read');
      try {
        const content = Buffer.allocUnsafe(await file.size());
        return content.subarray(0, await file.read(content, 0));
      } finally {
        await file.close();
      }
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return null;
      throw error;
    }
  }

  async #setAside(path: string): Promise<void> {
    const aside = path + corruptEnding;
    try {
      await this.#files.rename(path, aside);
    } catch (error) {
      // Another reader was quicker, and reported it.
      if (hasCode(error, 'ENOENT')) return;
      this.#onDamage({ path, reason: 'its content is not as written, and it cannot be set aside' });
      return;
    }
    this.#onDamage({ path: aside, reason: 'its content is not as written' });
  }
}

/** Null when the content is not what was written. */
function intactBody(content: Buffer): string | null {
  const lineEnd = content.subarray(0, firstLineBytesMax).indexOf('\n');
  const firstLine = content.toString('latin1', 0, Math.max(0, lineEnd));
  const match = /^(\d{1,15}) ([0-9a-f]{8})$/.exec(firstLine);
  if (match === null) return null;
  const body = content.subarray(lineEnd + 1);
  const isIntact = body.length === Number(match[1]) && crc32(body) === parseInt(match[2] ?? '', 16);
  return isIntact ? body.toString('utf8') : null;
}
