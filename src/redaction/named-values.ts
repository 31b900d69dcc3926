import { beginsPlaceholder, isLeftAlone, isMask } from './left-alone.ts';
import {
  charClass, matchesIn, runEnd, spansBehind, type RedactionRule, type Span,
} from './span.ts';

const strong =
  'passwor[dt]|passwd|passphrase|pwd|api[_-]?key|access[_-]?key|secret[_-]?key(?:[_-]?base)?|' +
  'private[_-]?key|account[_-]?key|encryption[_-]?key|signing[_-]?key|master[_-]?key|' +
  'integration[_-]?key|' +
  'client[_-]?secret|auth[_-]?token|access[_-]?token|refresh[_-]?token|id[_-]?token|' +
  'session[_-]?token|connection[_-]?string|jsessionid|phpsessid';
/** Also names of labels: `kube_secret_info{secret="db"}` holds no secret. */
const weak = 'secret|token|credentials?|session[_-]?id|dsn';

/** Also ordinary words: only where clearly a name, as in `db_pass`, `"pass"` and `pass=`. */
const short = 'pass|pw|auth';

const assigned = new RegExp(
  `(?:(?<strong>${strong})|(?<weak>${weak})|(?<short>${short}))\\\\{0,7}["']?` +
    `[ \\t]{0,4}(?<sign>=>|:=|==|=|:)[ \\t]{0,4}`, 'gi',
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
    // `PWD=/srv/app` is a shell's working directory.
    const isPlace = /^pwd/i.test(match[0]) && text.startsWith('/', from);
    const value = isLabel || isPlace ? null : valueAt(text, from);
    if (value === null) continue;
    done = value.to;
    yield value;
  }
}

const lengthMax = 1024;
const backslash = charClass('\\\\');

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
  if (weakName !== undefined && isResource(text, match.index)) return false;
  if (!/[A-Za-z\d]$/.test(before) || /[a-z\d]$/.test(before) && /^[A-Z][a-z]/.test(match[0])) {
    return true;
  }
  return long.length >= gluedMin && !/(?:^|[^a-z])no$/i.test(before);
}

/** `arn:aws:secretsmanager:eu-west-1:123456789012:secret:` is followed by a name, not a secret. */
function isResource(text: string, at: number): boolean {
  return /:secretsmanager:[\w-]{0,30}:\d{0,12}:$/.test(text.slice(Math.max(0, at - 80), at));
}

/** `db_pass`, `"pass":`, `?pass=`, `SSHPASS=`, `REDISCLI_AUTH=`; not `second pass:`, `BYPASS`. */
function beginsShort(before: string, { 0: written, groups }: RegExpExecArray): boolean {
  const { short: name = '', sign } = groups ?? {};
  if (/^auth$/i.test(name)) return sign === '=' && /[_-]$/.test(before);
  if (/[A-Za-z\d]$/.test(before)) {
    const isWord = !/[A-Z]$/.test(before) || /(?:BY|COM)$/.test(before);
    return name === 'PASS' && sign === '=' && !isWord;
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

/** `<password>…</password>`. */
const element = new RegExp(`<[\\w:.-]{0,60}?(?:${strong})>`, 'gi');

const saidAs = new RegExp(
  `\\b(?:[a-z\\d]{1,40}[_-])?(?:${strong}|${weak})["']?` +
    `(?:[ \\t](?:is|was|to|of|set to))?[ \\t]{1,4}(?=["']?[A-Za-z\\d])`,
  'gi',
);
const randomMin = 10;

/** "The password is …": only what cannot be a word. */
function* sayings(text: string): Iterable<Span> {
  for (const span of spansBehind(text, saidAs, valueAt)) {
    const said = text.slice(span.from, span.to);
    const isRandom = /[a-z]/.test(said) && /[A-Z]/.test(said) && /\d/.test(said);
    if (isRandom && said.length >= randomMin && !/[/:=(]/.test(said)) yield span;
  }
}

export const namedElements: RedactionRule = {
  name: 'element', find: (text) => spansBehind(text, element, valueAt),
};
export const saidValues: RedactionRule = { name: 'said', find: sayings };
export const namedPairs: RedactionRule = {
  name: 'name-value', find: (text) => spansBehind(text, pair, valueAt),
};
export const namedValues: RedactionRule = { name: 'kv', find: assignments };
