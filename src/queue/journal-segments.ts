import { dirname, join } from 'node:path';
import type { Logger } from '../telemetry/log.ts';
import { createSegment, fileName } from './journal-files.ts';
import type { JournalContext, JournalFileName, Segment } from './journal-files.ts';
import { headersIn } from './journal-inventory.ts';
import type { FramedRecord } from './journal-record.ts';
import type { JournalReplay } from './journal-replay.ts';

/** A file that is no longer written to. */
interface StoredFile extends JournalFileName {
  readonly path: string;
  /** As in its header; -1 if the header is lost. */
  readonly after: number;
  /** As in its header, which no other file has; null if that is lost or unknown. */
  readonly mark: number | null;
  readonly bytes: number;
}

/** The journal's files: the segment that is written to, and older ones that are still in use. */
export class SegmentChain {
  readonly #context: JournalContext;
  readonly #log: Logger;
  #current: Segment | null = null;
  #stored: StoredFile[];
  readonly #obsolete: string[];
  #nextIndex: number;
  /** Records of the last process that the first segment of this one has to repeat. */
  #carried: readonly FramedRecord[];
  #isDirectoryDurable = false;
  readonly #uncopied: ReadonlySet<string>;

  constructor(context: JournalContext, log: Logger, replayed: JournalReplay) {
    this.#context = context;
    this.#log = log;
    this.#stored = replayed.kept.map(({ path, kind, index, header, size }) => {
      const { after = -1, mark = null } = header ?? {};
      return { path, kind, index, after, mark, bytes: size };
    });
    this.#obsolete = [...replayed.obsolete];
    this.#nextIndex = replayed.nextIndex;
    this.#carried = replayed.carried;
    this.#uncopied = new Set(replayed.uncopied);
  }

  /** Null until the first segment could be created, and after one has failed. */
  get current(): Segment | null {
    return this.#current;
  }

  get bytes(): number {
    const stored = this.#stored.reduce((sum, { bytes }) => sum + bytes, 0);
    return stored + (this.#current?.end ?? 0);
  }

  get snapshotBytes(): number {
    return this.#stored.find(({ kind }) => kind === 'snapshot')?.bytes ?? 0;
  }

  get count(): number {
    const stored = this.#stored.filter(({ kind }) => kind === 'segment').length;
    return stored + (this.#current ? 1 : 0);
  }

  /** Replaces the current segment by a new one; `last` is the last committed sequence number. */
  async start(last: number, probeBytes: number): Promise<Segment> {
    const { directory, files } = this.#context;
    if (!this.#isDirectoryDurable) await files.syncDirectory(dirname(directory));
    this.#isDirectoryDurable = true;
    const carried = this.#carried;
    const after = (carried[0]?.sequence ?? last + 1) - 1;
    const index = this.#nextIndex;
    this.#nextIndex += 1;
    const segment = await createSegment(this.#context, { index, after, carried, probeBytes });
    this.#carried = [];
    if (this.#current !== null) void this.retire(this.#current);
    this.#current = segment;
    await this.#remove(this.#obsolete.splice(0));
    // Segments whose records are all repeated here, e.g. from a start after which nothing came.
    await this.#removeStored((file) => file.kind === 'segment' && file.after >= after);
    return segment;
  }

  /** Removes and returns the current segment, which is never written to again. */
  take(): Segment | null {
    const segment = this.#current;
    this.#current = null;
    return segment;
  }

  /** Closes a segment that is not written to any more; its records stay in use. */
  async retire({ file, path, header, end }: Segment): Promise<void> {
    const { index, after, mark } = header;
    this.#stored.push({ path, kind: 'segment', index, after, mark, bytes: end });
    // Only saves space: filler is ignored, and the next segment makes a failed flush void.
    await file.truncate(end).catch(() => {});
    await file.close().catch(() => {}); // What counts is already durable.
  }

  /** Removes all files with a lower number, which the snapshot replaces. */
  async replaceBySnapshot(index: number, after: number, bytes: number): Promise<void> {
    await this.#removeStored((file) => file.index < index);
    const path = join(this.#context.directory, fileName({ kind: 'snapshot', index }));
    this.#stored.unshift({ path, kind: 'snapshot', index, after, mark: null, bytes });
  }

  /**
   * Throws if the directory holds files of another journal: a new segment would make records in
   * them void.
   */
  async checkOwn(): Promise<void> {
    const { directory, files } = this.#context;
    if (await files.stat(directory) === null) return;
    for (const { path, header } of await headersIn(this.#context)) {
      const known = this.#stored.find((file) => file.path === path);
      const isOwn = known !== undefined && (known.mark === null || known.mark === header?.mark);
      if (!isOwn) throw new Error(`${path} is of another journal, in the place of this one`);
    }
  }

  async #removeStored(isObsolete: (file: StoredFile) => boolean): Promise<void> {
    const obsolete = this.#stored.filter(isObsolete);
    this.#stored = this.#stored.filter((file) => !isObsolete(file));
    await this.#remove(obsolete.map(({ path }) => path));
  }

  /** Best effort: the next start recognizes a file that could not be removed as obsolete. */
  async #remove(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      try {
        // A damaged file without a copy becomes that copy.
        if (this.#uncopied.has(path)) await this.#context.files.rename(path, `${path}.corrupt`);
        else await this.#context.files.unlink(path);
      } catch (error) {
        this.#log.warn('Cannot remove an obsolete journal file', { file: path, error });
      }
    }
  }
}
