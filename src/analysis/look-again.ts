import type { MetricFacts } from '../evidence/metric-facts.ts';
import { startOf } from '../report/new-report.ts';
import type { CaseFile } from '../report/case-file.ts';

/** By then most of what an incident does to other series can be seen in them. */
export const lookAgainAfterMs: number = 10 * 60_000;
/** The check by which a report says that it is made once more. */
export const secondLookCheck = 'second look';
/** Fewer points than these after the beginning do not tell a change from noise. */
const pointsMin = 5;

/**
 * Wall time in milliseconds at which the metrics will show more than they do now; null when the
 * alert has ended, has been firing for so long already, or showed enough.
 */
export function lookAgainAt(
  caseFile: CaseFile,
  metrics: MetricFacts | null,
  now: number,
): number | null {
  if (metrics === null || caseFile.episode.endsAt !== null) return null;
  const { splitMs, toMs, stepSeconds } = metrics.window;
  const points = (toMs - splitMs) / (stepSeconds * 1000);
  if (points >= pointsMin && metrics.source.state !== 'failed') return null;
  const at = startOf(caseFile) + lookAgainAfterMs;
  return at > now && at <= now + lookAgainAfterMs ? at : null;
}
