import { divisorIn, type Divisor } from '../evidence/rule/divisor.ts';
import type { Situation } from './situation.ts';

/** What the rule divides by, where that is 0, which makes its value infinite; null elsewhere. */
export function zeroDivisor({ evidence: { rule, measurement } }: Situation): Divisor | null {
  const { value } = measurement;
  const comparison = rule?.comparison ?? null;
  if (value === null || Number.isFinite(value) || comparison === null) return null;
  return divisorIn(comparison.compared);
}

/** Such a limit, without which the share of it that is used says nothing. */
export function missingLimit(situation: Situation): string | null {
  const divisor = zeroDivisor(situation);
  return divisor?.isLimit === true ? divisor.text : null;
}
