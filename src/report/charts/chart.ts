import { html, unbroken, type Content, type Html } from '../html.ts';
import { pointsWithin, thinned } from './line.ts';
import { picture, type Drawn, type Picture } from './picture.ts';
import { valueAxis } from './value-axis.ts';

export interface Chart extends Drawn {
  /** The first of a stack is large and names its moments; those below it are small. */
  readonly size: 'large' | 'small';
  /** The caption: a sentence that says what the chart shows. */
  readonly title: Content;
  /** Sentences on what the picture does not show. */
  readonly notes: readonly string[];
}

const sizes: Readonly<Record<Chart['size'], Picture['size']>> = {
  large: { plotHeight: 112, nameRows: 3, valueSteps: 3, timeTicks: 5, points: 180 },
  small: { plotHeight: 38, nameRows: 0, valueSteps: 1, timeTicks: 0, points: 70 },
};

/** A threshold more than this many times the values is left out, or they would look flat. */
const thresholdTimesMax = 20;

/** A line chart over time with axes, marks and notes; empty if there is no point to draw. */
export function chart(given: Chart): Html {
  const size = sizes[given.size];
  const { id, span, unit } = given;
  const { fromMs, toMs } = span;
  const all = pointsWithin(given.points, fromMs, toMs);
  if (all.length === 0) return html``;
  const ghosts = given.ghosts
    .map(({ name, points }) => ({ name, points: pointsWithin(points, fromMs, toMs) }))
    .filter(({ points }) => points.length > 0);
  const values = [...all, ...ghosts.flatMap(({ points }) => points)].map(({ value }) => value);
  const limit = thinned(pointsWithin(given.threshold?.points ?? [], fromMs, toMs), size.points);
  const limits = limit.map(({ value }) => value);
  const isNear = limits.every((value) => isNearTo(value, values));
  const threshold = given.threshold && { ...given.threshold, points: isNear ? limit : [] };
  const axis = valueAxis(isNear ? [...values, ...limits] : values, unit, size.valueSteps);
  const points = thinned(all, size.points);
  const notes = [
    // As the style sheet draws them.
    ...(ghosts.length > 1
      ? ghosts.map(({ name }, index) => `${index === 0 ? 'Dots' : 'Dashes'}: ${name}.`) : []),
    ...given.notes,
    !isNear && 'The threshold is too far from the values to be drawn.',
    axis.isCut && 'The axis does not start at zero.',
  ].filter((note) => note !== false);
  return html`<figure class="chart ${given.size}">
<figcaption id="${id}-title">${given.title}</figcaption>
${picture({
    id, size, axis, points, threshold, unit, span,
    plane: { fromMs, toMs, from: axis.from, to: axis.to, height: size.plotHeight },
    description: given.description, shaded: given.shaded, movedMs: given.movedMs,
    ghosts: ghosts.map((ghost, index) =>
      ({ ...ghost, points: thinned(ghost.points, size.points / (2 + 4 * index)) })),
    markers: given.markers.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs),
  })}
${notes.length > 0 && html`<p class="small quiet">${unbroken(notes.join(' '))}</p>`}
</figure>
`;
}

function isNearTo(threshold: number, values: readonly number[]): boolean {
  const level = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return level === 0 || Math.abs(threshold) <= level * thresholdTimesMax;
}
