import type { Facts, KnownNumber } from './evidence-facts.ts';
import { meantNumbers, type Cited } from './match-number.ts';
import type { Role } from './role.ts';

/** A measured value, and an earlier one or a limit that it may be compared to. */
export interface Pair {
  readonly from: KnownNumber;
  readonly to: KnownNumber;
}

const bases: readonly (Role | null)[] = ['limit', 'before', 'yesterday', 'week', 'min', 'mean'];
const results: readonly (Role | null)[] = ['fire', 'now', 'end', 'after', 'max'];
const numbersMax = 100;

/** The pairs in an item of numbers that the clause may mean; limits may be in other items. */
export function pairsIn(fact: Facts, clause: string, cited: Cited): Pair[] {
  const numbersOf = (item: Facts): readonly KnownNumber[] =>
    meantNumbers(item, clause, cited).filter(({ role }) => role !== null).slice(0, numbersMax);
  const own = numbersOf(fact);
  const limits = cited.facts.filter((other) => other !== fact).flatMap(numbersOf)
    .filter(({ role }) => role === 'limit');
  return own.filter(({ role }) => results.includes(role)).flatMap((to) =>
    [...own, ...limits].filter((from) => isComparable(from, to))
      .map((from) => ({ from: inKindOf(to, from), to })));
}

function isComparable(from: KnownNumber, to: KnownNumber): boolean {
  // Later values may also be compared to the value at fire.
  const isBase = bases.includes(from.role) ||
    from.role === 'fire' && (to.role === 'now' || to.role === 'end');
  return isBase && (from.kind === to.kind || from.kind === 'any') &&
    (from.role === 'limit' || from.names.join() === to.names.join());
}

/** Rules have shares as ratios or in percent; assumes the one that is nearer to the measurement. */
function inKindOf(to: KnownNumber, from: KnownNumber): KnownNumber {
  if (from.kind !== 'any' || to.kind !== 'percent') return from;
  const apart = (value: number): number => Math.abs(Math.log(to.value / value));
  return apart(from.value * 100) < apart(from.value) ? { ...from, value: from.value * 100 } : from;
}
