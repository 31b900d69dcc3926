import { gridOf } from '../../sources/prometheus.ts';
import type { TimeGrid } from '../../sources/prometheus-answers.ts';
import type { ChangeRanking } from '../../statistics/rank-changes.ts';
import type { Window } from '../metric-facts.ts';
import type { Asker } from './asking.ts';
import { fetchAgain, type DerivedById, type Fetch } from './fetch-candidates.ts';

const minuteMs = 60_000;
/** A change that moved back earlier than this before the end did so for another reason. */
const beforeEndMs = 60 * minuteMs;
const afterEndMs = 30 * minuteMs;
const changesMax = 20;
const vanishedMax = 10;

interface RecoveryContext {
  readonly ranking: ChangeRanking;
  readonly derivedOf: DerivedById;
  readonly matchers: Fetch['matchers'];
  readonly window: Window;
  readonly endsAtMs: number;
  readonly now: number;
  /** Most queries. */
  readonly budget: number;
}

/** The changed series around the end of the alert, by candidate id, on their own grid. */
export interface AskedRecovery {
  readonly grid: TimeGrid;
  readonly values: ReadonlyMap<string, Float64Array>;
  /** Ids of the changes that were asked about. */
  readonly asked: readonly string[];
}

/** Fetches the changes that stood out again around the end. Null if nothing stood out. */
export async function askRecovery(
  asker: Asker,
  { ranking, derivedOf, matchers, window, endsAtMs, now, budget }: RecoveryContext,
): Promise<AskedRecovery | null> {
  const changed = ranking.series.filter(({ strength }) => strength !== 'weak').slice(0, changesMax);
  const gone = new Set(ranking.components.filter(({ isGone }) => isGone)
    .map(({ component }) => component));
  const ended = ranking.vanished.filter(({ candidate }) => gone.has(candidate.component));
  const asked = [...changed, ...ended.slice(0, vanishedMax)].map(({ candidate }) => candidate.id);
  // A sender's clock may be ahead of ours, or behind.
  const endMs = Math.max(window.splitMs, Math.min(endsAtMs, now));
  const around = {
    stepSeconds: window.stepSeconds,
    fromMs: Math.max(window.splitMs, endMs - beforeEndMs), toMs: Math.min(now, endMs + afterEndMs),
  };
  const values = await fetchAgain(asker, asked, {
    part: 'recovery', window: around, budget, derivedOf, matchers,
  });
  return values && { grid: gridOf(around), asked, values };
}
