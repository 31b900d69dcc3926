import { compareText } from '../../lib/compare-text.ts';
import { logLevels, worseLevel, type LogLevel } from './log-level.ts';
import { logMessageOf, type LogMessage } from './log-message.ts';
import { logPatternsOf } from './log-patterns.ts';
import { isFailing, isGrave } from './log-words.ts';
import { compareRates, type Counted } from './rate-test.ts';

export interface LogLine {
  readonly atMs: number;
  /** One entry as it was logged: maybe several lines, any bytes, up to 1000 UTF-16 units. */
  readonly text: string;
}

/** Lines of a stretch of time, in any order. */
export interface LogSample {
  /** At most 2000. */
  readonly lines: readonly LogLine[];
  /** The time that they cover, in ms: where a server cut its answer, less than was asked for. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** What the lines of one pattern did. */
export interface PatternChange {
  /**
   * "connection to <*> refused": what is the same in all of them, `<*>` for what is not. One line
   * of plain text, at most 300 long.
   */
  readonly pattern: string;
  /** New: none before, and before was long enough to tell. */
  readonly kind: 'new' | 'more' | 'fewer' | 'alike';
  /** Lines. */
  readonly before: number;
  readonly after: number;
  readonly beforePerMinute: number;
  readonly afterPerMinute: number;
  /** Of the lines after: the first and the last, null where there are none. */
  readonly firstAtMs: number | null;
  readonly lastAtMs: number | null;
  /** The worst that the lines give themselves: "error", "warn", …; null where none says so. */
  readonly level: string | null;
  /** The message of the first line after; of the first before, where there is none after. */
  readonly example: string;
}

/**
 * Of a hundred patterns that go on as before at most one is told as changed: in equal times 7
 * lines against none are new, where before was four times as long 3 are, a hundred times 1 is.
 */
const chanceMax = 0.01;
/** Programs log in bursts, which makes chance larger than reckoned: changes are threefold. */
const ratioMin = 3;

const kinds = ['new', 'more', 'fewer', 'alike'] as const;

interface Samples<T> {
  readonly before: T;
  readonly after: T;
}

interface Read extends LogMessage {
  readonly atMs: number;
  readonly isAfter: boolean;
}

interface Judged {
  readonly change: PatternChange;
  /** Place of a level: how bad it is, by what its lines say of themselves and by their words. */
  readonly gravity: number;
}

/**
 * Every pattern that stands in the lines before and after, the most telling first. The same lines
 * in another order give the same result. Lines without a word that stays the same are left out,
 * and so are the frames of stack traces that were logged line by line.
 */
export function compareLogs(before: LogSample, after: LogSample): readonly PatternChange[] {
  const lines = [...readAll(before, false), ...readAll(after, true)]
    .sort((a, b) => a.atMs - b.atMs || compareText(a.message, b.message));
  return logPatternsOf(lines.map(({ message }) => message))
    .map(({ pattern, members }) =>
      judge(pattern, members.flatMap((index) => lines[index] ?? []), { before, after }))
    .sort(compareJudged)
    .map(({ change }) => change);
}

function readAll({ lines }: LogSample, isAfter: boolean): Read[] {
  return lines.map(({ atMs, text }) => ({ ...logMessageOf(text), atMs, isAfter }));
}

/** Of lines in the order of their times. */
function judge(pattern: string, lines: readonly Read[], samples: Samples<LogSample>): Judged {
  const after = lines.filter(({ isAfter }) => isAfter);
  const counted = {
    before: { count: lines.length - after.length, spanMs: spanOf(samples.before) },
    after: { count: after.length, spanMs: spanOf(samples.after) },
  };
  const rates = { before: perMinute(counted.before), after: perMinute(counted.after) };
  const level = lines.reduce<LogLevel | null>((worst, line) => worseLevel(worst, line.level), null);
  const gravity = gravityOf(pattern, level);
  const change = {
    pattern,
    kind: kindOf(counted, rates, gravity === logLevels.indexOf('fatal')),
    before: counted.before.count,
    after: counted.after.count,
    beforePerMinute: rates.before,
    afterPerMinute: rates.after,
    firstAtMs: after[0]?.atMs ?? null,
    lastAtMs: after.at(-1)?.atMs ?? null,
    level,
    example: (after[0] ?? lines[0])?.message ?? '',
  };
  return { change, gravity };
}

function kindOf(
  { before, after }: Samples<Counted>,
  rates: Samples<number>,
  isNewsAlone: boolean,
): PatternChange['kind'] {
  const chance = compareRates(before, after);
  if (before.count === 0 && after.count > 0) {
    return chance.more <= chanceMax || (isNewsAlone && before.spanMs > 0) ? 'new' : 'alike';
  }
  if (rates.after >= ratioMin * rates.before && chance.more <= chanceMax) return 'more';
  if (rates.before >= ratioMin * rates.after && chance.fewer <= chanceMax) return 'fewer';
  return 'alike';
}

function gravityOf(pattern: string, level: LogLevel | null): number {
  if (isGrave(pattern)) return logLevels.indexOf('fatal');
  const stated = logLevels.indexOf(level ?? 'info');
  // Words count for less where a line has a level: "0 errors" is logged as info.
  const told = logLevels.indexOf(level === null ? 'error' : 'warn');
  return isFailing(pattern) ? Math.max(stated, told) : stated;
}

function compareJudged(a: Judged, b: Judged): number {
  return kinds.indexOf(a.change.kind) - kinds.indexOf(b.change.kind) ||
    b.gravity - a.gravity ||
    b.change.after - a.change.after ||
    b.change.before - a.change.before ||
    (a.change.firstAtMs ?? 0) - (b.change.firstAtMs ?? 0) ||
    compareText(a.change.pattern, b.change.pattern);
}

function spanOf({ fromMs, toMs }: LogSample): number {
  return Math.max(0, toMs - fromMs);
}

function perMinute({ count, spanMs }: Counted): number {
  return spanMs === 0 ? 0 : (count * 60_000) / spanMs;
}
