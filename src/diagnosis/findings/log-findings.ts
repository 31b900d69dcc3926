import {
  perMinuteText, quotedPattern, type LogFacts, type LogNews, type RateFacts, type TroubleFacts,
} from '../../evidence/logs/log-facts.ts';
import { formatDuration } from '../../lib/quantity.ts';
import { counted } from '../../report/plain-text.ts';
import type { Statement } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { utcText } from '../../report/time-text.ts';
import type { Situation } from '../situation.ts';

const newsTold = 3;
/** A log that has so many times more lines, or fewer, says something by it. */
const factorMin = 5;
/** Of few lines a minute a multiple is no news. */
const perMinuteMin = 20;

/** What the alert's own logs say, each fact with the items it follows from. */
export function logFindings({ evidence: { logs }, now }: Situation): Statement[] {
  if (logs === null) return [];
  return [
    ...(logs.trouble === null ? [] : troubleFindings(logs.trouble, logs, now)),
    ...(logs.rate === null ? [] : rateFindings(logs.rate, now)),
  ];
}

function troubleFindings(
  trouble: TroubleFacts,
  { window }: LogFacts,
  now: number,
): Statement[] {
  const { news, said, evidence } = trouble;
  const who = shownText(said, 120);
  const telling = { who, trouble, window, now };
  const findings = news.slice(0, newsTold).map((change) => newsText(change, telling));
  if (news.length > newsTold) {
    findings.push(`${counted(news.length - newsTold, 'further pattern')} in its log ` +
      `${news.length === newsTold + 1 ? 'is' : 'are'} new or more frequent.`);
  }
  if (news.length === 0) findings.push(calmText(telling));
  return findings.map((text) => ({ text: shownText(text, 400), evidence: [evidence] }));
}

interface Telling {
  /** "pod cart-1" */
  readonly who: string;
  readonly trouble: TroubleFacts;
  readonly window: LogFacts['window'];
  readonly now: number;
}

function newsText(
  { kind, pattern, after, beforePerMinute, afterPerMinute, firstAtMs }: LogNews,
  { who, trouble: { beforeFromMs, afterFromMs }, window: { splitMs }, now }: Telling,
): string {
  if (kind === 'more') {
    return `The log of ${who} says more often ${quotedPattern(pattern)}: ` +
      `${perMinuteText(afterPerMinute)}, ${perMinuteText(beforePerMinute)} before.`;
  }
  // Of more lines than could be read the earlier ones are not known.
  const least = afterFromMs > splitMs ? ' at least' : '';
  const since = firstAtMs === null ? '' : `${least} since ${utcText(firstAtMs, now)}`;
  const long = formatDuration((splitMs - beforeFromMs) / 1000);
  return `The log of ${who} says${since} ${quotedPattern(pattern)} (${counted(after, 'line')}, ` +
    `none in the ${long} before ${utcText(splitMs, now)}).`;
}

function calmText({ who, trouble, window, now }: Telling): string {
  const { before, after, beforeFromMs } = trouble;
  if (before + after === 0) {
    return `The log of ${who} says nothing of trouble from ${utcText(window.fromMs, now)} on.`;
  }
  const long = formatDuration((window.splitMs - beforeFromMs) / 1000);
  return `The log of ${who} says nothing new: its ${counted(after, 'line')} of trouble since ` +
    `${utcText(window.splitMs, now)} are like those in the ${long} before.`;
}

function rateFindings(rate: RateFacts, now: number): Statement[] {
  const { beforePerMinute: before, afterPerMinute: after, silentSinceMs, evidence } = rate;
  const who = shownText(rate.said, 120);
  if (silentSinceMs !== null) {
    const text = `The log of ${who} is silent since ${utcText(silentSinceMs, now)}; before, it ` +
      `had ${perMinuteText(before)}.`;
    return [{ text, evidence: [evidence] }];
  }
  const isMore = after >= factorMin * before && after >= perMinuteMin;
  const isLess = before >= factorMin * after && before >= perMinuteMin;
  if (!isMore && !isLess) return [];
  const text = `The log of ${who} has ${perMinuteText(after)}, ${perMinuteText(before)} before.`;
  return [{ text, evidence: [evidence] }];
}
