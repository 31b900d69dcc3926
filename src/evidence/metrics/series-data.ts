import type { LabelSet } from '../../alert/labels.ts';
import type { EvidenceItem } from '../../report/report.ts';
import type { SeriesData, SeriesStretch } from '../../report/series-data.ts';
import { isoTime } from '../../report/time-text.ts';
import type { RangeAnswer } from '../../sources/prometheus-answers.ts';
import { timeAt, type TimeGrid } from '../../sources/time-grid.ts';

/** The time of a grid point in RFC 3339. */
export function isoAt(grid: TimeGrid, index: number): string {
  return isoTime(timeAt(grid, index));
}

/** The time span and step of an evidence item on this grid. */
export function spanOf(grid: TimeGrid): Pick<EvidenceItem, 'from' | 'to' | 'step_seconds'> {
  return {
    from: isoAt(grid, 0), to: isoAt(grid, grid.count - 1), step_seconds: grid.stepMs / 1000,
  };
}

interface DrawnSeries {
  readonly labels: LabelSet;
  readonly unit: string | null;
  readonly grid: TimeGrid;
  readonly values: Float64Array;
  readonly split: number;
}

/** A series as stored in evidence; `known` has the members that only some series have. */
export function seriesData(
  { labels, unit, grid, values, split }: DrawnSeries,
  known: Partial<SeriesData> = {},
): SeriesData {
  return {
    labels, unit, start: isoAt(grid, 0), step_seconds: grid.stepMs / 1000,
    values: Array.from(values, rounded), split, threshold: null, before: null, after: null,
    z: null, onset: null, ...known,
  };
}

/** Values of an answer as stored in evidence; null if there are none. */
export function stretchData(
  range: { readonly answer: RangeAnswer; readonly values: Float64Array } | null,
): SeriesStretch | null {
  if (range === null || !range.values.some(Number.isFinite)) return null;
  const { grid } = range.answer;
  return {
    start: isoAt(grid, 0), step_seconds: grid.stepMs / 1000,
    values: Array.from(range.values, rounded),
  };
}

/** To 4 significant digits; null for NaN and infinity. */
export function rounded(value: number): number | null {
  return Number.isFinite(value) ? Number(value.toPrecision(4)) : null;
}

/** A server's notes on its answer, for the evidence item made of it. */
export function notesOf(
  answer: Pick<RangeAnswer, 'notes' | 'omitted'>,
): { readonly warnings: readonly string[]; readonly truncated: boolean } {
  const { notes, omitted } = answer;
  return {
    warnings: [...notes.warnings, ...(notes.isPartial ? ['Part of the data is missing.'] : [])],
    truncated: omitted > 0 || notes.isPartial,
  };
}
