import { readSeries } from '../../charts/read-series.ts';
import { html, type Html } from '../../html.ts';
import type { EvidenceItem } from '../../report.ts';
import { sparkline } from './sparkline.ts';

/**
 * What of an item's data is a picture. A series that has its chart further up, by what `charts`
 * says, is not drawn again.
 */
export function seriesFound(item: EvidenceItem, charts: ReadonlyMap<string, string>): Html {
  const series = readSeries(item);
  if (series === null || series.points.length < 2) return html``;
  const chartId = charts.get(item.id);
  return chartId === undefined ? sparkline(item)
    : html`<p><a href="#${chartId}-title">Its chart</a></p>`;
}
