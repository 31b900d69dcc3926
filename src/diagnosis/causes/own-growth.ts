import { labelOf } from '../../alert/labels.ts';
import { shownUnit } from '../../evidence/measurement.ts';
import { isOfStock } from '../../evidence/rule/exhaustion.ts';
import { formatQuantity } from '../../lib/quantity.ts';
import { placeOf } from '../../report/alert-place.ts';
import { capital } from '../../report/plain-text.ts';
import { utcText } from '../../report/time-text.ts';
import { movement } from '../changes/change-words.ts';
import { metricPhrase } from '../changes/metric-phrase.ts';
import { movedSeries, type MovedSeries } from '../changes/moved-series.ts';
import { citing } from '../citing.ts';
import type { Judged } from '../judged.ts';
import { ownOf } from '../own-value.ts';
import { isResolved } from '../situation.ts';
import { nounOf } from '../verdict/headline.ts';
import { explanation, type Explained } from './explanation.ts';
import { isKin } from './kinship.ts';

/** A series moved with a growth if it began this close to it. */
const togetherMs = 90_000;

/**
 * That the alert's own value has grown steadily, or fallen: how fast, since when, and what writes
 * there meanwhile. It is a cause only of memory, a disk and whatever else runs out; for anything
 * else it is a consequence.
 */
export function ownGrowth(judged: Judged): Explained[] {
  const own = ownOf(judged);
  const growth = own?.growth ?? null;
  if (own === null || growth === null) return [];
  if (!isOfStock(judged.evidence.rule?.metrics ?? [])) return [];
  const { measurement, metrics } = judged.evidence;
  const { foot, top } = growth;
  const unit = shownUnit(measurement);
  const said = (value: number): string => formatQuantity(value, unit);
  const pace = said(Math.abs(top.value - foot.value) / Math.max(1, (top.atMs - foot.atMs) / 1000));
  const isFall = top.value < foot.value;
  const what = nounOf(judged)?.text ?? 'the value';
  const place = placeOf(judged.caseFile.alert.labels);
  const whose = place === '' || what.includes(place) ? what : `${what} of ${place}`;
  const verb = isResolved(judged) ? (isFall ? 'was falling' : 'was growing')
    : isFall ? 'has fallen' : 'has grown';
  const since = utcText(foot.atMs, judged.now, true);
  const isFilling = isFall && place !== '' &&
    (judged.evidence.rule?.metrics ?? []).some((name) => /filesystem|disk|volume/u.test(name));
  const filling = isResolved(judged) ? 'was filling up' : 'fills up';
  const subject = isFilling ? `${place} ${filling}: ${what}` : capital(whose);
  const text = `${subject} ${verb} by ${pace}/s ` +
    `${isResolved(judged) ? `from ${since} on` : `since ${since}`}: ` +
    `from ${said(foot.value)} to ${said(top.value)}`;
  const writer = writerOf(foot.atMs, judged);
  const component = metrics?.ranking?.ownComponent ?? null;
  return [{
    ...explanation({
      kind: 'growth', cause: text, ...(component !== null && { about: [component] }),
      ...(writer !== null && { detail: movement(writer) }),
    }, 'likely', [
      ...citing(own.evidence, `${text}.`),
      ...citing([writer?.evidence ?? ''], writer !== null &&
        `${metricPhrase(writer.candidate)} rose when it began.`),
    ]),
  }];
}

/** What writes on the same host, or to the same thing, began to write more as the growth began. */
function writerOf(sinceMs: number, judged: Judged): MovedSeries | null {
  const written = movedSeries(judged.evidence).filter((series) => {
    const { candidate: { metric, labels, component, unit }, seenAtMs, strength, z } = series;
    if (!/(?:^|_)(?:writes?|written|appended|inserted)(?:_|$)/u.test(metric) || z < 0) return false;
    if (unit?.includes('bytes') !== true || strength === 'weak') return false;
    const isTogether = seenAtMs !== null && Math.abs(seenAtMs - sinceMs) <= togetherMs;
    return isTogether && labelOf(labels, 'instance') !== null && isKin(labels, component, judged);
  });
  return written.toSorted((a, b) => b.after - a.after)[0] ?? null;
}
