import type { Evidence } from '../../evidence/collect-evidence.ts';
import type { EventFact } from '../../evidence/metric-facts.ts';
import { formatDuration } from '../../lib/quantity.ts';
import type { Statement } from '../../report/report.ts';
import { shownClause, shownText } from '../../report/shown-text.ts';
import { formatOnset } from '../../report/time-text.ts';
import { deviationsText } from '../../report/words.ts';
import { componentName, movement } from '../changes/change-words.ts';
import { secondsAfterProblem } from '../changes/event-closeness.ts';
import { metricPhrase } from '../changes/metric-phrase.ts';
import type { MovedSeries, OutlierComponent } from '../changes/moved-series.ts';
import { citing } from '../citing.ts';
import { openAlertOf } from '../related.ts';
import type { Situation } from '../situation.ts';
import type { Tie } from './explanation.ts';
import { movesWithAlert, type Suspect } from './suspect.ts';

const tiedShownMax = 3;

/** What supports a component as the cause, each statement with the evidence it rests on. */
export function supporting(
  suspect: Suspect,
  event: EventFact | null,
  situation: Situation,
): Statement[] {
  const { best, component, found } = suspect;
  return [
    ...(event === null ? [] : [eventStatement(event, situation)]),
    ...citing([found.evidence], component.isGone &&
      `Most series of ${shownText(component.component, 80)} ended in this time.`),
    ...(best === null ? [] : movementFor(best, situation)),
    ...citing([found.evidence], aheadText(suspect)),
    ...alertOn(component.component, situation),
  ];
}

function movementFor(best: MovedSeries, { evidence: { measurement } }: Situation): Statement[] {
  const { z, strength, onsetMs, agreement, evidence } = best;
  const own = measurement.limit === null ? "the alert's value"
    : 'how far the value is from its threshold';
  return citing([evidence],
    `Its ${movement(best)} (${deviationsText(z)}, ${strength}).`,
    onsetMs !== null && onsetMs <= 0 && `It began to move ${formatOnset(onsetMs / 1000)}.`,
    movesWithAlert(best) && `It moves with ${own} (agreement ${agreement?.toFixed(2)}).`);
}

function aheadText({ isAhead, next, score }: Suspect): string | null {
  if (!isAhead) return null;
  if (next === null) return 'Nothing else that may be the cause moved as much.';
  const name = componentName(next.component.component);
  const scores = `score ${score.toFixed(1)}, then ${next.score.toFixed(1)}`;
  return `It is clearly ahead of ${name}, the next (${scores}).`;
}

/** Another open alert about this component. */
function alertOn(component: string, { caseFile, related, evidence }: Situation): Statement[] {
  const other = related.find((alert) =>
    Object.values(openAlertOf(caseFile, alert)?.labels ?? {}).includes(component));
  if (other === undefined) return [];
  return citing([evidence.ids.open], `${other.name} is also open on it. ${other.why}`);
}

/** What contradicts a component as the cause. */
export function opposing({ best }: Suspect): Statement[] {
  return best === null ? [] : citing([best.evidence],
    timingAgainst(best),
    best.fewPoints && 'Only one or two values since the problem began are known.');
}

function timingAgainst(best: MovedSeries): string | null {
  const { onsetMs, isLate, isAfterOwn, stepMs } = best;
  if (onsetMs === null) return 'When it began is unknown.';
  if (isLate) return `It began to move ${formatOnset(onsetMs / 1000)}.`;
  if (isAfterOwn) return "It cannot be shown to begin before the alert's value.";
  return onsetMs <= 0 ? null : `With one value every ${formatDuration(stepMs / 1000)}, it cannot ` +
    'be shown to begin before the problem.';
}

/** `CPU of catalogue, or memory of user-db: too close to call.` Null where the first is ahead. */
export function tieOf({ tied, found }: Suspect): Tie | null {
  if (tied.length === 0) return null;
  const shown = tied.slice(0, tiedShownMax);
  const left = tied.length - shown.length;
  const names = [...shown.map(placeName), ...(left > 0 ? [`${left} more`] : [])];
  const clause = `${names.slice(0, -1).join(', ')}, or ${names.at(-1)}: too close to call`;
  const cited = shown.map(({ best }) => best?.evidence ?? found.evidence);
  return { clause, statement: { text: `${clause}.`, evidence: [...new Set(cited)] } };
}

/** `memory of user-db`. */
function placeName({ best, component: { component } }: OutlierComponent): string {
  const name = componentName(component);
  return best === null ? name : `${metricPhrase(best.candidate)} of ${name}`;
}

export function eventStatement(event: EventFact, { evidence }: Situation): Statement {
  return { text: `${datedEvent(event, evidence)}.`, evidence: [event.evidence] };
}

/** `The image of checkout changed from 1.4 to 1.5, 4 min before the problem`. */
export function datedEvent(event: EventFact, evidence: Evidence): string {
  return `${eventClause(event)}, ${formatOnset(secondsAfterProblem(event, evidence))}`;
}

/** What happened, as the first clause of a sentence; names stay as written. */
export function eventClause({ text }: EventFact): string {
  return shownClause(text, 250);
}
