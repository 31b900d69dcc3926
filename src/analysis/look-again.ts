import type { KubernetesFacts } from '../evidence/kubernetes/kubernetes-facts.ts';
import type { LogFacts } from '../evidence/logs/log-facts.ts';
import type { MetricFacts } from '../evidence/metric-facts.ts';
import type { CaseFile } from '../report/case-file.ts';
import { endOf, startOf } from '../report/new-report.ts';
import type { Report } from '../report/report.ts';
import { utcText } from '../report/time-text.ts';

/**
 * An alert that fires is looked at again this long after its start, and then each time that it has
 * fired twice as long: what its report says is never older than half of the time that it fired.
 */
const lookAgainAfterMs = 5 * 60_000;
/** After this the next notification about it is early enough. */
const looksMs = 24 * 60 * 60_000;
/** A start farther ahead comes from a clock that cannot be believed. */
const aheadMsMax = 10 * 60_000;
/** A source that is slow or down when an alert begins may have recovered by then. */
const askAgainAfterMs = 2 * 60_000;
/** Name of the check that says when a report will be made again. */
export const secondLookCheck = 'second look';

/** After the end of an alert, it takes some points to see what has recovered. */
const lookBackAfterMs = 5 * 60_000;

/** Times are wall time in ms, as everywhere here. */
export interface Span {
  readonly startMs: number;
  /** Null while it fires. */
  readonly endMs: number | null;
}

interface Made {
  readonly madeAt: number;
  /** Whether a source failed to answer something that it may answer later. */
  readonly isUnanswered: boolean;
}

/** The time after which no report of the episode asks for another look. */
export function lastLookAt({ startMs, endMs }: Span): number {
  return endMs === null ? startMs + looksMs : endMs + lookBackAfterMs;
}

/** The time of the next look after a report; null if there is none. */
export function nextLookAt(span: Span, { madeAt, isUnanswered }: Made): number | null {
  const { startMs, endMs } = span;
  if (Math.max(startMs, endMs ?? startMs) > madeAt + aheadMsMax) return null;
  const last = lastLookAt(span);
  if (endMs !== null) return last > madeAt ? last : null;
  if (isUnanswered && startMs + askAgainAfterMs > madeAt) return startMs + askAgainAfterMs;
  let at = startMs + lookAgainAfterMs;
  while (at <= madeAt) at += at - startMs;
  return at <= last ? at : null;
}

/** The facts that sources complete over time; null for sources that were not asked. */
interface Shown {
  readonly metrics: MetricFacts | null;
  readonly logs: LogFacts | null;
  readonly kubernetes: KubernetesFacts | null;
}

/** When the sources will show more than now; null if they never will, or were not asked. */
export function lookAgainAt(caseFile: CaseFile, shown: Shown, now: number): number | null {
  const { metrics, logs, kubernetes } = shown;
  const span = { startMs: startOf(caseFile), endMs: endOf(caseFile) };
  const isUnanswered = leftUnanswered(shown).length > 0;
  const isOpen = span.endMs === null
    ? [metrics, logs, kubernetes].some((facts) => facts !== null)
    : metrics !== null && !isSettled(metrics);
  return isOpen || isUnanswered ? nextLookAt(span, { madeAt: now, isUnanswered }) : null;
}

/** Titles of the sources that left something unanswered which they may answer later. */
export function leftUnanswered({ metrics, logs, kubernetes }: Shown): string[] {
  return [
    ...(metrics?.source.mayAnswerLater === true ? ['Prometheus'] : []),
    ...(logs?.source.mayAnswerLater === true ? ['Loki'] : []),
    ...(kubernetes?.source.mayAnswerLater === true ? ['Kubernetes'] : []),
  ];
}

export const awaitedWhat = 'Questions that a source did not answer.';

/** Tells readers which answers are missing and when they may come. */
export function awaitedAnswers(
  againAt: number | null,
  { now, ...shown }: Shown & { readonly now: number },
): Report['unknowns'] {
  const sources = leftUnanswered(shown);
  if (againAt === null || sources.length === 0) return [];
  return [{
    what: awaitedWhat,
    why: `Too slow, unreachable or behind when this report was made: ${sources.join(' and ')}.`,
    how_to_get: `Wait for the next query at ${utcText(againAt, now)}; an open page shows the ` +
      'new report by itself.',
  }];
}

/** Whether it is known for every change and cause if it has reverted. */
function isSettled({ recovery, answersAtEnd }: MetricFacts): boolean {
  return ![...recovery?.states.values() ?? []].some(({ state }) => state === 'unsettled') &&
    ![...answersAtEnd.values()].some(({ isDiluted }) => isDiluted);
}
