import type { LinesAnswer } from '../../sources/loki-answers.ts';
import {
  compareLogs, type LogSample, type PatternChange,
} from '../../statistics/logs/compare-logs.ts';

/** The time that is looked at, in wall time in milliseconds. */
export interface LogWindow {
  readonly fromMs: number;
  /** Where before ends and after begins. */
  readonly splitMs: number;
  readonly toMs: number;
}

export interface LogComparison {
  readonly before: LogSample;
  readonly after: LogSample;
  readonly changes: readonly PatternChange[];
}

/** By the lines after: alerts of one service are given the same answers. */
const known = new WeakMap<LinesAnswer, {
  readonly before: LinesAnswer; readonly comparison: LogComparison;
}>();

/** What changed between two answers; worked out once for all who are given them. */
export function compareAnswers(
  before: LinesAnswer,
  after: LinesAnswer,
  { fromMs, splitMs, toMs }: LogWindow,
): LogComparison {
  const last = known.get(after);
  if (last?.before === before) return last.comparison;
  const samples = {
    before: sampleOf(before, { fromMs, toMs: splitMs }),
    after: sampleOf(after, { fromMs: splitMs, toMs }),
  };
  const comparison = { ...samples, changes: compareLogs(samples.before, samples.after) };
  known.set(after, { before, comparison });
  return comparison;
}

/**
 * Where the answer was cut, the newest lines are known and no earlier ones. A line of another time
 * than was asked for would make that time a part of the report.
 */
function sampleOf(
  { lines: told, isCut }: LinesAnswer,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): LogSample {
  const lines = told.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
  return { lines, fromMs: isCut ? (lines[0]?.atMs ?? toMs) : fromMs, toMs };
}
