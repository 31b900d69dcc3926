import { beginsPlaceholder, isLeftAlone, isMask } from './left-alone.ts';
import { isRandom as isRandomToken } from './random-tokens.ts';
import {
  charClass, matchesIn, runEnd, spansBehind, type RedactionRule, type Span,
} from './span.ts';

const strong =
  'passwor[dt]|passwd|passphrase|passcode|pword|psw|pwd|secret[_-]?key[_-]?base|' +
  '(?:api|access|secret|private|account|encryption|decryption|signing|validation|master|' +
  'integration|subscription|license|app(?:lication)?|auth|insert|hmac|storage|fernet|cipher)' +
  '[_.-]?key|key[_-]data|unseal[_ -]?key(?: \\d{1,2})?|oauth_signature|client[_-]?secret|' +
  '(?:auth|access|refresh|id|session)[_-]?token|connection[_-]?string|jsessionid|phpsessid|' +
  'snmp[_-]?community|community[_-]?string|' +
  'contrase[nñ]a|kennwort|mot[_-]?de[_-]?passe|senha|wachtwoord';
/** Also names of labels: `kube_secret_info{secret="db"}` holds no secret. */
const weak = 'secret|token|cred(?:ential)?s?|session[_-]?id|dsn';

/** The end of a name that holds a secret, as the source of a regular expression. */
export const secretNames: string = `${strong}|${weak}`;

/** Also ordinary words: only where clearly a name, as in `db_pass`, `"pass"` and `pass=`. */
const short = 'pass|pw|psk|otp|auth|pat';

/** Keys of PagerDuty and ids of Vault; those of a queue or a service are ordinary names. */
const hexKey = '(?:routing|service)[_-]?key(?=\\W{1,12}[\\da-f]{32}(?!\\w))|' +
  'secret[_-]?id(?=\\W{1,12}[\\da-f]{8}-[\\da-f]{4}-)';

const assigned = new RegExp(
  `(?:(?<strong>(?:${strong}|${hexKey})\\d{0,2})|(?<weak>${weak})|(?<short>${short}))` +
    `\\\\{0,7}["']?\\]?[ \\t]{0,24}(?<sign>=>|::?=?|==?)[ \\t]{0,24}`, 'gi',
);
/**
 * `name: DB_PASSWORD`, `value: …`, as Kubernetes lists environment variables; also
 * `("password", "…")` and `AccessToken{value=…}`.
 */
const pair = new RegExp(
  `\\b(?:name|key)["']?[ \\t]{0,4}[:=][ \\t]{0,4}["']?[A-Za-z0-9_.-]{0,60}?` +
    `(?:${strong}|${weak}|pass)["']?[,\\s]{1,40}["']?value["']?[ \\t]{0,4}[:=][ \\t]{0,4}|` +
    `\\(["'][\\w.-]{0,60}?(?:${strong}|${weak})["'],[ \\t]{0,4}(?=["'])|` +
    `(?:${strong}|${weak})[ \\t]?[{[(]value[=:]`, 'gi',
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
const messageBehind = /^[ \t][a-z]{3,16} (?:[a-z]{2,20}(?![\w-]*[:=])|["'])/;

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
    const isName = weakName !== undefined && (isObject(text, match) ||
      sign === '=' && isInLabels(text, match.index, from));
    // `PWD=/srv/app` is a shell's working directory, `DB_PWD=/…` a password.
    const isPlace = /^pwd/i.test(match[0]) && text.startsWith('/', from) &&
      !/[\w.]/.test(text.charAt(match.index - 1));
    const value = isName || isPlace ? null : valueAt(text, from);
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

/** `["x"]`, `b'x'`, `SecretStr('x')` and `"""x"""`: what may stand before the quote of a value. */
const wrapping = /(?:\[[ \t]?|[bur]{1,2}|[A-Za-z_]{1,16}\()(?=\\{0,7}["'])|""(?=")/y;

function valueAt(text: string, start: number): Span | null {
  wrapping.lastIndex = start;
  const at = start + (wrapping.exec(text)?.[0].length ?? 0);
  // JSON within JSON has its quotes escaped.
  const opening = runEnd(text, at, { has: backslash, lengthMax: escapesMax });
  const quote = text[opening];
  const isQuoted = quote === '"' || quote === "'";
  const from = isQuoted ? opening + 1 : at;
  if (beginsPlaceholder(text, from)) return null;
  const to = isQuoted ? closing(text, from, { quote, escapes: opening - at })
    : bareEnd(text, from);
  // A bracket ends a value, but a mask ends with one itself.
  if (isLeftAlone(text.slice(from, to)) || isMask(text.slice(from, to + 1))) return null;
  if (to - from < (isQuoted ? 1 : 3)) return null;
  return { from, to };
}

/** Behind a delimiter: an end, another delimiter, or the name of the next value. */
const nextValue = /.(?:$|[\s"',;:&(){}[\]<>\\]|[\w.-]{1,40}[ \t]?(?:[=:]|=>))/sy;

/** Where a value without quotes ends: a delimiter that nothing follows belongs to the value. */
function bareEnd(text: string, from: number): number {
  for (let at = from; ;) {
    const to = runEnd(text, at, { has: valueCharacter, lengthMax: from + lengthMax - at });
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
  const before = text.slice(Math.max(0, match.index - 4), match.index)
    .replace(/\\[nrt]$/, '\n');
  if (brief !== undefined) return beginsShort(before, match);
  if (weakName !== undefined && isNoSecret(text, match.index)) return false;
  if (!/[A-Za-z\d]$/.test(before) || /[a-z\d]$/.test(before) && /^[A-Z][a-z]/.test(match[0])) {
    return true;
  }
  const isLong = long.length >= gluedMin || /^secret$/i.test(weakName ?? '');
  return isLong && !/(?:^|[^a-z])no$/i.test(before);
}

/**
 * Behind `arn:aws:secretsmanager:eu-west-1:123456789012:secret:` is a name, behind a parser's
 * "Unexpected token:" a piece of its input.
 */
function isNoSecret(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 80), at);
  return /:secretsmanager:[\w-]{0,30}:\d{0,12}:$|expected $|(?:publickey|cancellation)$/i
    .test(before);
}

/** `secret=shop/web-tls`, `secret: web-tls`: the name of an object that holds one. */
function isObject(text: string, { index, 0: written }: RegExpExecArray): boolean {
  if (!/^secret["']?[ \t]*[=:]/i.test(written) || /[\w.-]$/.test(text.slice(index - 1, index))) {
    return false;
  }
  const from = index + written.length;
  const [name = ''] = /^["']?[a-z][a-z\d]*(?:[-/][a-z][a-z\d]*)+(?=["']?(?:[\s,]|$))/
    .exec(text.slice(from, from + 130)) ?? [];
  return name !== '' && name.replace(/\D/g, '').length <= 3;
}

/** `db_pass`, `dbPass`, `"pass":`, `SSHPASS=`, `GITHUB_PAT=`; not `second pass:`, `BYPASS`. */
function beginsShort(before: string, { 0: written, groups }: RegExpExecArray): boolean {
  const { short: name = '', sign } = groups ?? {};
  if (/^pat$/i.test(name)) return name === 'PAT' && /[_-]$/.test(before);
  if (/^auth$/i.test(name)) return sign === '=' && /[_-]$/.test(before);
  if (/[A-Za-z\d]$/.test(before)) {
    if (/(?:by|com)$/i.test(before)) return false;
    return name === 'Pass' || /^P[wW]$/.test(name) ||
      name === 'PASS' && sign === '=' && /[A-Z]$/.test(before);
  }
  return sign !== ':' || /^pw$/i.test(name) || /["'_.-]$/.test(before) || /["']/.test(written);
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
  `(?:<|&lt;)(?:\\w{1,20} (?:key|name)=")?[\\w:.-]{0,60}?` +
    `(?:${strong})(?:"|\\s[^<>]{0,100})?(?:>|&gt;)` +
    `(?:<!\\[CDATA\\[)?`, 'gi',
);

const saidAs = new RegExp(
  `\\b(?:[a-z\\d]{1,40}[_-])?(?:${strong}|${weak}|(?:api|access|secret|license) key)["']?` +
    '(?:[ \\t](?:is|was|to|of|(?:set|changed|reset) to|value|provided|[05789]))?' +
    `(?: for [^:\\n]{1,64}(?=:))?:?[ \\t]{1,4}(?=["']?[A-Za-z\\d])`, 'gi',
);
const randomMin = 10;

/** `STRIPE_KEY=…`: the value must be random, as there are keys of caches, queues and tables. */
const keyAssigned =
  /[A-Za-z\d_-]key["']?\]?[ \t]{0,4}(?:=>|[:=])[ \t]{0,4}["']?(?=[\w+/-]{20})/gi;

function* randomKeys(text: string): Iterable<Span> {
  for (const span of spansBehind(text, keyAssigned, valueAt)) {
    if (isRandomToken(text.slice(span.from, span.to))) yield span;
  }
}

/** Also a UUID. */
const isHex = /^[\da-f]{24,128}$|^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

function isMixed(said: string): boolean {
  return said.length >= randomMin && /[a-z]/.test(said) && /[A-Z]/.test(said) &&
    /\d/.test(said) && !/[/:=(]/.test(said);
}

/** "The password is …": only what cannot be a word. */
function* sayings(text: string): Iterable<Span> {
  for (const span of spansBehind(text, saidAs, valueAt)) {
    const said = text.slice(span.from, span.to);
    // In quotes also what has no capitals, such as `invalid token "q1w2…"`; not names with hyphens.
    const isQuoted = /["']/.test(text.charAt(span.from - 1)) &&
      /^(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{16,}$/i.test(said);
    if (isQuoted || isHex.test(said) || isMixed(said)) yield span;
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
export const keyValues: RedactionRule = { name: 'kv', find: randomKeys };
export const namedValues: RedactionRule = { name: 'kv', find: assignments };
