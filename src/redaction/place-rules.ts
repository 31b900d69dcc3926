import { beginsPlaceholder, isLeftAlone, isMask } from './left-alone.ts';
import { privateKeyRules } from './private-keys.ts';
import { charClass, matchesIn, ruleBehind, runEnd, type RedactionRule, type Span } from './span.ts';

/** Secrets recognized by where they are: in key blocks, headers and URLs. */

const blank = charClass(' \\t\\n\\r\\f\\v');
const base64url = charClass('A-Za-z0-9_-');
const tokenCharacter = charClass('\\w.~+/=-');
const userCharacter = charClass('^\\s:@/?#"\'<>', true);
const passwordCharacter = charClass('^\\s/"\'<>', true);
const slashedCharacter = charClass('^\\s"\'<>', true);
const queryCharacter = charClass('^&\\s"\'<>#', true);
const headerCharacter = charClass('^"\'\\r\\n', true);
/** In schemes with parameters, such as `response="…"`. */
const quotingCharacter = charClass("^'\\r\\n", true);
const awsCharacter = charClass('A-Za-z0-9/+');

const headerName = new RegExp(
  '(?:(?<=\\\\[nrt])|(?<![A-Za-z\\d]))(?:(?:proxy-)?authorization|x-api-key|api-key|' +
    'x-auth-token|private-token|(?<cookie>set-cookie|cookie))["\']?[ \\t]{0,4}' +
    '(?:=>|[:=]|(?<=["\']),(?=[ \\t]{0,4}["\']))[ \\t]{0,4}(?:\\[(?=["\']))?["\']?' +
    '(?:(?<token>bearer|basic|apikey|token)[ \\t]{1,4}|(?<quoting>digest|oauth)[ \\t]{1,4})?',
  'gi',
);

/** "Authorization: denied by the policy" is a message. */
const messageWord = /^(\w{2,12})[ :,]/;

/** The credentials in a header: the token after a scheme, or the rest of the line. */
function headerValue(text: string, from: number, match: RegExpExecArray): Span | null {
  if (beginsPlaceholder(text, from)) return null;
  const { cookie, token, quoting } = match.groups ?? {};
  // `'authorization', 'Bearer …'` is a pair, `'AUTHORIZATION', 'BACKWARD'` a list.
  if (match[0].includes(',') && (cookie ?? token ?? quoting) === undefined) return null;
  const has = token !== undefined ? tokenCharacter
    : quoting !== undefined ? quotingCharacter : headerCharacter;
  const to = trimmedEnd(text, from, runEnd(text, from, { has, lengthMax: 4096 }));
  if (to === from || blank(text.charCodeAt(from)) || isLeftAlone(text.slice(from, to))) return null;
  const [, word] = messageWord.exec(text.slice(from, from + 14)) ?? [];
  if (word !== undefined && isLeftAlone(word)) return null;
  // "Cookie: attribute missing" is a message, too.
  return cookie !== undefined && !text.slice(from, to).includes('=') ? null : { from, to };
}

const userTokenMin = 20;

/** `scheme://token@` and `scheme://user:password@`, up to the last `@`, as passwords have some. */
function* addressPasswords(text: string): Iterable<Span> {
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 3)) {
    const user = runEnd(text, at + 3, { has: userCharacter, lengthMax: 256 });
    if (text[user] === '@' && isToken(text.slice(at + 3, user))) yield { from: at + 3, to: user };
    if (text[user] !== ':') continue;
    const to = passwordEnd(text, user + 1);
    if (to <= user + 1 || isMask(text.slice(user + 1, to))) continue;
    yield { from: user + 1, to };
    at = to;
  }
}

/** The last `@` before a slash. A password may hold a slash by mistake; a port is none. */
function passwordEnd(text: string, from: number): number {
  const end = runEnd(text, from, { has: passwordCharacter, lengthMax: 512 });
  const last = text.slice(from, end).lastIndexOf('@');
  const isPort = /^\d{0,5}(?:,|$)/.test(text.slice(from, end));
  if (last !== -1 || text[end] !== '/' || isPort || text.startsWith('//', end)) return from + last;
  const slashed = runEnd(text, from, { has: slashedCharacter, lengthMax: 512 });
  return from + text.slice(from, slashed).indexOf('@');
}

function isToken(user: string): boolean {
  return user.length >= userTokenMin && /\d/.test(user) && /[a-z]/i.test(user);
}

/** `scheme://user:password@` in percent-encoding, as a parameter of another URL. */
function* encodedPasswords(text: string): Iterable<Span> {
  const head = /%3A%2F%2F[\w.~+-]{0,128}%3A/gi;
  for (const match of matchesIn(text, head)) {
    const from = match.index + match[0].length;
    const rest = text.slice(from, from + 256);
    const length = /%40|%2F|[^\w.~%+!*'()-]/i.exec(rest)?.index ?? rest.length;
    if (length > 0 && /^%40/.test(rest.slice(length))) yield { from, to: from + length };
  }
}

/** `jdbc:oracle:thin:user/password@`, `sqlplus user/password@` and `user/password@//host`. */
const ofOracle = new RegExp(
  '\\b(?:jdbc:oracle:[a-z]{2,8}:|sqlplus (?:-\\w{1,9} ){0,3})[\\w$#.]{1,64}/|' +
    '(?<![\\w$#./:])[\\w$#.]{1,64}/(?=[^\\s/@"\']{1,64}@//)', 'gi',
);

function oraclePassword(text: string, from: number): Span | null {
  const to = runEnd(text, from, { has: passwordCharacter, lengthMax: 256 });
  const length = text.slice(from, to).lastIndexOf('@');
  return length < 1 || isMask(text.slice(from, from + length)) ? null : { from, to: from + length };
}

const dataSourceMax = 200;

/** `user:password@tcp(host:port)`, as Go's database drivers write it. */
function* dataSources(text: string): Iterable<Span> {
  let done = 0;
  for (const { index: to } of matchesIn(text, /@(?:tcp|unix)\(/g)) {
    const before = text.slice(Math.max(done, to - dataSourceMax), to);
    const [secret] = /(?<=(?:^|[\s"'=])[\w.-]{1,64}:)[^\s"':]{1,128}$/.exec(before) ?? [];
    if (secret === undefined || isMask(secret)) continue;
    done = to;
    yield { from: to - secret.length, to };
  }
}

const queryName = new RegExp(
  '[?&](?:(?:access_token|api_?key|auth|token|sig|signature|password|passwd|secret|session|' +
    'client_secret|jwt|x-(?:amz|goog)-(?:signature|credential|security-token))|' +
    '(code|[\\w-]{0,30}key|ticket))=',
  'gi',
);

function parameterValue(text: string, from: number, match: RegExpExecArray): Span | null {
  const to = runEnd(text, from, { has: queryCharacter, lengthMax: 2048 });
  // `code` may be a status, `ticket` a number, `key` anything: only long ones are masked.
  if (to - from < (match[1] === undefined ? 1 : 16)) return null;
  return isLeftAlone(text.slice(from, to)) ? null : { from, to };
}

/** JSON Web Tokens: three parts, of which the first two begin with an encoded `{"`. */
function* webTokens(text: string): Iterable<Span> {
  const head = /(?<![A-Za-z0-9_-])eyJ/g;
  const part = { has: base64url };
  for (let match = head.exec(text); match !== null; match = head.exec(text)) {
    const first = runEnd(text, match.index, part);
    head.lastIndex = first;
    if (first - match.index < 11 || !text.startsWith('.eyJ', first)) continue;
    const second = runEnd(text, first + 1, part);
    const to = text[second] === '.' ? runEnd(text, second + 1, part) : second;
    if (second - first < 12) continue;
    head.lastIndex = to;
    yield { from: match.index, to };
  }
}

/** Forty characters that the words before them call an AWS secret key. */
function* awsSecrets(text: string): Iterable<Span> {
  if (!/aws/i.test(text)) return;
  const length = 40;
  for (let at = 0; at < text.length; at += 1) {
    if (!awsCharacter(text.charCodeAt(at))) continue;
    const to = runEnd(text, at, { has: awsCharacter });
    if (to - at === length && isOfAws(text.slice(Math.max(0, at - 80), at))) yield { from: at, to };
    at = to;
  }
}

function isOfAws(before: string): boolean {
  const name = before.toLowerCase().trimEnd();
  const awsAt = name.lastIndexOf('aws');
  if (awsAt === -1 || !/[=:> "']$/.test(before)) return false;
  return /secret|sk/.test(name.slice(awsAt + 3));
}

const scheme = /\b(?:bearer|basic)[ \t]{1,4}/gi;

/** Not "basic authentication" or "bearer certificates". */
function schemeToken(text: string, from: number): Span | null {
  const to = runEnd(text, from, { has: tokenCharacter, lengthMax: 4096 });
  const isToken = to - from >= 16 && /[\d_~+/=.-]/.test(text.slice(from, from + 60));
  return isToken ? { from, to } : null;
}

function trimmedEnd(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && blank(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

/** In the order in which they have to be applied. */
export const placeRules: readonly RedactionRule[] = [
  ...privateKeyRules,
  ruleBehind('auth-header', headerName, headerValue),
  { name: 'url-cred', find: addressPasswords },
  { name: 'url-cred', find: encodedPasswords },
  { name: 'url-cred', find: dataSources },
  ruleBehind('url-cred', ofOracle, oraclePassword),
  ruleBehind('url-query', queryName, parameterValue),
  { name: 'jwt', find: webTokens },
  { name: 'aws-secret', find: awsSecrets },
];

/** Applied after the tokens that are recognized by their form. */
export const bearerTokens: RedactionRule = ruleBehind('bearer', scheme, schemeToken);
