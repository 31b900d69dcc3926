/** Nesting of objects and arrays; a notification needs four levels. */
const depthMax = 32;
/** A body of real alerts at the size limit has about a third of this. */
const valuesMax = 2_000_000;
/** In texts up to this length it is enough to count brackets, if there are few. */
const shortLength = 64 * 1024;

/**
 * Whether the text nests at most 32 levels deep and has at most 2 million values. Does not check
 * that it is JSON.
 */
export function isWithinJsonLimits(text: string): boolean {
  if (text.length <= shortLength && hasFewBrackets(text)) return true;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === quote) {
      at = endOfString(text, at);
    } else if (unit === openBrace || unit === openBracket) {
      depth += 1;
      values += 1;
      if (depth > depthMax) return false;
    } else if (unit === closeBrace || unit === closeBracket) {
      depth -= 1;
    } else if (unit === comma) {
      values += 1;
    }
    if (values > valuesMax) return false;
  }
  return true;
}

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** A text cannot nest deeper than it has opening brackets, and `indexOf` finds those fast. */
function hasFewBrackets(text: string): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      count += 1;
      if (count > depthMax) return false;
    }
  }
  return true;
}

/** Index of the quote that ends the string starting at `start`, or the length of the text. */
function endOfString(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
}
