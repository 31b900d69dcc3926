import { formatDuration } from '../../lib/quantity.ts';
import { dayMs } from '../../lib/time-units.ts';
import { html, trusted, type Html } from '../html.ts';
import { counted } from '../plain-text.ts';
import { path, percentOf, plotWidth, tenths, xOf, type Plane } from './plot.ts';
import { timeTicks } from './time-axis.ts';

/** An episode; `toMs` is null while it fires. */
export interface StripEpisode {
  readonly number: number;
  readonly fromMs: number;
  readonly toMs: number | null;
  readonly isThis: boolean;
}

const daysShown = 30;
const barHeight = 24;
const height = barHeight + 34;
/** Limit of bars; more would overlap. */
const barsMax = 120;
/** Least width at which a bar is visible; 30 days are 1000 wide. */
const barWidthMin = 4;

/**
 * The episodes of the 30 days before the report as bars, each from its start for as long as it
 * lasted; empty when there is only one. `now` is when the report was made, in ms; `total` counts
 * all that are known to have begun in these days, which may be more than are listed.
 */
export function episodeStrip(
  episodes: readonly StripEpisode[],
  { now, total }: { readonly now: number; readonly total: number },
): Html {
  const fromMs = now - daysShown * dayMs;
  const shown = episodes
    .filter((episode) => (episode.toMs ?? now) >= fromMs && episode.fromMs <= now)
    .toSorted((a, b) => a.fromMs - b.fromMs || a.number - b.number)
    .slice(-barsMax);
  if (shown.length < 2) return html``;
  const plane: Plane = { fromMs, toMs: now, from: 0, to: 1, height: barHeight };
  const bars = (isThis: boolean): string => shown.filter((each) => each.isThis === isThis)
    .map((each) => bar(each, plane)).join('');
  const mark = shown.find(({ isThis }) => isThis);
  return html`<figure class="chart strip">
<figcaption id="strip-title">${captionOf(shown.length, total)}</figcaption>
<svg role="img" aria-labelledby="strip-title strip-text" width="100%" height="${
    height}"><desc id="strip-text">${descriptionOf(shown, now)}</desc>
<svg class="lines" y="16" width="100%" height="${barHeight}" viewbox="0 0 ${plotWidth} ${
    barHeight}" preserveaspectratio="none">${path('grid', `M0 ${barHeight}H${plotWidth}`)}${
    path('bar', bars(false))}${path('bar this', bars(true))}</svg>
${mark !== undefined && thisLabel(mark, plane)}${dayLabels(plane)}</svg>
</figure>
`;
}

function bar({ fromMs, toMs }: StripEpisode, plane: Plane): string {
  const left = Math.max(0, xOf(plane, fromMs));
  const right = Math.min(plotWidth, xOf(plane, toMs ?? plane.toMs));
  const x = Math.min(left, plotWidth - barWidthMin);
  return `M${tenths(x)} 0V${barHeight}H${tenths(Math.max(right, x + barWidthMin))}V0Z`;
}

function thisLabel({ fromMs }: StripEpisode, plane: Plane): Html {
  const at = Math.max(0, percentOf(plane, fromMs));
  const anchor = at > 80 ? 'end' : 'start';
  return html`<text x="${tenths(at)}%" y="11" class="${trusted(anchor)}">this one</text>`;
}

function dayLabels(plane: Plane): readonly Html[] {
  return timeTicks(plane.fromMs, plane.toMs, 3).map(({ atMs, label }, index) => {
    const x = percentOf(plane, atMs);
    const anchor = x > 93 ? 'end' : x < 8 ? 'start' : 'middle';
    return html`<text x="${tenths(x)}%" y="${height - 4}" class="${
      trusted(`${anchor} quiet`)}">${label}${index === 0 && ' UTC'}</text>`;
  });
}

function captionOf(shown: number, total: number): string {
  const episodes = shown < total ? `The latest ${shown} of ${total} episodes`
    : counted(shown, 'episode');
  return `${episodes} in the ${daysShown} days before this report.`;
}

function descriptionOf(shown: readonly StripEpisode[], now: number): string {
  const seconds = shown.map(({ fromMs, toMs }) => Math.max(0, (toMs ?? now) - fromMs) / 1000);
  const days = shown.map(({ fromMs }) => new Date(fromMs).toISOString().slice(0, 10));
  return `The first began on ${days[0]}, the last on ${days.at(-1)}. The longest lasted ${
    formatDuration(Math.max(...seconds))}; together they lasted ${
    formatDuration(seconds.reduce((sum, each) => sum + each, 0))}.`;
}
