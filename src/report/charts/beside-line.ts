import type { NamedLine, Point } from './line.ts';
import { letterWidth } from './place-names.ts';
import { percentOf, tenths, yOf, type Plane } from './plot.ts';

/** Texts closer than this would overlap. */
export const textHeight = 13;

interface Surroundings {
  readonly plane: Plane;
  /** The line that names should not cover. */
  readonly line: readonly Point[];
  /** Heights of the names placed before. */
  readonly taken: readonly number[];
}

/**
 * The place above or below the line's last point that covers the least of the line, free of other
 * names; null if there is none close enough to show which line is meant.
 */
export function besideLine(
  { points, name }: NamedLine,
  { plane, line, taken }: Surroundings,
): { readonly x: string; readonly y: number; readonly side: 'start' | 'end' } | null {
  const last = points.at(-1);
  if (last === undefined) return null;
  const at = percentOf(plane, last.atMs);
  const y = yOf(plane, last.value);
  const side = at > 50 ? 'end' : 'start';
  const width = name.length * letterWidth;
  const [from, to] = side === 'end' ? [at - width, at] : [at, at + width];
  const below = line.filter(({ atMs }) => {
    const x = percentOf(plane, atMs);
    return x >= from && x <= to;
  }).map(({ value }) => yOf(plane, value));
  const covered = (each: number): number =>
    below.filter((height) => height > each - textHeight && height < each + 2).length;
  const isFree = (each: number): boolean => each >= textHeight - 3 && each <= plane.height - 2 &&
    taken.every((other) => Math.abs(each - other) >= textHeight);
  const near = [y - 6, y + textHeight + 2, y - 6 - textHeight, y + 2 * textHeight + 2];
  const [found] = near.filter(isFree).toSorted((a, b) => covered(a) - covered(b));
  return found === undefined ? null : { x: `${tenths(at)}%`, y: tenths(found), side };
}
