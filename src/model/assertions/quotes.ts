import type { EvidenceItem } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { withoutOwnWords } from './whose-words.ts';

const quoteMin = 4;
/** Length of what is shown around a quote, in UTF-16 units. */
const aroundMax = 60;
const shownMax = 240;

/**
 * The quote as the item says it, with the words around it, so that none can turn its meaning; null
 * if no text of the item holds it, or if it is too short to be one.
 */
export function quoteIn(given: EvidenceItem, quote: string): string | null {
  const sought = spaced(quote).replace(/^["“'‘]|["”'’.,;:]$/gu, '').toLowerCase();
  if (sought.length < quoteMin || !/\p{L}{3}/u.test(sought)) return null;
  const { summary, data } = withoutOwnWords(given);
  // The title only says what was asked, as in "Test: A release broke it".
  for (const text of [...textsIn(data), summary].map(spaced)) {
    const at = indexOfWords(text.toLowerCase(), sought);
    if (at !== -1) return around(text, at, sought.length);
  }
  return null;
}

/** Not within a word: "already" does not contain "ready". */
function indexOfWords(text: string, sought: string): number {
  for (let at = text.indexOf(sought); at !== -1; at = text.indexOf(sought, at + 1)) {
    const [before, after] = [text.charAt(at - 1), text.charAt(at + sought.length)];
    if (!/[\p{L}\p{N}]/u.test(before) && !/[\p{L}\p{N}]/u.test(after)) return at;
  }
  return -1;
}

function around(text: string, at: number, length: number): string {
  if (text.length <= shownMax) return shownText(text, shownMax);
  const from = at <= aroundMax ? 0 : text.indexOf(' ', at - aroundMax) + 1 || at;
  const end = at + length + aroundMax;
  const to = end >= text.length ? text.length : text.lastIndexOf(' ', end);
  const part = text.slice(Math.min(from, at), Math.max(to, at + length));
  return `${from > 0 ? '… ' : ''}${shownText(part, shownMax)}${to < text.length ? ' …' : ''}`;
}

const depthMax = 8;

function* textsIn(value: unknown, depth = 0): Iterable<string> {
  if (typeof value === 'string') yield value;
  if (typeof value !== 'object' || value === null || depth > depthMax) return;
  for (const inner of Object.values(value) as unknown[]) yield* textsIn(inner, depth + 1);
}

function spaced(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}
