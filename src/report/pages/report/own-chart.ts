import { parseTime } from '../../../alert/timestamp.ts';
import { formatDuration, formatQuantity } from '../../../lib/quantity.ts';
import { chart, type Marker } from '../../charts/chart.ts';
import { pointsWithin } from '../../charts/course.ts';
import { drawnFrom } from '../../charts/drawn-from.ts';
import type { SeriesRead } from '../../charts/read-series.ts';
import {
  crossingOf, isBeyond, movementText, seriesDescription, seriesNumbers,
} from '../../charts/series-words.ts';
import { html, type Html } from '../../html.ts';
import { fold, momentAt, rowList, type Row } from '../elements.ts';
import { ownChartId, ownSeries } from './drawn-series.ts';
import { eventMarkers } from './event-markers.ts';
import type { View } from './view.ts';

/** A moment just outside of the samples is still worth its mark. */
const stretchedMs = 10 * 60_000;

/** The course of what the alert watches, its threshold and what happened; the numbers below. */
export function ownChart(view: View): Html {
  const found = ownSeries(view);
  if (found === null) return html``;
  const { series } = found;
  const { report: { reality, episode } } = view;
  const unit = reality.unit ?? series.unit;
  const threshold = reality.threshold_series ? null : (reality.threshold ?? series.threshold);
  const seen: Seen = { series, unit, threshold, ...beginOf(series, threshold, reality.operator) };
  const firedMs = parseTime(episode.starts_at);
  const toMs = Math.max(series.toMs, ...[firedMs, parseTime(episode.ends_at ?? '')]
    .filter((at) => at !== null && at - series.toMs < stretchedMs).map(Number));
  const fromMs = drawnFrom({ ...series, toMs }, seen.splitMs ?? firedMs);
  const markers = [...ownMarkers(view, seen.crossedMs, toMs), ...eventMarkers(view, fromMs, toMs)];
  const endMs = parseTime(episode.ends_at ?? '') ?? toMs;
  const said = threshold === null ? '' : formatQuantity(threshold, unit);
  return html`${chart({
    id: ownChartId, size: 'large', unit, fromMs, toMs, markers, points: series.points,
    title: ownTitle(seen, view), description: seriesDescription(series.points, {
      splitMs: seen.splitMs, unit, stepMs: series.stepMs,
    }),
    ghosts: [
      { name: 'yesterday', points: series.yesterday },
      { name: 'a week ago', points: series.lastWeek },
    ],
    threshold: threshold !== null
      ? { value: threshold, name: `threshold ${reality.operator ?? ''} ${said}` }
      : series.limits.length === 0 ? null
        : { value: series.limits, name: 'threshold' },
    shaded: seen.splitMs === null ? null
      : { fromMs: seen.splitMs, toMs: Math.max(seen.splitMs, Math.min(endMs, toMs)) },
    notes: notesOf(series, fromMs),
  })}${fold('The numbers', rowList(numberRows(seen, markers, view)))}`;
}

interface Seen {
  readonly series: SeriesRead;
  readonly unit: string | null;
  readonly threshold: number | null;
  /** Where before ends; the moment it crossed the threshold, where it is seen to. */
  readonly splitMs: number | null;
  readonly crossedMs: number | null;
  /** So is its last value. */
  readonly isStillBeyond: boolean;
}

/** The trouble may be older than what is drawn: then only where before ends is known. */
function beginOf(
  { points, limits, splitMs }: SeriesRead,
  threshold: number | null,
  operator: string | null,
): Pick<Seen, 'splitMs' | 'crossedMs' | 'isStillBeyond'> {
  const moving = new Map(limits.map(({ atMs, value }) => [atMs, value]));
  const isOver = ({ atMs, value }: SeriesRead['points'][number]): boolean => {
    const limit = threshold ?? moving.get(atMs);
    return limit !== undefined && isBeyond(value, { operator, threshold: limit }) === true;
  };
  const crossed = splitMs === null ? null : crossingOf(points, splitMs, isOver);
  return {
    crossedMs: crossed, splitMs: crossed ?? splitMs, isStillBeyond: points.slice(-1).some(isOver),
  };
}

function ownTitle(
  { series, unit, threshold, splitMs, crossedMs, isStillBeyond }: Seen,
  { now }: View,
): Html {
  const numbers = seriesNumbers(series.points, splitMs);
  const last = numbers === null ? '' : formatQuantity(numbers.last, unit);
  const moved = numbers && movementText(numbers, unit);
  const text = moved === null ? `The value is ${last} at last` : `The value ${moved}`;
  if (crossedMs === null) return html`${text}.`;
  // What moves may as well have crossed the value, or come into being beyond it.
  if (threshold === null) {
    const beyond = isStillBeyond ? ', beyond its threshold since'
      : ' and was beyond its threshold from';
    return html`${text}${beyond} ${momentAt(crossedMs, now)}.`;
  }
  return html`${text} and crossed its threshold of ${formatQuantity(threshold, unit)} at ${
    momentAt(crossedMs, now)}.`;
}

function ownMarkers({ report, now }: View, beganMs: number | null, toMs: number): Marker[] {
  const { starts_at: fired, ends_at: ended } = report.episode;
  const isPresent = ended === null && now >= toMs && now - toMs < stretchedMs;
  const moments = [
    { kind: 'began', atMs: beganMs }, { kind: 'fired', atMs: parseTime(fired) },
    { kind: 'resolved', atMs: parseTime(ended ?? '') },
    { kind: 'now', atMs: isPresent ? toMs : null },
  ] as const;
  return moments.flatMap(({ kind, atMs }) => (atMs === null ? [] : [{ kind, atMs, name: kind }]));
}

function notesOf(series: SeriesRead, fromMs: number): string[] {
  const { points, toMs, isRate } = series;
  const looked = formatDuration((toMs - series.fromMs) / 1000);
  const drawn = pointsWithin(points, fromMs, toMs);
  return [
    isRate && 'A counter, shown as its rate.',
    fromMs > series.fromMs &&
      `Of ${looked} that were looked at, ${formatDuration((toMs - fromMs) / 1000)} are drawn.`,
    drawn.slice(1).some(({ isAfterGap }) => isAfterGap) &&
      'Where the line breaks no value is known.',
  ].filter((note) => note !== false);
}

function numberRows(
  { series, unit, splitMs }: Seen,
  markers: readonly Marker[],
  { report: { reality }, now }: View,
): readonly Row[] {
  const numbers = seriesNumbers(series.points, splitMs);
  const rows: readonly (readonly [string, number | null | undefined])[] = [
    ['Lowest', numbers?.lowest], ['Highest', numbers?.highest],
    ['Middle value before', numbers?.before], ['Middle value after', numbers?.after],
    ['When it fired', reality.value_at_fire], ['At last', reality.value_now ?? numbers?.last],
  ];
  return [
    ...rows.flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, formatQuantity(value, unit)] as const]),
    ...markers.map(({ name, atMs }) =>
      [`${name} at`, momentAt(atMs, now)] as const),
  ];
}
