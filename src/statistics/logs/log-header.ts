import { levelWords, logLevelOf, worseLevel, type LineLevel } from './log-level.ts';

/** Times, levels, threads and loggers read before a message. */
const partsMax = 10;

const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const clock = '\\d{1,2}:\\d\\d:\\d\\d(?:[.,]\\d{1,9})?(?: [AP]M)?';
const zone = '(?: ?(?:Z|[+-]\\d\\d:?\\d\\d)| (?:UTC|GMT|[A-Z]{3,4})(?= \\[| \\d))?';

/** Times as in syslog, Apache, nginx, Go, Java, Python, Nest, Postgres, Redis and the kernel. */
const stamp = new RegExp([
  // Syslog adds the host and the program.
  `${month} [ \\d]\\d ${clock} [\\w.:-]+ [^\\s:\\[]{1,60}(?:\\[\\d+\\])?:\\s`,
  // Redis puts the process and its role first, and Nest its name.
  '(?:\\d+:[MSCX] |\\[\\w{1,20}\\] \\d+ +- )?[\\[(]?(?:[A-Z][a-z]{2},? )?' +
    `(?:${month} +\\d+,? |\\d{1,2}[ /-]${month}[ /-]\\d{4}[: ]|` +
    '\\d{1,2}/\\d{1,2}/\\d{4}, |' +
    `\\d{4}[-/.]\\d\\d[-/.]\\d\\d[T ,] ?)?${clock}${zone}(?: \\d{4})?[\\])]?`,
  '\\[\\s*\\d{1,10}\\.\\d{3,9}\\]',
].join('|'), 'y');
const klog = /([IWEF])\d{4} \d\d:\d\d:\d+\.\d+\s+\d+ [\w./-]+:\d+\]/y;
/** Ruby: E, [2026-03-01T10:00:00.123456 #12] ERROR -- : */
const ruby = /[DIWEFUA], \[[\d:.T-]{10,30} #\d+\] +(\w{3,7}) -- [^:]{0,40}:/y;
/** Groups: the word, and the bracket after it. */
const level = new RegExp(
  `(?:[\\[(<|]\\s?(?:[\\w.-]+:)?|[a-z]{1,20}\\.)?(${levelWords})` +
  '(?:\\/[\\w-]+)?(?:\\s?([\\])>|]))?' +
  '(?::[\\w.]+(?=:))?(?=[\\s:,|[]|$)', 'yi');
/** Levels that need no mark after them; the other words also begin sentences. */
const unmarked = /^(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|SEVERE|FATAL|CRITICAL)$/;

/** They need none after a time. */
const abbreviated = /^(?:TRC|DBG|INF|WRN|ERR|FTL)$/;

/** What may follow a time or a level, and be followed by further ones. */
const aside = new RegExp([
  '\\[(?!Errno)[^\\]]{1,80}\\]:?(?=[\\s[])', // [nio-8080-exec-1]
  '\\d+#\\d+:(?: \\*\\d+)?', // nginx: 31#31: *8123
  '\\d+(?= +(?:---|\\[|[A-Z]{4}))', // Spring: 1 ---
  '[\\w.-]+ [\\w./-]+\\[\\d+\\]:', // syslog: web-1 sshd[123]:
  '[\\w.\\[\\]-]+@[\\w.\\[\\]-]+(?= [A-Z]+:)', // Postgres: app@shop
  'user=[^,]{0,80},db=[^,]{0,80}(?:,\\w{1,20}=[^,]{0,80}){0,4}(?= [A-Z]+: )',
  // main.go:12:
  '[\\w./-]+\\.(?:go|py|js|ts|rb|rs|java|c|cc|cpp|cs):\\d+(?::\\d+)?[\\]):]*(?=\\s)',
  '[#*](?=\\s)', // Redis
  '[\\w.$\\[\\]/-]{2,80}(?=\\s+- [A-Z]{4,8} - )', // Python: app.orders
].join('|'), 'y');
/** Last part of a header: only the message follows it. */
const logger = new RegExp([
  '[\\w.$/-]{2,80}(?=\\t)',
  '(?:\\w+::)*\\w+\\](?=\\s)', // Rust: [2026-03-01T10:00:00Z ERROR cart::db]
  '(?=[\\w-]*(?:[.$/]|[a-z][A-Z]))[\\w.$\\[\\]/-]{2,80}(?=\\s+[:-]\\s)',
  '(?:(?:[\\w$]+\\.)+[A-Z][\\w$]*(?<!Exception|Error)|(?:\\w+::)+\\w+)(?=:\\s)',
].join('|'), 'y');
const separator = /(?:\s*[:|>-]{1,3}(?=\s)|:(?=\S))?\s*/y;

/** Strips a line's time, level, thread, logger and so on; returns the rest and the level. */
export function withoutLogHeader(
  text: string,
): { readonly rest: string; readonly level: LineLevel | null } {
  let at = 0;
  let worst: LineLevel | null = null;
  const matchOf = (form: RegExp): RegExpExecArray | null => {
    form.lastIndex = at;
    return form.exec(text);
  };
  const skip = (match: RegExpExecArray | null): void => {
    at += match?.[0].length ?? 0;
  };
  for (let part = 0; part < partsMax && at < text.length; part += 1) {
    const stated = matchOf(klog) ?? matchOf(ruby) ?? statedLevel(matchOf(level), text);
    const match = stated ?? matchOf(stamp) ?? (at === 0 ? null : matchOf(aside));
    if (match === null) break;
    if (stated !== null) worst = worseLevel(worst, logLevelOf(stated[1] ?? ''));
    skip(match);
    skip(matchOf(separator));
  }
  if (at > 0) skip(matchOf(logger));
  skip(matchOf(separator));
  const rest = text.slice(at);
  return { rest: rest.trim() === '' ? text : rest, level: worst };
}

/** "ERROR", "[error]" and "error:" are levels; "Error: …" is the name of an exception. */
function statedLevel(match: RegExpExecArray | null, text: string): RegExpExecArray | null {
  if (match === null) return null;
  const [whole, word = '', bracket] = match;
  const next = text[match.index + whole.length];
  const isShouted = word === word.toUpperCase();
  if (bracket !== undefined) return match;
  // Go's "panic: …" is the message itself.
  if (word === 'panic') return null;
  if (next === ':' || next === '\t') return isShouted || word === word.toLowerCase() ? match : null;
  const isPlain = unmarked.test(word) || (match.index > 0 && abbreviated.test(word));
  return isShouted && isPlain ? match : null;
}
