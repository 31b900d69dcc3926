import { crc32 } from 'node:zlib';
import type { EpisodeKey } from '../../alert/episode-key.ts';
import type { Clock } from '../../lib/clock.ts';
import type { FileSystem } from '../../lib/file-system.ts';
import { episodeName, FileForEach } from './file-for-each.ts';
import { type Extent, isSameExtent, PackFiles } from './pack-files.ts';

export interface DamagedReport {
  readonly path: string;
  readonly offset: number;
  readonly reason: string;
}

interface ReportStoreOptions {
  readonly directory: string;
  readonly files: FileSystem;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Where the episode's report is, as far as the journal says; null if it does not. */
  readonly extentOf: (key: EpisodeKey) => Extent | null;
  readonly onDamage: (damaged: DamagedReport) => void;
  /** Whether the journal has lost records: then reports that it does not name are kept. */
  readonly isIncomplete?: boolean | undefined;
  readonly packBytes?: number | undefined;
  readonly spareBytes?: number | undefined;
}

const firstLineBytesMax = 160;

/**
 * The newest report of each episode. Before its JSON stands a line with its length, its CRC-32 and
 * the episode, so that what is torn, altered or another's is never shown. A report counts once the
 * journal has its extent; until then the one before it is read.
 */
export class ReportStore {
  readonly #packs: PackFiles;
  readonly #older: FileForEach;
  readonly #options: ReportStoreOptions;
  /** Extents whose damage was logged. */
  readonly #damaged = new Set<string>();

  /** Use {@linkcode ReportStore.open}. */
  private constructor(packs: PackFiles, older: FileForEach, options: ReportStoreOptions) {
    this.#packs = packs;
    this.#older = older;
    this.#options = options;
  }

  /** Creates the directory if it is absent; its parent must exist. `live` are all known extents. */
  static async open(options: ReportStoreOptions, live: Iterable<Extent>): Promise<ReportStore> {
    const { directory, files, clock, packBytes, spareBytes, isIncomplete } = options;
    const packs = await PackFiles.open({
      directory, files, clock, isDurable: true,
      packBytes, spareBytes, keepsUnknown: isIncomplete,
    }, live);
    return new ReportStore(packs, await FileForEach.open(files, directory, '.json'), options);
  }

  get bytes(): number {
    return this.#packs.bytes;
  }

  /** Resolves when the report is on disk, to be found once its extent is journalled. */
  write(key: EpisodeKey, json: string): Promise<Extent> {
    const body = Buffer.from(json);
    const firstLine = `${body.length} ${sumOf(body)} ${episodeName(key)}\n`;
    return this.#packs.append([Buffer.from(firstLine), body]);
  }

  /** Writes it a second time, so that its file can go; null if it is damaged: the file stays. */
  async copy(key: EpisodeKey, from: Extent): Promise<Extent | null> {
    const content = await this.#packs.read(from);
    if (content === null || intactBody(content, key) === null) {
      this.#packs.setStuck(from.file);
      return null;
    }
    return this.#packs.append([content]);
  }

  /** Null if there is none, or if it is damaged, which is logged once. */
  async read(key: EpisodeKey): Promise<string | null> {
    for (;;) {
      const extent = this.#options.extentOf(key);
      const content = extent === null
        ? await this.#older.read(key) : await this.#packs.read(extent);
      const body = content && intactBody(content, extent === null ? null : key);
      if (body !== null) return body;
      // Otherwise it was replaced meanwhile, and its file may be gone.
      if (!isSameExtent(extent, this.#options.extentOf(key))) continue;
      if (extent !== null) this.#logDamage(extent);
      return null;
    }
  }

  /** The journal does not name it any more. */
  free(extent: Extent): void {
    this.#packs.free(extent);
  }

  /** Removes what an earlier version has stored of the episode. */
  async removeOlder(key: EpisodeKey): Promise<void> {
    await this.#older.remove(key);
  }

  /** Removes files without a report that counts. To be called every few seconds. */
  tidy(): Promise<void> {
    return this.#packs.tidy();
  }

  /** A file whose few reports should be copied, as too much room is lost; null if none is. */
  sparsest(): number | null {
    return this.#packs.sparsest();
  }

  async close(): Promise<void> {
    await this.#packs.close();
  }

  #logDamage({ file, offset }: Extent): void {
    const name = `${file}:${offset}`;
    if (this.#damaged.has(name)) return;
    this.#damaged.add(name);
    const reason = 'it is missing, or its checksum does not match';
    this.#options.onDamage({ path: this.#packs.pathOf(file), offset, reason });
  }
}

/** The JSON after the first line; null if length, checksum or, if one is given, episode differ. */
function intactBody(content: Buffer, key: EpisodeKey | null): string | null {
  const lineEnd = content.subarray(0, firstLineBytesMax).indexOf('\n');
  const firstLine = content.toString('latin1', 0, Math.max(0, lineEnd));
  const [length, sum, name] = firstLine.split(' ');
  const body = content.subarray(lineEnd + 1);
  const isIntact = length === String(body.length) && sum === sumOf(body) &&
    (key === null || name === episodeName(key));
  return isIntact ? body.toString('utf8') : null;
}

function sumOf(body: Buffer): string {
  return crc32(body).toString(16).padStart(8, '0');
}
