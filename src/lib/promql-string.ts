/**
 * Escapes text for PromQL. Strings use Go's escapes (prometheus/prometheus: util/strutil/quote.go
 * and promql/parser/lex.go), regular expressions are RE2's.
 */

/**
 * Characters that end a string, or that make pasted text look different from what it is. The lexer
 * takes U+FFFD, which a lone surrogate is turned into in UTF-8, for broken UTF-8.
 */
const unfit = /["\\\ufffd\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Escapes the text for use between double quotes. */
export function escapeQuoted(text: string): string {
  return text.replace(unfit, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    if (character === '\n') return '\\n';
    if (/\p{Cs}/u.test(character)) return '\\ufffd';
    const point = character.codePointAt(0) ?? 0;
    const digits = point.toString(16);
    return point > 0xffff ? `\\U${digits.padStart(8, '0')}` : `\\u${digits.padStart(4, '0')}`;
  });
}

/** An expression of RE2, or of JavaScript, that matches only this text: Go's regexp.QuoteMeta. */
export function escapeRegex(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');
}
