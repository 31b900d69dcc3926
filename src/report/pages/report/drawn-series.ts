/** Which series of a report have a chart of their own, and where on the page that is. */
import { readSeries, type SeriesRead } from '../../charts/read-series.ts';
import type { Change, EvidenceItem } from '../../report.ts';
import { evidenceFor, type View } from './view.ts';

/** Changes that are drawn; a page full of lines shows none of them. */
const changesMax = 10;

export interface DrawnSeries {
  /** What its ids on the page begin with. */
  readonly chartId: string;
  /** The item of evidence that holds the series. */
  readonly item: EvidenceItem;
  readonly series: SeriesRead;
}

/** The course of what the alert itself watches; null when there is none to draw. */
export function ownSeries(view: View): DrawnSeries | null {
  for (const id of view.report.reality.evidence) {
    const drawn = drawnSeries('own-chart', id, view);
    if (drawn !== null) return drawn;
  }
  return null;
}

/** The course behind a change; null for one that is not drawn. */
export function changeSeries(change: Change, view: View): DrawnSeries | null {
  const index = drawnChanges(view).indexOf(change);
  return index < 0 ? null
    : drawnSeries(`change-chart-${index + 1}`, change.evidence[0], view);
}

/** Ids of charts, by the id of the item that holds the series. */
export function chartIds(view: View): ReadonlyMap<string, string> {
  const ofChanges = drawnChanges(view).map((change) => changeSeries(change, view));
  const drawn = [...ofChanges, ownSeries(view)].filter((each) => each !== null);
  return new Map(drawn.map(({ item, chartId }) => [item.id, chartId]));
}

/** What stands out and is a course, as far as it is drawn. */
function drawnChanges({ report }: View): readonly Change[] {
  return report.changes.filter(({ strength, kind }) =>
    strength !== 'weak' && (kind === 'series' || kind === 'vanished')).slice(0, changesMax);
}

function drawnSeries(chartId: string, itemId: string | undefined, view: View): DrawnSeries | null {
  const item = evidenceFor(view, itemId);
  const series = readSeries(item);
  if (item === undefined || series === null || series.points.length === 0) return null;
  return { chartId, item, series };
}
