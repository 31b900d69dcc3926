import { formatQuantity } from '../../lib/quantity.ts';
import { html, trusted, type Html } from '../html.ts';
import { besideLine, textHeight } from './beside-line.ts';
import { pointsWithin, type NamedLine, type Point } from './line.ts';
import { placeNames } from './place-names.ts';
import { linePaths, path, percentOf, plotWidth, tenths, xOf, yOf, type Plane } from './plot.ts';
import { timeTicks } from './time-axis.ts';
import type { ValueAxis } from './value-axis.ts';

/** The time that a stack of charts shows, in ms, and the shorter one that it can be zoomed to. */
export interface StackSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly near: null | { readonly fromMs: number; readonly toMs: number };
}

/** A moment marked by a vertical line and its name. */
export interface Marker {
  readonly atMs: number;
  readonly name: string;
  /** What is shown where the name has no room; absent for nothing. */
  readonly short?: string;
  readonly kind: 'began' | 'fired' | 'resolved' | 'notified' | 'event';
}

export interface Drawn {
  /** Prefix of the ids in this chart, a constant that is unique on the page. */
  readonly id: string;
  /** Text alternative for the picture. */
  readonly description: string;
  readonly span: StackSpan;
  readonly unit: string | null;
  readonly points: readonly Point[];
  /** The same series at earlier times, as fainter lines; the most recent first. */
  readonly ghosts: readonly NamedLine[];
  readonly threshold: NamedLine | null;
  /** When the problem began and ended. */
  readonly shaded: null | { readonly fromMs: number; readonly toMs: number };
  /** When the series itself began to move; null for the alert's own, whose problem is marked. */
  readonly movedMs: number | null;
  readonly markers: readonly Marker[];
}

/** A chart whose points, axis and threshold have been chosen. */
export interface Picture extends Drawn {
  readonly plane: Plane;
  readonly axis: ValueAxis;
  /** The plot's height in pixels, and limits of rows of names, steps, ticks and points. */
  readonly size: {
    readonly plotHeight: number;
    /** None: the moments are named, and the times told, in another chart of the stack. */
    readonly nameRows: number;
    readonly valueSteps: number;
    readonly timeTicks: number;
    readonly points: number;
  };
}

const rowHeight = 14;
const timesHeight = 18;
/** Half a line of text below a plot without times, for the label of its lowest value. */
const footHeight = 4;

/**
 * The SVG. Heights are in pixels and widths in percent, so that it fills any width while its text
 * keeps the size of the text around it: only the plot is stretched. The zoomed picture draws the
 * same lines again, stretched further; the style sheet shows one of the two.
 */
export function picture(drawn: Picture): Html {
  const { id, size, plane, description, span: { near }, axis } = drawn;
  const nearPlane = near && { ...plane, ...near };
  const planes = [plane, ...(nearPlane === null ? [] : [nearPlane])];
  const rows = planes.flatMap((each) => namesOn(each, drawn)).map(({ row }) => row + 1);
  const top = 4 + rowHeight * Math.max(0, ...rows);
  const foot = size.timeTicks > 0 ? timesHeight : footHeight;
  const plot = html`<g class="lines" id="${id}-plot">${shade(drawn)}${grid(drawn)}${
    lines(drawn)}</g>`;
  const texts = planes.map((each, index) => html`<g class="${
    near !== null && (index === 0 ? 'far' : 'near')}">${
    momentNames(each, drawn)}${timeLabels(each, drawn, top)}${lineLabels(each, drawn, top)}</g>`);
  // The HTML parser restores the capitals in viewBox and preserveAspectRatio.
  return html`<svg role="img" aria-labelledby="${id}-title ${id}-text" width="100%" height="${
    top + size.plotHeight + foot}"><desc id="${id}-text">${description}</desc>
<svg class="plot" y="${top}" width="100%" height="${size.plotHeight}" viewbox="0 0 ${plotWidth} ${
    size.plotHeight}" preserveaspectratio="none" data-axis="${[
      axis.from, axis.to, axis.scale].join(' ')}" data-unit="${axis.suffix}">${
    nearPlane === null ? plot : html`<g class="far">${plot}</g><g class="near"><use href="#${
      id}-plot" transform="${stretch(plane, nearPlane)}"></use></g>`}</svg>
${texts}${valueLabels(drawn, top)}</svg>`;
}

/** Maps the plot of one plane to that of another with the same heights. */
function stretch(plane: Plane, to: Plane): Html {
  const times = (plane.toMs - plane.fromMs) / (to.toMs - to.fromMs);
  return trusted(`matrix(${Number(times.toPrecision(6))} 0 0 1 ${
    tenths(-xOf(plane, to.fromMs) * times)} 0)`);
}

/** The most important markers choose their rows first. */
const order: readonly Marker['kind'][] = ['fired', 'began', 'resolved', 'event', 'notified'];

function namesOn(plane: Plane, { markers, size }: Picture): ReturnType<typeof placeNames> {
  const named = order.flatMap((kind) => markers.filter((marker) => marker.kind === kind))
    .filter(({ atMs }) => atMs >= plane.fromMs && atMs <= plane.toMs)
    .map(({ atMs, name, short = null }) => ({ at: percentOf(plane, atMs), text: name, short }));
  return size.nameRows === 0 ? [] : placeNames(named, size.nameRows);
}

function momentNames(plane: Plane, drawn: Picture): readonly Html[] {
  return namesOn(plane, drawn).map(({ x, row, anchor, text }) =>
    label({ x: `${tenths(x)}%`, y: 11 + row * rowHeight, kind: anchor, text }));
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

/** Height of the tick that marks where a series begins to move. */
const movedHeight = 9;

function lines({ points, ghosts, threshold, markers, movedMs, plane }: Picture): Html {
  const marks = order.map((kind) => path(`mark ${kind}`, markers
    .filter((marker) => marker.kind === kind)
    .map(({ atMs }) => `M${xOf(plane, atMs)} 0V${plane.height}`).join('')));
  const earlier = ghosts.map(({ points: own }, index) =>
    linePaths(own, plane, index === 0 ? 'ghost' : 'ghost older'));
  const isSeen = movedMs !== null && movedMs >= plane.fromMs && movedMs <= plane.toMs;
  return html`${marks}${earlier.toReversed()}${
    linePaths(threshold?.points ?? [], plane, 'limit')}${
    linePaths(points, plane, 'course')}${
    isSeen && path('moved', `M${xOf(plane, movedMs)} ${plane.height}v${-movedHeight}`)}`;
}

function valueLabels({ axis, plane }: Picture, top: number): readonly Html[] {
  return axis.ticks.map(({ value, label: text }) =>
    label({ x: '-6', y: top + yOf(plane, value) + 4, kind: 'end quiet', text }));
}

/** A time beyond this percentage of the width is put left of its tick and needs this much room. */
const nearEnd = 93;
const roomAtEnd = 23;

function timeLabels(plane: Plane, { size }: Picture, top: number): readonly Html[] {
  if (size.timeTicks === 0) return [];
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

/** Lines are labelled in place, so that colour is not needed to distinguish them. */
function lineLabels(plane: Plane, drawn: Picture, top: number): Html {
  const { threshold, unit } = drawn;
  const { fromMs, toMs } = plane;
  const within = (points: readonly Point[]): Point[] => pointsWithin(points, fromMs, toMs);
  const points = within(drawn.points);
  const latest = points.slice(-1).map(({ value }) => formatQuantity(value, unit)).join();
  const named = [
    { points, name: latest, look: 'last' },
    // A single point is no line to be named.
    ...drawn.ghosts.map((ghost) => ({ ...ghost, points: within(ghost.points), look: 'quiet' }))
      .filter(({ points: own }) => own.length > 1),
  ];
  const taken: number[] = [];
  const labels = named.flatMap(({ look, ...line }) => {
    const beside = besideLine(line, { plane, line: points, taken });
    if (beside === null) return [];
    taken.push(beside.y);
    const { x, y, side } = beside;
    return [label({ x, y: top + y, kind: `${side} ${look}`, text: line.name })];
  });
  return html`${threshold && limitLabel(threshold, plane, top)}${labels.toReversed()}`;
}

/** Above the start of the line, or below it at the top of the plot; never too far right. */
function limitLabel(
  { points, name }: NamedLine,
  plane: Plane,
  top: number,
): Html | null {
  const first = points.findLast(({ atMs }) => atMs <= plane.fromMs) ?? points[0];
  if (first === undefined || first.atMs > plane.toMs) return null;
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
