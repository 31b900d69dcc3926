import type { EventFact } from '../evidence/metric-facts.ts';
import { finite } from '../lib/finite.ts';
import { formatDuration, formatQuantity } from '../lib/quantity.ts';
import { counted } from '../report/plain-text.ts';
import type { Resolution, Statement } from '../report/report.ts';
import { shownClause } from '../report/shown-text.ts';
import { isoTime, utcText } from '../report/time-text.ts';
import { secondsOf } from '../statistics/interval.ts';
import { classifyMetric } from '../statistics/names/metric-class.ts';
import type { Explained } from './causes/explanation.ts';
import { shownValue } from './changes/change-words.ts';
import { isRelease } from './changes/event-closeness.ts';
import { hypothesisHeld } from './changes/hypothesis-held.ts';
import type { ChangeOutcome } from './changes/outcomes.ts';
import { citing } from './citing.ts';
import { lengthFindings } from './findings/history-findings.ts';
import { startOfThing } from './held-time.ts';
import type { Judged } from './judged.ts';
import { isStateRule, ruleWords } from './own-value.ts';
import type { Situation } from './situation.ts';

/**
 * How the episode ended; null while it fires. Its last value, what moved back and whether the
 * leading explanation held need a metric source with values after the end.
 */
export function resolutionOf(
  judged: Judged,
  hypotheses: readonly Explained[],
): Resolution | null {
  const { evidence, now } = judged;
  const { current } = evidence.history;
  if (current.end === null) return null;
  const { held, why } = hypothesisHeld(judged, hypotheses);
  return {
    ended_at: isoTime(current.end),
    duration_seconds: secondsOf(current, now),
    value_at_end: finite(evidence.metrics?.own?.valueAtEnd),
    changes: [
      ...recoveryFindings(judged, current.end),
      ...costFindings(judged),
      ...restartFindings(judged),
      ...doneBefore(judged, hypotheses, current.end),
      ...(why === null ? [] : [why]),
      ...movedBack(judged),
      ...lengthFindings(judged),
    ],
    hypothesis_held: held,
  };
}

/** What was done before it ends counts for this long. */
const doneBeforeMs = 15 * 60_000;

/** How many failed while the value was beyond its threshold. */
function costFindings({ evidence: { metrics, rule } }: Situation): Statement[] {
  const own = metrics?.own ?? null;
  const isOfFailures = /=~?"5/u.test(rule?.expression ?? '') ||
    rule?.metrics.some((metric) => classifyMetric(metric).signal === 'errors') === true;
  if (own === null || own.total === null || !isOfFailures) return [];
  const total = formatQuantity(Math.max(1, Math.round(own.total)), null);
  return citing(own.evidence, `About ${total} in all while it was beyond its threshold.`);
}

/** What a restart did, as far as alerts tell. */
function restartFindings(situation: Judged): Statement[] {
  const start = startOfThing(situation);
  if (start === null || situation.ending !== 'recovered' || situation.related.length > 0) return [];
  return citing([...start.evidence, situation.evidence.ids.open],
    'It has not restarted again since, and no other alert that belongs to it is open: the ' +
    'restart did no harm that an alert shows.');
}

/**
 * The last release, else the last restart, between the start of the problem and its end, of the
 * alert's own component or of one that the leading cause names.
 */
function doneBefore(
  { evidence: { metrics }, now }: Situation,
  [leading]: readonly Explained[],
  end: number,
): Statement[] {
  if (metrics === null) return [];
  const names = new Set([
    metrics.ranking?.ownComponent, ...Object.values(metrics.place?.labels ?? {}),
    ...leading?.tested?.who ?? [], leading?.suspect?.component.component,
    leading?.release?.component?.value,
  ]);
  const isRelated = ({ isOfAlert, component }: EventFact): boolean =>
    isOfAlert === true || (component !== null && names.has(component.value));
  const recoveredMs = metrics.own?.recoveredMs ?? null;
  const untilMs = recoveredMs ?? end;
  const [last] = metrics.events
    .filter((event) => isRelated(event) && event.kind !== 'event')
    .filter(({ atMs }) =>
      atMs > Math.max(metrics.window.onMs, untilMs - doneBeforeMs) && atMs <= untilMs)
    .sort((a, b) => Number(isRelease(b)) - Number(isRelease(a)) || b.atMs - a.atMs);
  if (last === undefined) return [];
  const ago = formatDuration((untilMs - last.atMs) / 1000);
  const before = recoveredMs === null ? 'the alert ended' : 'the value came back';
  const text = `${ago} before ${before}, at ${utcText(last.atMs, now)}: ` +
    `${shownClause(last.text, 250)}.`;
  return citing([last.evidence], text);
}

/** When the value recovered, which is before the alert is reported as ended. */
function recoveryFindings(situation: Situation, end: number): Statement[] {
  const { evidence, now } = situation;
  const own = evidence.metrics?.own ?? null;
  if (own === null || own.recoveredMs === null) return [];
  const { threshold, unit, limit } = evidence.measurement;
  const limitText = threshold === null || limit !== null ? ''
    : ` of ${formatQuantity(threshold, unit)}`;
  const early = (end - own.recoveredMs) / 1000;
  const before = early < 5 ? '' : `, ${formatDuration(early)} before the alert ended`;
  const at = utcText(own.recoveredMs, now);
  const came = `${ruleWords(situation).cameBack}${isStateRule(situation) ? '' : limitText}`;
  return citing(own.evidence, `The value ${came} at ${at}${before}.`);
}

const listedMax = 8;

/** Which of the changes came back and when, which did not, and for how many that is unknown. */
function movedBack({ outcomes, evidence, now }: Judged): Statement[] {
  const shown = outcomes.filter(({ atEnd: { state } }) =>
    state !== 'unseen' && state !== 'unsettled');
  const cited = evidence.metrics?.recovery?.evidence;
  if (cited === undefined) return [];
  const statements = shown.slice(0, listedMax).map((outcome) => ({
    text: outcomeText(outcome, now), evidence: outcome.evidence,
  }));
  const more = shown.slice(listedMax);
  const back = more.filter(({ atEnd }) => atEnd.state === 'back').length;
  const open = outcomes.length - shown.length;
  return [...statements, ...citing([cited],
    more.length > 0 && `${back} of ${counted(more.length, 'further change')} came back.`,
    open > 0 && `Whether ${counted(open, 'change')} came back is unknown: there are too few ` +
      'values after the end.')];
}

function outcomeText({ name, atEnd, of }: ChangeOutcome, now: number): string {
  const { state, backMs, isFromStart, level } = atEnd;
  if (of.kind === 'gone') {
    return state !== 'back' || backMs === null ? `${name} is still gone: no series came back.`
      : `${name} came back at ${utcText(backMs, now)}.`;
  }
  const { candidate, before } = of.series;
  const shown = (value: number | null): string => shownValue(candidate, value);
  if (state === 'back' && backMs !== null) {
    const at = `${isFromStart ? 'before' : 'at'} ${utcText(backMs, now)}`;
    return `${name} came back to ${shown(level)} ${at}.`;
  }
  const part = state === 'partly' ? 'came back only in part' : 'did not come back';
  return `${name} ${part}: ${shown(level)} at the end, ${shown(before)} before.`;
}
