import { levelWords, logLevelOf, worseLevel, type LogLevel } from './log-level.ts';

/** What stands before a message: at most this many times, levels, threads, loggers. */
const partsMax = 10;

const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const clock = '\\d\\d:\\d\\d:\\d\\d(?:[.,]\\d{1,9})?';
const zone = '(?: ?(?:Z|[+-]\\d\\d:?\\d\\d)| (?:UTC|GMT|[A-Z]{3,4})(?= \\[| \\d))?';

/** As syslog, Apache, nginx, Go, Java, Python, Postgres, Redis and the kernel write times. */
const stamp = new RegExp([
  // Syslog says the host and the program as well.
  `${month} [ \\d]\\d ${clock} [\\w.:-]+ [^\\s:\\[]{1,60}(?:\\[\\d+\\])?:\\s`,
  // Redis says the process and its role before.
  '(?:\\d+:[MSCX] )?[\\[(]?(?:[A-Z][a-z]{2},? )?' +
    `(?:${month} +\\d+,? |\\d{1,2}[ /-]${month}[ /-]\\d{4}[: ]|` +
    `\\d{4}[-/.]\\d\\d[-/.]\\d\\d[T ,])?${clock}${zone}(?: \\d{4})?[\\])]?`,
  '\\[\\s*\\d{1,10}\\.\\d{3,9}\\]',
].join('|'), 'y');
const klog = /([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ [\w./-]+:\d+\]/y;
/** The word, and the bracket behind it. */
const level = new RegExp(
  `(?:[\\[(<|]\\s?(?:[\\w.-]+:)?)?(${levelWords})(?:\\/[\\w-]+)?(?:\\s?([\\])>|]))?` +
  '(?::[\\w.]+(?=:))?(?=[\\s:,|]|$)', 'yi');
/** The other words are those of sentences as well. */
const usual = /^(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|SEVERE|FATAL|CRITICAL)$/;

/** What may follow a time or a level: threads, processes, hosts, the source, the logger. */
const aside = new RegExp([
  '\\[(?!Errno)[^\\]]{1,80}\\]:?(?=\\s)',
  '\\d+#\\d+:(?: \\*\\d+)?',
  '\\d+(?= +(?:---|\\[|[A-Z]{4}))',
  '[\\w.-]+ [\\w./-]+\\[\\d+\\]:',
  '[\\w.\\[\\]-]+@[\\w.\\[\\]-]+(?= [A-Z]+:)',
  '[\\w./-]+\\.(?:go|py|js|ts|rb|rs|java|c|cc|cpp|cs):\\d+(?::\\d+)?[\\]):]*(?=\\s)',
  '[#*](?=\\s)',
  '[\\w.$\\[\\]/-]{2,80}(?=\\s+- [A-Z]{4,8} - )',
].join('|'), 'y');
/** Nothing but the message follows it. */
const logger = new RegExp([
  '[\\w.$/-]{2,80}(?=\\t)',
  '(?=[\\w-]*(?:[.$/]|[a-z][A-Z]))[\\w.$\\[\\]/-]{2,80}(?=\\s+[:-]\\s)',
  '(?:(?:[\\w$]+\\.)+[A-Z][\\w$]*(?<!Exception|Error)|(?:\\w+::)+\\w+)(?=:\\s)',
].join('|'), 'y');
const separator = /(?:\s*[:|>-]{1,3}(?=\s)|:(?=\S))?\s*/y;

/** A line without its time, level, thread, logger and so on, and the level. */
export function withoutLogHeader(
  text: string,
): { readonly rest: string; readonly level: LogLevel | null } {
  let at = 0;
  let found: LogLevel | null = null;
  const take = (expression: RegExp): RegExpExecArray | null => {
    expression.lastIndex = at;
    return expression.exec(text);
  };
  for (let part = 0; part < partsMax && at < text.length; part += 1) {
    const stated = take(klog) ?? statedLevel(take(level), text);
    const match = stated ?? take(stamp) ?? (at === 0 ? null : take(aside));
    if (match === null) {
      if (at > 0) at += lengthOf(take(logger));
      at += lengthOf(take(separator));
      break;
    }
    if (stated !== null) found = worseLevel(found, logLevelOf(stated[1] ?? ''));
    at += match[0].length;
    at += lengthOf(take(separator));
  }
  const rest = text.slice(at);
  return { rest: rest.trim() === '' ? text : rest, level: found };
}

function lengthOf(match: RegExpExecArray | null): number {
  return match?.[0].length ?? 0;
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
  return isShouted && usual.test(word) ? match : null;
}
