/** In order of severity. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LineLevel = (typeof logLevels)[number];

/** Names that programs use; single letters are those of klog and MongoDB. */
const words: Readonly<Record<LineLevel, string>> = {
  trace: 'trace trc trce verbose finest finer',
  debug: 'debug dbg dbug fine d',
  info: 'info inf information informational notice log config i',
  warn: 'warn wrn warning w',
  error: 'error err eror severe fail e',
  fatal: 'fatal ftl critical crit alert emerg emergency panic dpanic f',
};

const levelByWord: ReadonlyMap<string, LineLevel> = new Map(
  logLevels.flatMap((level) => words[level].split(' ').map((word) => [word, level] as const)),
);

/** Names that may precede a message, as alternatives of a regular expression. */
export const levelWords: string = [...levelByWord.keys()].filter((word) => word.length > 1)
  .join('|');

/** The levels of syslog (RFC 5424), from 0 to 7. */
const syslogLevels: readonly LineLevel[] =
  ['fatal', 'fatal', 'fatal', 'error', 'warn', 'info', 'info', 'debug'];

/**
 * Parses a level: a name in any case, a syslog number from 0 to 7, or one of pino's and bunyan's
 * from 10 (trace) to 60 (fatal). Null if it is none of these.
 */
export function logLevelOf(text: string): LineLevel | null {
  const word = levelByWord.get(text.toLowerCase());
  if (word !== undefined) return word;
  if (/^[0-7]$/.test(text)) return syslogLevels[Number(text)] ?? null;
  return /^[1-6]0$/.test(text) ? logLevels[Number(text) / 10 - 1] ?? null : null;
}

/** The worse of two; null is no level, which is better than any. */
export function worseLevel(a: LineLevel | null, b: LineLevel | null): LineLevel | null {
  if (a === null || b === null) return a ?? b;
  return logLevels.indexOf(a) < logLevels.indexOf(b) ? b : a;
}
