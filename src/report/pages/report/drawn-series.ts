/** Which series of a report have a chart, and the ids of these charts. */
import { parseTime } from '../../../alert/timestamp.ts';
import type { SeriesRead } from '../../charts/read-series.ts';
import type { Change, EvidenceItem, Report } from '../../report.ts';
import { evidenceFor, type View } from './view.ts';

/** Limit of changes with a chart: what fits below the alert's own on one screen. */
const changesMax = 5;

interface DrawnSeries {
  /** Prefix of the chart's ids on the page. */
  readonly chartId: string;
  /** The item of evidence that holds the series. */
  readonly item: EvidenceItem;
  readonly series: SeriesRead;
}

/** The alert's own series up to its value when last checked; null if there is none to draw. */
export function alertSeries(view: View): DrawnSeries | null {
  for (const id of view.report.reality.evidence) {
    const drawn = drawnSeries('own-chart', id, view);
    if (drawn !== null) return { ...drawn, series: untilChecked(drawn.series, view.report) };
  }
  return null;
}

/** A value that was checked longer after the last point says nothing of the time between. */
const checkedWithinMs = 3 * 60_000;

/** The series was asked for at even steps: what was measured after the last would be missing. */
function untilChecked(series: SeriesRead, { reality, provenance, episode }: Report): SeriesRead {
  const [last, atMs] = [series.points.at(-1), parseTime(provenance.started_at ?? '')];
  const value = reality.value_now;
  if (value === null || atMs === null || last === undefined || episode.ends_at !== null ||
    atMs <= last.atMs || atMs - last.atMs > checkedWithinMs) return series;
  return {
    ...series, points: [...series.points, { atMs, value, isAfterGap: false }],
    toMs: Math.max(series.toMs, atMs),
  };
}

/** The series behind a change; null for a change that is not drawn. */
export function changeSeries(change: Change, view: View): DrawnSeries | null {
  const index = drawnChanges(view).indexOf(change);
  return index < 0 ? null : drawnSeries(`change-chart-${index + 1}`, change.evidence[0], view);
}

/** Ids of charts by the id of the item that holds the series. */
export function chartIds(view: View): ReadonlyMap<string, string> {
  const ofChanges = drawnChanges(view).map((change) => changeSeries(change, view));
  const drawn = [...ofChanges, alertSeries(view)].filter((each) => each !== null);
  return new Map(drawn.map(({ item, chartId }) => [item.id, chartId]));
}

/** The changes with a chart: those that stand out and have a series. */
export function drawnChanges({ report }: View): readonly Change[] {
  return report.changes.filter(({ strength, kind }) =>
    strength !== 'weak' && (kind === 'series' || kind === 'vanished')).slice(0, changesMax);
}

function drawnSeries(chartId: string, itemId: string | undefined, view: View): DrawnSeries | null {
  const item = evidenceFor(view, itemId);
  const series = view.series.get(itemId ?? '');
  if (item === undefined || series === undefined || series.points.length === 0) return null;
  return { chartId, item, series };
}
