import { crc32 } from 'node:zlib';
import { type FileSystem, hasCode } from '../../lib/file-system.ts';
import { EpisodeFiles } from './episode-files.ts';

/** A report that cannot be read. */
export interface DamagedReport {
  /** The name under which the file was set aside. */
  readonly path: string;
  readonly reason: string;
}

export interface ReportStoreOptions {
  readonly directory: string;
  readonly files: FileSystem;
  readonly onDamage: (damaged: DamagedReport) => void;
  /** A report is on disk, in place of another or not. */
  readonly onWritten?: (fingerprint: string, number: number) => void;
}

const firstLineBytesMax = 64;
const corruptEnding = '.corrupt';
/**
 * Files are written on the four threads that also take the journal to the disk, and whoever sent
 * an alert waits for the journal: reports, for which nobody waits, leave it two of them.
 */
const changesMax = 2;

/**
 * One file for each episode's report. The first line holds the length and the CRC-32 of the JSON
 * behind it, so that a torn or altered file is never shown as a report.
 */
export class ReportStore {
  readonly #reports: EpisodeFiles;
  readonly #options: ReportStoreOptions;

  /** Use {@linkcode ReportStore.open}. */
  private constructor(reports: EpisodeFiles, options: ReportStoreOptions) {
    this.#reports = reports;
    this.#options = options;
  }

  /** Makes the directory if it is absent; its parent must exist. */
  static async open(options: ReportStoreOptions): Promise<ReportStore> {
    const { directory, files } = options;
    const reports = await EpisodeFiles.open(files, {
      directory, ending: '.json', changesMax, isDurable: true,
    });
    return new ReportStore(reports, options);
  }

  /** Resolves when the report is on disk; rejects and leaves the earlier one when it cannot be. */
  async write(fingerprint: string, episode: number, json: string): Promise<void> {
    await this.#reports.write(this.#reports.pathOf(fingerprint, episode), () => {
      const body = Buffer.from(json);
      const firstLine = `${body.length} ${crc32(body).toString(16).padStart(8, '0')}\n`;
      return [Buffer.from(firstLine), body];
    });
    this.#options.onWritten?.(fingerprint, episode);
  }

  /** Null when there is none, or when it was damaged: then it is set aside and reported. */
  async read(fingerprint: string, episode: number): Promise<string | null> {
    const path = this.#reports.pathOf(fingerprint, episode);
    const content = await this.#reports.read(path);
    if (content === null) return null;
    const body = intactBody(content);
    if (body === null) await this.#setAside(path);
    return body;
  }

  /** Also removes what was set aside of the report: nothing is kept longer than reports are. */
  async remove(fingerprint: string, episode: number): Promise<void> {
    const path = this.#reports.pathOf(fingerprint, episode);
    await this.#reports.remove(path);
    await this.#reports.remove(path + corruptEnding);
  }

  async #setAside(path: string): Promise<void> {
    const { files, onDamage } = this.#options;
    const aside = path + corruptEnding;
    try {
      await files.rename(path, aside);
    } catch (error) {
      // Another reader was quicker, and reported it.
      if (hasCode(error, 'ENOENT')) return;
      onDamage({ path, reason: 'its content is not as written, and it cannot be set aside' });
      return;
    }
    onDamage({ path: aside, reason: 'its content is not as written' });
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
