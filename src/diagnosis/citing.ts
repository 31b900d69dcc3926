import type { Statement } from '../report/report.ts';

/** The texts that are there, each as a statement that follows from the same evidence. */
export function citing(
  evidence: readonly string[],
  ...texts: readonly (string | null | false)[]
): Statement[] {
  const cited = [...new Set(evidence)];
  return texts.filter((text) => text !== null && text !== false)
    .map((text) => ({ text, evidence: cited }));
}
