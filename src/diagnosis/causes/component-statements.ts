import type { EventFact, RankingFacts } from '../../evidence/metric-facts.ts';
import { formatDuration, formatQuantity } from '../../lib/quantity.ts';
import { formatOnset } from '../../report/moment.ts';
import type { Statement } from '../../report/report.ts';
import { shownClause } from '../../report/shown-text.ts';
import { componentName, goneText, movement } from '../changes/change-words.ts';
import type { CheckedLine } from '../changes/ranked-line.ts';
import { openAlertOf } from '../related.ts';
import type { Situation } from '../situation.ts';
import { statementsOf } from '../statements.ts';
import {
  closeRivals, isAfterOwn, isAhead, isApart, isByChance, isLate, type Suspect,
} from './suspect.ts';

/** From this agreement on, a series moves together with the alert's own. */
const agreementHigh = 0.7;
const deviationsMax = 100;
const tiedMax = 2;

/** What supports a component as the cause, each statement with the evidence it rests on. */
export function supporting(
  suspect: Suspect,
  event: EventFact | null,
  situation: Situation,
): Statement[] {
  const { standing, facts, found } = suspect;
  const { best, component } = standing;
  const when = event === null ? '' : formatOnset((event.atMs - facts.window.onMs) / 1000);
  return [
    ...(event === null ? []
      : [{ text: `${eventClause(event)}, ${when}.`, evidence: [event.evidence] }]),
    ...statementsOf([component.isGone ? goneText(component.component) : null], [found.evidence]),
    ...(best === null ? [] : movementFor(best, situation)),
    ...statementsOf([aheadText(suspect)], [found.evidence]),
    ...alertOn(component.component, situation),
  ];
}

function movementFor(best: CheckedLine, { evidence: { measurement } }: Situation): Statement[] {
  const { line, z, strength, onsetMs, evidence } = best;
  // For a series that hardly ever moved, a huge number of deviations means nothing.
  const many = Math.abs(z) > deviationsMax ? `more than ${deviationsMax}`
    : formatQuantity(Math.abs(z), null);
  const own = measurement.limit === null ? "the alert's value"
    : 'how far the value is from its threshold';
  return statementsOf([
    `Its ${movement(best)} (${many} deviations, ${strength}).`,
    onsetMs !== null && onsetMs <= 0 ? `It began to move ${formatOnset(onsetMs / 1000)}.` : null,
    line.agreement !== null && line.agreement >= agreementHigh
      ? `It moves with ${own} (agreement ${line.agreement.toFixed(2)}).` : null,
  ], [evidence]);
}

function aheadText(suspect: Suspect): string | null {
  const { standing, rivals: [rival] } = suspect;
  if (!isAhead(suspect)) return null;
  if (rival === undefined) return 'Nothing else moved as much.';
  const factor = formatQuantity(standing.score / rival.score, null);
  const next = componentName(rival.component.component);
  return `It is clearly ahead of ${next}, the next (${factor}× its score).`;
}

/** Another open alert about this component. */
function alertOn(component: string, { caseFile, related, evidence }: Situation): Statement[] {
  const other = related.find((alert) =>
    Object.values(openAlertOf(caseFile, alert)?.labels ?? {}).includes(component));
  if (other === undefined) return [];
  const text = `${other.name} is also open on it. ${other.why}`;
  return [{ text, evidence: [evidence.ids.open] }];
}

/** What contradicts a component as the cause. */
export function opposing(suspect: Suspect): Statement[] {
  const { standing: { best, isVictim }, found } = suspect;
  if (best === null) return [];
  const { line, evidence } = best;
  const tie = tieOf(suspect);
  return [
    ...statementsOf([
      isVictim ? 'It moved as seen from outside, and nothing inside it moved strongly: it is ' +
        'more likely a victim than the cause.' : null,
      timingAgainst(best, found),
    ], [evidence]),
    ...statementsOf([
      isByChance(best, found) ? 'As many series move this much by chance.' : null,
    ], [found.evidence]),
    ...statementsOf([
      line.fewPoints ? 'Only one or two values since the problem began are known.' : null,
      isApart(best) ? "It does not move with the alert's value " +
        `(agreement ${(line.agreement ?? 0).toFixed(2)}).` : null,
    ], [evidence]),
    ...(tie === null ? [] : [tie]),
  ];
}

function timingAgainst(best: CheckedLine, found: RankingFacts): string | null {
  const { line, onsetMs } = best;
  if (onsetMs === null) return 'When it began is unknown.';
  if (isLate(best, found)) {
    return `It began to move ${formatOnset(onsetMs / 1000)}, so it may be an effect.`;
  }
  if (isAfterOwn(line, found)) return "The alert's value had begun to move by then.";
  const step = formatDuration(found.grid.stepMs / 1000);
  return onsetMs <= 0 ? null
    : `With one value every ${step}, it cannot be shown to begin before the problem.`;
}

/** The next candidates, if the first is not clearly ahead of them. */
export function tieOf(suspect: Suspect): Statement | null {
  const close = closeRivals(suspect).slice(0, tiedMax);
  if (close.length === 0) return null;
  const names = close.map(({ component }) => componentName(component.component));
  const cited = close.map(({ best }) => best?.evidence ?? suspect.found.evidence);
  return { text: `${names.join(' and ')} moved about as much.`, evidence: [...new Set(cited)] };
}

/** What happened, as the first clause of a sentence; names stay as written. */
export function eventClause({ text }: EventFact): string {
  return shownClause(text, 250);
}
