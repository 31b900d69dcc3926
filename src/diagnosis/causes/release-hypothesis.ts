import type { EventFact, MetricFacts } from '../../evidence/metric-facts.ts';
import { formatOnset } from '../../report/moment.ts';
import type { Hypothesis, Statement } from '../../report/report.ts';
import { componentName } from '../changes/change-words.ts';
import { isAround, isOn, isRelease, latestBefore } from '../changes/event-closeness.ts';
import { standingComponents } from '../changes/ranked-line.ts';
import { queryOfItem, type Situation } from '../situation.ts';
import { eventClause } from './component-statements.ts';
import { explanation } from './explanation.ts';

/**
 * The latest new version or configuration of the alert's own component shortly before the problem.
 * Likely where no other component moved notably before it; timing alone proves nothing.
 */
export function releaseHypothesis(situation: Situation): Hypothesis | null {
  const { metrics, history } = situation.evidence;
  const event = metrics === null ? ownRollout(situation) : ownRelease(situation, metrics);
  if (event === null || !isRelease(event)) return null;
  const elsewhere = metrics === null ? null : elsewhereBefore(metrics);
  const text = eventClause(event);
  const startMs = metrics?.window.onMs ?? history.current.start;
  const since = formatOnset((event.atMs - startMs) / 1000);
  const ranking = metrics?.ranking ?? null;
  // Only a complete search shows that nothing else moved.
  const isAlone = elsewhere === null && ranking !== null && !ranking.isTruncated;
  const cause = `${eventWords[event.kind]}: ${text}, ${since}`;
  return {
    ...explanation(cause, isAlone ? 'likely' : 'possible', [
      { text: `${text}, ${since}.`, evidence: [event.evidence] },
      ...(elsewhere === null && ranking !== null ? [{
        text: 'Nothing inside any other component moved notably before.',
        evidence: [ranking.evidence],
      }] : []),
    ]),
    against: elsewhere === null ? [] : [elsewhere],
    // A rollout is no series that could be graphed beside the alert.
    test: event.isOwn === true ? null : queryOfItem(event.evidence, situation),
  };
}

const eventWords = { version: 'A release', config: 'A configuration change' } as const;

/** The last rollout before the alert, according to Kubernetes. */
function ownRollout({ evidence: { kubernetes, history } }: Situation): EventFact | null {
  const { start } = history.current;
  return kubernetes?.rollouts.findLast((event) =>
    isRelease(event) && isAround((event.atMs - start) / 1000)) ?? null;
}

function ownRelease({ caseFile }: Situation, facts: MetricFacts): EventFact | null {
  const own = facts.ranking?.ownComponent ?? null;
  const { labels } = caseFile.alert;
  const isOwn = (event: EventFact): boolean => {
    if (event.isOwn === true || (own !== null && isOn(event, own))) return true;
    const { component } = event;
    return component !== null && Object.values(labels).includes(component.value);
  };
  return latestBefore(facts, (event) => isRelease(event) && isOwn(event));
}

/** Another component that moved notably when the problem began or before; two steps are noise. */
function elsewhereBefore(facts: MetricFacts): Statement | null {
  const found = facts.ranking;
  if (found === null) return null;
  const other = standingComponents(facts, found).find(({ isOwn, best, isVictim }) =>
    !isOwn && !isVictim && best !== null && best.onsetMs !== null &&
      best.onsetMs <= 2 * found.grid.stepMs);
  const best = other?.best ?? null;
  if (other === undefined || best === null || best.onsetMs === null) return null;
  const name = componentName(other.component.component);
  const text = `${name} also began to move ${formatOnset(best.onsetMs / 1000)}.`;
  return { text, evidence: [best.evidence] };
}
