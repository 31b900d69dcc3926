import { beginsPlaceholder, isLeftAlone } from './left-alone.ts';
import { namedValues } from './named-values.ts';
import { isRandom } from './random-tokens.ts';
import { secretNames, strongNames } from './secret-names.ts';
import {
  charClass, ruleBehind, runEnd, spansBehind, type RedactionRule, type Span,
} from './span.ts';
import { valueAt, valueLengthMax } from './value-at.ts';
import { yamlValues } from './yaml-values.ts';

/** Secrets recognized by the name before them. */

/** `"auth": "…"` of a registry: a user and a password in base64. */
function* registryLogins(text: string): Iterable<Span> {
  const name = /\bauth\\{0,7}"[ \t]{0,4}:[ \t]{0,4}(?=\\{0,7}"[\w+/]{11})/g;
  for (const span of spansBehind(text, name, valueAt)) {
    const login = text.slice(span.from, span.to);
    if (/^[\w+/]*={0,2}$/.test(login) && /[A-Z]/.test(login) && /[\d=]/.test(login)) yield span;
  }
}

/**
 * `name: DB_PASSWORD`, `value: …`, as Kubernetes lists environment variables; also
 * `("password", "…")` and `AccessToken{value=…}`.
 */
const pair = new RegExp(
  `\\b(?:name|key)["']?[ \\t]{0,4}[:=][ \\t]{0,4}["']?[A-Za-z0-9_.-]{0,60}?` +
    `(?:${secretNames}|pass)["']?[,\\s]{1,40}["']?value["']?[ \\t]{0,4}[:=][ \\t]{0,4}|` +
    `\\(["'][\\w.-]{0,60}?(?:${secretNames})["'],[ \\t]{0,4}(?=["'])|` +
    `(?:${secretNames})[ \\t]?[{[(]value[=:]`, 'gi',
);

/** `<password>…</password>`, `<entry key="db.password">…</entry>`. */
const element = new RegExp(
  `(?:<|&lt;)(?:\\w{1,20} (?:key|name)=")?[\\w:.-]{0,60}?` +
    `(?:${strongNames})(?:"|\\s[^<>]{0,100})?(?:>|&gt;)` +
    `(?:<!\\[CDATA\\[)?`, 'gi',
);

const encodedQuote = '(?:%22|&quot;|&#3[49];)?';
const encodedAssigned = new RegExp(
  `(?:${strongNames})${encodedQuote}` +
    `(?:%20|[+ ])?(?:%3[AD]|(?<=;) ?[:=])(?:%20|[+ ])?${encodedQuote}`, 'gi',
);
/** Without `%`, which may begin an encoded delimiter. */
const encodedCharacter = charClass('^\\s"\',;}&<>%', true);
const encodedDelimiter = /%(?:2[26C]|7D|0A)/iy;

/** `password%3D…` in a URL, `&quot;password&quot;:&quot;…` in HTML. */
function encodedAt(text: string, from: number): Span | null {
  if (beginsPlaceholder(text, from)) return null;
  let to = from;
  for (;;) {
    to = runEnd(text, to, { has: encodedCharacter, lengthMax: from + valueLengthMax - to });
    encodedDelimiter.lastIndex = to;
    if (text[to] !== '%' || encodedDelimiter.test(text)) break;
    to += 1;
  }
  return to - from < 3 || isLeftAlone(text.slice(from, to)) ? null : { from, to };
}

/** `STRIPE_KEY=…`: the value must be random, as there are keys of caches, queues and tables. */
const keyAssigned =
  /[A-Za-z\d_-]key["']?\]?[ \t]{0,4}(?:=>|[:=])[ \t]{0,4}["']?(?=[\w+/-]{20})/gi;

function* randomKeys(text: string): Iterable<Span> {
  for (const span of spansBehind(text, keyAssigned, valueAt)) {
    if (isRandom(text.slice(span.from, span.to))) yield span;
  }
}

const spelled = new RegExp(
  `\\b(?:[a-z\\d]{1,40}[_-])?(?:${secretNames}|(?:api|access|secret|license) key)["']?` +
    '(?:[ \\t](?:is|was|to|of|(?:set|changed|reset) to|value|provided|[05789]))?' +
    `(?: for [^:\\n]{1,64}(?=:))?:?[ \\t]{1,4}(?=["']?[A-Za-z\\d])`, 'gi',
);
const randomMin = 10;

/** Also a UUID. */
const isHex = /^[\da-f]{24,128}$|^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

function isMixed(word: string): boolean {
  return word.length >= randomMin && /[a-z]/.test(word) && /[A-Z]/.test(word) &&
    /\d/.test(word) && !/[/:=(]/.test(word);
}

/** "The password is …": only what cannot be a word. */
function* sayings(text: string): Iterable<Span> {
  for (const span of spansBehind(text, spelled, valueAt)) {
    const word = text.slice(span.from, span.to);
    // In quotes also what has no capitals, such as `invalid token "q1w2…"`; not names with hyphens.
    const isQuoted = /["']/.test(text.charAt(span.from - 1)) &&
      /^(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{16,}$/i.test(word);
    if (isQuoted || isHex.test(word) || isMixed(word)) yield span;
  }
}

/** In the order in which they have to be applied. */
export const nameRules: readonly RedactionRule[] = [
  { name: 'kv', find: registryLogins },
  ruleBehind('name-value', pair, valueAt),
  ruleBehind('element', element, valueAt),
  ruleBehind('kv', encodedAssigned, encodedAt),
  ...yamlValues,
  namedValues,
  { name: 'kv', find: randomKeys },
  { name: 'said', find: sayings },
];
