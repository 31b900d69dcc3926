/** Where a page of the list ends: its last open row, or the last ended episode looked at. */
export type ListCursor = OpenCursor | EndedCursor;

/** What orders open rows; see {@linkcode byOpenCursor}. */
export interface OpenCursor {
  readonly kind: 'open';
  /** Lower is worse. */
  readonly rank: number;
  /** Ms. */
  readonly startsAt: number;
  readonly id: string;
}

export interface EndedCursor {
  readonly kind: 'ended';
  /** Ms; tells where to go on when the episode itself is no longer kept. */
  readonly endsAt: number;
  readonly fingerprint: string;
  readonly number: number;
}

const cursorLengthMax = 1200;

export function listCursorText(cursor: ListCursor): string {
  if (cursor.kind === 'open') return `o.${cursor.rank}.${cursor.startsAt}.${cursor.id}`;
  return `e.${cursor.endsAt}.${cursor.number}.${cursor.fingerprint}`;
}

/** Null for text that is none of {@linkcode listCursorText}. */
export function parseListCursor(text: string): ListCursor | null {
  if (text.length > cursorLengthMax) return null;
  const [, kind, first, second, id] =
    /^([oe])\.(-?\d{1,16})\.(-?\d{1,16})\.(.+)$/s.exec(text) ?? [];
  if (kind === undefined || id === undefined) return null;
  if (kind === 'o') {
    return { kind: 'open', rank: Number(first), startsAt: Number(second), id };
  }
  return { kind: 'ended', endsAt: Number(first), number: Number(second), fingerprint: id };
}

/** The order of open rows: worst first, then what began last; the id tells equals apart. */
export function byOpenCursor(
  a: Omit<OpenCursor, 'kind'>,
  b: Omit<OpenCursor, 'kind'>,
): number {
  return a.rank - b.rank || b.startsAt - a.startsAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
