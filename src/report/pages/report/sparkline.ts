import { pointsWithin } from '../../charts/course.ts';
import { drawnFrom } from '../../charts/drawn-from.ts';
import { readSeries } from '../../charts/read-series.ts';
import { seriesDescription } from '../../charts/series-words.ts';
import { drawSparkline } from '../../charts/sparkline.ts';
import { html, type Html } from '../../html.ts';
import type { EvidenceItem } from '../../report.ts';

/**
 * A series as a small line, drawn from an item of evidence, with the split between before and after
 * and the threshold where they are known. Nothing for an item that holds no series.
 */
export function sparkline(item: EvidenceItem | undefined): Html {
  const series = readSeries(item);
  if (series === null) return html``;
  const { splitMs, onsetMs, threshold } = series;
  const fromMs = drawnFrom(series, onsetMs ?? splitMs);
  const points = pointsWithin(series.points, fromMs, series.toMs);
  return drawSparkline({
    points, splitMs, threshold, description: seriesDescription(points, series),
  });
}
