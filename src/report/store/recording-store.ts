import { join } from 'node:path';
import type { FileSystem } from '../../lib/file-system.ts';
import { EpisodeFiles } from './episode-files.ts';

export interface RecordingStoreOptions {
  readonly directory: string;
  readonly files: FileSystem;
  /** Of all recordings together; 0 keeps none and removes those on disk. */
  readonly bytesMax: number;
  /** A recording could not be written, removed or found. */
  readonly onTrouble: (error: unknown) => void;
}

/** Recordings matter least of all that goes to the disk: they are written one at a time. */
const changesMax = 1;
const ending = '.json.gz';
/** Of recordings that wait for a slow disk; those beyond it are dropped. */
const waitingBytesMax = 32 * 1024 * 1024;

/**
 * One file for each episode's recording, beside its report. Nobody waits for them and nothing
 * depends on them: whatever fails costs the recording alone. The oldest make room for new ones.
 * The disk takes them when it likes: made durable one by one, they would take turns from the
 * journal, for which senders wait. What a power loss halves is no whole gzip, and a replay says so.
 */
export class RecordingStore {
  readonly #options: RecordingStoreOptions;
  readonly #recordings: EpisodeFiles;
  /** Bytes by path, the oldest first. */
  #known = new Map<string, number>();
  /** The newest claim on each path: an older recording that comes late is of no use. */
  readonly #claims = new Map<string, symbol>();
  readonly #underWay = new Set<Promise<void>>();
  #bytes = 0;
  #waitingBytes = 0;

  /** Use {@linkcode RecordingStore.open}. */
  private constructor(recordings: EpisodeFiles, options: RecordingStoreOptions) {
    this.#recordings = recordings;
    this.#options = options;
  }

  /** Makes the directory if it is absent. What is in it is found in the background. */
  static async open(options: RecordingStoreOptions): Promise<RecordingStore> {
    const { directory, files } = options;
    const recordings = await EpisodeFiles.open(files, {
      directory, ending, changesMax, isDurable: false,
    });
    const store = new RecordingStore(recordings, options);
    store.#follow(store.#findAll());
    return store;
  }

  /** Of all recordings on disk, as far as they have been found. */
  get bytes(): number {
    return this.#bytes;
  }

  has(fingerprint: string, episode: number): boolean {
    return this.#known.has(this.#recordings.pathOf(fingerprint, episode));
  }

  /**
   * Removes the episode's earlier recording at once, and stores `coming` when it is there; null
   * stores none.
   */
  replace(
    fingerprint: string,
    episode: number,
    coming: Promise<Uint8Array | null> | null,
  ): void {
    const path = this.#recordings.pathOf(fingerprint, episode);
    const claim = Symbol(path);
    this.#claims.set(path, claim);
    const removed = this.#known.has(path) ? this.#forget(path) : Promise.resolve();
    this.#follow(removed.then(() => coming).then(async (content) => {
      if (content !== null && this.#claims.get(path) === claim) await this.#write(path, content);
    }).finally(() => {
      if (this.#claims.get(path) === claim) this.#claims.delete(path);
    }));
  }

  /** Null when there is none. */
  async read(fingerprint: string, episode: number): Promise<Buffer | null> {
    return this.#recordings.read(this.#recordings.pathOf(fingerprint, episode));
  }

  async remove(fingerprint: string, episode: number): Promise<void> {
    const path = this.#recordings.pathOf(fingerprint, episode);
    this.#claims.delete(path);
    if (this.#known.has(path)) await this.#forget(path);
  }

  /** Resolves when nothing is under way any more. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #follow(work: Promise<void>): void {
    const followed = work.catch((error: unknown) => this.#options.onTrouble(error))
      .finally(() => this.#underWay.delete(followed));
    this.#underWay.add(followed);
  }

  async #write(path: string, content: Uint8Array): Promise<void> {
    const bytes = content.length;
    const { bytesMax } = this.#options;
    if (bytes > bytesMax || this.#waitingBytes + bytes > waitingBytesMax) return;
    this.#waitingBytes += bytes;
    try {
      await this.#recordings.write(path, () => [content]);
    } finally {
      this.#waitingBytes -= bytes;
    }
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
    this.#bytes -= this.#known.get(path) ?? 0;
    this.#known.delete(path);
    await this.#recordings.remove(path);
  }

  async #findAll(): Promise<void> {
    const found: { path: string; bytes: number; modifiedMs: number }[] = [];
    const { directory, files } = this.#options;
    for (const folder of await files.readdir(directory)) {
      if (!/^[0-9a-f]{2}$/.test(folder)) continue;
      for (const name of await files.readdir(join(directory, folder))) {
        const path = join(directory, folder, name);
        const stat = await files.stat(path);
        if (stat?.kind !== 'file') continue;
        // A whole recording, or what a crash left of one: that goes with the oldest.
        found.push({ path, bytes: stat.size, modifiedMs: stat.modifiedMs });
      }
    }
    found.sort((a, b) => a.modifiedMs - b.modifiedMs);
    const newer = this.#known;
    this.#known = new Map();
    this.#bytes = 0;
    for (const { path, bytes } of found) if (!newer.has(path)) this.#note(path, bytes);
    for (const [path, bytes] of newer) this.#note(path, bytes);
    await this.#makeRoom();
  }
}
