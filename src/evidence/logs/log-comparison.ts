import type { LinesAnswer } from '../../sources/loki-answers.ts';
import type { TimeSpan } from '../../sources/time-grid.ts';
import {
  compareLogs, type LogSample, type PatternChange,
} from '../../statistics/logs/compare-logs.ts';

/** The time span that is read, in wall time in milliseconds. */
export interface LogWindow extends TimeSpan {
  /** The end of "before" and the beginning of "after". */
  readonly splitMs: number;
}

export interface LogComparison {
  readonly before: LogSample;
  readonly after: LogSample;
  readonly changes: readonly PatternChange[];
}

/** Keyed by the answer for after: alerts of one service share answers. */
const known = new WeakMap<LinesAnswer, {
  readonly before: LinesAnswer; readonly fromMs: number; readonly comparison: LogComparison;
}>();

/** What changed between two answers; computed once for all alerts that share them. */
export function compareAnswers(
  before: LinesAnswer,
  after: LinesAnswer,
  { fromMs, splitMs, toMs }: LogWindow,
): LogComparison {
  const last = known.get(after);
  if (last?.before === before && last.fromMs === fromMs) return last.comparison;
  const samples = {
    before: sampleOf(before, fromMs, splitMs), after: sampleOf(after, splitMs, toMs),
  };
  const comparison = { ...samples, changes: compareLogs(samples.before, samples.after) };
  known.set(after, { before, fromMs, comparison });
  return comparison;
}

/**
 * Lines outside the time that was asked for are dropped. An answer that was cut has the newest
 * lines, so the sample begins with its first line.
 */
function sampleOf(
  { lines: answered, isCut }: LinesAnswer,
  fromMs: number,
  toMs: number,
): LogSample {
  const lines = answered.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
  return { lines, fromMs: isCut ? (lines[0]?.atMs ?? toMs) : fromMs, toMs };
}
