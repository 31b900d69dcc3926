/** Checks the layout: nothing outside the window, cut off, overlapping, or too small to hit. */
import type { Rectangle } from './devtools-protocol.ts';
import { isVisible } from './page-contrast.ts';
import {
  isFoldedAway, isInteractive, nameOf, withAncestors,
  type PageElement, type PageSnapshot, type PageText,
} from './page-snapshot.ts';

/** WCAG 2.2, 2.5.8: the least size of a target that has others near it. */
const targetPixels = 24;
/** Line boxes are a little higher than the text, so they may overlap by this much. */
const overlapPixels = 4;
const roundingPixels = 1.5;

export function* layoutProblems(page: PageSnapshot): Generator<string> {
  yield* widthProblems(page);
  yield* clippedProblems(page);
  yield* overlapProblems(page);
  yield* targetProblems(page);
}

function* widthProblems({ texts, width, contentWidth }: PageSnapshot): Generator<string> {
  if (contentWidth > width) yield `${contentWidth} pixels wide in a window of ${width}`;
  for (const each of texts) {
    if (!isVisible(each, width) || isScrolled(each.element)) continue;
    const right = Math.max(...each.lines.map(([left, , wide]) => left + wide));
    if (right <= width + roundingPixels) continue;
    yield `${nameOf(each.element)} ends at ${right.toFixed(0)} in a window of ${width}: ` +
      each.text.slice(0, 40);
  }
}

/** Whether it is inside an element that scrolls horizontally, or that cuts with an ellipsis. */
function isScrolled(element: PageElement): boolean {
  return [...withAncestors(element)].some(({ name, styles }) =>
    name !== 'html' && name !== 'body' && /auto|scroll/.test(styles?.['overflow-x'] ?? ''))
    || isCut(element);
}

function* clippedProblems({ elements, texts }: PageSnapshot): Generator<string> {
  const withText = new Set(texts.flatMap(({ element }) => [...withAncestors(element)]));
  for (const element of elements) {
    const { styles, content, shown, name } = element;
    if (styles === null || content === null || shown === null) continue;
    if (!withText.has(element) || isFoldedAway(element)) continue;
    if (name === 'html' || name === 'body' || name === 'svg') continue;
    if (shown[0] <= 1 || shown[1] <= 1) continue;
    // It says that it goes on, and shows the rest under the pointer and with the focus.
    if (isCut(element)) continue;
    const goesOn = (axis: 0 | 1): boolean =>
      /hidden|clip/.test(styles[axis === 0 ? 'overflow-x' : 'overflow-y']) &&
      content[axis] > shown[axis] + roundingPixels;
    if (goesOn(0) || goesOn(1)) {
      yield `${nameOf(element)} shows ${shown.join('×')} of its ${content.join('×')} pixels`;
    }
  }
}

interface Line {
  readonly box: Rectangle;
  readonly text: PageText;
}

function* overlapProblems({ texts, width }: PageSnapshot): Generator<string> {
  const lines: Line[] = texts.filter((text) => isVisible(text, width) && !isCut(text.element))
    .flatMap((text) => text.lines.map((box) => ({ box, text })))
    .sort((a, b) => a.box[1] - b.box[1]);
  for (const [index, line] of lines.entries()) {
    for (let next = index + 1; next < lines.length; next += 1) {
      const other = lines[next];
      if (other === undefined || other.box[1] > line.box[1] + line.box[3]) break;
      if (other.text === line.text || !areOverlapping(line.box, other.box)) continue;
      yield `${nameOf(line.text.element)} and ${nameOf(other.text.element)} overlap: ` +
        `"${line.text.text.trim().slice(0, 30)}", "${other.text.text.trim().slice(0, 30)}"`;
    }
  }
}

/** Whether it is inside an element that cuts with an ellipsis, whose lines go on unseen. */
function isCut(element: PageElement): boolean {
  return [...withAncestors(element)].some(({ styles }) => styles?.['text-overflow'] === 'ellipsis');
}

function areOverlapping(one: Rectangle, other: Rectangle): boolean {
  const shared = (axis: 0 | 1): number => {
    const size = axis === 0 ? 2 : 3;
    return Math.min(one[axis] + one[size], other[axis] + other[size]) -
      Math.max(one[axis], other[axis]);
  };
  // Superscripts and small print overlap their own line a little, but never by half of it.
  const lowest = Math.max(overlapPixels, Math.min(one[3], other[3]) / 2);
  return shared(0) > overlapPixels && shared(1) > lowest;
}

function* targetProblems({ elements, texts, width }: PageSnapshot): Generator<string> {
  const targets = elements.filter((element) => {
    const { box, styles } = element;
    return isInteractive(element) && styles?.visibility === 'visible' && box !== null &&
      box[2] > 1 && box[3] > 1 && box[0] + box[2] > 0 && box[0] < width && !isFoldedAway(element);
  });
  for (const element of targets) {
    const [left, top, wide, high] = element.box ?? [0, 0, 0, 0];
    if (wide >= targetPixels && high >= targetPixels) continue;
    if (isInSentence(element, texts)) continue;
    const middle = [left + wide / 2, top + high / 2] as const;
    const isCrowded = targets.some((other) =>
      other !== element && distance(middle, other.box) < targetPixels / 2);
    if (isCrowded) {
      const size = `${wide.toFixed(0)}×${high.toFixed(0)}`;
      yield `${nameOf(element)} is ${size} pixels, with another close`;
    }
  }
}

/** Whether it is a link in running text, which may be as small as a line of text. */
function isInSentence(element: PageElement, texts: readonly PageText[]): boolean {
  if (element.name !== 'a' || element.styles?.display !== 'inline') return false;
  return texts.some((text) => text.element === element.parent);
}

function distance(from: readonly [x: number, y: number], box: Rectangle | null): number {
  if (box === null) return Number.POSITIVE_INFINITY;
  const outside = (axis: 0 | 1): number => {
    const size = box[axis === 0 ? 2 : 3];
    return Math.max(box[axis] - from[axis], 0, from[axis] - box[axis] - size);
  };
  return Math.hypot(outside(0), outside(1));
}
