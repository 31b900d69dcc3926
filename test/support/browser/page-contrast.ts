import {
  isFoldedAway, nameOf, withAncestors, type PageSnapshot, type PageText,
} from './page-snapshot.ts';

/** Red, green and blue from 0 to 255, and opacity from 0 to 1. */
export type Colour = readonly [red: number, green: number, blue: number, alpha: number];

/** WCAG 2.2, 1.4.3: the least contrast of text, and of large text. */
const ratioMin = 4.5;
const largeRatioMin = 3;
const largePixels = 24;
const largeBoldPixels = 18.66;
const boldWeight = 700;

/** The background of a page without a background colour. */
const sheet: Colour = [255, 255, 255, 1];

/** Visible texts with too little contrast to their background. */
export function* contrastProblems({ texts, width }: PageSnapshot): Generator<string> {
  const told = new Set<string>();
  for (const each of texts) {
    const { element, text } = each;
    if (!isVisible(each, width)) continue;
    const front = frontOf(each);
    const behind = backgroundOf(each);
    if (front === null || behind === null) {
      yield `the colours of ${nameOf(element)} are not known: ${text.slice(0, 40)}`;
      continue;
    }
    const ratio = contrastRatio(blend(front, behind), behind);
    const least = isLarge(each) ? largeRatioMin : ratioMin;
    const problem = `${nameOf(element)} has a contrast of ${ratio.toFixed(2)}, not ${least}: ` +
      `${shown(front)} on ${shown(behind)}`;
    if (ratio >= least || told.has(problem)) continue;
    told.add(problem);
    yield `${problem}: ${text.trim().slice(0, 40)}`;
  }
}

/** False also for text placed outside the window until it has the focus, such as a skip link. */
export function isVisible({ element, lines }: PageText, width: number): boolean {
  if (element.styles?.visibility !== 'visible' || isFoldedAway(element)) return false;
  for (const { styles, box } of withAncestors(element)) {
    if (Number(styles?.opacity ?? 1) === 0) return false;
    // Visually hidden, but available to assistive technology.
    if (box !== null && box[2] <= 1 && box[3] <= 1) return false;
  }
  return lines.some(([left, top, wide, high]) =>
    wide > 0 && high > 0 && left + wide > 0 && top + high > 0 && left < width * 4);
}

function isLarge({ element: { styles } }: PageText): boolean {
  const pixels = Number.parseFloat(styles?.['font-size'] ?? '');
  const isBold = Number(styles?.['font-weight']) >= boldWeight;
  return pixels >= largePixels || (isBold && pixels >= largeBoldPixels);
}

function frontOf({ element }: PageText): Colour | null {
  const isDrawn = [...withAncestors(element)].some(({ name }) => name === 'svg');
  const colour = parseColour(element.styles?.[isDrawn ? 'fill' : 'color'] ?? '');
  if (colour === null) return null;
  let [red, green, blue, alpha] = colour;
  for (const { styles } of withAncestors(element)) alpha *= Number(styles?.opacity ?? 1);
  return [red, green, blue, alpha];
}

/**
 * The blended backgrounds of the text's ancestors; null if one of them is a picture. Elements that
 * are positioned behind the text without containing it are not considered.
 */
function backgroundOf({ element }: PageText): Colour | null {
  const layers: Colour[] = [];
  for (const { styles } of withAncestors(element)) {
    if (styles === null) continue;
    if (styles['background-image'] !== 'none') return null;
    const layer = parseColour(styles['background-color']);
    if (layer === null) return null;
    layers.unshift(layer);
    if (layer[3] === 1) break;
  }
  return layers.reduce((behind, layer) => blend(layer, behind), sheet);
}

/** Parses computed colours: `rgb(1, 2, 3)` or `rgba(1, 2, 3, 0.4)`. */
function parseColour(text: string): Colour | null {
  const numbers = /^rgba?\(([^)]*)\)$/.exec(text)?.[1]?.split(/[\s,/]+/).map(Number) ?? [];
  const [red, green, blue, alpha = 1] = numbers;
  if (red === undefined || green === undefined || blue === undefined) return null;
  return [red, green, blue, alpha];
}

function blend([red, green, blue, alpha]: Colour, behind: Colour): Colour {
  const mix = (front: number, back: number): number => front * alpha + back * (1 - alpha);
  return [mix(red, behind[0]), mix(green, behind[1]), mix(blue, behind[2]), 1];
}

/** From 1 to 21; source: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
export function contrastRatio(one: Colour, other: Colour): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Source: https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance([red, green, blue]: Colour): number {
  const linear = (channel: number): number => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function shown([red, green, blue, alpha]: Colour): string {
  return `rgb(${red} ${green} ${blue}${alpha === 1 ? '' : ` / ${alpha}`})`;
}
