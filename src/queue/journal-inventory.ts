import { join } from 'node:path';
import { unfinishedEnding } from '../lib/atomic-file.ts';
import { withFile } from '../lib/file-system.ts';
import { type JournalContext, type JournalFileName, parseFileName } from './journal-files.ts';
import { decodeHeaderArea, type FileHeader, headerAreaBytes } from './journal-record.ts';
import { readAround } from './read-around.ts';

export interface KeptFile extends JournalFileName {
  readonly path: string;
  readonly size: number;
  /** Null when it is unreadable. */
  readonly header: FileHeader | null;
  /** Whether any byte of the header area differs from what was written. */
  readonly headerDamaged: boolean;
}

export interface Inventory {
  /** Files in use, in reading order: a snapshot, then segments. */
  readonly kept: readonly KeptFile[];
  /** Files to remove as soon as the next segment is durable. */
  readonly obsolete: readonly string[];
  /** The number of the next file. */
  readonly nextIndex: number;
}

/** Lists the journal's files and which are in use. Throws {@linkcode UnknownVersionError}. */
export async function takeInventory(context: JournalContext): Promise<Inventory> {
  const names = await context.files.readdir(context.directory);
  const found = await headersIn(context, names);
  found.sort((a, b) => a.index - b.index);
  const snapshot = found.findLast(({ kind, header }) => kind === 'snapshot' && header !== null);
  const kept = found.filter((file) => isInUse(file, found, snapshot));
  const dropped = found.filter((file) => !kept.includes(file)).map(({ path }) => path);
  const unfinished = names.filter((name) => name.endsWith(`.journal${unfinishedEnding}`));
  return {
    kept: kept.toSorted((a, b) => Number(a !== snapshot) - Number(b !== snapshot)),
    obsolete: [...dropped, ...unfinished.map((name) => join(context.directory, name))],
    nextIndex: 1 + Math.max(0, ...names.map(indexInName)),
  };
}

/** The journal's files of these names, or of those in the directory, in no certain order. */
export async function headersIn(
  context: JournalContext,
  names?: readonly string[],
): Promise<KeptFile[]> {
  const found: KeptFile[] = [];
  for (const name of names ?? await context.files.readdir(context.directory)) {
    const place = parseFileName(name);
    if (place !== null) found.push(await readFileHeader(context, name, place));
  }
  return found;
}

/** Includes copies such as `segment-00000007.journal.broken`, whose numbers are taken too. */
function indexInName(name: string): number {
  return Number(/^(?:segment|snapshot)-(\d{8,10})\.journal/.exec(name)?.[1] ?? 0);
}

async function readFileHeader(
  context: JournalContext,
  name: string,
  place: JournalFileName,
): Promise<KeptFile> {
  const path = join(context.directory, name);
  const kind = (await context.files.stat(path))?.kind;
  // Nothing that the journal wrote; a symbolic link may lead to that, and cannot be opened.
  const isForeign = kind === 'directory' || kind === 'other';
  if (isForeign) return { ...place, path, size: 0, header: null, headerDamaged: true };
  return withFile(context.files, path, async (file) => {
    const size = await file.size();
    const area = Buffer.alloc(headerAreaBytes);
    // Then it is not one bad sector: the disk may be gone, and come back.
    const isGone = (await readAround(file, area, 0)) === area.length;
    if (isGone) throw new Error(`Cannot read ${path}: EIO`);
    const { header, damaged } = decodeHeaderArea(area, path);
    const belongs = header?.kind === place.kind && header.index === place.index;
    const headerDamaged = damaged || size < headerAreaBytes;
    return { ...place, path, size, header: belongs ? header : null, headerDamaged };
  });
}

function isInUse(
  file: KeptFile,
  found: readonly KeptFile[],
  snapshot: KeptFile | undefined,
): boolean {
  if (file === snapshot) return true;
  if (snapshot !== undefined && file.index < snapshot.index) return false;
  // A file gets its name only once it is complete, so one without a header was damaged later.
  if (file.header === null) return true;
  return file.header.after < voidAfter(file, found);
}

/** Records of the file beyond this sequence number are void, by the headers of later segments. */
export function voidAfter(file: KeptFile, others: readonly KeptFile[]): number {
  const later = others.filter(({ kind, index }) => kind === 'segment' && index > file.index);
  return Math.min(...later.map(({ header }) => header?.after ?? Infinity));
}
