import type { EventFact } from '../../evidence/metric-facts.ts';
import type { CauseFacts } from '../../report/kinds.ts';
import type { Statement } from '../../report/report.ts';
import { formatOnset } from '../../report/time-text.ts';
import { componentName } from '../changes/change-words.ts';
import { isOn, isRelease, latestBefore, type Release } from '../changes/event-closeness.ts';
import type { StandingComponent } from '../changes/moved-series.ts';
import type { Judged } from '../judged.ts';
import { queryOfItem, type Situation } from '../situation.ts';
import { eventStatement } from './component-statements.ts';
import { explanation, type Explained } from './explanation.ts';

/**
 * The latest new version or configuration of the alert's own component shortly before the problem.
 * Likely where no other component moved notably before it; timing alone proves nothing.
 */
export function releaseHypothesis(judged: Judged): Explained[] {
  const { evidence, standing } = judged;
  const event = latestBefore(evidence, (each) => isRelease(each) && isOnOwn(each, judged));
  if (event === null || !isRelease(event)) return [];
  const elsewhere = elsewhereBefore(standing);
  const released = eventStatement(event, judged);
  const ranking = evidence.metrics?.ranking ?? null;
  // Only a complete search shows that nothing else moved.
  const isAlone = elsewhere === null && ranking !== null && !ranking.isTruncated;
  const cause = `${eventWords[event.kind]}: ${released.text.slice(0, -1)}`;
  return [{
    ...explanation({ ...releaseFacts(event), cause }, isAlone ? 'likely' : 'possible', [
      released,
      ...(elsewhere === null && ranking !== null ? [{
        text: 'Nothing inside any other component moved notably before.',
        evidence: [ranking.evidence],
      }] : []),
    ]),
    against: elsewhere === null ? [] : [elsewhere],
    // A rollout is no series that could be graphed beside the alert.
    test: event.isOfAlert === true ? null : queryOfItem(event.evidence, judged),
  }];
}

/** What a cause by a release is, and whose release. */
export function releaseFacts({ kind, component, subject }: Release): CauseFacts & {
  readonly kind: 'release' | 'config';
} {
  const about = [...new Set([...(component === null ? [] : [component.value]), subject])];
  return { kind: kind === 'version' ? 'release' : 'config', about };
}

const eventWords = { version: 'A release', config: 'A configuration change' } as const;

/** It is of the alert's own component, or of one that a label of the alert names. */
function isOnOwn(event: EventFact, { caseFile, evidence }: Situation): boolean {
  const own = evidence.metrics?.ranking?.ownComponent ?? null;
  if (event.isOfAlert === true || (own !== null && isOn(event, own))) return true;
  const { component } = event;
  return component !== null && Object.values(caseFile.alert.labels).includes(component.value);
}

/** Another component that moved notably when the problem began or before. */
function elsewhereBefore(standing: readonly StandingComponent[]): Statement | null {
  for (const { component, isOwn, best, isVictim } of standing) {
    if (isOwn || isVictim || best === null || best.onsetMs === null || best.isLate) continue;
    const name = componentName(component.component);
    const text = `${name} also began to move ${formatOnset(best.onsetMs / 1000)}.`;
    return { text, evidence: [best.evidence] };
  }
  return null;
}
