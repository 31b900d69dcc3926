import { finite } from '../lib/finite.ts';
import { formatDuration, formatQuantity } from '../lib/quantity.ts';
import type { Hypothesis, Resolution, Statement } from '../report/report.ts';
import { isoTime, utcText } from '../report/time-text.ts';
import { secondsOf } from '../statistics/interval.ts';
import { hypothesisHeld } from './changes/hypothesis-held.ts';
import { movedBack } from './changes/moved-back.ts';
import { lengthFindings } from './findings/history-findings.ts';
import { isStateRule, ruleWords } from './own-value.ts';
import type { Situation } from './situation.ts';

/**
 * How the episode ended; null while it fires. Its last value, what moved back and whether the
 * leading explanation held need a metric source with values after the end.
 */
export function resolutionOf(
  situation: Situation,
  hypotheses: readonly Hypothesis[],
): Resolution | null {
  const { evidence, now } = situation;
  const { current } = evidence.history;
  if (current.end === null) return null;
  const { held, why } = hypothesisHeld(situation, hypotheses);
  return {
    ended_at: isoTime(current.end),
    duration_seconds: secondsOf(current, now),
    value_at_end: finite(evidence.metrics?.own?.valueAtEnd),
    changes: [
      ...recoveryFindings(situation, current.end),
      ...(why === null ? [] : [why]),
      ...movedBack(situation),
      ...lengthFindings(situation),
    ],
    hypothesis_held: held,
  };
}

/** When the value recovered, which is before the alert is reported as ended. */
function recoveryFindings(situation: Situation, end: number): Statement[] {
  const { evidence, now } = situation;
  const own = evidence.metrics?.own ?? null;
  if (own === null || own.recoveredMs === null) return [];
  const { threshold, unit, limit } = evidence.measurement;
  const said = threshold === null || limit !== null ? '' : ` of ${formatQuantity(threshold, unit)}`;
  const early = (end - own.recoveredMs) / 1000;
  const before = early < 5 ? '' : `, ${formatDuration(early)} before the alert ended`;
  const at = utcText(own.recoveredMs, now);
  const came = `${ruleWords(situation).cameBack}${isStateRule(situation) ? '' : said}`;
  return [{ text: `The value ${came} at ${at}${before}.`, evidence: own.evidence }];
}
