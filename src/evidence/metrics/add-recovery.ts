import { counted } from '../../report/plain-text.ts';
import { isoTime } from '../../report/time-text.ts';
import { indexFrom, timeAt } from '../../sources/time-grid.ts';
import { recoveryOf, returnOf, type Recovery } from '../../statistics/recovery.ts';
import type { ChangeAtEnd, RecoveryFacts } from '../metric-facts.ts';
import type { AskedRecovery } from './ask-recovery.ts';
import { rounded, spanOf } from './series-data.ts';
import type { Writing } from './writing.ts';

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
  { ledger, add }: Writing,
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
