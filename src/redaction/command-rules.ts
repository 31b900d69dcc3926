import { beginsPlaceholder, isLeftAlone } from './left-alone.ts';
import {
  charClass, matchesIn, runEnd, spansBehind, type RedactionRule, type Span,
} from './span.ts';

/** Secrets on command lines, as found in runbooks and in logs of jobs. */

const valueCharacter = charClass('^\\s"\'`;|<>', true);
const lengthMax = 512;

const named = new RegExp(
  '(?<![\\w-])--?(?:[a-z]{1,20}-){0,3}(?:pass|password|passwd|passphrase|secret|token|auth|' +
    'storepass|keypass|api-?key|access-?key|secret-?key|private-?key)[ \\t]{1,4}["\']?',
  'gi',
);
/** `-u user:password`. */
const ofUser = /(?<![\w-])(?:-u|--user|--proxy-user)[ \t=]{0,4}["']?[^\s:"'=]{1,64}:/g;

const lineMax = 300;
/**
 * Programs with a one-letter option for a password. In MySQL's the password follows without a
 * space: `-p` alone makes them ask for it.
 */
const optionOf: Readonly<Record<string, RegExp>> = {
  mysql: / -p(?=\S)/, mariadb: / -p(?=\S)/, sshpass: / -p ?/, 'redis-cli': / -a /,
  'docker login': / -p /, mongo: / -p /, sqlcmd: / -P ?/, ldap: / -w /,
  openssl: / -pass(?:in|out)? pass:/,
};
const programs = new RegExp(
  '\\b(?:(mysql|mariadb|mongo)\\w{0,12}|(ldap)[a-z]{3,9}|' +
    '(sshpass|redis-cli|docker login|sqlcmd|openssl))(?=[ \\t])', 'g',
);

function* shortOptions(text: string): Iterable<Span> {
  const found: Span[] = [];
  for (const { index, 0: program, 1: family, 2: ldap, 3: own } of matchesIn(text, programs)) {
    const from = index + program.length;
    const line = text.slice(from, from + lineMax).split('\n', 1)[0] ?? '';
    const option = optionOf[family ?? ldap ?? own ?? '']?.exec(line) ?? null;
    const value = option === null ? null : valueAt(text, from + option.index + option[0].length);
    if (value !== null) found.push(value);
  }
  // Programs of one line may have found the same value, or one a later value than the next.
  let done = 0;
  for (const value of found.sort((one, other) => one.from - other.from)) {
    if (value.from < done) continue;
    done = value.to;
    yield value;
  }
}

/** Statements of SQL and Redis that set a password. */
const statement = new RegExp(
  '\\b(?:identified(?: with \\w{1,40})? by(?: password)?|with(?: encrypted)? password) {1,4}' +
    '(?=["\'])|\\brequirepass {1,4}', 'gi',
);

function valueAt(text: string, at: number): Span | null {
  const from = /["']/.test(text.charAt(at)) ? at + 1 : at;
  if (text[from] === '-' || beginsPlaceholder(text, from)) return null;
  const to = runEnd(text, from, { has: valueCharacter, lengthMax });
  return to - from < 3 || isLeftAlone(text.slice(from, to)) ? null : { from, to };
}

export const programOptions: readonly RedactionRule[] = [
  { name: 'option', find: (text) => spansBehind(text, named, valueAt) },
  { name: 'option', find: (text) => spansBehind(text, ofUser, valueAt) },
  { name: 'option', find: shortOptions },
  { name: 'option', find: (text) => spansBehind(text, statement, valueAt) },
];
