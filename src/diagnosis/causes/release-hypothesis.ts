import type { EventFact, MetricFacts } from '../../evidence/metric-facts.ts';
import type { Hypothesis, Statement } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { componentName } from '../changes/change-words.ts';
import { isAround, isOn, latestBefore } from '../changes/event-closeness.ts';
import { standingComponents } from '../changes/ranked-line.ts';
import { queryOfItem, type Situation } from '../situation.ts';
import { eventClause, whenText } from './component-statements.ts';

/**
 * The latest new version or configuration of the alert's own component shortly before the problem.
 * Likely where nothing elsewhere moved notably before, since two things at one time are no proof.
 */
export function releaseHypothesis(situation: Situation): Hypothesis | null {
  const facts = situation.evidence.metrics;
  if (facts === null) return rolloutHypothesis(situation);
  const event = ownRelease(situation, facts);
  if (event === null || event.kind === 'restart') return null;
  const elsewhere = elsewhereBefore(facts);
  const text = eventClause(event);
  const since = whenText(event.atMs - facts.window.onMs);
  return {
    cause: shownText(`${wordsFor(event)}: ${text}, ${since}`, 300),
    mechanism: null,
    for: [
      { text: `${text}, ${since}.`, evidence: [event.evidence] },
      ...(elsewhere === null && facts.ranking !== null
        ? [{ text: 'Nothing elsewhere moved notably before.', evidence: [facts.ranking.evidence] }]
        : []),
    ],
    against: elsewhere === null ? [] : [elsewhere],
    test: queryOfItem(event.evidence, situation),
    certainty: elsewhere === null && isSearched(facts) ? 'likely' : 'possible',
  };
}

/** Where nobody measured anything, what was rolled out just before is possible. */
function rolloutHypothesis({ evidence: { kubernetes, history } }: Situation): Hypothesis | null {
  const { start } = history.current;
  const rollouts = kubernetes?.rollouts ?? [];
  const rollout = rollouts.findLast(({ atMs }) => isAround((atMs - start) / 1000));
  if (rollout === undefined) return null;
  const text = eventClause(rollout);
  const when = whenText(rollout.atMs - start);
  return {
    cause: shownText(`${wordsFor(rollout)}: ${text}, ${when}`, 300),
    mechanism: null, against: [], test: null, certainty: 'possible',
    for: [{ text: `${text}, ${when}.`, evidence: [rollout.evidence] }],
  };
}

function wordsFor({ kind }: EventFact): string {
  return kind === 'version' ? 'A release' : 'A change of configuration';
}

/** Without a whole search nobody knows that nothing else moved. */
function isSearched({ ranking }: MetricFacts): boolean {
  return ranking !== null && !ranking.isTruncated;
}

function ownRelease({ caseFile }: Situation, facts: MetricFacts): EventFact | null {
  const own = facts.ranking?.ownComponent ?? null;
  const { labels } = caseFile.alert;
  const isOwn = (event: EventFact): boolean => {
    if (event.isOwn === true || (own !== null && isOn(event, own))) return true;
    const { component } = event;
    return component !== null && Object.values(labels).includes(component.value);
  };
  return latestBefore(facts, (event) => event.kind !== 'restart' && isOwn(event));
}

/** Another component that moved notably before the problem began. */
function elsewhereBefore(facts: MetricFacts): Statement | null {
  const found = facts.ranking;
  if (found === null) return null;
  const other = standingComponents(facts, found).find(({ isOwn, best, component }) => {
    return !isOwn && !component.isVictim && best !== null && best.onsetMs !== null &&
      best.onsetMs <= 2 * found.grid.stepMs;
  });
  if (other === undefined) return null;
  const text = `${componentName(other.component.component)} moved before as well.`;
  return { text, evidence: [other.best?.evidence ?? found.evidence] };
}
