import type { MetricFacts } from '../evidence/metric-facts.ts';
import { outsideSources } from '../evidence/missing-sources.ts';
import { sourceReports, type SourceFacts } from '../evidence/source-facts.ts';
import type { CaseFile } from '../report/case-file.ts';
import { caseEndOf, caseStartOf } from '../report/new-report.ts';
import { enumerated } from '../report/plain-text.ts';
import type { Report } from '../report/report.ts';
import { utcText } from '../report/time-text.ts';
import { nextRecheckAt } from './recheck.ts';

/** What is older than this when its first report is made shows no more a minute later. */
const youngMsMax = 5 * 60_000;

/**
 * When the sources will show more than now; null if they never will, or were not asked. A storm's
 * alerts are not looked at sooner for being unexplained: that would keep others waiting.
 */
export function recheckAt(
  caseFile: CaseFile,
  facts: SourceFacts,
  { now, isExplained }: { readonly now: number; readonly isExplained: boolean },
): number | null {
  const { metrics, logs, kubernetes } = facts;
  const span = { startMs: caseStartOf(caseFile), endMs: caseEndOf(caseFile) };
  const isUnanswered = leftUnanswered(facts).length > 0;
  const isOpen = span.endMs === null
    ? [metrics, logs, kubernetes].some((each) => each !== null)
    : metrics !== null && !isConclusive(metrics);
  const beganMs = metrics?.window.onMs ?? span.startMs;
  const isEarly = !isExplained && metrics !== null && caseFile.storm === null &&
    now - beganMs <= youngMsMax;
  if (!isOpen && !isUnanswered) return null;
  return nextRecheckAt(span, { madeAt: now, isUnanswered, isEarly });
}

/** Titles of the sources that left something unanswered which they may answer later. */
export function leftUnanswered(facts: SourceFacts): string[] {
  const reports = sourceReports(facts);
  return outsideSources.filter(({ name }) => reports[name]?.mayAnswerLater === true)
    .map(({ title }) => title);
}

/** Tells readers which answers are missing and when they may come. */
export function awaitedAnswers(
  againAt: number | null,
  { now, ...facts }: SourceFacts & { readonly now: number },
): Report['unknowns'] {
  const sources = leftUnanswered(facts);
  if (againAt === null || sources.length === 0) return [];
  return [{
    is_awaited: true, what: 'Questions that a source did not answer.',
    why: `Too slow, unreachable or behind when this report was made: ${enumerated(sources)}.`,
    how_to_get: `Wait for the next query at ${utcText(againAt, now)}; an open page shows the ` +
      'new report by itself.',
  }];
}

/** Whether it is known for every change and cause if it has reverted. */
function isConclusive({ recovery, answersAtEnd }: MetricFacts): boolean {
  return answersAtEnd !== null &&
    ![...recovery?.states.values() ?? []].some(({ state }) => state === 'unsettled');
}
