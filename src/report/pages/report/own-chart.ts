import { parseTime } from '../../../alert/timestamp.ts';
import { formatDuration, formatQuantity } from '../../../lib/quantity.ts';
import { chart } from '../../charts/chart.ts';
import { levelAt, pointsWithin } from '../../charts/course.ts';
import { drawnFrom } from '../../charts/drawn-from.ts';
import type { Marker } from '../../charts/picture.ts';
import type { SeriesRead } from '../../charts/read-series.ts';
import {
  crossingOf, isBeyond, movementText, seriesDescription, seriesNumbers, type Crossing,
} from '../../charts/series-words.ts';
import { html, unbroken, type Html } from '../../html.ts';
import { capital } from '../../plain-text.ts';
import { fold, momentAt, rowList, type Row } from '../elements.ts';
import { ownSeries } from './drawn-series.ts';
import { eventMarkers } from './event-markers.ts';
import type { View } from './view.ts';

/** The chart is extended by up to this much to include the start and end of firing. */
const stretchedMs = 10 * 60_000;

/** The chart of the alert's own series with its threshold and events; its numbers below. */
export function ownChart(view: View): Html {
  const drawn = ownSeries(view);
  if (drawn === null) return html``;
  const { chartId, series } = drawn;
  const { reality, episode } = view.report;
  const unit = reality.unit ?? series.unit;
  const threshold = reality.threshold_series ? null : (reality.threshold ?? series.threshold);
  const [firedMs, endedMs] = [parseTime(episode.starts_at), parseTime(episode.ends_at ?? '')];
  const beginning = beginningOf(series, threshold, { operator: reality.operator, firedMs });
  const shown: Shown = { series, unit, threshold, ...beginning };
  const { splitMs } = shown;
  const nearMs = [firedMs, endedMs].filter((at) => at !== null)
    .filter((at) => at - series.toMs < stretchedMs);
  const toMs = Math.max(series.toMs, ...nearMs);
  const fromMs = drawnFrom({ ...series, toMs }, splitMs ?? firedMs);
  const markers = [
    ...ownMarkers(view, shown.crossing?.atMs ?? null, toMs), ...eventMarkers(view, fromMs, toMs),
  ];
  return html`${chart({
    id: chartId, size: 'large', unit, fromMs, toMs, markers, points: series.points,
    title: ownTitle(shown, view),
    description: seriesDescription(series.points, { splitMs, unit, stepMs: series.stepMs }),
    ghosts: [
      { name: 'a day before', points: series.yesterday },
      { name: 'a week before', points: series.lastWeek },
    ],
    threshold: threshold === null ? { points: series.limits, name: 'threshold' } : {
      points: levelAt(threshold, fromMs, toMs),
      name: `threshold ${reality.operator ?? ''} ${formatQuantity(threshold, unit)}`,
    },
    shaded: splitMs === null ? null
      : { fromMs: splitMs, toMs: Math.max(splitMs, Math.min(endedMs ?? toMs, toMs)) },
    notes: notesOf(series, fromMs),
  })}${fold('Numbers', rowList(numberRows(shown, markers, view)))}`;
}

interface Shown {
  readonly series: SeriesRead;
  readonly unit: string | null;
  /** Null if it is unknown, or if it moves: then the series has its values. */
  readonly threshold: number | null;
  /** Where before ends: when it crossed the threshold, if that is known. */
  readonly splitMs: number | null;
  readonly crossing: Crossing | null;
  /** Whether its last value is beyond the threshold. */
  readonly isStillBeyond: boolean;
}

/** When the problem began; it may have begun before the first point, and then never crosses. */
function beginningOf(
  { points, limits, splitMs, onsetMs }: SeriesRead,
  threshold: number | null,
  { operator, firedMs }: { readonly operator: string | null; readonly firedMs: number | null },
): Pick<Shown, 'splitMs' | 'crossing' | 'isStillBeyond'> {
  const moving = new Map(limits.map(({ atMs, value }) => [atMs, value]));
  const isOver = ({ atMs, value }: SeriesRead['points'][number]): boolean => {
    const limit = threshold ?? moving.get(atMs);
    return limit !== undefined && isBeyond(value, { operator, threshold: limit });
  };
  const drawn = firedMs === null ? null : crossingOf(points, firedMs, isOver);
  const crossing = drawn && { ...drawn, atMs: sharper(drawn, { points, onsetMs }) };
  const isStillBeyond = points.slice(-1).some(isOver);
  return { crossing, splitMs: crossing?.atMs ?? splitMs, isStillBeyond };
}

function isState({ operator }: View['report']['reality']): boolean {
  return operator === '==' || operator === '!=';
}

/** The points show a crossing up to one step late; when the problem began may be known better. */
function sharper(
  { atMs }: Crossing,
  { points, onsetMs }: Pick<SeriesRead, 'points' | 'onsetMs'>,
): number {
  const beforeMs = points.findLast((point) => point.atMs < atMs)?.atMs ?? atMs;
  return onsetMs !== null && beforeMs < onsetMs && onsetMs < atMs ? onsetMs : atMs;
}

function ownTitle(
  { series, unit, threshold, splitMs, crossing, isStillBeyond }: Shown,
  { report, now }: View,
): Html {
  const numbers = seriesNumbers(series.points, splitMs);
  const last = numbers === null ? '' : formatQuantity(numbers.last, unit);
  const moved = numbers && movementText(crossing ?? numbers, unit);
  const text = unbroken(moved === null ? `The latest value is ${last}` : `The value ${moved}`);
  if (crossing === null) return html`${text}.`;
  // A state is not beyond anything.
  if (isState(report.reality)) return html`${text} at ${momentAt(crossing.atMs, now)}.`;
  // A moving threshold may have crossed the value instead, or have appeared beyond it.
  if (threshold === null) {
    const beyond = isStillBeyond ? ', beyond its threshold since'
      : ' and was beyond its threshold from';
    return html`${text}${beyond} ${momentAt(crossing.atMs, now)}.`;
  }
  return html`${text} and crossed its threshold of ${
    unbroken(formatQuantity(threshold, unit))} at ${momentAt(crossing.atMs, now)}.`;
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
  const examined = formatDuration((toMs - series.fromMs) / 1000);
  const drawn = pointsWithin(points, fromMs, toMs);
  return [
    isRate && 'A counter, shown as its rate.',
    fromMs > series.fromMs &&
      `The last ${formatDuration((toMs - fromMs) / 1000)} of ${examined} are drawn.`,
    drawn.slice(1).some(({ isAfterGap }) => isAfterGap) &&
      'Values are missing where the line breaks.',
  ].filter((note) => note !== false);
}

function numberRows(
  { series, unit, splitMs }: Shown,
  markers: readonly Marker[],
  { report: { reality }, now }: View,
): readonly Row[] {
  const numbers = seriesNumbers(series.points, splitMs);
  const row = (name: string, value: number | null = null): Row =>
    [name, value !== null && formatQuantity(value, unit)];
  return [
    row('Lowest', numbers?.lowest), row('Highest', numbers?.highest),
    row('Median before', numbers?.before), row('Median after', numbers?.after),
    row('When it fired', reality.value_at_fire),
    row('Latest', reality.value_now ?? numbers?.last),
    ...markers.map(({ name, atMs }): Row => [`${capital(name)} at`, momentAt(atMs, now)]),
  ];
}
