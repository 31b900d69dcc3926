import { holdsName } from './names.ts';

const quoted = /(?<![=~])"([^"\n]{1,500})"|“([^”\n]{1,500})”|«([^»\n]{1,500})»|`([^`\n]{1,500})`/g;

/**
 * The quotes of a sentence, and the sentence without them. A quoted number or time stays in the
 * sentence, to be checked as a number or time.
 */
export function takeQuotes(text: string): { quotes: string[]; rest: string } {
  const quotes: string[] = [];
  const rest = text.replace(quoted, (_all: string, ...inside: unknown[]) => {
    const quote = inside.slice(0, 4).find((one) => typeof one === 'string') ?? '';
    if (!/\p{L}{2}/u.test(quote) || /^[\d.,:\s]+\p{L}{0,12}$/u.test(quote)) return ` ${quote} `;
    quotes.push(quote);
    return ' '.repeat(8);
  });
  return { quotes, rest };
}

/** Whether a text in lower case contains every part of a quote, in whole words. */
export function holdsQuote(text: string, quote: string): boolean {
  const flat = spaced(text);
  return spaced(quote).split(/…|\.\.\./).map((part) => part.trim().replace(/[.,;:]$/, ''))
    .every((part) => part === '' || holdsName(flat, part));
}

function spaced(text: string): string {
  return text.replace(/\s+/g, ' ');
}
