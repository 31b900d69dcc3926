import { join } from 'node:path';
import { unfinishedEnding } from '../lib/atomic-file.ts';
import type { OpenFile } from '../lib/file-system.ts';
import { type JournalContext, type JournalFileName, parseFileName } from './journal-files.ts';
import { decodeHeaderArea, type FileHeader, headerAreaBytes } from './journal-record.ts';

export interface KeptFile extends JournalFileName {
  readonly path: string;
  readonly size: number;
  /** Null when it cannot be read. */
  readonly header: FileHeader | null;
  /** True when any byte of the header area is not as it was written. */
  readonly headerDamaged: boolean;
}

export interface Inventory {
  /** Files that still count, in the order to read them: a snapshot, then segments. */
  readonly kept: readonly KeptFile[];
  /** Files to remove as soon as the next segment is durable. */
  readonly obsolete: readonly string[];
  /** The number of the next file. */
  readonly nextIndex: number;
}

/** Finds out which files there are and which count. Throws {@linkcode UnknownVersionError}. */
export async function takeInventory(context: JournalContext): Promise<Inventory> {
  const names = await context.files.readdir(context.directory);
  const found: KeptFile[] = [];
  for (const name of names.toSorted()) {
    const place = parseFileName(name);
    if (place !== null) found.push(await readFileHeader(context, name, place));
  }
  const snapshot = found.findLast(({ kind, header }) => kind === 'snapshot' && header !== null);
  const kept = found.filter((file) => counts(file, found, snapshot));
  const dropped = found.filter((file) => !kept.includes(file)).map(({ path }) => path);
  const unfinished = names.filter((name) => name.endsWith(`.journal${unfinishedEnding}`));
  return {
    kept: kept.toSorted((a, b) => Number(a !== snapshot) - Number(b !== snapshot)),
    obsolete: [...dropped, ...unfinished.map((name) => join(context.directory, name))],
    nextIndex: 1 + Math.max(0, ...names.map(indexInName)),
  };
}

/** Counts copies such as `segment-00000007.journal.broken` in: their names are taken too. */
function indexInName(name: string): number {
  return Number(/^(?:segment|snapshot)-(\d{8,10})\.journal/.exec(name)?.[1] ?? 0);
}

async function readFileHeader(
  context: JournalContext,
  name: string,
  place: JournalFileName,
): Promise<KeptFile> {
  const path = join(context.directory, name);
  return withFile(context, path, async (file) => {
    const size = await file.size();
    const area = Buffer.alloc(headerAreaBytes);
    await file.read(area, 0);
    const { header, damaged } = decodeHeaderArea(area, path);
    const belongs = header?.kind === place.kind && header.index === place.index;
    const headerDamaged = damaged || size < headerAreaBytes;
    return { ...place, path, size, header: belongs ? header : null, headerDamaged };
  });
}

function counts(
  file: KeptFile,
  found: readonly KeptFile[],
  snapshot: KeptFile | undefined,
): boolean {
  if (file === snapshot) return true;
  if (snapshot !== undefined && file.index < snapshot.index) return false;
  // A file has its name only when it is whole, so what has lost its header was damaged later.
  if (file.header === null) return true;
  return file.kind === 'segment' && file.header.after < voidAfter(file, found);
}

/** A later segment makes void what earlier ones hold beyond its own `after`. */
export function voidAfter(file: KeptFile, others: readonly KeptFile[]): number {
  const later = others.filter(({ kind, index }) => kind === 'segment' && index > file.index);
  return Math.min(...later.map(({ header }) => header?.after ?? Infinity));
}

export async function withFile<T>(
  { files }: JournalContext,
  path: string,
  use: (file: OpenFile) => Promise<T>,
): Promise<T> {
  const file = await files.open(path, 'read');
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}
