import { compareText } from '../../lib/compare-text.ts';
import { chanceOfMore, type Counted } from './chance-of-more.ts';
import { logLevels, worseLevel, type LogLevel } from './log-level.ts';
import { logMessageOf, type LogMessage } from './log-message.ts';
import { logPatternsOf } from './log-patterns.ts';
import { isFailing, isGrave } from './log-words.ts';

/** Lines of a stretch of time, in any order. */
export interface LogSample {
  /** At most 2000, each as it was logged: maybe several lines, any bytes, at most 1000 long. */
  readonly lines: readonly { readonly atMs: number; readonly text: string }[];
  /** The time that they cover, in ms: where a server cut its answer, less than was asked for. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** What the lines of one pattern did. */
export interface PatternChange {
  /** "connection to <*> refused": what is the same in all of them, `<*>` for what is not. */
  readonly pattern: string;
  /** New: none before, and before was long enough to tell. */
  readonly kind: 'new' | 'more' | 'alike';
  /** Lines. */
  readonly before: number;
  readonly after: number;
  readonly beforePerMinute: number;
  readonly afterPerMinute: number;
  /** Of the lines after, of the first and of the last; null where there are none. */
  readonly firstAtMs: number | null;
  readonly lastAtMs: number | null;
  /** The worst that its lines give themselves; null where none gives one. */
  readonly level: LogLevel | null;
  /** The message of the first line after; of the first before, where there is none after. */
  readonly example: string;
  /** That line as it was logged: secrets tell by what stands around them. */
  readonly line: string;
}

/**
 * Of a hundred patterns that go on as before at most one is told as changed: in equal times 7
 * lines against none are new, where before was four times as long 3 are, a hundred times 1 is.
 */
const chanceMax = 0.01;
/** Programs log in bursts, which makes chance larger than reckoned: changes are threefold. */
const ratioMin = 3;

/** The most telling first. */
const kinds = ['new', 'more', 'alike'] as const;

interface Read extends LogMessage {
  readonly atMs: number;
  readonly text: string;
  readonly isAfter: boolean;
}

interface Judged {
  readonly change: PatternChange;
  readonly gravity: number;
}

/**
 * Every pattern that stands in the lines before and after, the most telling first. The same lines
 * in another order give the same result. Lines without a word that stays the same are left out,
 * and so are the frames of stack traces that were logged line by line.
 */
export function compareLogs(before: LogSample, after: LogSample): readonly PatternChange[] {
  const lines = [...readAll(before, false), ...readAll(after, true)]
    .sort((a, b) => a.atMs - b.atMs || compareText(a.message, b.message) ||
      compareText(a.text, b.text));
  return logPatternsOf(lines.map(({ message }) => message))
    .map(({ pattern, members }) => {
      const own = members.flatMap((index) => lines[index] ?? []);
      return judge(pattern, own, { beforeMs: spanOf(before), afterMs: spanOf(after) });
    })
    .sort(compareJudged)
    .map(({ change }) => change);
}

function readAll({ lines }: LogSample, isAfter: boolean): Read[] {
  return lines.map(({ atMs, text }) => ({ ...logMessageOf(text), atMs, text, isAfter }));
}

function spanOf({ fromMs, toMs }: LogSample): number {
  return Math.max(0, toMs - fromMs);
}

/** Of lines in the order of their times. */
function judge(
  pattern: string,
  lines: readonly Read[],
  { beforeMs, afterMs }: { readonly beforeMs: number; readonly afterMs: number },
): Judged {
  const linesAfter = lines.filter(({ isAfter }) => isAfter);
  const before = { count: lines.length - linesAfter.length, spanMs: beforeMs };
  const after = { count: linesAfter.length, spanMs: afterMs };
  const level = lines.reduce<LogLevel | null>((worst, line) => worseLevel(worst, line.level), null);
  const gravity = gravityOf(pattern, level);
  const shown = linesAfter[0] ?? lines[0];
  const change = {
    pattern, level,
    kind: kindOf(before, after, gravity === logLevels.indexOf('fatal')),
    before: before.count,
    after: after.count,
    beforePerMinute: perMinute(before),
    afterPerMinute: perMinute(after),
    firstAtMs: linesAfter[0]?.atMs ?? null,
    lastAtMs: linesAfter.at(-1)?.atMs ?? null,
    example: shown?.message ?? '',
    line: shown?.text ?? '',
  };
  return { change, gravity };
}

/** Of what is fatal one line is news; of all else as many as chance does not bring. */
function kindOf(before: Counted, after: Counted, isFatal: boolean): PatternChange['kind'] {
  if (after.count === 0 || perMinute(after) < ratioMin * perMinute(before)) return 'alike';
  const isCertain = chanceOfMore(before, after) <= chanceMax;
  if (before.count === 0 && before.spanMs > 0 && (isFatal || isCertain)) return 'new';
  return isCertain ? 'more' : 'alike';
}

function perMinute({ count, spanMs }: Counted): number {
  return spanMs === 0 ? 0 : (count * 60_000) / spanMs;
}

/** How bad it is, as the place of a level: by what lines say of themselves and by their words. */
function gravityOf(pattern: string, level: LogLevel | null): number {
  if (isGrave(pattern)) return logLevels.indexOf('fatal');
  const stated = logLevels.indexOf(level ?? 'info');
  // Words count for less where a line has a level: "0 errors" is logged as info.
  const worded = logLevels.indexOf(level === null ? 'error' : 'warn');
  return isFailing(pattern) ? Math.max(stated, worded) : stated;
}

function compareJudged(a: Judged, b: Judged): number {
  return kinds.indexOf(a.change.kind) - kinds.indexOf(b.change.kind) ||
    b.gravity - a.gravity ||
    b.change.after - a.change.after ||
    b.change.before - a.change.before ||
    (a.change.firstAtMs ?? 0) - (b.change.firstAtMs ?? 0) ||
    compareText(a.change.pattern, b.change.pattern);
}
