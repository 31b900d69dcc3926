import { timeDifferenceIn } from '../../evidence/rule/time-difference.ts';
import { dayMs } from '../../lib/time-units.ts';
import { placeOf } from '../../report/alert-place.ts';
import { utcText } from '../../report/time-text.ts';
import { citing } from '../citing.ts';
import type { Judged } from '../judged.ts';
import { ownOf } from '../own-value.ts';
import { explanation, type Explained } from './explanation.ts';

/** Times that are rounded, or read from another clock, differ by less. */
const toleranceMs = 3_600_000;

/**
 * What a time that runs out was a day ago: a certificate that expires sooner than the one of then
 * was put in its place, and one that expires when it did was not renewed. Nothing for any other
 * rule.
 */
export function expiryMoved(judged: Judged): Explained[] {
  const { evidence: { rule, history }, caseFile: { alert }, now } = judged;
  const own = ownOf(judged);
  const difference = timeDifferenceIn(rule?.comparison?.compared ?? '');
  if (own === null || difference?.isAhead !== true) return [];
  const { valueAtFire, yesterday, overSinceMs } = own;
  if (valueAtFire === null || yesterday === null) return [];
  const endOf = (value: number, atMs: number): number =>
    atMs + value * difference.secondsPerUnit * 1000;
  const ends = endOf(valueAtFire, history.current.start);
  const ended = endOf(yesterday, history.current.start - dayMs);
  const what = /cert|ssl|tls|x509/u.test(difference.metric) ? 'The certificate' : 'What runs out';
  const place = placeOf(alert.labels);
  const whose = place === '' ? what : `${what} of ${place}`;
  const isOver = ends < now;
  const date = (ms: number): string => utcText(ms, now);
  const at = overSinceMs === null ? '' : ` at ${utcText(overSinceMs, now, true)}`;
  const isMoved = ends < ended - toleranceMs;
  if (!isMoved && Math.abs(ends - ended) > toleranceMs) return [];
  const text = isMoved
    ? `${whose} was replaced${at} by one that ${isOver ? 'expired' : 'expires'} earlier: ` +
      `${date(ends)}, where the one before ends ${date(ended)}`
    : `${whose} has not been renewed: it ${isOver ? 'expired' : 'expires'} ${date(ends)}, as a ` +
      'day ago';
  return [explanation(
    { kind: 'family', family_cause: isMoved ? 'replaced' : 'not-renewed', cause: text,
      ...(place !== '' && { about: [place] }) },
    'likely', citing(own.evidence, `${text}.`))];
}
