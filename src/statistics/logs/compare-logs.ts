import { compareText } from '../../lib/compare-text.ts';
import { logLevels } from './log-level.ts';
import { logMessageOf, type LogMessage } from './log-message.ts';
import { logTemplatesOf } from './log-template.ts';
import { isFailing, isGrave } from './log-words.ts';
import { compareRates } from './rate-test.ts';

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

/** Chance makes a change as large in at most one of a hundred patterns that did not change. */
const chanceMax = 0.01;
/** Lines come in bursts, which chance as reckoned does not: a change is at least threefold. */
const ratioMin = 3;

const kinds = ['new', 'more', 'fewer', 'alike'] as const;

interface Read extends LogMessage {
  readonly atMs: number;
  readonly isAfter: boolean;
}

/**
 * Every pattern that stands in the lines before and after, the most telling first. The same lines
 * in another order give the same result.
 */
export function compareLogs(before: LogSample, after: LogSample): readonly PatternChange[] {
  const lines = [...readAll(before, false), ...readAll(after, true)].sort((a, b) =>
    a.atMs - b.atMs || compareText(a.message, b.message) || rankOf(a) - rankOf(b));
  return logTemplatesOf(lines.map(({ message }) => message))
    .map(({ pattern, members }) =>
      changeOf(pattern, members.flatMap((index) => lines[index] ?? []), { before, after }))
    .map((change) => ({ change, worse: gravityOf(change) }))
    .sort((a, b) => kinds.indexOf(a.change.kind) - kinds.indexOf(b.change.kind) ||
      b.worse - a.worse ||
      b.change.after - a.change.after ||
      b.change.before - a.change.before ||
      (a.change.firstAtMs ?? 0) - (b.change.firstAtMs ?? 0) ||
      compareText(a.change.pattern, b.change.pattern))
    .map(({ change }) => change);
}

function readAll({ lines }: LogSample, isAfter: boolean): Read[] {
  return lines.map(({ atMs, text }) => ({ ...logMessageOf(text), atMs, isAfter }));
}

/** Of lines in the order of their times. */
function changeOf(
  pattern: string,
  lines: readonly Read[],
  samples: { readonly before: LogSample; readonly after: LogSample },
): PatternChange {
  const after = lines.filter(({ isAfter }) => isAfter);
  const counted = {
    before: { count: lines.length - after.length, spanMs: spanOf(samples.before) },
    after: { count: after.length, spanMs: spanOf(samples.after) },
  };
  const rates = {
    beforePerMinute: perMinute(counted.before), afterPerMinute: perMinute(counted.after),
  };
  const worst = Math.max(...[rankOf(lines[0]), ...lines.map(rankOf)]);
  const level = logLevels[worst] ?? null;
  const isNewsAlone = level === 'fatal' || isGrave(pattern);
  return {
    pattern,
    kind: kindOf(counted, rates, isNewsAlone),
    before: counted.before.count,
    after: counted.after.count,
    ...rates,
    firstAtMs: after[0]?.atMs ?? null,
    lastAtMs: after.at(-1)?.atMs ?? null,
    level,
    example: (after[0] ?? lines[0])?.message ?? '',
  };
}

type Samples<T> = { readonly before: T; readonly after: T };

function kindOf(
  { before, after }: Samples<{ readonly count: number; readonly spanMs: number }>,
  { beforePerMinute, afterPerMinute }: Pick<PatternChange, 'beforePerMinute' | 'afterPerMinute'>,
  isNewsAlone: boolean,
): PatternChange['kind'] {
  const chance = compareRates(before, after);
  if (before.count === 0 && after.count > 0) {
    return chance.more <= chanceMax || (isNewsAlone && before.spanMs > 0) ? 'new' : 'alike';
  }
  if (afterPerMinute >= ratioMin * beforePerMinute && chance.more <= chanceMax) return 'more';
  if (beforePerMinute >= ratioMin * afterPerMinute && chance.fewer <= chanceMax) return 'fewer';
  return 'alike';
}

function spanOf({ fromMs, toMs }: LogSample): number {
  return toMs > fromMs ? toMs - fromMs : 0;
}

function perMinute({ count, spanMs }: { readonly count: number; readonly spanMs: number }): number {
  return spanMs === 0 ? 0 : (count * 60_000) / spanMs;
}

/** Place of the level among all, -1 where a line gives none. */
function rankOf(line: LogMessage | undefined): number {
  return line?.level === null || line === undefined ? -1 : logLevels.indexOf(line.level);
}

/** How bad it is, by what the lines say of themselves and by their words. */
function gravityOf({ pattern, level }: PatternChange): number {
  const stated = logLevels.findIndex((each) => each === level);
  if (isGrave(pattern)) return logLevels.indexOf('fatal');
  // Words count less where a line has a level: "0 errors" is info.
  const byWords = isFailing(pattern) ? logLevels.indexOf(stated === -1 ? 'error' : 'warn') : 2;
  return Math.max(stated, byWords);
}
