import type { KubernetesFacts } from '../evidence/kubernetes/kubernetes-facts.ts';
import type { LogFacts } from '../evidence/logs/log-facts.ts';
import type { MetricFacts } from '../evidence/metric-facts.ts';
import type { CaseFile } from '../report/case-file.ts';
import { endOf, startOf } from '../report/new-report.ts';
import type { Report } from '../report/report.ts';
import { utcText } from '../report/time-text.ts';

/** By then most effects of an incident on other series are visible. */
const lookAgainAfterMs = 10 * 60_000;
/** A source that is slow or down when an alert begins may have recovered by then. */
const askAgainAfterMs = 2 * 60_000;
/** Name of the check that says when a report will be made again. */
export const secondLookCheck = 'second look';
/** With fewer points after the beginning, a change cannot be told from noise. */
const pointsMin = 5;

/** Logs of this long after the beginning show whether the trouble goes on. */
const saidAfterMs = 5 * 60_000;
/** After the end of an alert, it takes some points to see what has recovered. */
const lookBackAfterMs = 5 * 60_000;

/** Times are wall time in ms, as everywhere here. */
export interface Span {
  readonly startMs: number;
  /** Null while it fires. */
  readonly endMs: number | null;
}

interface FirstLook {
  readonly madeAt: number;
  /** Whether a source failed to answer something that it may answer later. */
  readonly isUnanswered: boolean;
}

/** The time of an episode's last second look, if its report asks for one. */
export function lastLookAt({ startMs, endMs }: Span): number {
  return endMs === null ? startMs + lookAgainAfterMs : endMs + lookBackAfterMs;
}

/** The time of the next second look at a report; null if it has passed or is far away. */
export function nextLookAt(span: Span, { madeAt, isUnanswered }: FirstLook): number | null {
  const asksSoon = isUnanswered && span.endMs === null;
  const last = lastLookAt(span);
  const moments = asksSoon ? [span.startMs + askAgainAfterMs, last] : [last];
  return moments.find((at) => at > madeAt && at <= madeAt + lookAgainAfterMs) ?? null;
}

/** The facts that sources complete over time; null for sources that were not asked. */
interface Shown {
  readonly metrics: MetricFacts | null;
  readonly logs: LogFacts | null;
  readonly kubernetes: KubernetesFacts | null;
}

/** When the sources will show more than now; null if they showed enough or never will. */
export function lookAgainAt(caseFile: CaseFile, shown: Shown, now: number): number | null {
  const { metrics, logs } = shown;
  const span = { startMs: startOf(caseFile), endMs: endOf(caseFile) };
  const isUnanswered = leftUnanswered(shown).length > 0;
  const isEnough = span.endMs === null
    ? (metrics === null || hasShownEnough(metrics)) && (logs === null || hasSaidEnough(logs, span))
    : metrics === null || isSettled(metrics);
  return isEnough && !isUnanswered ? null : nextLookAt(span, { madeAt: now, isUnanswered });
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

function hasShownEnough({ window: { splitMs, toMs, stepSeconds }, source }: MetricFacts): boolean {
  const points = (toMs - splitMs) / (stepSeconds * 1000);
  return points >= pointsMin && source.state !== 'failed';
}

/** Most trouble is logged before its alert fires, some of it right after. */
function hasSaidEnough({ window: { toMs }, source }: LogFacts, { startMs }: Span): boolean {
  return source.state !== 'ok' || toMs >= startMs + saidAfterMs;
}

/** Whether it is known for every change if it has reverted. */
function isSettled({ recovery }: MetricFacts): boolean {
  return ![...recovery?.states.values() ?? []].some(({ state }) => state === 'unsettled');
}
