import { medianOf } from '../../../lib/sorted-quantile.ts';
import { minuteMs } from '../../../lib/time-units.ts';
import { gridOf, timeAt, type RangeWindow, type TimeGrid } from '../../../sources/time-grid.ts';
import type { RankedSeries } from '../../../statistics/rank-series.ts';
import { notableZ } from '../../../statistics/strength.ts';
import type { ScrapeDetail, Window } from '../../metric-facts.ts';
import type { Asker } from '../asking.ts';
import { fetchAgain, type DerivedById, type Fetch } from './fetch-candidates.ts';

const beforeMs = 15 * minuteMs;
const afterMs = 15 * minuteMs;
const rangeMaxMs = 15 * minuteMs;
const shortlistMax = 20;
/** The time of a value that has just been scraped is asked for up to the present. */
const scrapeSecondsDefault = 15;

/** What is known of a change on the grid. */
export type CloseLine = Pick<
  RankedSeries, 'before' | 'after' | 'scale' | 'onsetIndex' | 'z' | 'isState' | 'strength'
> & { readonly candidate: Pick<RankedSeries['candidate'], 'id'> };

interface DetailContext {
  readonly lines: readonly CloseLine[];
  readonly derivedOf: DerivedById;
  readonly matchers: Fetch['matchers'];
  readonly window: Window;
  readonly grid: TimeGrid;
  /** Null if unknown. */
  readonly scrapeSeconds: number | null;
  /** When the alert ended; null while it fires. */
  readonly endsAtMs: number | null;
  readonly now: number;
  /** Most queries. */
  readonly budget: number;
}

/**
 * The changes that stand out, looked at once more at the interval of the scrapes around the
 * beginning of the problem: on a grid of five hours, it is up to a minute late, and the last
 * minute is missing. By candidate id; empty where the grid is as fine.
 */
export async function askClosely(
  asker: Asker,
  context: DetailContext,
): Promise<ReadonlyMap<string, ScrapeDetail>> {
  const { lines, window, grid } = context;
  const around = closeWindow(context);
  if (around.stepSeconds * 1000 >= grid.stepMs) return new Map();
  const looked = lines
    .filter(({ strength, isState, z }) => strength !== 'weak' || (isState && z !== 0))
    .slice(0, shortlistMax);
  const ids = looked.map(({ candidate }) => candidate.id);
  const again = await fetchAgain(asker, ids, { ...context, part: 'search', window: around });
  const close = gridOf(around);
  return new Map(looked.flatMap((line) => {
    const values = again?.find(({ id }) => id === line.candidate.id)?.values;
    if (values === undefined || !values.some(Number.isFinite)) return [];
    const coarseMs = line.onsetIndex === null ? window.onMs : timeAt(grid, line.onsetIndex);
    const onset = beginningNear(values, line, {
      from: Math.ceil((coarseMs - 2 * grid.stepMs - close.startMs) / close.stepMs),
      to: Math.floor((coarseMs + grid.stepMs - close.startMs) / close.stepMs),
    });
    return [[line.candidate.id, {
      onsetMs: onset === null ? null : timeAt(close, onset), stepMs: close.stepMs,
      last: values.findLast(Number.isFinite) ?? null,
      level: medianOf(values.filter(Number.isFinite).slice(-levelPoints)),
    }] as const];
  }));
}

function closeWindow({ window, scrapeSeconds, endsAtMs, now }: DetailContext): RangeWindow {
  const { onMs, splitMs } = window;
  const fromMs = onMs - Math.min(rangeMaxMs, onMs - splitMs) - beforeMs;
  const toMs = Math.max(fromMs, Math.min(now, endsAtMs ?? now, onMs + afterMs));
  return { fromMs, toMs, stepSeconds: scrapeSeconds ?? scrapeSecondsDefault };
}

/** Values of which one alone is no level. */
const levelPoints = 3;
const leastPart = 0.1;

/**
 * The first point of a span at which the values leave the usual level for good; null if they do
 * not. A slow ramp leaves it with a tenth of its way, and what varies with more than it varies by.
 */
function beginningNear(
  values: Float64Array,
  { before, after, scale }: Pick<RankedSeries, 'before' | 'after' | 'scale'>,
  { from, to }: { readonly from: number; readonly to: number },
): number | null {
  const way = after - before;
  const far = Math.min(Math.abs(way) / 2, Math.max(notableZ * scale, leastPart * Math.abs(way)));
  const isAway = (value: number): boolean => Math.sign(way) * (value - before) >= far;
  for (let index = Math.max(0, from); index <= Math.min(to, values.length - 1); index += 1) {
    const value = values[index] ?? Number.NaN;
    const next = values.subarray(index).filter(Number.isFinite).subarray(0, levelPoints);
    // What had left its level before the span began earlier than the grid shows.
    if (Number.isFinite(value) && isAway(value) && isAway(medianOf(next))) {
      return index === Math.max(0, from) ? null : index;
    }
  }
  return null;
}
