/**
 * Checks that a page is accessible as far as a program can tell (WCAG 2.2): names, headings,
 * landmarks, labels, and links that lead somewhere.
 */
import { contrastProblems } from './page-contrast.ts';
import { layoutProblems } from './page-layout.ts';
import { isInteractive, nameOf, type PageElement, type PageSnapshot } from './page-snapshot.ts';

/** The problems of a page, one sentence each. */
export function pageProblems(page: PageSnapshot): string[] {
  return [
    ...documentProblems(page), ...headingProblems(page), ...landmarkProblems(page),
    ...nameProblems(page), ...referenceProblems(page), ...contrastProblems(page),
    ...layoutProblems(page),
  ];
}

function* documentProblems({ elements }: PageSnapshot): Generator<string> {
  const root = elements.find(({ name }) => name === 'html');
  if ((root?.attributes['lang'] ?? '') === '') yield 'the document names no language';
  if (!elements.some(({ name }) => name === 'title')) yield 'the document has no title';
  const zoom = elements.find(({ attributes }) => attributes['name'] === 'viewport');
  const content = zoom?.attributes['content'] ?? '';
  if (!content.includes('width=device-width')) yield 'the page is not made for a phone';
  if (/user-scalable\s*=\s*no|maximum-scale/.test(content)) yield 'the page cannot be zoomed';
}

function* headingProblems({ elements }: PageSnapshot): Generator<string> {
  const headings = elements.filter(({ name, box }) => /^h[1-6]$/.test(name) && box !== null);
  const first = headings.filter(({ name }) => name === 'h1');
  if (first.length !== 1) yield `${first.length} headings of the first level`;
  let last = 0;
  for (const heading of headings) {
    const level = Number(heading.name.slice(1));
    if (level > last + 1) yield `${nameOf(heading)} follows a heading of level ${last}`;
    if (heading.label === '') yield `${nameOf(heading)} is empty`;
    last = level;
  }
}

function* landmarkProblems({ elements }: PageSnapshot): Generator<string> {
  const of = (role: string): PageElement[] => elements.filter((each) => each.role === role);
  for (const role of ['main', 'contentinfo']) {
    if (of(role).length !== 1) yield `${of(role).length} landmarks of the role ${role}`;
  }
  for (const role of ['navigation', 'region', 'search', 'form']) {
    const all = of(role).map(({ label }) => label);
    // A form or section without a name is not a landmark.
    const names = ['region', 'form'].includes(role) ? all.filter((label) => label !== '') : all;
    if (new Set(names).size < names.length || (names.length > 1 && names.includes(''))) {
      yield `landmarks of the role ${role} cannot be told apart: ${names.join(', ')}`;
    }
  }
}

/** Roles that need a name: controls and pictures. */
const named = new Set([
  'link', 'button', 'checkbox', 'radio', 'switch', 'textbox', 'searchbox', 'combobox', 'listbox',
  'spinbutton', 'slider', 'menuitem', 'option', 'tab', 'DisclosureTriangle', 'image', 'img',
  'graphics-document', 'progressbar', 'meter', 'dialog',
]);

function* nameProblems({ elements }: PageSnapshot): Generator<string> {
  for (const element of elements) {
    const { name, role, label, attributes, box } = element;
    if (box === null) continue;
    if (role !== null && named.has(role) && label === '') yield `${nameOf(element)} has no name`;
    if (Number(attributes['tabindex'] ?? 0) > 0) yield `${nameOf(element)} jumps the tab order`;
    const isHidden = [attributes['aria-hidden'], parentHidden(element)].includes('true');
    if (isHidden && isInteractive(element)) yield `${nameOf(element)} is hidden, yet interactive`;
    if (name === 'svg' && role !== null && !['img', 'image', 'graphics-document'].includes(role)) {
      yield `${nameOf(element)} is neither a picture nor hidden but a ${role}`;
    }
  }
}

function parentHidden({ parent }: PageElement): string | undefined {
  for (let each = parent; each !== null; each = each.parent) {
    if (each.attributes['aria-hidden'] === 'true') return 'true';
  }
  return undefined;
}

const references = ['aria-labelledby', 'aria-describedby', 'aria-controls', 'for', 'headers'];

function* referenceProblems({ elements }: PageSnapshot): Generator<string> {
  const seen = new Set<string>();
  for (const { attributes } of elements) {
    const id = attributes['id'];
    if (id !== undefined && seen.has(id)) yield `two elements have the id ${id}`;
    if (id !== undefined) seen.add(id);
  }
  for (const element of elements) {
    const { name, attributes } = element;
    const href = attributes['href'] ?? '';
    if (name === 'a' && href.startsWith('#') && !seen.has(decodeURIComponent(href.slice(1)))) {
      yield `${nameOf(element)} leads to ${href}, which is not on the page`;
    }
    for (const reference of references) {
      for (const id of (attributes[reference] ?? '').split(/\s+/)) {
        if (id !== '' && !seen.has(id)) yield `${nameOf(element)}: ${reference} names no ${id}`;
      }
    }
  }
}
