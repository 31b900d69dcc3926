/**
 * A page as the browser laid it out: elements with their styles and boxes, lines of text, and the
 * accessibility tree. Taken through DevTools, so that it works without scripts on the page, too.
 */
import type { BrowserPage } from './browser-page.ts';
import type { AxNode, RawDocument, RawSnapshot, Rectangle } from './devtools-protocol.ts';

const styleNames = [
  'color', 'fill', 'opacity', 'font-size', 'font-weight', 'display', 'visibility', 'text-overflow',
  'overflow-x', 'overflow-y', 'background-color', 'background-image',
] as const;

type StyleName = (typeof styleNames)[number];

export interface PageElement {
  /** In lower case; `::before` and the like for generated content. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly parent: PageElement | null;
  /** Null if it is not rendered. */
  readonly box: Rectangle | null;
  readonly styles: Readonly<Record<StyleName, string>> | null;
  /** Size of its content, and of the part of it that is shown; null without a box. */
  readonly content: readonly [width: number, height: number] | null;
  readonly shown: readonly [width: number, height: number] | null;
  /** In the accessibility tree; null if it is not in it. */
  readonly role: string | null;
  readonly label: string;
}

export interface PageText {
  readonly text: string;
  /** The element that contains it. */
  readonly element: PageElement;
  readonly lines: readonly Rectangle[];
}

export interface PageSnapshot {
  readonly elements: readonly PageElement[];
  readonly texts: readonly PageText[];
  /** Width of the window, in CSS pixels. */
  readonly width: number;
  /** Width of the whole page, in CSS pixels. */
  readonly contentWidth: number;
}

const elementType = 1;
const textType = 3;

export async function takeSnapshot({ devtools, viewport }: BrowserPage): Promise<PageSnapshot> {
  const raw = await devtools.send('DOMSnapshot.captureSnapshot', {
    computedStyles: styleNames, includeDOMRects: true,
  });
  const { nodes } = await devtools.send('Accessibility.getFullAXTree', {});
  const metrics = await devtools.send('Page.getLayoutMetrics', {});
  const [page] = raw.documents;
  if (page === undefined) throw new Error('The snapshot holds no document');
  return {
    ...readDocument(page, { strings: raw.strings, told: nodes }),
    // The width that a phone reports grows if the content does not fit.
    width: viewport.width,
    contentWidth: metrics.cssContentSize.width,
  };
}

interface Told {
  readonly strings: RawSnapshot['strings'];
  readonly told: readonly AxNode[];
}

function readDocument(
  { nodes, layout, textBoxes }: RawDocument,
  { strings, told }: Told,
): Pick<PageSnapshot, 'elements' | 'texts'> {
  const rowOf = new Map(layout.nodeIndex.map((node, row) => [node, row] as const));
  const axOf = new Map(told.map((node) => [node.backendDOMNodeId, node] as const));
  const elements = new Map<number, PageElement>();
  const string = (index: number | undefined): string => strings[index ?? -1] ?? '';
  nodes.nodeType.forEach((type, node) => {
    if (type !== elementType) return;
    const row = rowOf.get(node) ?? -1;
    const ax = axOf.get(nodes.backendNodeId[node]);
    const isTold = ax !== undefined && !ax.ignored;
    const styles = layout.styles[row];
    elements.set(node, {
      name: string(nodes.nodeName[node]).toLowerCase(),
      attributes: Object.fromEntries(pairs((nodes.attributes[node] ?? []).map(string))),
      parent: elements.get(nodes.parentIndex[node] ?? -1) ?? null,
      box: layout.bounds[row] ?? null,
      styles: styles === undefined ? null : stylesOf(styles.map(string)),
      content: sizeOf(layout.scrollRects[row]),
      shown: sizeOf(layout.clientRects[row]),
      role: isTold ? String(ax.role?.value ?? '') : null,
      label: isTold ? String(ax.name?.value ?? '').trim() : '',
    });
  });
  const linesOf = new Map<number, Rectangle[]>();
  textBoxes.layoutIndex.forEach((row, index) => {
    const line = textBoxes.bounds[index];
    if (line !== undefined) linesOf.set(row, [...(linesOf.get(row) ?? []), line]);
  });
  const texts = layout.nodeIndex.flatMap((node, row) => {
    const text = string(layout.text[row]);
    const owner = nodes.nodeType[node] === textType ? nodes.parentIndex[node] : node;
    const element = elements.get(owner ?? -1);
    if (text.trim() === '' || element === undefined) return [];
    return [{ text, element, lines: linesOf.get(row) ?? [] }];
  });
  return { elements: [...elements.values()], texts };
}

function pairs(flat: readonly string[]): [string, string][] {
  return flat.flatMap((name, index) => index % 2 === 0 ? [[name, flat[index + 1] ?? '']] : []);
}

function stylesOf(values: readonly string[]): PageElement['styles'] {
  return Object.fromEntries(
    styleNames.map((name, index) => [name, values[index] ?? '']),
  ) as Record<StyleName, string>;
}

function sizeOf(rectangle: Rectangle | readonly [] | undefined): readonly [number, number] | null {
  if (rectangle === undefined || rectangle.length === 0) return null;
  return [rectangle[2], rectangle[3]];
}

/** From the element itself to the root. */
export function* withAncestors(element: PageElement): Generator<PageElement> {
  for (let each: PageElement | null = element; each !== null; each = each.parent) yield each;
}

/** Whether it is inside a closed `details`, but not in its `summary`. */
export function isFoldedAway(element: PageElement): boolean {
  let inner: PageElement | null = null;
  for (const each of withAncestors(element)) {
    const isFolded = each.name === 'details' && each.attributes['open'] === undefined;
    if (isFolded && inner !== null && inner.name !== 'summary') return true;
    inner = each;
  }
  return false;
}

/** For messages: `<a#id.class "label">`. */
export function nameOf({ name, attributes, label }: PageElement): string {
  const id = attributes['id'] === undefined ? '' : `#${attributes['id']}`;
  const classes = (attributes['class'] ?? '').split(/\s+/).filter((each) => each !== '');
  const called = label === '' ? '' : ` "${label.slice(0, 40)}"`;
  return `<${name}${id}${classes.map((each) => `.${each}`).join('')}${called}>`;
}

/** Whether it can be focused without a tabindex. */
export function isInteractive({ name, attributes }: PageElement): boolean {
  if (attributes['disabled'] !== undefined || attributes['type'] === 'hidden') return false;
  if (name === 'a') return attributes['href'] !== undefined;
  return ['button', 'input', 'select', 'textarea', 'summary'].includes(name);
}
