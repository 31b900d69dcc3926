import { parseTime } from '../../alert/timestamp.ts';
import type { EvidenceItem } from '../report.ts';
import { pointsOf, type Point, type Stretch } from './course.ts';

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

/** Limit of points in one stretch; evidence never holds more. */
const pointsMax = 361;
const unitLengthMax = 40;
const dayMs = 86_400_000;
/** Beyond this, a Date is invalid. */
const timeMaxMs = 8e15;

/** The series of an item; null for other data. Stored reports are not trusted to be well-formed. */
export function readSeries(item: EvidenceItem | undefined): SeriesRead | null {
  const data = membersOf(item?.data);
  if (item === undefined || data === null) return null;
  const own = stretchOf(data, item);
  if (own === null) return null;
  const later = stretchOf(membersOf(data['later']), null);
  const points = pointsOf(later === null ? [own] : [own, later]);
  const { split, threshold, unit, onset } = data;
  const isInside = typeof split === 'number' && Number.isInteger(split) && split > 0 &&
    split < own.values.length;
  return {
    values: own.values,
    points,
    fromMs: own.startMs,
    toMs: Math.max(own.startMs + (own.values.length - 1) * own.stepMs, points.at(-1)?.atMs ?? 0),
    stepMs: own.stepMs,
    unit: typeof unit === 'string' ? unit.slice(0, unitLengthMax) : null,
    splitMs: isInside ? own.startMs + split * own.stepMs : null,
    threshold: numberIn(threshold),
    limits: pointsOf([data, membersOf(data['later'])].flatMap((member) => limitsOf(member, item))),
    onsetMs: typeof onset === 'string' ? parseTime(onset) : null,
    yesterday: pointsBefore(data['yesterday'], dayMs),
    lastWeek: pointsBefore(data['last_week'], 7 * dayMs),
    isRate: item.title.startsWith('Rate of ') ||
      (String(unit).endsWith('per_second') && /\bi?rate\s*\(/u.test(item.query ?? '')),
  };
}

/** The values of an earlier time, shifted to the current times. */
function pointsBefore(member: unknown, agoMs: number): Point[] {
  const stretch = stretchOf(membersOf(member), null);
  return stretch === null ? [] : pointsOf([{ ...stretch, startMs: stretch.startMs + agoMs }]);
}

/** The `limits` that accompany the values of a stretch. */
function limitsOf(data: Readonly<Record<string, unknown>> | null, item: EvidenceItem): Stretch[] {
  const stretch = data === null ? null
    : stretchOf({ ...data, values: data['limits'] ?? null }, item);
  return stretch === null ? [] : [stretch];
}

function stretchOf(
  data: Readonly<Record<string, unknown>> | null,
  item: EvidenceItem | null,
): Stretch | null {
  if (data === null) return null;
  const { values, start, step_seconds: step } = data;
  if (!Array.isArray(values) || values.length === 0 || values.length > pointsMax) return null;
  if (!values.every((value) => value === null || typeof value === 'number')) return null;
  const startMs = parseTime(typeof start === 'string' ? start : (item?.from ?? ''));
  const stepMs = 1000 * (numberIn(step) ?? item?.step_seconds ?? stepBetween(item, values.length));
  if (startMs === null || !(stepMs > 0)) return null;
  if (!(Math.abs(startMs) + values.length * stepMs < timeMaxMs)) return null;
  return { startMs, stepMs, values: values.map((value: unknown) => numberIn(value)) };
}

/** Seconds between points that are spread evenly over an item's time range. */
function stepBetween(item: EvidenceItem | null, count: number): number {
  const [from, to] = [parseTime(item?.from ?? ''), parseTime(item?.to ?? '')];
  return from === null || to === null || count < 2 ? 1 : (to - from) / 1000 / (count - 1);
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> | null {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? value as Readonly<Record<string, unknown>> : null;
}

function numberIn(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
