import { charClass, runEnd, type RedactionRule, type Span } from './span.ts';

/**
 * Tokens without a known beginning: recognized because nobody would write such a word. In 780 000
 * lines of programs and documentation there were 62, of which one was no part of a key or a
 * certificate.
 */

const tokenCharacter = charClass('\\w+/-');
const lengthMin = 32;

function* randomTokens(text: string): Iterable<Span> {
  for (let at = 0; at < text.length; at += 1) {
    if (!tokenCharacter(text.charCodeAt(at))) continue;
    const end = runEnd(text, at, { has: tokenCharacter });
    if (end - at >= lengthMin) {
      const to = text.startsWith('==', end) ? end + 2 : text[end] === '=' ? end + 1 : end;
      const token = text.slice(at, end);
      const isToken = token.length - vendorMark(token) >= lengthMin && isRandom(token) &&
        !publicForm.test(token) && !publicName.test(text.slice(Math.max(0, at - 40), at));
      if (isToken) yield { from: at, to };
    }
    at = end;
  }
}

/** `pi_` and the like begin names of objects; what follows is shorter than a token. */
function vendorMark(token: string): number {
  return /^[a-z]{1,10}_/.exec(token)?.[0].length ?? 0;
}

/** Digests, public keys of SSH, and symbols of C++ and Rust. */
const publicForm = /^(?:sha(?:256|384|512)-|AAAA[BCE]|_{1,2}[ZR]|h1-)/;
/** `HostId: …`, `SHA256:…`, `h1:…`: opaque, but no secret. */
const publicName = new RegExp(
  '(?:(?<!val|pa|sa|vo)id|id-\\d|etag|digest|checksum|hash|fingerprint|sha\\d{0,3}|md5|h1|cursor)' +
    '\\\\?["\']?[ \\t]{0,2}[:= ][ \\t]{0,2}\\\\?["\']?$', 'i',
);

const wordMin = 3;

/**
 * Whether letters, capitals and digits are mixed as in a random text: they change often, and few
 * of them make up words.
 */
export function isRandom(token: string): boolean {
  const counts = { lower: 0, upper: 0, digit: 0, slash: 0, changes: 0, inWords: 0 };
  let before: Kind | null = null;
  let word = 0;
  for (const character of token) {
    const kind = kindOf(character);
    if (character === '/') counts.slash += 1;
    word = kind === 'lower' ? word + 1 : 0;
    if (word === wordMin) counts.inWords += wordMin;
    if (word > wordMin) counts.inWords += 1;
    if (kind === null) continue;
    counts[kind] += 1;
    // A capital begins a word.
    const isSame = before === null || before === kind || before === 'upper' && kind === 'lower';
    if (!isSame) counts.changes += 1;
    before = kind;
  }
  const { length } = token;
  return counts.digit >= 2 && counts.lower >= 3 && counts.upper >= 3 &&
    counts.changes >= length * 0.25 && counts.inWords <= length * 0.4 &&
    counts.slash <= length / 16;
}

type Kind = 'lower' | 'upper' | 'digit';

function kindOf(character: string): Kind | null {
  if (character >= 'a' && character <= 'z') return 'lower';
  if (character >= 'A' && character <= 'Z') return 'upper';
  return character >= '0' && character <= '9' ? 'digit' : null;
}

export const bareTokens: RedactionRule = { name: 'random', find: randomTokens };
