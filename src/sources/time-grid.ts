/** A span of time; wall time in milliseconds. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What a range query asks for. */
export interface RangeWindow extends TimeSpan {
  /** Points are this far apart; the last is a multiple of 15 s, so that answers can be shared. */
  readonly stepSeconds: number;
}

/** Evenly spaced moments. */
export interface TimeGrid {
  readonly startMs: number;
  readonly stepMs: number;
  readonly count: number;
}

/** First and last index of a range of grid points. */
export interface IndexSpan {
  readonly first: number;
  readonly last: number;
}

/** Grids of any step end this close to the end of their window: a minute would hide what is new. */
const phaseMs = 15_000;

/** The points in time at which a range query with this window is evaluated. */
export function gridOf({ fromMs, toMs, stepSeconds }: RangeWindow): TimeGrid {
  const stepMs = Math.round(stepSeconds * 1000);
  if (!(stepMs > 0 && toMs >= fromMs)) throw new RangeError('Invalid step or window');
  const phase = stepMs % phaseMs === 0 ? Math.floor((toMs % stepMs) / phaseMs) * phaseMs : 0;
  const startMs = Math.floor((fromMs - phase) / stepMs) * stepMs + phase;
  return { startMs, stepMs, count: Math.floor((toMs - startMs) / stepMs) + 1 };
}

/** The time of a point, in ms; the index may be outside of the grid. */
export function timeAt({ startMs, stepMs }: TimeGrid, index: number): number {
  return startMs + index * stepMs;
}

/** The time of the last point, in ms. */
export function lastTimeOf(grid: TimeGrid): number {
  return timeAt(grid, grid.count - 1);
}

/** Index of the first point at this time or later; may be outside of the grid. */
export function indexFrom({ startMs, stepMs }: TimeGrid, atMs: number): number {
  return Math.ceil((atMs - startMs) / stepMs);
}
