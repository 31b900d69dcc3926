import { readSeries, type SeriesRead } from '../../charts/read-series.ts';
import type { Change, EvidenceItem } from '../../report.ts';
import { evidenceFor, type View } from './view.ts';

/** Changes that are drawn; a page full of lines shows none of them. */
const changesMax = 10;

/** A series and the item of evidence that it is in. */
export interface FoundSeries {
  readonly item: EvidenceItem;
  readonly series: SeriesRead;
}

/** The course of what the alert itself watches; null when there is none to draw. */
export function ownSeries(view: View): FoundSeries | null {
  for (const id of view.report.reality.evidence) {
    const [found] = seriesAt(view, id);
    if (found !== undefined) return found;
  }
  return null;
}

/** The course behind a change; null for one that is not drawn. */
export function changeSeries(change: Change, view: View): FoundSeries | null {
  if (!drawnChanges(view).includes(change)) return null;
  return seriesAt(view, change.evidence[0])[0] ?? null;
}

/** Where on the page an item's series is drawn, by the item's id. */
export function chartIds(view: View): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const own = ownSeries(view);
  for (const [index, change] of drawnChanges(view).entries()) {
    const [found] = seriesAt(view, change.evidence[0]);
    if (found !== undefined) ids.set(found.item.id, changeChartId(index));
  }
  if (own !== null) ids.set(own.item.id, ownChartId);
  return ids;
}

export const ownChartId = 'own-chart';

/** The id of the chart of a drawn change, by its place among them. */
export function changeChartId(index: number): string {
  return `change-chart-${index + 1}`;
}

/** What stands out and is a course, as far as it is drawn. */
export function drawnChanges({ report }: View): readonly Change[] {
  return report.changes.filter(({ strength, kind }) => {
    return strength !== 'weak' && (kind === 'series' || kind === 'vanished');
  }).slice(0, changesMax);
}

function seriesAt(view: View, id: string | undefined): readonly FoundSeries[] {
  const item = evidenceFor(view, id);
  const series = readSeries(item);
  return item === undefined || series === null || series.points.length === 0 ? []
    : [{ item, series }];
}
