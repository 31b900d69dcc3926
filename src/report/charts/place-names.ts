/** A text to stand beside a vertical line; positions are in percent of the width. */
export interface Name {
  readonly at: number;
  readonly text: string;
}

export interface PlacedName extends Name {
  readonly x: number;
  readonly row: number;
  /** Which end of the text is at `x`. */
  readonly anchor: 'start' | 'end';
}

/** Percent of the width that a letter takes on the narrowest screen: 6.4 of 280 pixels. */
const letterWidth = 2.3;
const distance = 0.8;
const apart = 2;

/**
 * Puts names into rows so that none is over another, earlier names in higher rows. A name stands
 * right of its line, but left of it where another line would run through it: it then ends where its
 * own line is. What finds no room in so many rows is left out.
 */
export function placeNames(names: readonly Name[], rows: number): PlacedName[] {
  const taken = Array.from({ length: rows }, (): [number, number][] => []);
  return names.flatMap((name) => {
    const width = name.text.length * letterWidth;
    const end = name.at + distance + width;
    const isCrossed = names.some(({ at }) => at > name.at && at < end);
    const isRight = end <= 100 && (!isCrossed || name.at - distance - width < 0);
    const x = isRight ? name.at + distance : name.at - distance;
    const span: [number, number] = isRight ? [x, x + width] : [x - width, x];
    const row = taken.findIndex((spans) =>
      spans.every(([from, to]) => span[1] < from - apart || span[0] > to + apart));
    taken[row]?.push(span);
    return row < 0 ? [] : [{ ...name, x, row, anchor: isRight ? 'start' : 'end' }];
  });
}
