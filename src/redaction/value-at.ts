import { beginsPlaceholder, isLeftAlone, isMask } from './left-alone.ts';
import { charClass, runEnd, type Span } from './span.ts';

/** A private key may be the value. */
export const valueLengthMax = 16_384;
const valueCharacter = charClass('^\\s"\',;}\\])&<>', true);
const inDouble = charClass('^"\\n', true);
const inSingle = charClass("^'\\n", true);

/** `["x"]`, `b'x'`, `SecretStr('x')` and `"""x"""`: what may stand before the quote of a value. */
const wrapping = /(?:\[[ \t]?|[bur]{1,2}|[A-Za-z_]{1,16}\()(?=\\{0,7}["'])|""(?=")/y;

/**
 * The value that begins at `start`, behind its name, without its quotes; null if it is no secret or
 * too short to be one.
 */
export function valueAt(text: string, start: number): Span | null {
  wrapping.lastIndex = start;
  const at = start + (wrapping.exec(text)?.[0].length ?? 0);
  const opening = behindEscapes(text, at);
  const quote = text[opening];
  const isQuoted = quote === '"' || quote === "'";
  const from = isQuoted ? opening + 1 : at;
  if (beginsPlaceholder(text, from)) return null;
  const to = isQuoted ? closing(text, from, { quote, escapes: opening - at }) : bareEnd(text, from);
  // A bracket ends a value, but a mask ends with one itself.
  if (isLeftAlone(text.slice(from, to)) || isMask(text.slice(from, to + 1))) return null;
  if (to - from < (isQuoted ? 1 : 3)) return null;
  return { from, to };
}

const escapesMax = 7;
const backslash = charClass('\\\\');

/** Where the backslashes end that escape a quote in JSON within JSON. */
export function behindEscapes(text: string, at: number): number {
  return runEnd(text, at, { has: backslash, lengthMax: escapesMax });
}

/** Behind a delimiter: an end, another delimiter, or the name of the next value. */
const nextValue = /.(?:$|[\s"',;:&(){}[\]<>\\]|[\w.-]{1,40}[ \t]?(?:[=:]|=>))/sy;

/** Where a value without quotes ends: a delimiter that nothing follows belongs to the value. */
function bareEnd(text: string, from: number): number {
  for (let at = from; ;) {
    const to = runEnd(text, at, { has: valueCharacter, lengthMax: from + valueLengthMax - at });
    nextValue.lastIndex = to;
    if (to === from || !/[,;&)}\]]/.test(text.charAt(to)) || nextValue.test(text)) return to;
    at = to + 1;
  }
}

/** Where a quoted value ends: at a quote with no more backslashes than the opening one. */
function closing(
  text: string,
  from: number,
  { quote, escapes }: { quote: '"' | "'"; escapes: number },
): number {
  const has = quote === '"' ? inDouble : inSingle;
  for (let at = from; ;) {
    const end = runEnd(text, at, { has, lengthMax: from + valueLengthMax - at });
    if (text[end] !== quote || end >= from + valueLengthMax) return end;
    let bare = end;
    while (bare > from && text[bare - 1] === '\\') bare -= 1;
    const count = end - bare;
    if (escapes === 0 && count % 2 === 0) return end;
    if (count <= escapes) return bare;
    at = end + 1;
  }
}
