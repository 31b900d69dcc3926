import { parseTime } from '../../alert/timestamp.ts';
import { dayMs } from '../../lib/time-units.ts';
import type { EvidenceItem } from '../report.ts';
import type { SeriesData, SeriesStretch } from '../series-data.ts';
import { pointsOf, type Point, type Stretch } from './line.ts';

export interface SeriesRead {
  /** As stored, evenly spaced from the start; null where there is no sample. */
  readonly values: readonly (number | null)[];
  /** Those that can be drawn, and the points after them as far as they are known. */
  readonly points: readonly Point[];
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
  readonly unit: string | null;
  /** The first moment that counts as after. */
  readonly splitMs: number | null;
  readonly threshold: number | null;
  /** The threshold's values if it is a series; empty if not or unknown. */
  readonly limits: readonly Point[];
  readonly onsetMs: number | null;
  /** The values a day and a week earlier, shifted to the current times. */
  readonly yesterday: readonly Point[];
  readonly lastWeek: readonly Point[];
  /** Whether it is the rate of a counter. */
  readonly isRate: boolean;
}

/** The series of an item; null for other data, and if the ledger cut off its start or step. */
export function readSeries({ data, query }: EvidenceItem): SeriesRead | null {
  const own = isSeries(data) ? stretchOf(data) : null;
  if (!isSeries(data) || own === null) return null;
  // Reports of earlier versions lack members that were added later, and the ledger cuts off others.
  const { unit = null, split = 0, threshold = null, onset = null, later = null } = data;
  const points = pointsOf([own, stretchOf(later)].filter((stretch) => stretch !== null));
  const isInside = split > 0 && split < own.values.length;
  return {
    values: own.values,
    points,
    fromMs: own.startMs,
    toMs: Math.max(own.startMs + (own.values.length - 1) * own.stepMs, points.at(-1)?.atMs ?? 0),
    stepMs: own.stepMs,
    unit,
    splitMs: isInside ? own.startMs + split * own.stepMs : null,
    threshold,
    limits: pointsOf([limitsOf(data), limitsOf(later)].filter((stretch) => stretch !== null)),
    onsetMs: onset === null ? null : parseTime(onset),
    yesterday: pointsBefore(data.yesterday, dayMs),
    lastWeek: pointsBefore(data.last_week, 7 * dayMs),
    isRate: data.is_rate === true ||
      (unit?.endsWith('per_second') === true && /\bi?rate\s*\(/u.test(query ?? '')),
  };
}

function isSeries(data: unknown): data is SeriesData {
  return typeof data === 'object' && data !== null && 'start' in data && 'values' in data &&
    Array.isArray(data.values);
}

/** The values of an earlier time, shifted to the current times. */
function pointsBefore(earlier: SeriesStretch | null | undefined, agoMs: number): Point[] {
  const stretch = stretchOf(earlier ?? null);
  return stretch === null ? [] : pointsOf([{ ...stretch, startMs: stretch.startMs + agoMs }]);
}

/** What the values of a stretch are compared with, if that is a series. */
function limitsOf(stretch: SeriesStretch | null): Stretch | null {
  return stretch?.limits === undefined ? null : stretchOf({ ...stretch, values: stretch.limits });
}

/** Null as well if the ledger cut off any of its members, behind labels that are very long. */
function stretchOf(stretch: SeriesStretch | null): Stretch | null {
  const startMs = stretch === null ? null : parseTime(stretch.start);
  if (stretch === null || startMs === null) return null;
  const { step_seconds: step, values } = stretch;
  if (!(step > 0) || !Array.isArray(values)) return null;
  return { startMs, stepMs: 1000 * step, values };
}
