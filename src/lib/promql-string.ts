/**
 * Texts inside PromQL. Strings take Go's escapes (prometheus/prometheus: util/strutil/quote.go and
 * promql/parser/lex.go), regular expressions are RE2's.
 */

/**
 * What ends a string, and what makes text look other than it is when it is pasted. U+FFFD is what
 * the lexer takes for broken UTF-8, and what half a surrogate pair turns into on its way.
 */
const unfit = /["\\\ufffd\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The text as it stands between double quotes. */
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

/** The text as an RE2 expression that matches it alone (regexp.QuoteMeta of Go). */
export function escapeRegex(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');
}
