import type { RangeAnswer } from '../../sources/prometheus-answers.ts';
import { timeAt } from '../../sources/time-grid.ts';
import { lineCounts, type LineCounts } from '../../statistics/logs/line-counts.ts';
import type { LogWindow } from './log-comparison.ts';
import type { LogFacts } from './log-facts.ts';

/** All lines, counted per minute. */
export interface CountedLines extends LineCounts {
  readonly answer: RangeAnswer;
}

export function countedLines(answer: RangeAnswer): CountedLines {
  // Loki leaves out minutes without lines.
  const counts = Array.from(answer.series[0]?.values ?? [], (count) =>
    (Number.isFinite(count) ? count : 0));
  return { answer, ...lineCounts(counts) };
}

/** When the minute at this index begins, in ms: each is counted at its end. */
export function minuteBegin({ answer: { grid } }: CountedLines, minute: number): number {
  return timeAt(grid, minute - 1);
}

/** When there were no lines. */
export function emptyTimes(
  lines: CountedLines | null,
  { fromMs, toMs }: LogWindow,
): Pick<LogFacts, 'emptyUntilMs' | 'gap'> {
  if (lines === null) return { emptyUntilMs: null, gap: null };
  const { counts, begin, gap } = lines;
  const untilMs = begin === counts.length ? toMs : minuteBegin(lines, begin);
  return {
    emptyUntilMs: untilMs > fromMs ? untilMs : null,
    gap: gap && { fromMs: minuteBegin(lines, gap.from), toMs: minuteBegin(lines, gap.to) },
  };
}
