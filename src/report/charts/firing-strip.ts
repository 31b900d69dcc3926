import { parseTime } from '../../alert/timestamp.ts';
import { dayMs } from '../../lib/time-units.ts';
import { html, type Html } from '../html.ts';
import { times } from '../plain-text.ts';
import type { RecentFiring } from '../report-list.ts';
import { path, plotWidth, tenths, xOf, type Plane } from './plot.ts';

const height = 14;
/** Least width at which a bar is visible; a day is 1000 wide. */
const barWidthMin = 14;

/** When an alert fired in the last day, as bars on a line; `now` is in ms. Empty if it did not. */
export function firingStrip(spans: readonly RecentFiring[], now: number): Html {
  const plane: Plane = { fromMs: now - dayMs, toMs: now, from: 0, to: 1, height };
  const shown = spans.flatMap(({ from, to }) => {
    const fromMs = parseTime(from);
    const toMs = to === null ? now : parseTime(to);
    return fromMs === null || toMs === null || toMs < plane.fromMs || fromMs > now ? []
      : [{ left: xOf(plane, Math.max(fromMs, plane.fromMs)), right: xOf(plane, toMs) }];
  });
  if (shown.length === 0) return html``;
  const bars = shown.map(({ left, right }) => {
    const x = Math.min(left, plotWidth - barWidthMin);
    const end = Math.min(plotWidth, Math.max(right, x + barWidthMin));
    return `M${tenths(x)} 0V${height}H${tenths(end)}V0Z`;
  });
  return html`<svg class="day" role="img" viewbox="0 0 ${plotWidth} ${
    height}" preserveaspectratio="none"><title>Fired ${
    times(shown.length)} in the last day</title>${
    path('base', `M0 ${height}H${plotWidth}`)}${path('bar', bars.join(''))}</svg>`;
}
