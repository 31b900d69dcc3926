import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { EpisodeKey } from '../../alert/episode-key.ts';
import {
  replaceFile, unfinishedEnding, writeFileAtomically, writeFully,
} from '../../lib/atomic-file.ts';
import { type FileSystem, hasCode, withFile } from '../../lib/file-system.ts';
import { Limiter } from '../../lib/limiter.ts';

interface EpisodeFilesOptions {
  readonly directory: string;
  /** Suffix of the file names. */
  readonly ending: string;
  /** Limit of concurrent writes and removals. */
  readonly changesMax: number;
  /**
   * Whether changes are synced to disk; otherwise a power loss may truncate or undo them, but the
   * journal's own syncs are not delayed, as they would be in many file systems.
   */
  readonly isDurable: boolean;
}

/**
 * One file for each episode, in one of 256 folders. Names are made from a hash of the fingerprint,
 * which is untrusted text.
 */
export class EpisodeFiles {
  readonly #options: EpisodeFilesOptions;
  readonly #files: FileSystem;
  /** The last pending change of each file: changes to one file are serialised. */
  readonly #changing = new Map<string, Promise<unknown>>();
  readonly #folders = new Set<string>();
  readonly #limiter: Limiter;

  /** Use {@linkcode EpisodeFiles.open}. */
  private constructor(files: FileSystem, options: EpisodeFilesOptions) {
    this.#options = options;
    this.#files = files;
    this.#limiter = new Limiter(options.changesMax);
  }

  /** Creates the directory if it is absent; its parent must exist. */
  static async open(files: FileSystem, options: EpisodeFilesOptions): Promise<EpisodeFiles> {
    await files.mkdir(options.directory);
    await files.syncDirectory(dirname(options.directory));
    return new EpisodeFiles(files, options);
  }

  pathOf({ fingerprint, number }: EpisodeKey): string {
    const hash = createHash('sha256').update(fingerprint).digest('hex');
    const { directory, ending } = this.#options;
    return join(directory, hash.slice(0, 2), `${hash}-${number}${ending}`);
  }

  /** Resolves when the file is in place; on failure rejects and leaves the earlier file. */
  write(path: string, parts: () => readonly Uint8Array[]): Promise<void> {
    return this.inTurn(path, async () => {
      const folder = dirname(path);
      await this.#makeFolder(folder);
      const [files, mode] = [this.#files, 'replace'] as const;
      try {
        if (this.#options.isDurable) await writeFileAtomically(files, path, parts());
        else await replaceFile(files, { path, mode }, (file) => writeFully(file, parts(), 0));
      } catch (error) {
        // The folder may have been deleted by an operator: the next write creates it again.
        this.#folders.delete(folder);
        throw error;
      }
    });
  }

  /** Null when there is none. */
  async read(path: string): Promise<Buffer | null> {
    try {
      return await withFile(this.#files, path, async (file) => {
        const content = Buffer.allocUnsafe(await file.size());
        return content.subarray(0, await file.read(content, 0));
      });
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return null;
      throw error;
    }
  }

  /** Also removes what a kill left half-written. */
  remove(path: string): Promise<void> {
    return this.inTurn(path, async () => {
      for (const name of [path + unfinishedEnding, path]) {
        try {
          await this.#files.unlink(name);
          if (this.#options.isDurable) await this.#files.syncDirectory(dirname(path));
        } catch (error) {
          if (!hasCode(error, 'ENOENT')) throw error;
        }
      }
    });
  }

  /** Runs `change` when no other change of the file is under way. */
  async inTurn<T>(path: string, change: () => Promise<T>): Promise<T> {
    const before = this.#changing.get(path) ?? Promise.resolve();
    const limited = (): Promise<T> => this.#limiter.run(change);
    const changed = before.then(limited, limited);
    this.#changing.set(path, changed);
    try {
      return await changed;
    } finally {
      if (this.#changing.get(path) === changed) this.#changing.delete(path);
    }
  }

  async #makeFolder(folder: string): Promise<void> {
    if (this.#folders.has(folder)) return;
    const { directory, isDurable } = this.#options;
    await this.#files.mkdir(directory);
    await this.#files.mkdir(folder);
    if (isDurable) {
      await this.#files.syncDirectory(dirname(directory));
      await this.#files.syncDirectory(directory);
    }
    this.#folders.add(folder);
  }
}
