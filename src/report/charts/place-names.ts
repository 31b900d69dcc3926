/** A text next to a vertical line; positions are in percent of the width. */
interface Name {
  readonly at: number;
  readonly text: string;
  /** What is shown instead if there is no room; null or absent for nothing. */
  readonly short?: string | null;
}

interface PlacedName {
  readonly text: string;
  readonly x: number;
  readonly row: number;
  /** The end of the text that is at `x`. */
  readonly anchor: 'start' | 'end';
}

/** Width of a letter in percent on the narrowest screen: 6.7 of 222 pixels. */
export const letterWidth = 3;
const distance = 0.8;
const apart = 2;

/**
 * Arranges names in rows without overlaps, earlier names in higher rows. A name is put right of its
 * line, or left of it if it would not fit or another line would cross it. A name for which no row
 * has room is shortened, or left out.
 */
export function placeNames(names: readonly Name[], rows: number): PlacedName[] {
  const taken = Array.from({ length: rows }, (): [number, number][] => []);
  const place = (name: Name, text: string): PlacedName[] => {
    const width = text.length * letterWidth;
    const end = name.at + distance + width;
    const isCrossed = names.some(({ at }) => at > name.at && at < end);
    const isRight = end <= 100 && (!isCrossed || name.at - distance - width < 0);
    const x = isRight ? name.at + distance : name.at - distance;
    const span: [number, number] = isRight ? [x, x + width] : [x - width, x];
    const row = taken.findIndex((spans) =>
      spans.every(([from, to]) => span[1] < from - apart || span[0] > to + apart));
    taken[row]?.push(span);
    return row < 0 ? [] : [{ text, x, row, anchor: isRight ? 'start' : 'end' }];
  };
  return names.flatMap((name) => {
    const whole = place(name, name.text);
    return whole.length > 0 || !name.short ? whole : place(name, name.short);
  });
}
