const quoted =
  /(?<![=~])"([^"\n]{1,500})"|“([^”\n]{1,500})”|«([^»\n]{1,500})»|`([^`\n]{1,500})`/g;

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
  return spaced(quote.toLowerCase()).split(/…|\.\.\./).map((part) => part.trim())
    .filter((part) => part !== '').every((part) => holdsWhole(flat, part.replace(/[.,;:]$/, '')));
}

function spaced(text: string): string {
  return text.replace(/\s+/g, ' ');
}

function holdsWhole(text: string, part: string): boolean {
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) {
    const isCut = isInside(text.charAt(at - 1), part.charAt(0)) ||
      isInside(part.charAt(part.length - 1), text.charAt(at + part.length));
    if (!isCut) return true;
  }
  return false;
}

function isInside(one: string, other: string): boolean {
  return /[\p{L}\p{N}_]/u.test(one) && /[\p{L}\p{N}_]/u.test(other);
}
