import { crc32 } from 'node:zlib';
import type { EpisodeKey } from '../../alert/episode-key.ts';
import type { FileSystem } from '../../lib/file-system.ts';
import { EpisodeFiles } from './episode-files.ts';

export interface DamagedReport {
  /** Where the file was moved to. */
  readonly path: string;
  readonly reason: string;
}

interface ReportStoreOptions {
  readonly directory: string;
  readonly files: FileSystem;
  readonly onDamage: (damaged: DamagedReport) => void;
  /** Called when a report is on disk, whether new or replaced. */
  readonly onWritten?: (key: EpisodeKey) => void;
}

const firstLineBytesMax = 64;
const corruptEnding = '.corrupt';
/**
 * File operations share libuv's four threads with the journal. Senders wait for the journal and not
 * for reports, so reports leave it two of the threads.
 */
const changesMax = 2;

/**
 * One file for each episode's report. Its first line holds the length and CRC-32 of the JSON after
 * it, so that a torn or altered file is never shown as a report.
 */
export class ReportStore {
  readonly #reports: EpisodeFiles;
  readonly #options: ReportStoreOptions;

  /** Use {@linkcode ReportStore.open}. */
  private constructor(reports: EpisodeFiles, options: ReportStoreOptions) {
    this.#reports = reports;
    this.#options = options;
  }

  /** Creates the directory if it is absent; its parent must exist. */
  static async open(options: ReportStoreOptions): Promise<ReportStore> {
    const { directory, files } = options;
    const reports = await EpisodeFiles.open(files, {
      directory, ending: '.json', changesMax, isDurable: true,
    });
    return new ReportStore(reports, options);
  }

  /** Resolves when the report is on disk; on failure rejects and leaves the earlier one. */
  async write(key: EpisodeKey, json: string): Promise<void> {
    await this.#reports.write(this.#reports.pathOf(key), () => {
      const body = Buffer.from(json);
      const firstLine = `${body.length} ${crc32(body).toString(16).padStart(8, '0')}\n`;
      return [Buffer.from(firstLine), body];
    });
    this.#options.onWritten?.(key);
  }

  /** Null if there is none, or if it is damaged: then it is set aside and reported. */
  async read(key: EpisodeKey): Promise<string | null> {
    const path = this.#reports.pathOf(key);
    const content = await this.#reports.read(path);
    if (content === null) return null;
    return intactBody(content) ?? this.#reports.inTurn(path, () => this.#setAside(path));
  }

  /** Also removes a damaged file that was set aside, so that nothing outlives its report. */
  async remove(key: EpisodeKey): Promise<void> {
    const path = this.#reports.pathOf(key);
    await this.#reports.remove(path);
    await this.#reports.remove(path + corruptEnding);
  }

  /** Reads it again, as it may have been replaced or set aside since; returns it if intact. */
  async #setAside(path: string): Promise<string | null> {
    const { files, onDamage } = this.#options;
    const content = await this.#reports.read(path);
    const body = content === null ? null : intactBody(content);
    if (content === null || body !== null) return body;
    const aside = path + corruptEnding;
    try {
      await files.rename(path, aside);
      onDamage({ path: aside, reason: 'its checksum does not match' });
    } catch {
      onDamage({ path, reason: 'its checksum does not match, and it cannot be set aside' });
    }
    return null;
  }
}

/** The JSON in a file; null if length or checksum do not match. */
function intactBody(content: Buffer): string | null {
  const lineEnd = content.subarray(0, firstLineBytesMax).indexOf('\n');
  const firstLine = content.toString('latin1', 0, Math.max(0, lineEnd));
  const match = /^(\d{1,15}) ([0-9a-f]{8})$/.exec(firstLine);
  if (match === null) return null;
  const body = content.subarray(lineEnd + 1);
  const isIntact = body.length === Number(match[1]) && crc32(body) === parseInt(match[2] ?? '', 16);
  return isIntact ? body.toString('utf8') : null;
}
