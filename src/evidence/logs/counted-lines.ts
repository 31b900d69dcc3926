import type { RangeAnswer } from '../../sources/prometheus-answers.ts';
import { timeAt } from '../../sources/time-grid.ts';
import { logGap, type LogGap } from '../../statistics/logs/log-gap.ts';
import type { LogWindow } from './log-comparison.ts';
import type { LogFacts } from './log-facts.ts';

/** All lines, counted per minute. */
export interface CountedLines {
  readonly answer: RangeAnswer;
  /** One count per minute. */
  readonly values: readonly number[];
  readonly gap: LogGap | null;
}

export function countedLines(answer: RangeAnswer): CountedLines {
  // Loki leaves out minutes without lines.
  const values = Array.from(answer.series[0]?.values ?? [], (count) =>
    (Number.isFinite(count) ? count : 0));
  return { answer, values, gap: logGap(values) };
}

/** When the minute at this index ends, in ms. */
export function minuteEnd({ answer: { grid } }: CountedLines, at: number): number {
  return timeAt(grid, at);
}

/** When there were no lines. */
export function emptyTimes(
  lines: CountedLines | null,
  { fromMs, toMs }: LogWindow,
): Pick<LogFacts, 'emptyUntilMs' | 'gap'> {
  if (lines === null) return { emptyUntilMs: null, gap: null };
  const { values, gap } = lines;
  const first = values.findIndex((count) => count > 0);
  const until = first === -1 ? toMs : minuteEnd(lines, first - 1);
  return {
    emptyUntilMs: until > fromMs ? until : null,
    gap: gap && { fromMs: minuteEnd(lines, gap.from - 1), toMs: minuteEnd(lines, gap.to - 1) },
  };
}
