import { compareText } from '../lib/compare-text.ts';

/** Where a page of the list ends: at its last open row, or the last ended episode examined. */
export type ListCursor = OpenCursor | EndedCursor;

interface OpenCursor extends OpenPosition {
  readonly kind: 'open';
}

/** What open rows are sorted by. */
interface OpenPosition {
  /** Lower is worse. */
  readonly rank: number;
  /** Ms. */
  readonly startsAt: number;
  readonly id: string;
}

export interface EndedCursor {
  readonly kind: 'ended';
  /** Ms; where to continue if the episode itself is no longer kept. */
  readonly endsAt: number;
  readonly fingerprint: string;
  readonly number: number;
}

const cursorLengthMax = 1200;

export function listCursorText(cursor: ListCursor): string {
  if (cursor.kind === 'open') return `o.${cursor.rank}.${cursor.startsAt}.${cursor.id}`;
  return `e.${cursor.endsAt}.${cursor.number}.${cursor.fingerprint}`;
}

/** Null for text that {@linkcode listCursorText} does not make. */
export function parseListCursor(text: string): ListCursor | null {
  if (text.length > cursorLengthMax) return null;
  const [, kind, first, second, id] =
    /^([oe])\.(-?\d{1,16})\.(-?\d{1,16})\.(.+)$/s.exec(text) ?? [];
  if (kind === undefined || id === undefined) return null;
  if (kind === 'o') return { kind: 'open', rank: Number(first), startsAt: Number(second), id };
  return { kind: 'ended', endsAt: Number(first), number: Number(second), fingerprint: id };
}

/** The order of open rows: worst first, then latest start; ties are broken by id. */
export function byOpenCursor(a: OpenPosition, b: OpenPosition): number {
  return a.rank - b.rank || b.startsAt - a.startsAt || compareText(a.id, b.id);
}
