import { compareText } from '../../lib/compare-text.ts';
import { logLevels, worseLevel, type LineLevel } from './log-level.ts';
import { logMessageOf, type LogMessage } from './log-message.ts';
import { logPatternsOf } from './log-patterns.ts';
import { isFailing, isGrave } from './log-words.ts';
import { poissonPValue, type EventCount } from './poisson-test.ts';

/** Lines of a time span, in any order. */
export interface LogSample {
  /** At most 2000 entries as logged: each may span several lines and is at most 1000 long. */
  readonly lines: readonly { readonly atMs: number; readonly text: string }[];
  /** The time they cover, in ms: less than was asked for if the server cut its answer. */
  readonly fromMs: number;
  readonly toMs: number;
}

export interface PatternChange {
  /** "connection to <*> refused": the common text, with `<*>` where lines differ. */
  readonly pattern: string;
  /** `new`: none before, and before was long enough to tell. */
  readonly kind: 'new' | 'more' | 'alike';
  /** Numbers of lines. */
  readonly before: number;
  readonly after: number;
  readonly beforePerMinute: number;
  readonly afterPerMinute: number;
  /** Times of the first and last line after; null if there are none. */
  readonly firstAtMs: number | null;
  readonly lastAtMs: number | null;
  /** The worst level that its lines state; null if none states one. */
  readonly level: LineLevel | null;
  /** Message of the first line after, or of the first before if there is none after. */
  readonly example: string;
  /** That line as it was logged: redaction recognises secrets by their context. */
  readonly line: string;
}

/**
 * Significance level: of a hundred unchanged patterns at most one is reported as changed. With no
 * line before, 7 after are new if both spans are equal, 3 if before was four times as long, 1 if it
 * was a hundred times as long.
 */
const chanceMax = 0.01;
/** Logs are burstier than a Poisson process, so the rate must also rise by this factor. */
const ratioMin = 3;

/** In order of importance. */
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
 * Every pattern in the lines before and after, the most important first. The result does not depend
 * on the order of the lines. Lines without a constant word are left out, and so are stack frames
 * that were logged line by line.
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

/** `lines` are in order of time. */
function judge(
  pattern: string,
  lines: readonly Read[],
  { beforeMs, afterMs }: { readonly beforeMs: number; readonly afterMs: number },
): Judged {
  const linesAfter = lines.filter(({ isAfter }) => isAfter);
  const before = { count: lines.length - linesAfter.length, spanMs: beforeMs };
  const after = { count: linesAfter.length, spanMs: afterMs };
  const level = lines.reduce<LineLevel | null>(
    (worst, line) => worseLevel(worst, line.level), null);
  const gravity = gravityOf(pattern, level);
  const shown = linesAfter[0] ?? lines[0];
  const change = {
    pattern, level,
    kind: changeOf(before, after, gravity === logLevels.indexOf('fatal')),
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

/** A single fatal line is news; of anything else it takes more than chance would bring. */
function changeOf(before: EventCount, after: EventCount, isFatal: boolean): PatternChange['kind'] {
  if (perMinute(after) < ratioMin * perMinute(before)) return 'alike';
  const isCertain = poissonPValue(before, after) <= chanceMax;
  if (before.count === 0 && before.spanMs > 0 && (isFatal || isCertain)) return 'new';
  return isCertain ? 'more' : 'alike';
}

function perMinute({ count, spanMs }: EventCount): number {
  return spanMs === 0 ? 0 : (count * 60_000) / spanMs;
}

/** Severity as an index into `logLevels`: by the stated level and by words of failure. */
function gravityOf(pattern: string, level: LineLevel | null): number {
  if (isGrave(pattern)) return logLevels.indexOf('fatal');
  const stated = logLevels.indexOf(level ?? 'info');
  // Words count for less if a level is stated: "0 errors" is logged as info.
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
