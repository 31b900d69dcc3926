import type { Statement } from '../report/report.ts';

/** The texts that hold, as statements that follow from the same evidence. */
export function statementsOf(
  texts: readonly (string | null)[],
  evidence: readonly string[],
): Statement[] {
  return texts.filter((text) => text !== null).map((text) => ({ text, evidence }));
}
