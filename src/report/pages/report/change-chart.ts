import { parseTime } from '../../../alert/timestamp.ts';
import { formatQuantity } from '../../../lib/quantity.ts';
import { chart } from '../../charts/chart.ts';
import { levelAt } from '../../charts/course.ts';
import { drawnFrom } from '../../charts/drawn-from.ts';
import type { Marker } from '../../charts/picture.ts';
import { seriesDescription } from '../../charts/series-words.ts';
import { html, sentence, type Html } from '../../html.ts';
import type { Change } from '../../report.ts';
import { momentAt } from '../elements.ts';
import { changeSeries } from './drawn-series.ts';
import { citations } from './linked-text.ts';
import type { View } from './view.ts';

/** The chart of a change, captioned with its title; empty for a change that is not drawn. */
export function changeChart(change: Change, view: View): Html {
  const drawn = changeSeries(change, view);
  if (drawn === null) return html``;
  const { chartId, item, series } = drawn;
  const { points, onsetMs, splitMs, toMs, stepMs, isRate } = series;
  const unit = series.unit ?? change.unit;
  const fromMs = drawnFrom(series, onsetMs ?? splitMs);
  const firedMs = parseTime(view.report.episode.starts_at);
  const markers: readonly Marker[] = [
    ...(onsetMs === null ? [] : [{ atMs: onsetMs, name: 'moved', kind: 'began' as const }]),
    ...(firedMs === null ? [] : [{ atMs: firedMs, name: 'fired', kind: 'fired' as const }]),
  ];
  return chart({
    id: chartId, size: 'small', unit, fromMs, toMs,
    points, markers, title: html`${titleOf(change, onsetMs, view)}${
      citations(change.evidence, view)}`,
    description: `${item.title}. ${seriesDescription(points, { splitMs, unit, stepMs })}`,
    ghosts: [],
    threshold: series.threshold === null ? null
      : {
        points: levelAt(series.threshold, fromMs, toMs),
        name: formatQuantity(series.threshold, unit),
      },
    shaded: onsetMs === null ? null : { fromMs: onsetMs, toMs },
    notes: isRate ? ['A counter, shown as its rate.'] : [],
  });
}

/** The change's title with the time of its onset. */
function titleOf({ title }: Change, onsetMs: number | null, { now }: View): Html {
  if (onsetMs === null) return sentence(`${title}.`);
  const at = momentAt(onsetMs, now);
  return / (?:rose|fell) from /u.test(title) ? html`${sentence(title)} at ${at}.`
    : html`${sentence(title)} (since ${at}).`;
}
