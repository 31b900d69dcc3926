import { readSeries } from '../charts/read-series.ts';
import { html, type Html } from '../html.ts';
import type { EvidenceItem } from '../report.ts';
import { sparkline } from './sparkline.ts';

/** Members that are seen in the picture and are long as text. */
const drawnMembers: ReadonlySet<string> = new Set([
  'values', 'later', 'yesterday', 'last_week',
]);

/**
 * What of an item's data is a picture, and what of it is left to say in text. A series that has its
 * chart further up, by what `charts` says, is not drawn again.
 */
export function seriesFound(
  item: EvidenceItem,
  charts: ReadonlyMap<string, string>,
): { readonly drawn: Html; readonly data: unknown } {
  const series = readSeries(item);
  if (series === null || series.points.length < 2) return { drawn: html``, data: item.data };
  const chartId = charts.get(item.id);
  const drawn = chartId === undefined ? sparkline(item)
    : html`<p><a href="#${chartId}-title">Its chart</a></p>`;
  const members = Object.entries(item.data ?? {}).map(([name, value]): [string, unknown] =>
    [name, drawnMembers.has(name) && value !== null ? 'in the JSON of this report' : value]);
  return { drawn, data: Object.fromEntries(members) };
}
