/**
 * Updates the page to a newly fetched version without disturbing the reader: unchanged nodes stay,
 * and with them what is open, focused, selected or typed, and the text being read keeps its place
 * on the screen. Dispatches `pagechange` on every changed part, for scripts that add to it.
 */

/** The markup of each part as the service last sent it: scripts may have changed the shown one. */
const servedMarkup = new Map<string, string>();

/** Must be called before any script changes a part. */
function rememberServed(): void {
  for (const parent of wholesIn(document)) {
    for (const part of parent.children) servedMarkup.set(partKey(part), part.outerHTML.trim());
  }
}

/** The elements whose children are updated one by one: columns, if the page has any. */
function wholesIn(page: Document): readonly Element[] {
  const columns = page.querySelectorAll('main>.column');
  const main = columns.length > 0 ? columns : page.querySelectorAll('main');
  return [...main, ...page.querySelectorAll('.foot')];
}

/** False if a part was not updated because the reader has selected text in it. */
function showPage(next: Document): boolean {
  document.title = next.title;
  document.body.className = next.body.className;
  document.body.dataset['now'] = next.body.dataset['now'] ?? '';
  const icon = next.querySelector('link[rel=icon]')?.getAttribute('href') ?? '';
  document.querySelector('link[rel=icon]')?.setAttribute('href', icon);
  let isComplete = true;
  keepPlace(() => {
    const [shown, wanted] = [wholesIn(document), wholesIn(next)];
    if (shown.length !== wanted.length) {
      // A waiting page has no columns; its report has them.
      const main = next.querySelector('main');
      document.querySelector('main')?.replaceChildren(...main?.children ?? []);
      rememberServed();
      tellChange(document.body);
      return;
    }
    for (const [index, whole] of wanted.entries()) {
      isComplete = showParts(shown[index] ?? whole, whole) && isComplete;
    }
  });
  return isComplete;
}

function showParts(shown: Element, wanted: Element): boolean {
  let isComplete = true;
  const known = new Map([...shown.children].map((part) => [partKey(part), part]));
  const parts = [...wanted.children].map((part) => {
    const key = partKey(part);
    const old = known.get(key);
    const markup = part.outerHTML.trim();
    if (old !== undefined && servedMarkup.get(key) === markup) return old;
    if (old !== undefined && isSelected(old)) {
      isComplete = false;
      return old;
    }
    servedMarkup.set(key, markup);
    if (old === undefined) return document.importNode(part, true);
    alterNode(old, part);
    tellChange(old);
    return old;
  });
  putInOrder(shown, parts);
  return isComplete;
}

/** The id of a part; for the few without one, tag and first class. */
function partKey({ id, tagName, className }: Element): string {
  return id === '' ? `${tagName} ${className.replace(/ .*/, '')}` : id;
}

function putInOrder(parent: Element, wanted: readonly Element[]): void {
  const isWanted = new Set(wanted);
  for (const child of [...parent.children]) {
    if (!isWanted.has(child)) child.remove();
  }
  let next = parent.firstElementChild;
  for (const child of wanted) {
    if (child === next) {
      next = next.nextElementSibling;
    } else {
      parent.insertBefore(child, next);
      tellChange(child);
    }
  }
}

/** Makes `old` equal to `wanted`, keeping every node that can stay. */
function alterNode(old: Element, wanted: Element): void {
  alterAttributes(old, wanted);
  let next: ChildNode | null = old.firstChild;
  for (const child of wanted.childNodes) {
    const match = matchFor(child, next);
    if (match === null) {
      old.insertBefore(document.importNode(child, true), next);
      continue;
    }
    while (next !== null && next !== match) next = removeAndStep(next);
    if (match instanceof Element && child instanceof Element) alterNode(match, child);
    else if (match.nodeValue !== child.nodeValue) match.nodeValue = child.nodeValue;
    next = match.nextSibling;
  }
  while (next !== null) next = removeAndStep(next);
}

function removeAndStep(node: ChildNode): ChildNode | null {
  const { nextSibling } = node;
  node.remove();
  return nextSibling;
}

/** The node to turn into `wanted`: the one of the same name, or without a name the next one. */
function matchFor(wanted: ChildNode, next: ChildNode | null): ChildNode | null {
  if (!(wanted instanceof Element)) return next?.nodeType === wanted.nodeType ? next : null;
  const name = nameOf(wanted);
  for (let node = next; node !== null; node = node.nextSibling) {
    if (node instanceof Element && node.tagName === wanted.tagName && nameOf(node) === name) {
      return node;
    }
    if (name === '') return null;
  }
  return null;
}

/** Identifies a fold or field, so that no other one is open or filled in instead. */
function nameOf(element: Element): string {
  if (element.id !== '') return element.id;
  return element instanceof HTMLDetailsElement ? foldName(element)
    : element.getAttribute('name') ?? '';
}

/** The text of its title without numbers, which change. */
function foldName(fold: HTMLDetailsElement): string {
  if (fold.className !== '') return fold.className;
  const line = fold.querySelector('summary');
  const title = line?.querySelector('h3') ?? line;
  return (title?.textContent ?? '').replace(/\d+/g, '');
}

function alterAttributes(old: Element, wanted: Element): void {
  for (const { name, value } of wanted.attributes) {
    if (old.getAttribute(name) !== value && !isReaders(old, name)) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (!wanted.hasAttribute(name) && !isReaders(old, name)) old.removeAttribute(name);
  }
}

/** Whether the attribute is set by the reader, not by the service. */
function isReaders(element: Element, attribute: string): boolean {
  return attribute === 'open' && element.matches('details, dialog');
}

function isSelected(part: Element): boolean {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(part, true);
}

function tellChange(part: Element): void {
  part.dispatchEvent(new CustomEvent('pagechange', { bubbles: true }));
}

/** Runs `alter` and scrolls so that what was at the top of the screen stays there. */
function keepPlace(alter: () => void): void {
  const places: { readonly element: Element; readonly top: number }[] = [];
  let element = scrollY > 0 ? document.elementFromPoint(innerWidth / 2, 1) : null;
  for (; element !== null && element !== document.body; element = element.parentElement) {
    places.push({ element, top: element.getBoundingClientRect().top });
  }
  alter();
  const kept = places.find((place) => place.element.isConnected);
  if (kept === undefined) return;
  const moved = kept.element.getBoundingClientRect().top - kept.top;
  if (moved !== 0) scrollBy({ top: moved, behavior: 'instant' });
}
