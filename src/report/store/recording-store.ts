import type { EpisodeKey } from '../../alert/episode-key.ts';
import type { Clock } from '../../lib/clock.ts';
import type { FileSystem } from '../../lib/file-system.ts';
import { FileForEach } from './file-for-each.ts';
import { type Extent, PackFiles } from './pack-files.ts';

interface RecordingStoreOptions {
  readonly directory: string;
  readonly files: FileSystem;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Limit for all recordings together; 0 keeps none and removes those on disk. */
  readonly bytesMax: number;
  /** Where the episode's recording is; null if there is none. */
  readonly extentOf: (key: EpisodeKey) => Extent | null;
  /** Journals where it is. */
  readonly keep: (key: EpisodeKey, recording: Extent) => Promise<void>;
  /** Called when a recording could not be written or removed. */
  readonly onTrouble: (error: unknown) => void;
}

/** Recordings that wait for a slow disk may take this much memory; further ones are dropped. */
const waitingBytesMax = 32 * 1024 * 1024;

/**
 * The recording of each episode's newest report. The oldest are evicted to make room for new ones.
 * Nothing waits for a recording or depends on it, so a failure costs that recording alone. Writes
 * are not synced to disk: that would take turns from the journal, for which senders wait. What a
 * power loss cut short is no complete gzip, which a replay reports.
 */
export class RecordingStore {
  readonly #options: RecordingStoreOptions;
  readonly #packs: PackFiles;
  readonly #older: FileForEach;
  /** The newest report of each episode whose recording is still to come. */
  readonly #claims = new Map<string, symbol>();
  readonly #underWay = new Set<Promise<void>>();
  #waitingBytes = 0;

  /** Use {@linkcode RecordingStore.open}. */
  private constructor(packs: PackFiles, older: FileForEach, options: RecordingStoreOptions) {
    this.#packs = packs;
    this.#older = older;
    this.#options = options;
  }

  /** Creates the directory if it is absent; its parent must exist. `live` are all known extents. */
  static async open(
    options: RecordingStoreOptions, live: Iterable<Extent>,
  ): Promise<RecordingStore> {
    const { directory, files, clock, bytesMax } = options;
    const packs = await PackFiles.open({ directory, files, clock, isDurable: false }, live);
    const older = await FileForEach.open(files, directory, '.json.gz');
    const store = new RecordingStore(packs, older, options);
    if (bytesMax === 0) store.#follow(older.removeAll());
    return store;
  }

  /** Length of all files. */
  get bytes(): number {
    return this.#packs.bytes;
  }

  has(key: EpisodeKey): boolean {
    const extent = this.#options.extentOf(key);
    return extent !== null && this.#packs.has(extent);
  }

  /** Stores `coming` when it resolves, unless the episode has a newer report then. */
  replace(key: EpisodeKey, coming: Promise<Uint8Array | null> | null): void {
    const name = `${key.fingerprint}/${key.number}`;
    if (coming === null) return void this.#claims.delete(name);
    const claim = Symbol(name);
    this.#claims.set(name, claim);
    this.#follow(coming.then(async (content) => {
      const isWanted = content !== null && this.#claims.get(name) === claim;
      if (isWanted) await this.#write(key, content, () => this.#claims.get(name) === claim);
    }).finally(() => {
      if (this.#claims.get(name) === claim) this.#claims.delete(name);
    }));
  }

  /** Null when there is none. */
  async read(key: EpisodeKey): Promise<Buffer | null> {
    const extent = this.#options.extentOf(key);
    return extent === null ? this.#older.read(key) : this.#packs.read(extent);
  }

  /** The journal does not name it any more. */
  free(extent: Extent): void {
    this.#packs.free(extent);
  }

  /** Removes what an earlier version has stored of the episode. */
  async removeOlder(key: EpisodeKey): Promise<void> {
    await this.#older.remove(key);
  }

  /** Removes files that hold nothing, and the oldest beyond the limit. */
  async tidy(): Promise<void> {
    await this.#packs.tidy();
    await this.#packs.shrinkTo(this.#options.bytesMax);
  }

  /** Resolves when nothing is being written. */
  async close(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    await this.#packs.close();
  }

  #follow(work: Promise<void>): void {
    const followed = work.catch((error: unknown) => this.#options.onTrouble(error))
      .finally(() => this.#underWay.delete(followed));
    this.#underWay.add(followed);
  }

  async #write(key: EpisodeKey, content: Uint8Array, isWanted: () => boolean): Promise<void> {
    const { bytesMax, keep } = this.#options;
    const { length: bytes } = content;
    if (bytes > bytesMax || this.#waitingBytes + bytes > waitingBytesMax) return;
    this.#waitingBytes += bytes;
    let written: Extent;
    try {
      written = await this.#packs.append([content]);
    } finally {
      this.#waitingBytes -= bytes;
    }
    if (!isWanted()) return this.#packs.free(written);
    await keep(key, written);
    await this.#packs.shrinkTo(bytesMax);
  }
}
