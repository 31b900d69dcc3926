import {
  perMinuteText, type LogFacts, type LogNews, type RateFacts, type TroubleFacts,
} from '../../evidence/logs/log-facts.ts';
import { formatDuration } from '../../lib/quantity.ts';
import { counted } from '../../report/plain-text.ts';
import type { Statement } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { utcText } from '../../report/time-text.ts';
import { citing } from '../citing.ts';
import { hasNoBefore, newLinesText, quotedNews, withoutLines } from '../log-words.ts';
import type { Situation } from '../situation.ts';

const newsShownMax = 3;
/** A change of the log's rate by this factor is worth telling. */
const factorMin = 5;
/** Below this rate, a multiple of it is no news. */
const perMinuteMin = 20;

/** What the alert's own logs say, each fact with the items it follows from. */
export function logFindings({ evidence: { logs }, now }: Situation): Statement[] {
  if (logs === null) return [];
  return [
    ...(logs.trouble === null ? [] : troubleFindings(logs.trouble, logs, now)),
    ...(logs.rate === null ? [] : rateFindings(logs.rate, now)),
  ];
}

function troubleFindings(trouble: TroubleFacts, logs: LogFacts, now: number): Statement[] {
  const { news, owner, evidence } = trouble;
  const context = { who: shownText(owner, 120), trouble, logs, now };
  const findings = news.slice(0, newsShownMax).map((change) => newsText(change, context));
  if (news.length > newsShownMax) {
    const [is, has] = news.length === newsShownMax + 1 ? ['is', 'has'] : ['are', 'have'];
    findings.push(`${counted(news.length - newsShownMax, 'further pattern')} in its log ` +
      (news[0]?.kind === 'alike' ? `${has} no earlier lines to compare with.`
        : `${is} new or more frequent.`));
  }
  if (news.length === 0) findings.push(calmText(context));
  return findings.map((text) => ({ text, evidence: [evidence] }));
}

interface NewsContext {
  /** "pod cart-1" */
  readonly who: string;
  readonly trouble: TroubleFacts;
  readonly logs: LogFacts;
  readonly now: number;
}

function newsText(change: LogNews, context: NewsContext): string {
  const { who, trouble, logs, now } = context;
  const clause = `The log of ${who} says ${quotedNews(change)}`;
  if (change.kind !== 'more') return `${clause}: ${newLinesText(change, trouble, logs, now)}.`;
  return `${clause} more often since ${utcText(logs.window.splitMs, now)}: ` +
    `${linesText(change, context)}.`;
}

/** Lines are counted: trouble that set in late has no meaningful rate since the split. */
function linesText(
  { before, after }: { readonly before: number; readonly after: number },
  { trouble: { beforeFromMs, afterFromMs }, logs: { window: { splitMs, toMs } }, now }: NewsContext,
  of = '',
): string {
  const long = (ms: number): string => formatDuration(ms / 1000);
  return `${counted(after, 'line')}${of} in the ${long(toMs - afterFromMs)} to ` +
    `${utcText(toMs, now)}, ${before} in the ${long(splitMs - beforeFromMs)} before`;
}

function calmText(context: NewsContext): string {
  const { who, trouble, logs, now } = context;
  const { fromMs, splitMs, toMs } = logs.window;
  const gap = logs.gap === null ? '' : `; ${withoutLines(logs, now) ?? ''}`;
  if (trouble.before + trouble.after === 0) {
    const begin = logs.emptyUntilMs ?? fromMs;
    const to = utcText(toMs, now);
    return begin >= toMs ? `Loki has no line of ${who} from ${utcText(fromMs, now)} to ${to}.`
      : `The log of ${who} shows no trouble from ${utcText(begin, now)} to ${to}${gap}.`;
  }
  if (hasNoBefore(trouble, logs)) {
    return `The log of ${who} has ${counted(trouble.after, 'line')} of trouble and nothing ` +
      `to compare them with: ${withoutLines(logs, now) ?? 'too many lines'}.`;
  }
  return `The log of ${who} shows nothing clearly new since ${utcText(splitMs, now)}: ` +
    `${linesText(trouble, context, ' of trouble')}${gap}.`;
}

function rateFindings(rate: RateFacts, now: number): Statement[] {
  const { beforePerMinute: before, afterPerMinute: after, silentSinceMs, toMs, evidence } = rate;
  const who = shownText(rate.owner, 120);
  if (silentSinceMs !== null) {
    const text = `Loki has no line of ${who} from ${utcText(silentSinceMs, now)} to ` +
      `${utcText(toMs, now)}; before, there were ${perMinuteText(before)}.`;
    return citing([evidence], text);
  }
  const isMore = after >= factorMin * before && after >= perMinuteMin;
  const isLess = before >= factorMin * after && before >= perMinuteMin;
  if (!isMore && !isLess) return [];
  const text = `The log of ${who} had ${perMinuteText(after)} in the minutes to ` +
    `${utcText(toMs, now)}, ${perMinuteText(before)} before.`;
  return citing([evidence], text);
}
