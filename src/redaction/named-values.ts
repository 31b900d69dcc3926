import { beginsPlaceholder, isLeftAlone, isMask } from './left-alone.ts';
import {
  charClass, matchesIn, runEnd, spansBehind, type RedactionRule, type Span,
} from './span.ts';

const strong =
  'passwor[dt]|passwd|passphrase|pwd|api[_-]?key|access[_-]?key|secret[_-]?key(?:[_-]?base)?|' +
  'private[_-]?key|account[_-]?key|encryption[_-]?key|signing[_-]?key|master[_-]?key|' +
  'integration[_-]?key|subscription[_-]?key|license[_-]?key|app(?:lication)?[_-]?key|' +
  'auth[_-]?key|insert[_-]?key|hmac[_-]?key|storage[_-]?key|oauth_signature|' +
  'client[_-]?secret|auth[_-]?token|access[_-]?token|refresh[_-]?token|id[_-]?token|' +
  'session[_-]?token|connection[_-]?string|jsessionid|phpsessid';
/** Also names of labels: `kube_secret_info{secret="db"}` holds no secret. */
const weak = 'secret|token|credentials?|session[_-]?id|dsn';

/** Also ordinary words: only where clearly a name, as in `db_pass`, `"pass"` and `pass=`. */
const short = 'pass|pw|auth';

/** Keys of PagerDuty; those of a queue or a service are ordinary names. */
const hexKey = '(?:routing|service)[_-]?key(?=\\W{1,12}[\\da-f]{32}(?!\\w))';

const assigned = new RegExp(
  `(?:(?<strong>(?:${strong}|${hexKey})\\d{0,2})|(?<weak>${weak})|(?<short>${short}))` +
    `\\\\{0,7}["']?\\]?[ \\t]{0,4}(?<sign>=>|:=|==|=|:)[ \\t]{0,4}`, 'gi',
);
/** `name: DB_PASSWORD`, `value: …`, as Kubernetes lists environment variables. */
const pair = new RegExp(
  `\\b(?:name|key)["']?[ \\t]{0,4}[:=][ \\t]{0,4}["']?[A-Za-z0-9_.-]{0,60}?(?:${strong}|${weak})` +
    `["']?[,\\s]{1,40}["']?value["']?[ \\t]{0,4}[:=][ \\t]{0,4}`,
  'gi',
);

const isStrong = new RegExp(
  `(?:^|[_.-])(?:${strong}|pass)$|(?<!no)(?:passwor[dt]|passwd|passphrase)$`, 'i',
);

/** Whether a member or label of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return isStrong.test(name.slice(-80).replace(/([a-z\d])([A-Z])/g, '$1_$2'));
}

const escapesMax = 7;
const valueCharacter = charClass('^\\s"\',;}\\])&<>', true);
const inDouble = charClass('^"\\n', true);
const inSingle = charClass("^'\\n", true);

/** Two words that are not followed by another name: "failed to fetch token: deadline exceeded". */
const messageBehind = /^[ \t][a-z]{3,12} [a-z]{2,20}(?![\w-]*[:=])/;

/** `password=…`, `"apiKey": "…"`, `DB_PASSWORD: …`. */
function* assignments(text: string): Iterable<Span> {
  let done = 0;
  for (const match of matchesIn(text, assigned)) {
    if (match.index < done || !beginsName(text, match)) continue;
    const { weak: weakName, sign } = match.groups ?? {};
    const from = match.index + match[0].length;
    const isMessage = weakName !== undefined && sign === ':' &&
      messageBehind.test(text.slice(from - 1, from + 60));
    if (isMessage) continue;
    const isLabel = weakName !== undefined && sign === '=' && isInLabels(text, match.index, from);
    // `PWD=/srv/app` is a shell's working directory, `DB_PWD=/…` a password.
    const isPlace = /^pwd/i.test(match[0]) && text.startsWith('/', from) &&
      !/[\w.]/.test(text.charAt(match.index - 1));
    const value = isLabel || isPlace ? null : valueAt(text, from);
    if (value === null) continue;
    done = value.to;
    yield value;
  }
}

/** A private key may be the value. */
const lengthMax = 16_384;
const backslash = charClass('\\\\');

const encodedQuote = '(?:%22|&quot;|&#3[49];)?';
const encodedAssigned = new RegExp(
  `(?:${strong})${encodedQuote}(?:%20|[+ ])?(?:%3[AD]|(?<=;) ?[:=])(?:%20|[+ ])?${encodedQuote}`,
  'gi',
);
/** Without `%`, which may begin an encoded delimiter. */
const encodedCharacter = charClass('^\\s"\',;}&<>%', true);
const encodedDelimiter = /%(?:2[26C]|7D|0A)/iy;

/** `password%3D…` in a URL, `&quot;password&quot;:&quot;…` in HTML. */
function encodedAt(text: string, from: number): Span | null {
  if (beginsPlaceholder(text, from)) return null;
  let to = from;
  for (;;) {
    to = runEnd(text, to, { has: encodedCharacter, lengthMax: from + lengthMax - to });
    encodedDelimiter.lastIndex = to;
    if (text[to] !== '%' || encodedDelimiter.test(text)) break;
    to += 1;
  }
  return to - from < 3 || isLeftAlone(text.slice(from, to)) ? null : { from, to };
}

function valueAt(text: string, at: number): Span | null {
  // JSON within JSON has its quotes escaped.
  const opening = runEnd(text, at, { has: backslash, lengthMax: escapesMax });
  const quote = text[opening];
  const isQuoted = quote === '"' || quote === "'";
  const from = isQuoted ? opening + 1 : at;
  if (beginsPlaceholder(text, from)) return null;
  const to = isQuoted ? closing(text, from, { quote, escapes: opening - at })
    : runEnd(text, from, { has: valueCharacter, lengthMax });
  // A bracket ends a value, but a mask ends with one itself.
  if (isLeftAlone(text.slice(from, to)) || isMask(text.slice(from, to + 1))) return null;
  if (to - from < (isQuoted ? 1 : 3)) return null;
  return { from, to };
}

/** Where a quoted value ends: at a quote with no more backslashes than the opening one. */
function closing(
  text: string,
  from: number,
  { quote, escapes }: { quote: '"' | "'"; escapes: number },
): number {
  const has = quote === '"' ? inDouble : inSingle;
  for (let at = from; ;) {
    const end = runEnd(text, at, { has, lengthMax: from + lengthMax - at });
    if (text[end] !== quote || end >= from + lengthMax) return end;
    let bare = end;
    while (bare > from && text[bare - 1] === '\\') bare -= 1;
    const count = end - bare;
    if (escapes === 0 && count % 2 === 0) return end;
    if (count <= escapes) return bare;
    at = end + 1;
  }
}

const gluedMin = 6;

/** Whether the match is the end of a name: `db_password`, `dbPassword`; not `nopassword`. */
function beginsName(text: string, match: RegExpExecArray): boolean {
  const { strong: long = '', short: brief, weak: weakName } = match.groups ?? {};
  const before = text.slice(Math.max(0, match.index - 4), match.index);
  if (brief !== undefined) return beginsShort(before, match);
  if (weakName !== undefined && isNoSecret(text, match.index)) return false;
  if (!/[A-Za-z\d]$/.test(before) || /[a-z\d]$/.test(before) && /^[A-Z][a-z]/.test(match[0])) {
    return true;
  }
  return long.length >= gluedMin && !/(?:^|[^a-z])no$/i.test(before);
}

/**
 * Behind `arn:aws:secretsmanager:eu-west-1:123456789012:secret:` is a name, behind a parser's
 * "Unexpected token:" a piece of its input.
 */
function isNoSecret(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 80), at);
  return /:secretsmanager:[\w-]{0,30}:\d{0,12}:$|expected $/.test(before);
}

/** `db_pass`, `dbPass`, `"pass":`, `SSHPASS=`, `REDISCLI_AUTH=`; not `second pass:`, `BYPASS`. */
function beginsShort(before: string, { 0: written, groups }: RegExpExecArray): boolean {
  const { short: name = '', sign } = groups ?? {};
  if (/^auth$/i.test(name)) return sign === '=' && /[_-]$/.test(before);
  if (/[A-Za-z\d]$/.test(before)) {
    if (/(?:by|com)$/i.test(before)) return false;
    return name === 'Pass' || name === 'PASS' && sign === '=' && /[A-Z]$/.test(before);
  }
  return sign !== ':' || /["'_.-]$/.test(before) || /["']/.test(written);
}

/** Inside the `{…}` of a selector or label set, where names are bare and values are quoted. */
function isInLabels(text: string, name: number, value: number): boolean {
  const quote = runEnd(text, value, { has: backslash, lengthMax: escapesMax });
  if (text[quote] !== '"' || /["']/.test(text.charAt(value - 2))) return false;
  const before = text.slice(Math.max(0, name - 400), name);
  return before.lastIndexOf('{') > before.lastIndexOf('}');
}

/** `<password>…</password>`, `<entry key="db.password">…</entry>`. */
const element = new RegExp(
  `(?:<|&lt;)(?:entry key=")?[\\w:.-]{0,60}?(?:${strong})(?:"|\\s[^<>]{0,100})?(?:>|&gt;)` +
    `(?:<!\\[CDATA\\[)?`, 'gi',
);

const saidAs = new RegExp(
  `\\b(?:[a-z\\d]{1,40}[_-])?(?:${strong}|${weak})["']?` +
    `(?:[ \\t](?:is|was|to|of|set to|value|provided:))?[ \\t]{1,4}(?=["']?[A-Za-z\\d])`,
  'gi',
);
const randomMin = 10;

/** "The password is …": only what cannot be a word. */
function* sayings(text: string): Iterable<Span> {
  for (const span of spansBehind(text, saidAs, valueAt)) {
    const said = text.slice(span.from, span.to);
    const isRandom = /[a-z]/.test(said) && /[A-Z]/.test(said) && /\d/.test(said);
    const isHex = /^[\da-f]{24,128}$/i.test(said);
    if (isHex || isRandom && said.length >= randomMin && !/[/:=(]/.test(said)) yield span;
  }
}

export const namedElements: RedactionRule = {
  name: 'element', find: (text) => spansBehind(text, element, valueAt),
};
export const saidValues: RedactionRule = { name: 'said', find: sayings };
/** `"auth": "…"` of a registry: a user and a password in base64. */
function* registryLogins(text: string): Iterable<Span> {
  const name = /\bauth\\{0,7}"[ \t]{0,4}:[ \t]{0,4}(?=\\{0,7}"[\w+/]{11})/g;
  for (const span of spansBehind(text, name, valueAt)) {
    const login = text.slice(span.from, span.to);
    if (/^[\w+/]*={0,2}$/.test(login) && /[A-Z]/.test(login) && /[\d=]/.test(login)) yield span;
  }
}

export const registryAuths: RedactionRule = { name: 'kv', find: registryLogins };
export const encodedValues: RedactionRule = {
  name: 'kv', find: (text) => spansBehind(text, encodedAssigned, encodedAt),
};
export const namedPairs: RedactionRule = {
  name: 'name-value', find: (text) => spansBehind(text, pair, valueAt),
};
export const namedValues: RedactionRule = { name: 'kv', find: assignments };
