import { labelOf, noLabels, type LabelSet } from '../../alert/labels.ts';
import { comparisonText, shownUnit, type Measurement } from '../../evidence/measurement.ts';
import { timeDifferenceIn } from '../../evidence/rule/time-difference.ts';
import { formatDuration, formatQuantity } from '../../lib/quantity.ts';
import {
  objectLabels, placeOf, reportedLabels, shownClusterOf, shownNameOf, subjectOf, thingOf, wholeOf,
} from '../../report/alert-place.ts';
import { alertText, saysMoreThan } from '../../report/author-words.ts';
import { faultText } from '../../report/path-text.ts';
import { capital } from '../../report/plain-text.ts';
import type { Verdict } from '../../report/report.ts';
import { shownClause } from '../../report/shown-text.ts';
import { utcText } from '../../report/time-text.ts';
import { secondsOf } from '../../statistics/interval.ts';
import { endings } from '../ending.ts';
import { startOfThing } from '../held-time.ts';
import type { Judged } from '../judged.ts';
import { noiseText } from '../noise-text.ts';
import { holds, isStateRule, ownOf, trendNow } from '../own-value.ts';
import type { Situation } from '../situation.ts';
import { zeroDivisor } from '../zero-divisor.ts';
import { isHeartbeat } from './classification.ts';
import { comparedNoun, type ComparedNoun } from './compared-noun.ts';

/** A headline, and its short form for where name, place and times stand beside it. */
interface Worded {
  readonly whole: string;
  readonly gist: string;
}

/** What is going on in one or two sentences: the subject, its value, and since when. */
export function headlineOf(
  judged: Judged,
): Pick<Verdict, 'headline' | 'gist' | 'subject' | 'place'> {
  const what = whatOf(judged);
  const parts = [what, whenOf(judged)];
  return {
    headline: parts.map(({ whole }) => whole).join(' '),
    place: placeOf(locatingLabels(judged)),
    gist: parts.flatMap(({ gist }) => (gist === '' ? [] : capital(gist))).join(' '),
    ...(what.subject !== '' && { subject: what.subject }),
  };
}

function whenOf(judged: Judged): Worded {
  const { evidence: { history: { current } }, now } = judged;
  if (current.end !== null) return endOf(judged, current.end);
  const clock = current.start > now ? " by its sender's clock" : '';
  const since = `Firing since ${utcText(current.start, now)}${clock}`;
  const { noise } = judged;
  if (noise === null || noise.kind === 'always') return { whole: `${since}.`, gist: '' };
  const again = `${noiseText(noise, judged)}.`;
  return { whole: `${since}, ${again}`, gist: again };
}

/** `Recovered 02:14 UTC after 20 min.` Anything but a recovery is worth reading. */
function endOf(judged: Judged, end: number): Worded {
  const { caseFile, evidence, now } = judged;
  if (caseFile.episode.isEndUnknown) {
    const whole = `Not in Alertmanager any more since ${utcText(end, now)}, end unknown.`;
    return { whole, gist: '' };
  }
  const { verb, why } = endings[judged.ending ?? 'recovered'];
  const lasted = formatDuration(secondsOf(evidence.history.current, now));
  const ended = isHeartbeat(judged) ? 'It stopped' : verb;
  const whole = `${ended} ${utcText(end, now)} after ${lasted}${why === null ? '' : `, ${why}`}.`;
  return { whole, gist: why === null && !isHeartbeat(judged) ? '' : whole };
}

/**
 * The value where it is known, else the alert's own words if it has any, as they were written; what
 * they only say again of its name and labels comes last. `subject` is what the gist does not name.
 */
function whatOf(judged: Judged): Worded & { readonly subject: string } {
  const { alert } = judged.caseFile;
  const words = alertText(alert);
  const isNews = words !== null && saysMoreThan(words, shownNameOf(alert.labels), alert.labels);
  const labels = locatingLabels(judged);
  const [place, thing] = [placeOf(labels), thingOf(labels)]
    .map((each) => each.replace(/^in /u, 'Namespace ')) as [string, string];
  const comparison = words !== null && isBareYes(judged) ? null : valueText(judged);
  const said = comparison ?? (isNews ? null : stateText(judged));
  if (said !== null || words === null) {
    const whole = `${subjectOf(labels)}${said === null ? '' : `: ${said}`}.`;
    return { whole, gist: said === null ? '' : `${said}.`, subject: thing };
  }
  const cluster = shownClusterOf(labels);
  const missing = !namesObject(words, labels) ? place : words.includes(cluster) ? '' : cluster;
  const gist = /[.!?…。]$/u.test(words) ? `“${words}”` : `“${words}”.`;
  return { whole: `${missing && `${missing}: `}${gist}`, gist, subject: missing };
}

/** What a rule on a state says, or else what is measured to fail in the alert's own thing. */
function stateText({ evidence: { rule, measurement, metrics, history } }: Situation):
  string | null {
  const [metric, ...others] = rule?.metrics ?? [];
  const hasEnded = history.current.end !== null;
  const isDown = measurement.operator === '==' && measurement.threshold === 0;
  if (isDown && metric !== undefined && others.length === 0) {
    if (metric === 'up') return `Prometheus ${hasEnded ? 'could not' : 'cannot'} scrape it`;
    if (metric.endsWith('_up')) return `${hasEnded ? 'was ' : ''}down, as its exporter says`;
  }
  const [fault] = metrics?.path?.hops[0]?.faults ?? [];
  return fault === undefined || hasEnded ? null : faultText(fault);
}

/**
 * `1.9 s, 3.8× its threshold of 500 ms, and rising`, or `4 %, below its minimum of 5 %, and
 * falling: 0 % at about 20:47 UTC at this pace`; of an alert that ended, `was 1.9 s, …`. Null where
 * the value says nothing.
 */
function valueText(situation: Judged): string | null {
  const { measurement, history } = situation.evidence;
  const { origin, counted } = measurement;
  const hasEnded = history.current.end !== null;
  // For a state, the alert's own words say more than its number.
  const isState = origin === 'series' && isStateRule(situation) && counted === null;
  if (origin === null || origin === 'rule' || isState) return null;
  const divisor = zeroDivisor(situation);
  if (divisor !== null) {
    const value = formatQuantity(measurement.value ?? 0, null);
    const name = shownClause(divisor.text, 100);
    return hasEnded ? `was ${value}, because ${name} was 0` : `${value}, because ${name} is 0`;
  }
  const { noise } = situation;
  if (noise?.kind === 'always') return noiseText(noise, situation);
  const level = ownOf(situation)?.level ?? null;
  if (situation.ending === 'level_off' && level !== null) {
    return `${comparedNoun(level.metric, noLabels, '')?.text ?? level.metric} is still ` +
      `${formatQuantity(level.now, null)}, and was ${formatQuantity(level.before, null)} before`;
  }
  const start = startOfThing(situation);
  if (start !== null) return `restarted at ${utcText(start.atMs, situation.now, true)}`;
  const expiry = expiryText(situation);
  if (expiry !== null) return expiry;
  const noun = nounOf(situation);
  const back = backText(situation);
  if (back !== null) return noun === null ? back : `${noun.text}: ${back}`;
  if (isUsedUpByForecast(measurement)) {
    const { rule, metrics } = situation.evidence;
    const what = comparedNoun(rule?.comparison?.compared ?? '', metrics?.own?.labels ?? noLabels,
      placeOf(locatingLabels(situation)))?.text;
    return `${what === undefined ? '' : `${what}: `}${hasEnded ? 'was ' : ''}forecast to run out`;
  }
  const comparison = comparisonText(noun?.form === 'limit' && isShare(measurement)
    ? { ...measurement, unit: 'ratio' } : measurement);
  const isPart = measurement.unit === 'ratio' || measurement.unit === 'percent';
  if (hasEnded && comparison !== null && holds(measurement.value, situation) !== false) {
    return counted === null ? statement(noun, comparison, 'was', isPart) : `had ${comparison}`;
  }
  // The number wanted may move as well, so a trend would be ambiguous.
  if (comparison === null || counted !== null) return comparison;
  const words = statement(noun, comparison, noun === null ? '' : 'is', isPart);
  const exhaustion = situation.evidence.metrics?.own?.exhaustion ?? null;
  if (exhaustion !== null) {
    const { level, atMs } = exhaustion;
    const until = `${formatQuantity(level, shownUnit(measurement))} at about ` +
      `${utcText(atMs, situation.now)} at this pace`;
    return `${words}, and ${level === 0 ? 'falling' : 'rising'}: ${until}`;
  }
  const trend = trendNow(situation);
  return trend === null ? words : `${words}, and ${trend}`;
}

/** Whether a number without a unit is the share of a limit that is used. */
function isShare({ value, unit }: Measurement): boolean {
  return unit === null && value !== null && Math.abs(value) <= shareMax;
}

/** More may be used than is allowed. */
const shareMax = 2;

/** `expired 1 d ago`, `expires in 13 d, below its minimum of 14 d`; null for any other rule. */
function expiryText({ evidence: { rule, measurement, history } }: Situation): string | null {
  const difference = timeDifferenceIn(rule?.comparison?.compared ?? '');
  const { value } = measurement;
  if (difference?.isAhead !== true || value === null) return null;
  // Most of what is compared with a later time is one at which something ends.
  if (!/expir|not_?after|valid|until|renew/u.test(difference.metric)) return null;
  const seconds = Math.abs(value) * difference.secondsPerUnit;
  if (value < 0) return `expired ${formatDuration(seconds)} ago`;
  const [, ...rest] = (comparisonText(measurement) ?? '').split(', ');
  return `${history.current.end === null ? 'expires' : 'expired'} in ${formatDuration(seconds)}` +
    (rest.length === 0 ? '' : `, ${rest.join(', ')}`);
}

/** Null where the value is no number of anything, and where no short noun tells what it is of. */
export function nounOf({ caseFile, evidence }: Situation): ComparedNoun | null {
  const { rule, metrics, measurement: { origin, isForecast, unit } } = evidence;
  const compared = rule?.comparison?.compared ?? null;
  if (compared === null || isForecast || origin === 'rule') return null;
  // What is counted there is known where it is known to be used up.
  const full = metrics?.path?.hops[0]?.faults.find(({ kind, metric, what }) =>
    kind === 'full' && what !== null && rule?.metrics.includes(metric) === true);
  if (unit === 'count' && full?.what) return { text: full.what, form: 'count', of: null };
  const place = placeOf(locatingLabels({ caseFile, evidence }));
  return comparedNoun(compared, metrics?.own?.labels ?? noLabels, place);
}

/**
 * The labels that say where the alert is: its own without those that only its rule's author gave
 * it, and those of its series where these name nothing. What its author says comes last.
 */
function locatingLabels(
  { caseFile: { alert }, evidence: { metrics } }: Pick<Situation, 'caseFile' | 'evidence'>,
): LabelSet {
  const { added = [], labels = noLabels } = metrics?.place ?? {};
  const own = Object.fromEntries(Object.entries(alert.labels)
    .filter(([name]) => !added.includes(name)));
  if (placeOf(own) !== '') return own;
  // The rule adds its instances up, though there may be only one.
  const { instance: _, pod: __, ...shared } = labels;
  const found = [shared, labels].find((each) => placeOf(each) !== '');
  return found === undefined ? alert.labels : { ...found, ...own };
}

/**
 * `37 connections, over its threshold of 30`, `19 % of requests (code 5..), …`, `p99 of request
 * duration is 1.9 s, …`; without a noun the comparison as it is.
 */
function statement(
  noun: ComparedNoun | null,
  comparison: string,
  verb: string,
  isPart: boolean,
): string {
  if (noun === null) return `${verb} ${comparison}`.trimStart();
  const [, number = comparison, rest = ''] = /^([^,]*)(,.*)?$/u.exec(comparison) ?? [];
  switch (noun.form) {
    case 'count': return `${verb === 'was' ? 'was ' : ''}${number} ${noun.text}${rest}`;
    case 'limit': return `${noun.text} ${verb} ${number} of its maximum${rest}`;
    case 'multiple':
      return `${verb === 'was' ? 'was ' : ''}${number} times as many ${noun.text} as ${noun.of} ` +
        `before${rest}`;
    case 'share':
      if (!isPart) return `${noun.text} ${verb} ${number}${rest}`;
      return `${verb === 'was' ? 'was ' : ''}${number} of ${noun.text}${rest}`;
    case 'measure': {
      if (noun.of === null && number.endsWith('/s')) return `${number} ${noun.text}${rest}`;
      const of = noun.of === null ? '' : ` ${isPart ? 'of' : 'per'} ${noun.of}`;
      return `${noun.text} ${verb} ${number}${of}${rest}`;
    }
  }
}

/**
 * `back to 32 % after a peak of 100 %, over its threshold of 90 %`, of an alert that recovered;
 * null where its value has no farthest point, or is not known since.
 */
function backText(situation: Judged): string | null {
  const { measurement, metrics } = situation.evidence;
  const { operator, counted, isForecast, limit } = measurement;
  const own = metrics?.own ?? null;
  if (own === null || own.worst === null || situation.ending !== 'recovered') return null;
  if (isForecast || counted !== null || limit !== null) return null;
  const since = [own.valueNow, own.valueAtEnd].find((value) => holds(value, situation) === false);
  if (since === undefined || since === null || !Number.isFinite(own.worst)) return null;
  if (holds(own.worst, situation) !== true) return null;
  const farthest = operator?.startsWith('<') === true ? 'low' : 'peak';
  const worst = comparisonText({ ...measurement, value: own.worst });
  const now = formatQuantity(since, shownUnit(measurement));
  return `back to ${now} after a ${farthest} of ${worst}`;
}

/** By forecast, what the rule watches has fallen below zero, which it never does. */
function isUsedUpByForecast({ isForecast, value, threshold, operator }: Measurement): boolean {
  return isForecast && threshold === 0 && operator?.startsWith('<') === true && (value ?? 0) < 0;
}

/**
 * `1, over its threshold of 0`, as of a state or of one missing disk, says less than any words, and
 * so does `6.03, over its threshold of 0`, as of an increase that is extrapolated.
 */
function isBareYes({ evidence: { measurement } }: Situation): boolean {
  const { value, threshold, operator, unit } = measurement;
  const isCount = unit === null || unit === 'count';
  const isTelling = value === null || (Number.isInteger(value) && value !== 1);
  return threshold === 0 && operator === '>' && isCount && !isTelling;
}

/** True when the words already say which object they are about, and whose part that is. */
function namesObject(words: string, labels: LabelSet): boolean {
  const reported = reportedLabels.filter((name) => labelOf(labels, name) !== null);
  // The words often name the exporter's own address only.
  return (reported.length === 0 ? objectLabels : reported).some((name) => {
    const value = labelOf(labels, name) ?? '';
    // The words may hold a number for any other reason.
    if (value === '' || /^\d+$/u.test(value) || !words.includes(value)) return false;
    return words.includes(wholeOf(labels, name).replace(/^ of |:\d+$/gu, ''));
  });
}
