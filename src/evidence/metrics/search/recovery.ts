import { minuteMs } from '../../../lib/time-units.ts';
import { counted } from '../../../report/plain-text.ts';
import { isoTime } from '../../../report/time-text.ts';
import { gridOf, indexFrom, timeAt, type TimeGrid } from '../../../sources/time-grid.ts';
import { noComponent, type ChangeCandidate } from '../../../statistics/change-candidate.ts';
import type { RankedSeries } from '../../../statistics/rank-series.ts';
import { recoveryOf, returnOf, type Recovery } from '../../../statistics/recovery.ts';
import { replicaKey } from '../../../statistics/replica-collapse.ts';
import type { ChangeAtEnd, RecoveryFacts, Window } from '../../metric-facts.ts';
import type { Asker } from '../asking.ts';
import type { FactWriter } from '../fact-writer.ts';
import { rounded, spanOf } from '../series-data.ts';
import type { Derived } from './derive.ts';
import { fetchAgain, type Fetch } from './fetch-candidates.ts';
import type { Ranked } from './rank.ts';

/** A change that moved back earlier than this before the end did so for another reason. */
const beforeEndMs = 60 * minuteMs;
const afterEndMs = 30 * minuteMs;
const changesMax = 20;
const vanishedMax = 10;

interface RecoveryContext {
  readonly ranked: Ranked;
  readonly matchers: Fetch['matchers'];
  readonly window: Window;
  readonly endsAtMs: number;
  readonly now: number;
  /** Most queries. */
  readonly budget: number;
}

/** Values around the end of the alert, on a grid of their own; NaN where there are none. */
export interface AskedRecovery {
  readonly grid: TimeGrid;
  /** Changes that stood out. */
  readonly changed: readonly { readonly line: RankedSeries; readonly values: Float64Array }[];
  /** What a component that is gone reported, from any of its replicas. */
  readonly ended: readonly {
    readonly candidate: ChangeCandidate; readonly values: Float64Array;
  }[];
}

/** Fetches the changes that stood out again around the end. Null if nothing stood out. */
export async function askRecovery(
  asker: Asker,
  { ranked, matchers, window, endsAtMs, now, budget }: RecoveryContext,
): Promise<AskedRecovery | null> {
  const { ranking: { components, series, vanished }, derivedOf } = ranked;
  const gone = new Set(components.filter(({ isGone }) => isGone).map((each) => each.component));
  const changed = series.filter(({ strength }) => strength !== 'weak').slice(0, changesMax);
  const ended = vanished.map(({ candidate }) => candidate)
    .filter((candidate) => gone.has(candidate.component) &&
      !changed.some((line) => line.candidate === candidate))
    .slice(0, vanishedMax);
  const ids = [...changed.map(({ candidate }) => candidate.id), ...ended.map(({ id }) => id)];
  // A sender's clock may be ahead of ours, or behind.
  const endMs = Math.max(window.splitMs, Math.min(endsAtMs, now));
  const around = {
    stepSeconds: window.stepSeconds,
    fromMs: Math.max(window.splitMs, endMs - beforeEndMs), toMs: Math.min(now, endMs + afterEndMs),
  };
  const again = await fetchAgain(asker, ids, {
    part: 'recovery', window: around, budget, derivedOf, matchers,
  });
  if (again === null) return null;
  const grid = gridOf(around);
  return {
    grid,
    changed: changed.map((line) => {
      return { line, values: joined(again.filter(({ id }) => id === line.candidate.id), grid) };
    }),
    ended: ended.map((candidate) => {
      return { candidate, values: joined(replicasOf(candidate, again, ranked), grid) };
    }),
  };
}

/** The series itself, and those by which other replicas report the same, such as a new pod. */
function replicasOf(
  { id, component, metric, labels }: ChangeCandidate,
  again: readonly Derived[],
  { componentOf }: Ranked,
): readonly Derived[] {
  const key = replicaKey(component, metric, labels);
  return again.filter((each) => each.id === id ||
    replicaKey(componentOf(each.labels)?.value ?? noComponent, each.metric, each.labels) === key);
}

/** At each point the first value that there is. */
function joined(all: readonly Derived[], { count }: TimeGrid): Float64Array {
  return Float64Array.from({ length: count }, (_, index) =>
    all.map(({ values }) => values[index] ?? Number.NaN).find(Number.isFinite) ?? Number.NaN);
}

const stateWords: Readonly<Record<Recovery['state'], string>> = {
  back: 'moved back', partly: 'moved partly back', changed: 'stayed changed',
  unsettled: 'had not moved back yet, with few points since the end',
  unseen: 'had no values at the end',
};

/**
 * Adds one item on which of the changes had moved back by the end. `recoveredMs` is when the
 * alert's own value recovered; if unknown, when the alert ended.
 */
export function addRecovery(
  { ledger, add }: FactWriter,
  asked: AskedRecovery | null,
  recoveredMs: number,
): RecoveryFacts | null {
  if (asked === null || ledger.room <= 0) return null;
  const { grid, changed, ended } = asked;
  const end = Math.max(0, indexFrom(grid, recoveredMs));
  const stateOf = ({ state, backIndex, level }: Recovery): ChangeAtEnd => ({
    state, level, isFromStart: backIndex === 0,
    backMs: backIndex === null ? null : timeAt(grid, backIndex),
  });
  const states = new Map([
    ...changed.map(({ line, values }) =>
      [line.candidate.id, stateOf(recoveryOf(values, { ...line, end }))] as const),
    ...ended.map(({ candidate, values }) =>
      [candidate.id, stateOf(returnOf(values, end))] as const),
  ]);
  const before = new Map(changed.map(({ line }) => [line.candidate.id, line.before]));
  const isEmpty = [...changed, ...ended].every(({ values }) => values.every(Number.isNaN));
  const evidence = add({
    kind: 'series', title: 'What moved back by the end', ...spanOf(grid),
    state: isEmpty ? 'empty' : 'ok',
    summary: `Of ${counted(states.size, 'change')}, ${countsText([...states.values()])}.`,
    data: {
      ended_at: isoTime(recoveredMs),
      changes: [...states].map(([series, { state, backMs, level }]) => ({
        series, state: stateWords[state],
        back_at: backMs === null ? null : isoTime(backMs),
        before: rounded(before.get(series) ?? Number.NaN),
        level: rounded(level ?? Number.NaN),
      })),
    },
  });
  return { states, evidence };
}

function countsText(states: readonly ChangeAtEnd[]): string {
  const order = ['back', 'partly', 'changed', 'unsettled', 'unseen'] as const;
  return order.flatMap((state) => {
    const count = states.filter((each) => each.state === state).length;
    return count === 0 ? [] : [`${count} ${stateWords[state]}`];
  }).join(', ');
}
