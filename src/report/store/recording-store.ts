import { join } from 'node:path';
import type { EpisodeKey } from '../../alert/episode-key.ts';
import { unfinishedEnding } from '../../lib/atomic-file.ts';
import type { FileSystem } from '../../lib/file-system.ts';
import { EpisodeFiles } from './episode-files.ts';

interface RecordingStoreOptions {
  readonly directory: string;
  readonly files: FileSystem;
  /** Limit for all recordings together; 0 keeps none and removes those on disk. */
  readonly bytesMax: number;
  /** Called when a recording could not be written or removed, or the directory not be scanned. */
  readonly onTrouble: (error: unknown) => void;
}

/** Recordings have the lowest priority of all writes: one at a time. */
const changesMax = 1;
const ending = '.json.gz';
/** Recordings that wait for a slow disk may take this much memory; further ones are dropped. */
const waitingBytesMax = 32 * 1024 * 1024;

/**
 * One file for each episode's recording, beside its report. The oldest are evicted to make room
 * for new ones. Nothing waits for a recording or depends on it, so a failure costs that recording
 * alone. Writes are not synced to disk: syncing each would take turns from the journal, for which
 * senders wait. A file that a power loss cut short is no complete gzip, which a replay reports.
 */
export class RecordingStore {
  readonly #options: RecordingStoreOptions;
  readonly #recordings: EpisodeFiles;
  /** Bytes by path, the oldest first. */
  #known = new Map<string, number>();
  /** The newest claim on each path: an older recording that arrives late is dropped. */
  readonly #claims = new Map<string, symbol>();
  readonly #underWay = new Set<Promise<void>>();
  /** Whether every file in the directory is in `#known`. */
  #isScanned = false;
  /** Paths removed during the scan, which may have seen them before; null when it is over. */
  #removedInScan: Set<string> | null = new Set();
  #bytes = 0;
  #waitingBytes = 0;

  /** Use {@linkcode RecordingStore.open}. */
  private constructor(recordings: EpisodeFiles, options: RecordingStoreOptions) {
    this.#recordings = recordings;
    this.#options = options;
  }

  /** Creates the directory if it is absent and scans it in the background. */
  static async open(options: RecordingStoreOptions): Promise<RecordingStore> {
    const { directory, files } = options;
    const recordings = await EpisodeFiles.open(files, {
      directory, ending, changesMax, isDurable: false,
    });
    const store = new RecordingStore(recordings, options);
    store.#follow(store.#scan().finally(() => (store.#removedInScan = null)));
    return store;
  }

  /** Bytes of all recordings on disk; those of an earlier process count once they are scanned. */
  get bytes(): number {
    return this.#bytes;
  }

  has(key: EpisodeKey): boolean {
    return this.#known.has(this.#recordings.pathOf(key));
  }

  /**
   * Removes the episode's earlier recording at once and stores `coming` when it resolves; null
   * stores none.
   */
  replace(key: EpisodeKey, coming: Promise<Uint8Array | null> | null): void {
    const path = this.#recordings.pathOf(key);
    const removed = this.#forget(path);
    const claim = Symbol(path);
    this.#claims.set(path, claim);
    this.#follow(removed.then(() => coming).then(async (content) => {
      const isWanted = content !== null && this.#claims.get(path) === claim;
      if (isWanted) await this.#write(path, claim, content);
    }).finally(() => {
      if (this.#claims.get(path) === claim) this.#claims.delete(path);
    }));
  }

  /** Null when there is none. */
  async read(key: EpisodeKey): Promise<Buffer | null> {
    return this.#recordings.read(this.#recordings.pathOf(key));
  }

  async remove(key: EpisodeKey): Promise<void> {
    const path = this.#recordings.pathOf(key);
    await this.#forget(path + unfinishedEnding); // What a kill left is known by its own name.
    await this.#forget(path);
  }

  /** Resolves when no scan, write or removal is under way. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #follow(work: Promise<void>): void {
    const followed = work.catch((error: unknown) => this.#options.onTrouble(error))
      .finally(() => this.#underWay.delete(followed));
    this.#underWay.add(followed);
  }

  async #write(path: string, claim: symbol, content: Uint8Array): Promise<void> {
    const bytes = content.length;
    const { bytesMax } = this.#options;
    if (bytes > bytesMax || this.#waitingBytes + bytes > waitingBytesMax) return;
    this.#waitingBytes += bytes;
    try {
      await this.#recordings.write(path, () => [content]);
    } finally {
      this.#waitingBytes -= bytes;
    }
    // Replaced or removed in the meantime: a removal of this file follows the write.
    if (this.#claims.get(path) !== claim) return;
    this.#note(path, bytes);
    await this.#makeRoom();
  }

  #note(path: string, bytes: number): void {
    this.#bytes += bytes - (this.#known.get(path) ?? 0);
    this.#known.delete(path);
    this.#known.set(path, bytes);
  }

  async #makeRoom(): Promise<void> {
    for (const [path] of this.#known) {
      if (this.#bytes <= this.#options.bytesMax) return;
      await this.#forget(path);
    }
  }

  async #forget(path: string): Promise<void> {
    // Otherwise a file is known, being written, or not scanned yet.
    if (!this.#known.has(path) && !this.#claims.has(path) && this.#isScanned) return;
    this.#claims.delete(path);
    this.#bytes -= this.#known.get(path) ?? 0;
    this.#known.delete(path);
    this.#removedInScan?.add(path);
    await this.#recordings.remove(path);
  }

  async #scan(): Promise<void> {
    const found: { path: string; bytes: number; modifiedMs: number }[] = [];
    const { directory, files } = this.#options;
    for (const folder of await files.readdir(directory)) {
      if (!/^[0-9a-f]{2}$/.test(folder)) continue;
      // One that cannot be read must not let the others exceed the limit.
      const names = await files.readdir(join(directory, folder)).catch((error: unknown) => {
        this.#options.onTrouble(error);
        return [];
      });
      for (const name of names) {
        const path = join(directory, folder, name);
        const stat = await files.stat(path);
        if (stat?.kind !== 'file') continue;
        // A complete recording or a remnant of a crash; remnants are evicted by age like the rest.
        found.push({ path, bytes: stat.size, modifiedMs: stat.modifiedMs });
      }
    }
    found.sort((a, b) => a.modifiedMs - b.modifiedMs);
    const newer = this.#known;
    this.#known = new Map();
    this.#bytes = 0;
    for (const { path, bytes } of found) {
      if (this.#removedInScan?.has(path) !== true) this.#note(path, bytes);
    }
    for (const [path, bytes] of newer) this.#note(path, bytes);
    this.#isScanned = true;
    await this.#makeRoom();
  }
}
