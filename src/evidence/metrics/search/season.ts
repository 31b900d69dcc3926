import { dayMs } from '../../../lib/time-units.ts';
import type { RankedSeries } from '../../../statistics/rank-series.ts';
import { checkSeason, type EarlierPeriod } from '../../../statistics/seasonal-check.ts';
import type { RankingFacts, Window } from '../../metric-facts.ts';
import type { Asker } from '../asking.ts';
import { firedWithin, type FiredAnswer } from '../own/fired.ts';
import { fetchAgain, type DerivedById, type Fetch } from './fetch-candidates.ts';

const daysAgo = [1, 7] as const;
const shortlistMax = 20;

interface SeasonContext {
  readonly lines: readonly RankedSeries[];
  readonly derivedOf: DerivedById;
  readonly matchers: Fetch['matchers'];
  readonly window: Window;
  readonly split: number;
  /** When the alert fired before. */
  readonly fired: FiredAnswer | null;
  /** Most queries for one day. */
  readonly budget: number;
}

/** Checks whether the largest changes also happen at this time on other days. */
export async function askSeason(
  asker: Asker,
  context: SeasonContext,
): Promise<RankingFacts['seasonal']> {
  const { window, split } = context;
  const lines = context.lines
    .filter(({ strength, isState }) => strength !== 'weak' && !isState)
    .slice(0, shortlistMax);
  const ids = lines.map(({ candidate }) => candidate.id);
  const periods = await Promise.all(daysAgo.map(async (days) => {
    const shiftMs = days * dayMs;
    const shifted = { ...window, fromMs: window.fromMs - shiftMs, toMs: window.toMs - shiftMs };
    const again = await fetchAgain(asker, ids, { ...context, part: 'season', window: shifted });
    return { days, isTroubled: firedWithin(context.fired, shifted), again };
  }));
  const seasonal = new Map<string, { z: number; isUsual: boolean }>();
  for (const line of lines) {
    const { id, values } = line.candidate;
    const earlier = periods.flatMap(({ days, isTroubled, again }): EarlierPeriod[] => {
      const found = again?.find((each) => each.id === id);
      return found === undefined ? [] : [{ days, isTroubled, values: found.values }];
    });
    if (earlier.length === 0) continue;
    const checked = checkSeason({ values, split, change: line }, earlier);
    if (checked.seasonalZ !== null) seasonal.set(id, { z: checked.z, isUsual: checked.isUsual });
  }
  return seasonal;
}
