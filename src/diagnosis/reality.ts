import { measurementEvidence } from '../evidence/collect-evidence.ts';
import type { Reality } from '../report/report.ts';
import { isResolved, type Situation } from './situation.ts';

/**
 * Value and limit as the alert tells them. Annotations are written anew at every evaluation, so a
 * repeated notification of a firing alert tells the value now and no longer the one at the start.
 */
export function realityOf(situation: Situation): Reality {
  const { caseFile, evidence } = situation;
  const { measurement, history, ids } = evidence;
  const isRepeated = caseFile.episode.notifications > 1 && !isResolved(situation);
  const cited = measurementEvidence(evidence);
  return {
    value_at_fire: isRepeated ? null : measurement.value,
    value_now: isRepeated ? measurement.value : null,
    threshold: measurement.threshold,
    operator: measurement.operator,
    unit: measurement.unit,
    yesterday: null,
    last_week: null,
    flaps: history.recurrence.last24h,
    scrape_ok: null,
    evidence: [...cited, ids.history],
  };
}
