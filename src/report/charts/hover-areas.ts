import { formatQuantity } from '../../lib/quantity.ts';
import { html, trusted, type Html } from '../html.ts';
import type { Point } from './line.ts';
import { plotWidth, tenths, xOf, type Plane } from './plot.ts';

/**
 * At most `max` areas as high as the plot that show the values under the pointer, as tooltips of
 * the browser itself, which need no script.
 */
export function hoverAreas(
  points: readonly Point[],
  plane: Plane,
  { unit, max }: { readonly unit: string | null; readonly max: number },
): Html {
  const size = Math.max(1, Math.ceil(points.length / max));
  const groups = Array.from({ length: Math.ceil(points.length / size) }, (_, index) =>
    points.slice(index * size, (index + 1) * size));
  const areas = groups.map((group, index) => {
    const left = index === 0 ? 0 : border(groups[index - 1]?.at(-1), group[0], plane);
    const isLast = index === groups.length - 1;
    const right = isLast ? plotWidth : border(group.at(-1), groups[index + 1]?.[0], plane);
    const shape = `M${left} 0h${tenths(right - left)}v${plane.height}h${tenths(left - right)}z`;
    return html`<path d="${trusted(shape)}"><title>${tip(group, unit)}</title></path>`;
  });
  return html`<g class="areas">${areas}</g>`;
}

function border(before: Point | undefined, after: Point | undefined, plane: Plane): number {
  if (before === undefined || after === undefined) return 0;
  return xOf(plane, (before.atMs + after.atMs) / 2);
}

function tip(group: readonly Point[], unit: string | null): string {
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined) return '';
  const heights = group.map(({ value }) => value);
  const low = formatQuantity(Math.min(...heights), unit);
  const high = formatQuantity(Math.max(...heights), unit);
  const [from, to] = [clockText(first.atMs), clockText(last.atMs)];
  const values = low === high ? low : `${low} to ${high}`;
  return `${from === to ? from : `${from} to ${to}`} UTC: ${values}`;
}

function clockText(atMs: number): string {
  const text = new Date(atMs).toISOString().slice(11, 19);
  return text.endsWith(':00') ? text.slice(0, 5) : text;
}
