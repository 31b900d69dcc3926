import { parseTime } from '../../../alert/timestamp.ts';
import { memberOf } from '../../../lib/parse.ts';
import { formatDuration, formatQuantity } from '../../../lib/quantity.ts';
import { chart } from '../../charts/chart.ts';
import { drawnFrom } from '../../charts/drawn-from.ts';
import { levelAt, pointsWithin } from '../../charts/line.ts';
import type { Marker } from '../../charts/picture.ts';
import type { SeriesRead } from '../../charts/read-series.ts';
import { mediansAround, movementText, seriesDescription } from '../../charts/series-words.ts';
import { html, unbroken, type Html } from '../../html.ts';
import { momentAt } from '../elements.ts';
import { alertSeries } from './drawn-series.ts';
import type { View } from './view.ts';

/** The chart is extended by up to this much to include the start and end of firing. */
const stretchedMs = 10 * 60_000;

/** The chart of the alert's own series with its threshold and events. */
export function alertChart(view: View): Html {
  const drawn = alertSeries(view);
  if (drawn === null) return html``;
  const { chartId, series } = drawn;
  const { points, onsetMs, stepMs } = series;
  const { reality, episode } = view.report;
  const unit = reality.unit ?? series.unit;
  const threshold = reality.threshold_series ? null : (reality.threshold ?? series.threshold);
  const [firedMs, endedMs] = [parseTime(episode.starts_at), parseTime(episode.ends_at ?? '')];
  const splitMs = onsetMs ?? series.splitMs;
  const nearMs = [firedMs, endedMs].filter((at) => at !== null)
    .filter((at) => at - series.toMs < stretchedMs);
  const toMs = Math.max(series.toMs, ...nearMs);
  const fromMs = drawnFrom({ ...series, toMs }, splitMs ?? firedMs);
  return chart({
    id: chartId, size: 'large', unit, fromMs, toMs, points,
    markers: [...ownMarkers(view, onsetMs, toMs), ...eventMarkers(view, fromMs, toMs)],
    title: ownTitle(series, { splitMs, unit }, view),
    description: seriesDescription(points, { splitMs, unit, stepMs }),
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
  });
}

/** `The value rose from 40 to 198. The problem began at 02:09 UTC.` */
function ownTitle(
  { points, onsetMs }: SeriesRead,
  { splitMs, unit }: { readonly splitMs: number | null; readonly unit: string | null },
  { report: { reality }, now }: View,
): Html {
  const { before, after } = mediansAround(points, splitMs);
  // The median after would be that of the recovery, where the alert ended soon.
  const moved = movementText({ before, after: reality.value_at_fire ?? after }, unit);
  const last = points.slice(-1).map(({ value }) => formatQuantity(value, unit)).join('');
  const text = unbroken(moved === null ? `The latest value is ${last}.` : `The value ${moved}.`);
  return html`${text}${
    onsetMs !== null && html` The problem began at ${momentAt(onsetMs, now)}.`}`;
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

const markersMax = 6;
/** Equal events closer than this share of the time drawn share one mark. */
const togetherShare = 0.02;

const eventNames: ReadonlyMap<string, string> = new Map([
  ['restart', 'restart'], ['version', 'new version'], ['config', 'config change'],
  ['event', 'OOM kill'],
]);

/** Markers for restarts, new versions and other events in the evidence, within a time span. */
function eventMarkers({ report }: View, fromMs: number, toMs: number): Marker[] {
  const markers: Marker[] = [];
  const events = report.evidence.filter(({ kind }) => kind === 'events').flatMap(({ data }) => {
    const at = memberOf(data, 'at');
    const atMs = typeof at === 'string' ? parseTime(at) : null;
    const name = eventNames.get(String(memberOf(data, 'kind')));
    return atMs === null || atMs < fromMs || atMs > toMs ? []
      : [{ atMs, name: name ?? 'event', kind: 'event' as const }];
  }).sort((a, b) => a.atMs - b.atMs);
  for (const event of events) {
    const isNew = markers.every(({ atMs, name }) =>
      name !== event.name || event.atMs - atMs > togetherShare * (toMs - fromMs));
    if (isNew && markers.length < markersMax) markers.push(event);
  }
  return markers;
}
