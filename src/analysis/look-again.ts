import type { KubernetesFacts } from '../evidence/kubernetes/kubernetes-facts.ts';
import type { LogFacts } from '../evidence/logs/log-facts.ts';
import type { MetricFacts } from '../evidence/metric-facts.ts';
import type { CaseFile } from '../report/case-file.ts';
import { endOf, startOf } from '../report/new-report.ts';
import type { Report } from '../report/report.ts';
import { utcText } from '../report/time-text.ts';

/** By then most of what an incident does to other series can be seen in them. */
const lookAgainAfterMs = 10 * 60_000;
/** A source that is slow or away as an alert begins may be itself again, and is asked once more. */
const askAgainAfterMs = 2 * 60_000;
/** The check by which a report says that it is made once more. */
export const secondLookCheck = 'second look';
/** Fewer points than these after the beginning do not tell a change from noise. */
const pointsMin = 5;

/** Lines of so long after the beginning show whether it goes on. */
const saidAfterMs = 5 * 60_000;
/** After an alert has ended it takes some points to tell what came back. */
const lookBackAfterMs = 5 * 60_000;

/** Times are wall time in milliseconds, as everywhere here. */
export interface Span {
  readonly startMs: number;
  /** Null while it fires. */
  readonly endMs: number | null;
}

/** What the report that is there was made of. */
interface FirstLook {
  readonly madeAt: number;
  /** Whether a source left something unanswered that it may answer later. */
  readonly isUnanswered: boolean;
}

/** The last moment at which an episode's report is made once more, if it asks for that. */
export function lastLookAt({ startMs, endMs }: Span): number {
  return endMs === null ? startMs + lookAgainAfterMs : endMs + lookBackAfterMs;
}

/** When a report that asks for it is made once more; null when that has passed, or is far off. */
export function nextLookAt(span: Span, { madeAt, isUnanswered }: FirstLook): number | null {
  const asksSoon = isUnanswered && span.endMs === null;
  const last = lastLookAt(span);
  const moments = asksSoon ? [span.startMs + askAgainAfterMs, last] : [last];
  return moments.find((at) => at > madeAt && at <= madeAt + lookAgainAfterMs) ?? null;
}

/** What sources tell of by and by; null for those that were not asked. */
export interface Shown {
  readonly metrics: MetricFacts | null;
  readonly logs: LogFacts | null;
  readonly kubernetes: KubernetesFacts | null;
}

/** When the sources will show more than now; null when they showed enough, or never will. */
export function lookAgainAt(caseFile: CaseFile, shown: Shown, now: number): number | null {
  const { metrics, logs } = shown;
  const span = { startMs: startOf(caseFile), endMs: endOf(caseFile) };
  const isUnanswered = leftUnanswered(shown).length > 0;
  const isEnough = span.endMs === null
    ? (metrics === null || hasShownEnough(metrics)) && (logs === null || hasSaidEnough(logs, span))
    : metrics === null || isSettled(metrics);
  return isEnough && !isUnanswered ? null : nextLookAt(span, { madeAt: now, isUnanswered });
}

/** Titles of the sources that may answer later what they did not. */
export function leftUnanswered({ metrics, logs, kubernetes }: Shown): string[] {
  return [
    ...(metrics?.source.mayAnswerLater === true ? ['Prometheus'] : []),
    ...(logs?.source.mayAnswerLater === true ? ['Loki'] : []),
    ...(kubernetes?.source.mayAnswerLater === true ? ['Kubernetes'] : []),
  ];
}

export const awaitedWhat = 'What a source left unanswered.';

/** What is told to a reader who misses what a source may answer by then. */
export function awaitedAnswers(
  againAt: number | null,
  { now, ...shown }: Shown & { readonly now: number },
): Report['unknowns'] {
  const sources = leftUnanswered(shown);
  if (againAt === null || sources.length === 0) return [];
  return [{
    what: awaitedWhat,
    why: `Too slow, or away, as this report was made: ${sources.join(' and ')}.`,
    how_to_get: `Wait: it is asked again at ${utcText(againAt, now)}, and an open page shows the ` +
      'new report by itself.',
  }];
}

function hasShownEnough({ window: { splitMs, toMs, stepSeconds }, source }: MetricFacts): boolean {
  const points = (toMs - splitMs) / (stepSeconds * 1000);
  return points >= pointsMin && source.state !== 'failed';
}

/** Most of what an alert is about is logged before it fires, some of it right after. */
function hasSaidEnough({ window: { toMs }, source }: LogFacts, { startMs }: Span): boolean {
  return source.state !== 'ok' || toMs >= startMs + saidAfterMs;
}

/** Whether it is known of all that had changed whether it came back. */
function isSettled({ recovery }: MetricFacts): boolean {
  return ![...recovery?.states.values() ?? []].some(({ state }) => state === 'unsettled');
}
