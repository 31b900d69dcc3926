import { counted } from '../../report/plain-text.ts';
import { isoTime } from '../../report/time-text.ts';
import type { ChangeRanking } from '../../statistics/rank-changes.ts';
import type { RankedSeries } from '../../statistics/rank-series.ts';
import { recoveryOf, returnOf, type Recovery } from '../../statistics/recovery.ts';
import type { ChangeAtEnd, RecoveryFacts } from '../metric-facts.ts';
import type { AskedRecovery } from './ask-recovery.ts';
import { rounded, spanOf } from './series-data.ts';
import type { Writing } from './writing.ts';

interface RecoveryInput {
  readonly ranking: ChangeRanking;
  /** When the alert's own value recovered; if unknown, when the alert ended. */
  readonly recoveredMs: number;
}

const stateWords: Readonly<Record<Recovery['state'], string>> = {
  back: 'moved back', partly: 'moved partly back', changed: 'stayed changed',
  unsettled: 'had not moved back yet, with few points since the end',
  unseen: 'had no values at the end',
};

/** Adds one item on which of the changes had moved back by the end. */
export function addRecovery(
  { ledger, add }: Writing,
  asked: AskedRecovery | null,
  { ranking, recoveredMs }: RecoveryInput,
): RecoveryFacts | null {
  if (asked === null || ledger.room <= 0) return null;
  const { grid } = asked;
  const end = Math.max(0, Math.ceil((recoveredMs - grid.startMs) / grid.stepMs));
  const lines = new Map(ranking.series.map((line) => [line.candidate.id, line]));
  const states = new Map(asked.asked.map((id): [string, ChangeAtEnd] => {
    const values = asked.values.get(id) ?? new Float64Array(grid.count).fill(Number.NaN);
    const recovery = stateOf(values, end, lines.get(id));
    const { state, backIndex, level } = recovery;
    const backMs = backIndex === null ? null : grid.startMs + backIndex * grid.stepMs;
    return [id, { state, backMs, level, isFromStart: backIndex === 0 }];
  }));
  const evidence = add({
    kind: 'series', title: 'What moved back by the end', ...spanOf(grid),
    state: asked.values.size === 0 ? 'empty' : 'ok',
    summary: `Of ${counted(states.size, 'change')}, ${countsText([...states.values()])}.`,
    data: {
      ended_at: isoTime(recoveredMs),
      changes: [...states].map(([series, { state, backMs, level }]) => ({
        series, state: stateWords[state],
        back_at: backMs === null ? null : isoTime(backMs),
        before: rounded(lines.get(series)?.before ?? Number.NaN),
        level: rounded(level ?? Number.NaN),
      })),
    },
  });
  return { states, evidence };
}

function stateOf(values: Float64Array, end: number, line: RankedSeries | undefined): Recovery {
  if (line === undefined) return returnOf(values, end);
  const { before, after, scale } = line;
  return recoveryOf(values, { before, after, scale, end });
}

function countsText(states: readonly ChangeAtEnd[]): string {
  const order = ['back', 'partly', 'changed', 'unsettled', 'unseen'] as const;
  return order.flatMap((state) => {
    const count = states.filter((each) => each.state === state).length;
    return count === 0 ? [] : [`${count} ${stateWords[state]}`];
  }).join(', ');
}
