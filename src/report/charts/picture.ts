import { formatQuantity } from '../../lib/quantity.ts';
import { html, trusted, type Html } from '../html.ts';
import { besideLine, textHeight } from './beside-line.ts';
import { hoverAreas } from './hover-areas.ts';
import type { NamedLine, Point } from './line.ts';
import { placeNames } from './place-names.ts';
import { linePaths, path, percentOf, plotWidth, tenths, xOf, yOf, type Plane } from './plot.ts';
import { timeTicks } from './time-axis.ts';
import type { ValueAxis } from './value-axis.ts';

/** A moment marked by a vertical line and its name. */
export interface Marker {
  readonly atMs: number;
  readonly name: string;
  readonly kind: 'began' | 'fired' | 'resolved' | 'now' | 'event';
}

export interface Drawn {
  /** Prefix of the ids in this chart, a constant that is unique on the page. */
  readonly id: string;
  /** Text alternative for the picture. */
  readonly description: string;
  readonly unit: string | null;
  readonly points: readonly Point[];
  /** The same series at earlier times, as fainter lines; the most recent first. */
  readonly ghosts: readonly NamedLine[];
  readonly threshold: NamedLine | null;
  /** When the problem began and ended. */
  readonly shaded: null | { readonly fromMs: number; readonly toMs: number };
  readonly markers: readonly Marker[];
}

/** A chart whose points, axis and threshold have been chosen. */
export interface Picture extends Drawn {
  readonly plane: Plane;
  readonly axis: ValueAxis;
  /** The plot's height in pixels, and limits of names, steps, ticks, points and hover areas. */
  readonly size: {
    readonly plotHeight: number;
    readonly nameRows: number;
    readonly valueSteps: number;
    readonly timeTicks: number;
    readonly points: number;
    readonly areas: number;
  };
}

const rowHeight = 14;
const timesHeight = 18;

/**
 * The SVG. Heights are in pixels and widths in percent, so that it fills any width while its text
 * keeps the size of the text around it: only the plot is stretched.
 */
export function picture(drawn: Picture): Html {
  const { id, size, plane, description } = drawn;
  const placed = placeNames(namesOf(drawn), size.nameRows);
  const top = 4 + rowHeight * placed.reduce((rows, { row }) => Math.max(rows, row + 1), 0);
  const names = placed.map(({ x, row, anchor, text }) =>
    label({ x: `${tenths(x)}%`, y: 11 + row * rowHeight, kind: anchor, text }));
  // The HTML parser restores the capitals in viewBox and preserveAspectRatio.
  return html`<svg role="img" aria-labelledby="${id}-title ${id}-text" width="100%" height="${
    top + size.plotHeight + timesHeight}"><desc id="${id}-text">${description}</desc>
<svg y="${top}" width="100%" height="${size.plotHeight}" viewbox="0 0 ${plotWidth} ${
    size.plotHeight}" preserveaspectratio="none">${shade(drawn)}${grid(drawn)}${
    lines(drawn)}${hoverAreas(drawn.points, plane, { unit: drawn.unit, max: size.areas })}</svg>
${names}${valueLabels(drawn, top)}${timeLabels(drawn, top)}${lineLabels(drawn, top)}</svg>`;
}

/** The most important markers choose their rows first. */
const order: readonly Marker['kind'][] = ['fired', 'began', 'resolved', 'now', 'event'];

function namesOf({ markers, plane }: Picture): { at: number; text: string }[] {
  return order.flatMap((kind) => markers.filter((marker) => marker.kind === kind))
    .map(({ atMs, name }) => ({ at: percentOf(plane, atMs), text: name }));
}

function shade({ shaded, plane }: Picture): Html {
  if (shaded === null) return html``;
  const [left, right] = [xOf(plane, shaded.fromMs), xOf(plane, shaded.toMs)]
    .map((x) => Math.min(plotWidth, Math.max(0, x)));
  return path('shade', `M${left} 0H${right}V${plane.height}H${left}Z`);
}

function grid({ axis, plane }: Picture): Html {
  const rules = axis.ticks.map(({ value }) => `M0 ${yOf(plane, value)}H${plotWidth}`);
  return path('grid', rules.join(''));
}

function lines({ points, ghosts, threshold, markers, plane }: Picture): Html {
  const marks = order.map((kind) => path(`mark ${kind}`, markers
    .filter((marker) => marker.kind === kind)
    .map(({ atMs }) => `M${xOf(plane, atMs)} 0V${plane.height}`).join('')));
  const earlier = ghosts.map(({ points: own }, index) =>
    linePaths(own, plane, index === 0 ? 'ghost' : 'ghost older'));
  return html`${marks}${earlier.toReversed()}${
    linePaths(threshold?.points ?? [], plane, 'limit')}${
    linePaths(points, plane, 'course')}`;
}

function valueLabels({ axis, plane }: Picture, top: number): readonly Html[] {
  return axis.ticks.map(({ value, label: text }) =>
    label({ x: '-6', y: top + yOf(plane, value) + 4, kind: 'end quiet', text }));
}

/** A time beyond this percentage of the width is put left of its tick and needs this much room. */
const nearEnd = 93;
const roomAtEnd = 23;

function timeLabels({ plane, size }: Picture, top: number): readonly Html[] {
  const y = top + plane.height + 14;
  const ticks = timeTicks(plane.fromMs, plane.toMs, size.timeTicks);
  const labels = ticks.map(({ atMs, label: text, isClock }, index) => {
    const x = percentOf(plane, atMs);
    const kind = x > nearEnd ? 'end quiet' : 'middle quiet';
    const before = ticks[index - 1];
    // On a narrow screen it would overlap the one before it.
    if (x > nearEnd && before !== undefined && x - percentOf(plane, before.atMs) < roomAtEnd) {
      return html``;
    }
    const attributes = isClock && secondsOf(atMs);
    return label({ x: `${tenths(x)}%`, y, kind, text, attributes });
  });
  const [first] = ticks;
  const attributes = first?.isClock && html`${secondsOf(first.atMs)} data-zone`;
  // The zone is further left than the first time can reach.
  return [label({ x: '-20', y, kind: 'end quiet', text: 'UTC', attributes }), ...labels];
}

/** For the script, which knows the reader's time zone. */
function secondsOf(atMs: number): Html {
  return html` data-at="${atMs / 1000}"`;
}

/** Lines are labelled in place, so that nobody has to tell them apart by colour. */
function lineLabels({ points, ghosts, threshold, unit, plane }: Picture, top: number): Html {
  const latest = points.slice(-1).map(({ value }) => formatQuantity(value, unit)).join();
  const lines = [
    { points, name: latest, look: 'last' },
    ...ghosts.map((ghost) => ({ ...ghost, look: 'quiet' })),
  ];
  const taken: number[] = [];
  const labels = lines.flatMap(({ look: appearance, ...line }) => {
    const beside = besideLine(line, { plane, line: points, taken });
    if (beside === null) return [];
    taken.push(beside.y);
    const { x, y, side } = beside;
    return [label({ x, y: top + y, kind: `${side} ${appearance}`, text: line.name })];
  });
  return html`${threshold && limitLabel(threshold, plane, top)}${labels.toReversed()}`;
}

/** Above the start of the line, or below it at the top of the plot; never too far right. */
function limitLabel(
  { points: [first], name }: NamedLine,
  plane: Plane,
  top: number,
): Html | null {
  if (first === undefined) return null;
  const x = Math.min(70, Math.max(1, percentOf(plane, first.atMs)));
  const y = yOf(plane, first.value);
  return label({
    x: `${tenths(x)}%`, y: top + (y < textHeight ? y + textHeight - 1 : y - 4),
    kind: 'limit-name', text: name,
  });
}

interface Label {
  readonly x: string;
  readonly y: number;
  readonly kind: string;
  readonly text: string;
  readonly attributes?: Html | false | undefined;
}

/** `kind` is a constant of this file. */
function label({ x, y, kind, text, attributes = false }: Label): Html {
  return html`<text x="${trusted(x)}" y="${tenths(y)}" class="${trusted(kind)}"${attributes}>${
    text}</text>`;
}
