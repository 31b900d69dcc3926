import type { MetricFacts } from '../evidence/metric-facts.ts';
import { endOf, startOf } from '../report/new-report.ts';
import type { CaseFile } from '../report/case-file.ts';

/** By then most of what an incident does to other series can be seen in them. */
const lookAgainAfterMs = 10 * 60_000;
/** The check by which a report says that it is made once more. */
export const secondLookCheck = 'second look';
/** Fewer points than these after the beginning do not tell a change from noise. */
const pointsMin = 5;

/** After an alert has ended it takes some points to tell what came back. */
const lookBackAfterMs = 5 * 60_000;

/** When an episode's report is made once more, if it asks for that: wall time in milliseconds. */
export function secondLookAt(
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number | null },
): number {
  return endMs === null ? startMs + lookAgainAfterMs : endMs + lookBackAfterMs;
}

/**
 * Wall time in milliseconds at which the metrics will show more than they do now; null when they
 * showed enough, or when that moment has passed.
 */
export function lookAgainAt(
  caseFile: CaseFile,
  metrics: MetricFacts | null,
  now: number,
): number | null {
  if (metrics === null) return null;
  const endMs = endOf(caseFile);
  const isEnough = endMs === null ? hasShownEnough(metrics) : isSettled(metrics);
  if (isEnough) return null;
  const at = secondLookAt({ startMs: startOf(caseFile), endMs });
  return at > now && at <= now + lookAgainAfterMs ? at : null;
}

function hasShownEnough({ window: { splitMs, toMs, stepSeconds }, source }: MetricFacts): boolean {
  const points = (toMs - splitMs) / (stepSeconds * 1000);
  return points >= pointsMin && source.state !== 'failed';
}

/** Nothing that had changed is left of which nobody can tell yet whether it came back. */
function isSettled({ recovery }: MetricFacts): boolean {
  return ![...recovery?.states.values() ?? []].some(({ state }) => state === 'unsettled');
}
