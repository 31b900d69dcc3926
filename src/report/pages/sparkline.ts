import { formatQuantity } from '../../lib/quantity.ts';
import { html, trusted, type Html } from '../html.ts';
import { formatExactMoment, formatSpan } from '../moment.ts';
import type { EvidenceItem } from '../report.ts';

const width = 240;
const height = 40;
/** Points drawn at most, and left out at the edges so that a line is not cut. */
const pointsMax = 360;
const margin = 2;

/** What of an item's data is drawn; the data may be of any form. */
interface Drawn {
  readonly values: readonly (number | null)[];
  readonly unit: string | null;
  readonly split: number | null;
  readonly threshold: number | null;
}

/**
 * A series as a small line, drawn from an item of evidence, with the split between before and after
 * and the limit where they are known. Nothing for an item that holds no series. Attributes alone,
 * since the page's policy allows no styles beside its own sheet.
 */
export function sparkline(item: EvidenceItem | undefined): Html {
  const drawn = item === undefined ? null : drawnOf(item.data);
  if (item === undefined || drawn === null) return html``;
  const known = drawn.values.filter((value) => value !== null);
  const [lowest, highest] = [Math.min(...known), Math.max(...known)];
  const last = known.at(-1);
  if (known.length < 2 || last === undefined) return html``;
  const limit = drawn.threshold;
  const isNear = limit !== null && limit <= highest + 2 * (highest - lowest) &&
    limit >= lowest - 2 * (highest - lowest);
  const bounds = isNear ? [Math.min(lowest, limit), Math.max(highest, limit)] as const
    : [lowest, highest] as const;
  const y = (value: number): number => heightOf(value, bounds);
  const said = (value: number): string => formatQuantity(value, drawn.unit);
  const span = item.from === null || item.to === null ? ''
    : ` over ${formatSpan(item.from, item.to, 0)} from ${formatExactMoment(item.from)}`;
  const words = `${said(lowest)} to ${said(highest)}${span}, at last ${said(last)}`;
  // A page's parser gives these names back the capitals that they have in SVG.
  return html`<svg class="line" role="img" viewbox="0 0 ${width} ${height}" ${
    trusted('preserveaspectratio="none"')}><title>${words}</title>${
    drawn.split !== null && verticalAt(drawn.split, drawn.values.length)}${
    isNear && path('limit', `M0 ${y(limit)}H${width}`)}${
    path('course', pathOf(drawn.values, y))}</svg>`;
}

function heightOf(value: number, [lowest, highest]: readonly [number, number]): number {
  const room = height - 2 * margin;
  const share = highest === lowest ? 0.5 : (value - lowest) / (highest - lowest);
  return round(height - margin - share * room);
}

/** A line with a gap wherever a value is missing. */
function pathOf(values: readonly (number | null)[], y: (value: number) => number): string {
  const step = width / Math.max(1, values.length - 1);
  let isDrawing = false;
  return values.map((value, index) => {
    if (value === null) {
      isDrawing = false;
      return '';
    }
    const command = isDrawing ? 'L' : 'M';
    isDrawing = true;
    return `${command}${round(index * step)} ${y(value)}`;
  }).join('');
}

function verticalAt(split: number, count: number): Html {
  const x = round((split * width) / Math.max(1, count - 1));
  return path('split', `M${x} 0V${height}`);
}

/** Both are made here, of nothing but numbers. */
function path(name: string, course: string): Html {
  return html`<path class="${trusted(name)}" d="${trusted(course)}"></path>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Null for data that is no series. */
function drawnOf(data: unknown): Drawn | null {
  if (typeof data !== 'object' || data === null) return null;
  const { values, unit, split, threshold } = data as Readonly<Record<string, unknown>>;
  if (!Array.isArray(values) || values.length > pointsMax + 1) return null;
  const numbers = values.map((value: unknown) => numberIn(value));
  const isInside = Number.isInteger(split) && Number(split) > 0 && Number(split) < values.length;
  return {
    values: numbers,
    unit: typeof unit === 'string' ? unit.slice(0, 40) : null,
    split: isInside ? Number(split) : null,
    threshold: numberIn(threshold),
  };
}

function numberIn(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
