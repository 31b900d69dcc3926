import { strongNames, weakNames } from './secret-names.ts';
import { ruleBehind, type RedactionRule, type Span } from './span.ts';
import { behindEscapes, valueAt } from './value-at.ts';

/** Also ordinary words: only where clearly a name, as in `db_pass`, `"pass"` and `pass=`. */
const short = 'pass|pw|psk|otp|auth|pat';

/** Keys of PagerDuty and ids of Vault; those of a queue or a service are ordinary names. */
const hexKey = '(?:routing|service)[_-]?key(?=\\W{1,12}[\\da-f]{32}(?!\\w))|' +
  'secret[_-]?id(?=\\W{1,12}[\\da-f]{8}-[\\da-f]{4}-)';

const assigned = new RegExp(
  `(?:(?<strong>(?:${strongNames}|${hexKey})\\d{0,2})|(?<weak>${weakNames})|(?<short>${short}))` +
    `\\\\{0,7}["']?\\]?[ \\t]{0,24}(?<sign>=>|::?=?|==?)[ \\t]{0,24}`, 'gi',
);
/** Two words that are not followed by another name: "failed to fetch token: deadline exceeded". */
const messageBehind = /^[ \t][a-z]{3,16} (?:[a-z]{2,20}(?![\w-]*[:=])|["'])/;

/** `password=…`, `"apiKey": "…"`, `DB_PASSWORD: …`. */
function assignedValue(text: string, from: number, match: RegExpExecArray): Span | null {
  if (!beginsName(text, match)) return null;
  const { weak: weakName, sign } = match.groups ?? {};
  const isMessage = weakName !== undefined && sign === ':' &&
    messageBehind.test(text.slice(from - 1, from + 60));
  if (isMessage) return null;
  const isName = weakName !== undefined && (isObject(text, match) ||
    sign === '=' && isInLabels(text, match.index, from));
  // `PWD=/srv/app` is a shell's working directory, `DB_PWD=/…` a password.
  const isPlace = /^pwd/i.test(match[0]) && text.startsWith('/', from) &&
    !/[\w.]/.test(text.charAt(match.index - 1));
  return isName || isPlace ? null : valueAt(text, from);
}

const gluedMin = 6;

/** Whether the match is the end of a name: `db_password`, `dbPassword`; not `nopassword`. */
function beginsName(text: string, match: RegExpExecArray): boolean {
  const { strong: long = '', short: brief, weak: weakName } = match.groups ?? {};
  const before = text.slice(Math.max(0, match.index - 4), match.index).replace(/\\[nrt]$/, '\n');
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
  if (text[behindEscapes(text, value)] !== '"' || /["']/.test(text.charAt(value - 2))) return false;
  const before = text.slice(Math.max(0, name - 400), name);
  return before.lastIndexOf('{') > before.lastIndexOf('}');
}

export const namedValues: RedactionRule = ruleBehind('kv', assigned, assignedValue);
