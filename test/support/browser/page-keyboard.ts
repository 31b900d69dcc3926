import type { BrowserPage } from './browser-page.ts';

interface Focus {
  /** Position in the document; -1 once the focus has left the page. */
  readonly order: number;
  readonly name: string;
  readonly isMarked: boolean;
  readonly isInWindow: boolean;
}

const stopsMax = 60;
/** A thinner focus ring does not count as visible. */
const ringPixelsMin = 2;

const focused = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) {
    return { order: -1, name: '', isMarked: true, isInWindow: true };
  }
  const style = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  const ring = style.outlineStyle === 'none' ? 0 : parseFloat(style.outlineWidth);
  return {
    order: [...document.querySelectorAll('*')].indexOf(element),
    name: element.outerHTML.slice(0, 80),
    isMarked: ring >= ${ringPixelsMin} || style.boxShadow !== 'none',
    isInWindow: box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
  };
})()`;

/** Tabs through the page. Problems are a focus that is invisible, moves backwards or is stuck. */
export async function keyboardProblems(page: BrowserPage): Promise<string[]> {
  const problems: string[] = [];
  await page.evaluate('document.activeElement?.blur(), scrollTo(0, 0)');
  let first = -1;
  let last = -1;
  for (let stop = 0; stop < stopsMax; stop += 1) {
    await page.press('Tab');
    const { order, name, isMarked, isInWindow } = await page.evaluate<Focus>(focused);
    if (order === -1 || (order === first && stop > 1)) break;
    if (!isMarked) problems.push(`the focus is not visible on ${name}`);
    if (!isInWindow) problems.push(`the focus is outside the window on ${name}`);
    if (order === last) problems.push(`the focus stays on ${name}`);
    else if (order < last) problems.push(`the focus goes back to ${name}`);
    if (first === -1) first = order;
    last = order;
  }
  if (last === -1) problems.push('nothing can be focused');
  return problems;
}
