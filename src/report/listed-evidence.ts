import type { EvidenceItem, Report } from './report.ts';

/**
 * The evidence that readers are shown. A source that is not configured is listed once, among what
 * is not known, unless the verdict cites it.
 */
export function listedEvidence({ evidence, verdict }: Report): readonly EvidenceItem[] {
  const cited = new Set(verdict.reasons.flatMap((reason) => reason.evidence));
  return evidence.filter(({ id, state }) => state !== 'not_configured' || cited.has(id));
}
