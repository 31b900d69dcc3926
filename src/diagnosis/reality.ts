import { measurementEvidence } from '../evidence/collect-evidence.ts';
import type { OwnSeries } from '../evidence/metric-facts.ts';
import { finite } from '../lib/finite.ts';
import type { Reality } from '../report/report.ts';
import { historyEvidence } from './history.ts';
import { isResolved, type Situation } from './situation.ts';

/**
 * Value and threshold as they were measured, or as the alert reports them. Annotations are rendered
 * anew at every evaluation, so a repeated notification of a firing alert carries the current value
 * and no longer the one at the start.
 */
export function realityOf(situation: Situation): Reality {
  const { evidence } = situation;
  const { measurement, metrics } = evidence;
  const scrape = metrics?.scrape ?? null;
  const own = metrics?.own ?? null;
  const cited = [
    ...measurementEvidence(evidence), ...historyEvidence(evidence),
    ...(own?.evidence ?? []), ...(scrape?.evidence ?? []),
  ];
  return {
    ...valuesOf(situation, own),
    threshold: measurement.threshold,
    threshold_series: measurement.limit === null ? null : {
      expression: measurement.limit, at_fire: finite(own?.limit?.atFire),
      now: finite(own?.limit?.now),
    },
    operator: measurement.operator,
    unit: measurement.unit,
    yesterday: finite(own?.yesterday),
    last_week: finite(own?.lastWeek),
    flaps: evidence.history.recurrence.last24h,
    scrape_ok: scrapeIsFine(situation),
    evidence: [...new Set(cited)],
  };
}

/** Measured values; where no sample is left of a moment, what the alert reported then. */
function valuesOf(
  situation: Situation,
  own: OwnSeries | null,
): Pick<Reality, 'value_at_fire' | 'value_now'> {
  const { caseFile, evidence: { measurement: { origin, value } } } = situation;
  const stated = own !== null && origin === 'series' ? null : value;
  const isFirst = caseFile.episode.notifications === 1;
  // The text of an ended alert has the value from just before its end.
  const [first, latest] = isResolved(situation) ? [null, null]
    : isFirst ? [stated, null] : [null, stated];
  return {
    value_at_fire: finite(own?.valueAtFire) ?? first,
    value_now: finite(own?.valueNow) ?? latest,
  };
}

/**
 * Null where it was not checked, or there is nothing to scrape. Gaps in what the rule reads count
 * like targets that are down.
 */
function scrapeIsFine({ evidence }: Situation): boolean | null {
  const scrape = evidence.metrics?.scrape ?? null;
  if (scrape === null || (scrape.total === 0 && !scrape.isStale)) return null;
  return !scrape.isStale && scrape.gaps.length === 0 && scrape.up === scrape.total;
}
