import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { EpisodeKey } from '../../alert/episode-key.ts';
import { type FileSystem, hasCode, withFile } from '../../lib/file-system.ts';

/** An episode as part of a name: fingerprints are untrusted text. */
export function episodeName({ fingerprint, number }: EpisodeKey): string {
  return `${createHash('sha256').update(fingerprint).digest('hex')}-${number}`;
}

/**
 * The layout of versions before this one: a file for each episode, in 256 folders. Such files are
 * read as long as their episodes are kept, and none are written.
 */
export class FileForEach {
  readonly #files: FileSystem;
  readonly #directory: string;
  readonly #ending: string;
  readonly #folders: ReadonlySet<string>;

  /** Use {@linkcode FileForEach.open}. */
  private constructor(
    files: FileSystem,
    { directory, ending, folders }: {
      readonly directory: string;
      readonly ending: string;
      readonly folders: ReadonlySet<string>;
    },
  ) {
    this.#files = files;
    this.#directory = directory;
    this.#ending = ending;
    this.#folders = folders;
  }

  /** `ending` is the suffix of the file names. The directory must exist. */
  static async open(files: FileSystem, directory: string, ending: string): Promise<FileForEach> {
    const names = await files.readdir(directory);
    const folders = new Set(names.filter((name) => /^[0-9a-f]{2}$/.test(name)));
    return new FileForEach(files, { directory, ending, folders });
  }

  /** Null when there is none. */
  async read(key: EpisodeKey): Promise<Buffer | null> {
    const path = this.#pathOf(key);
    if (path === null) return null;
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

  /** Also removes what was set aside as damaged, or left half-written by a kill. */
  async remove(key: EpisodeKey): Promise<void> {
    const path = this.#pathOf(key);
    if (path === null) return;
    for (const name of [path, `${path}.corrupt`, `${path}.tmp`]) await this.#unlink(name);
  }

  async removeAll(): Promise<void> {
    for (const folder of this.#folders) {
      const path = join(this.#directory, folder);
      for (const name of await this.#files.readdir(path)) await this.#unlink(join(path, name));
    }
  }

  #pathOf(key: EpisodeKey): string | null {
    if (this.#folders.size === 0) return null; // The usual case: spares the disk a look.
    const name = episodeName(key);
    const folder = name.slice(0, 2);
    return this.#folders.has(folder) ? join(this.#directory, folder, name + this.#ending) : null;
  }

  async #unlink(path: string): Promise<void> {
    try {
      await this.#files.unlink(path);
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }
}
