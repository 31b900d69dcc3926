import { beginsPlaceholder, isLeftAlone } from './left-alone.ts';
import { charClass, matchesIn, ruleBehind, runEnd, type RedactionRule, type Span } from './span.ts';

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
  login: / -p ?(?=\S)/, mongo: / -p /, cqlsh: / -p /, beeline: / -p /, sqlcmd: / -P ?/,
  ipmitool: / -P /, ldap: / -w /, openssl: / (?:-pass(?:in|out)? pass:|-k )/,
  rabbitmqctl: / (?:add_user|change_password) \S+ /, curl: / (?:-b|--cookie)[ =]["']?[\w.-]+=/,
  zip: / -P ?/, '7z': / -p(?=\S)/, htpasswd: / -\w{0,5}b\w{0,5} \S+ \S+ /,
  net: / \/user:\S+ /, smbclient: / -U ?[^\s%]+%/,
};
const programs = new RegExp(
  '\\b(?:(mysql|mariadb|mongo)\\w{0,12}|(ldap)[a-z]{3,9}|' +
    '(?:docker|podman|nerdctl|helm registry|oc|az(?: acr)?) (login)|' +
    '(?:un)?(zip)|(7z|htpasswd|net(?= use)|sshpass|redis-cli|sqlcmd|openssl|cqlsh|beeline|' +
    'ipmitool|smbclient|rabbitmqctl|curl))(?=[ \\t])', 'g',
);

function* shortOptions(text: string): Iterable<Span> {
  const found: Span[] = [];
  for (const match of matchesIn(text, programs)) {
    const { index, 0: program } = match;
    const name = match.slice(1).find((group) => group !== undefined);
    const from = index + program.length;
    const line = text.slice(from, from + lineMax).split('\n', 1)[0] ?? '';
    const option = optionOf[name ?? '']?.exec(line) ?? null;
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

/** Statements of SQL, Redis, PowerShell and `.netrc`; also `invalid password 'hunter2'`. */
const statement = new RegExp([
  '\\bidentified(?: with \\w{1,40})? by(?: password)? {1,4}(?=["\'])',
  '(?<![a-z\\d])password[ (]{1,4}(?=(["\'])[^\\s"\']{3,64}\\1)',
  '\\b(?:requirepass|masterauth) {1,4}', '\\blogin \\S{1,64}\\s{1,20}password {1,4}',
  '\\b(?:psk|ConvertTo-SecureString) {1,4}(?=["\'])',
  '\\buser(?:name)?["\']?[:=] ?[^\\s,;]{1,64}[,;]? pass: ?',
].join('|'), 'gi');
/** `AUTH` of Redis and SMTP and `LOGIN` of IMAP, in capitals as there. */
const protocol = new RegExp(
  '\\bAUTH (?:\\w{1,64} )?(?=[^\\s\\d=]{0,80}[\\d=])(?=[^\\sa-z]{0,80}[a-z])(?=\\S{8})|' +
    '\\bLOGIN \\S{1,64} (?=")', 'g',
);
const argument = '\\(?(?:"[^"\\n]{1,200}"|\'[^\'\\n]{1,200}\'), ?';
/** Calls in traces: `connect('db', 'app', '…')`, `auth=('app', '…')`. */
const call = new RegExp(
  `\\b(?:connect|PDO->__construct|mysqli->__construct)(?=\\()(?:${argument}){2}(?=["'])|` +
    `\\b(?:auth["']?[=:] ?|\\w{0,20}basic_?auth|login)(?=\\()${argument}(?=["'])`, 'gi',
);

function valueAt(text: string, at: number): Span | null {
  const from = /["']/.test(text.charAt(at)) ? at + 1 : at;
  if (text[from] === '-' || beginsPlaceholder(text, from)) return null;
  const to = runEnd(text, from, { has: valueCharacter, lengthMax });
  return to - from < 3 || isLeftAlone(text.slice(from, to)) ? null : { from, to };
}

export const programOptions: readonly RedactionRule[] = [
  ruleBehind('option', named, valueAt),
  ruleBehind('option', ofUser, valueAt),
  { name: 'option', find: shortOptions },
  ruleBehind('option', statement, valueAt),
  ruleBehind('option', protocol, valueAt),
  ruleBehind('option', call, valueAt),
];
