import type { Severity } from '../../alert/severity.ts';
import { formatDuration } from '../../lib/quantity.ts';
import { html, trusted, type Html } from '../html.ts';
import { shorten } from '../plain-text.ts';
import { path, percentOf, plotWidth, tenths, xOf, type Plane } from './plot.ts';
import { timeTicks } from './time-axis.ts';

/** One alert of an incident; `toMs` is null while it fires. */
interface Lane {
  readonly name: string;
  readonly severity: Severity;
  readonly fromMs: number;
  readonly toMs: number | null;
}

const lanesMax = 24;
const laneHeight = 22;
const barHeight = 8;
const nameMax = 44;
/** Least width at which a bar is visible; the whole is 1000 wide. */
const barWidthMin = 4;
/** Room before the first start and after the present, as a share of the time between. */
const room = 0.04;

/**
 * The alerts of an incident as bars over one time, the earliest first, each under its name; `now`
 * is in ms. Empty for fewer than two.
 */
export function lanes(all: readonly Lane[], now: number): Html {
  const shown = all.toSorted((a, b) => a.fromMs - b.fromMs).slice(0, lanesMax);
  const [first] = shown;
  if (first === undefined || shown.length < 2) return html``;
  const lastMs = Math.max(...shown.map(({ toMs }) => toMs ?? now));
  const margin = Math.max(1000, room * (lastMs - first.fromMs));
  const plane: Plane = {
    fromMs: first.fromMs - margin, toMs: lastMs + margin, from: 0, to: 1,
    height: shown.length * laneHeight,
  };
  const caption = `${shown.length < all.length ? `The first ${shown.length} of ${all.length}`
    : `All ${all.length}`} alerts over time, from the first that began`;
  // The HTML parser restores the capitals in viewBox and preserveAspectRatio.
  return html`<figure class="chart lanes"><figcaption class="small${
    shown.length === all.length && ' unseen'}" id="lanes-title">${caption}</figcaption>
<svg role="img" aria-labelledby="lanes-title lanes-text" width="100%" height="${
    plane.height + 18}"><desc id="lanes-text">${descriptionOf(shown, now)}</desc>
<svg width="100%" height="${plane.height}" viewbox="0 0 ${plotWidth} ${
    plane.height}" preserveaspectratio="none">${
    shown.map((lane, index) => bar(lane, { index, plane, now }))}</svg>
${shown.map((lane, index) => laneName(lane, index, plane))}${timeTexts(plane)}</svg>
</figure>
`;
}

function bar(
  { fromMs, toMs, severity }: Lane,
  { index, plane, now }: { readonly index: number; readonly plane: Plane; readonly now: number },
): Html {
  const left = xOf(plane, fromMs);
  const right = Math.max(left + barWidthMin, xOf(plane, toMs ?? now));
  const y = (index + 1) * laneHeight - barHeight;
  const look = toMs === null ? severity : 'resolved';
  const [from, to] = [tenths(left), tenths(right)];
  return path(`bar ${look}`, `M${from} ${y}H${to}v${barHeight}H${from}Z`);
}

function laneName({ name, fromMs }: Lane, index: number, plane: Plane): Html {
  const at = percentOf(plane, fromMs);
  const isLate = at > 50;
  return html`<text x="${tenths(at)}%" y="${(index + 1) * laneHeight - barHeight - 2}" class="${
    trusted(isLate ? 'end' : 'start')}">${shorten(name, nameMax)}</text>`;
}

function timeTexts(plane: Plane): readonly Html[] {
  return timeTicks(plane.fromMs, plane.toMs, 4).map(({ atMs, label, isClock }, index) => {
    const x = percentOf(plane, atMs);
    const anchor = x > 90 ? 'end' : x < 10 ? 'start' : 'middle';
    const zone = index === 0 && !isClock && ' UTC';
    return html`<text x="${tenths(x)}%" y="${plane.height + 14}" class="${
      trusted(`${anchor} quiet`)}"${isClock && html` data-at="${atMs / 1000}"`}>${
      label}${zone}</text>`;
  });
}

function descriptionOf(shown: readonly Lane[], now: number): string {
  const [first] = shown;
  return shown.map(({ name, fromMs, toMs }) => {
    const after = formatDuration((fromMs - (first?.fromMs ?? fromMs)) / 1000);
    const lasted = formatDuration(Math.max(0, (toMs ?? now) - fromMs) / 1000);
    return `${name} began ${after} after the first, ${
      toMs === null ? `fires for ${lasted}` : `lasted ${lasted}`}.`;
  }).join(' ');
}
