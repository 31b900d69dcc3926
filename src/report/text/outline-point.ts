/** The parts of an outline, shared by {@linkcode outlineOf} and its helpers. */
import type { Report, Statement } from '../report.ts';
import { formatExactMoment } from '../time-text.ts';

/** Longest piece shown, in UTF-16 units. */
export const pieceLengthMax = 2000;

/** A piece of a line. Every string is untrusted; the renderer escapes it. */
export type Piece =
  | string
  | { readonly code: string }
  | { readonly url: string }
  /** Ids of evidence. */
  | { readonly cites: readonly string[] }
  /** A small chart of block characters. */
  | { readonly drawing: string };

export interface OutlinePoint {
  readonly line: readonly Piece[];
  readonly more: readonly (readonly Piece[])[];
  /** A command or query on lines of its own. */
  readonly command: string | null;
}

export function point(
  line: readonly Piece[],
  more: readonly (readonly Piece[])[] = [],
  command: string | null = null,
): OutlinePoint {
  return { line, more, command };
}

export function cited({ text, evidence }: Statement): Piece[] {
  return evidence.length === 0 ? [text] : [text, { cites: evidence }];
}

export function timelinePoints({ timeline }: Report): OutlinePoint[] {
  return timeline.map(({ at, text, evidence }) =>
    point(cited({ text: `${formatExactMoment(at)}: ${text}`, evidence })));
}

/** ` [E1, E2]` */
export function citesText(ids: readonly string[]): string {
  return ` [${ids.join(', ')}]`;
}

/** Each text on a line of its own, without nulls. */
export function lines(...texts: readonly (string | null)[]): string[][] {
  return texts.flatMap((text) => (text === null ? [] : [[text]]));
}
