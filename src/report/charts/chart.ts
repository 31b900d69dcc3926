import { html, type Content, type Html } from '../html.ts';
import { pointsWithin, thinned, type Point } from './course.ts';
import { picture, type Picture } from './picture.ts';
import { valueAxis } from './value-axis.ts';

/** A moment that is marked by a line and its name. */
export interface Marker {
  readonly atMs: number;
  readonly name: string;
  readonly kind: 'began' | 'fired' | 'resolved' | 'now' | 'event';
}

export interface Chart {
  /** A constant that begins the ids of this chart; no other on the page has it. */
  readonly id: string;
  readonly size: 'large' | 'small';
  /** A sentence that says what is seen. */
  readonly title: Content;
  /** What the picture shows, for those who do not see it. */
  readonly description: string;
  readonly unit: string | null;
  readonly fromMs: number;
  readonly toMs: number;
  readonly points: readonly Point[];
  /** The same at other times, to compare with; the nearest first. */
  readonly ghosts: readonly Ghost[];
  /** A number, or how it went where it moves. */
  readonly threshold: null | {
    readonly value: number | readonly Point[]; readonly name: string;
  };
  /** Since when the trouble is there, and until when. */
  readonly shaded: null | { readonly fromMs: number; readonly toMs: number };
  readonly markers: readonly Marker[];
  /** What a reader has to know that the picture does not show. */
  readonly notes: readonly string[];
}

/** A line that is fainter than that of now. */
export interface Ghost {
  readonly name: string;
  readonly points: readonly Point[];
}

const sizes: Readonly<Record<Chart['size'], Picture['size']>> = {
  large: { plotHeight: 148, nameRows: 3, valueSteps: 4, timeTicks: 5, points: 180, areas: 40 },
  small: { plotHeight: 60, nameRows: 2, valueSteps: 2, timeTicks: 3, points: 80, areas: 12 },
};

/** A threshold more than this many times the values is left out: they would be a flat line. */
const thresholdTimesMax = 20;

/** A line over time with all that is needed to read it; nothing when there is no point to draw. */
export function chart(wanted: Chart): Html {
  const size = sizes[wanted.size];
  const { id, fromMs, toMs, unit } = wanted;
  const all = pointsWithin(wanted.points, fromMs, toMs);
  if (all.length === 0) return html``;
  const ghosts = wanted.ghosts
    .map(({ name, points }) => ({ name, points: pointsWithin(points, fromMs, toMs) }))
    .filter(({ points }) => points.length > 0);
  const values = [...all, ...ghosts.flatMap(({ points }) => points)].map(({ value }) => value);
  const limit = drawnLimit(wanted, size.points);
  const limits = limit === null ? [] : limitValues(limit.value);
  const isNear = limits.every((value) => isNearTo(value, values));
  const threshold = isNear ? limit : null;
  const axis = valueAxis(isNear ? [...values, ...limits] : values, unit, size.valueSteps);
  const points = thinned(all, size.points);
  const notes = [
    ...(ghosts.length > 1 ? ghosts.map(strokeNote) : []),
    ...wanted.notes,
    limit !== null && !isNear && 'The threshold is far from what is drawn and left out.',
    axis.isCut && 'The axis does not begin at zero.',
    points.length < all.length &&
      `${points.length} of ${all.length} points are drawn; no peak or dip is left out.`,
  ].filter((note) => note !== false);
  return html`<figure class="chart">
<figcaption id="${id}-title">${wanted.title}</figcaption>
${picture({
    id, size, axis, points, threshold, unit,
    plane: { fromMs, toMs, from: axis.from, to: axis.to, height: size.plotHeight },
    description: wanted.description, shaded: wanted.shaded,
    ghosts: ghosts.map((ghost, index) =>
      ({ ...ghost, points: thinned(ghost.points, size.points / (2 + 4 * index)) })),
    markers: wanted.markers.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs),
  })}
${notes.length > 0 && html`<p class="small quiet">${notes.join(' ')}</p>`}
</figure>
`;
}

/** By what the line is told from the other, as the style sheet draws them. */
function strokeNote({ name }: Ghost, index: number): string {
  return `${index === 0 ? 'Dots' : 'Dashes'}: ${name}.`;
}

/** Of one that moves what is within the chart; null where there is nothing of it. */
function drawnLimit({ threshold, fromMs, toMs }: Chart, max: number): Chart['threshold'] {
  if (threshold === null || typeof threshold.value === 'number') return threshold;
  const points = pointsWithin(threshold.value, fromMs, toMs);
  return points.length === 0 ? null : { ...threshold, value: thinned(points, max) };
}

function limitValues(limit: number | readonly Point[]): readonly number[] {
  return typeof limit === 'number' ? [limit] : limit.map(({ value }) => value);
}

function isNearTo(threshold: number, values: readonly number[]): boolean {
  if (!Number.isFinite(threshold)) return false;
  const level = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return level === 0 || Math.abs(threshold) <= level * thresholdTimesMax;
}
