import { pointsWithin } from '../../charts/course.ts';
import { drawnFrom } from '../../charts/drawn-from.ts';
import { readSeries } from '../../charts/read-series.ts';
import { seriesDescription } from '../../charts/series-words.ts';
import { drawSparkline } from '../../charts/sparkline.ts';
import { html, type Html } from '../../html.ts';
import type { EvidenceItem } from '../../report.ts';

/**
 * The series of an item of evidence as a small line, with the threshold and the moment it began to
 * move, or else the split between before and after. Empty for an item without a series.
 */
export function sparkline(item: EvidenceItem | undefined): Html {
  const series = readSeries(item);
  if (series === null) return html``;
  const { splitMs, onsetMs, threshold } = series;
  const movedMs = onsetMs ?? splitMs;
  const points = pointsWithin(series.points, drawnFrom(series, movedMs), series.toMs);
  return drawSparkline({
    points, movedMs, threshold, description: seriesDescription(points, series),
  });
}
