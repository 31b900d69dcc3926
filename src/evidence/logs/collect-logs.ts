import { formatDuration } from '../../lib/quantity.ts';
import { createRedactor, type Redactor } from '../../redaction/redactor.ts';
import { counted } from '../../report/plain-text.ts';
import { shownText } from '../../report/shown-text.ts';
import { isoTime } from '../../report/time-text.ts';
import type { PatternChange } from '../../statistics/logs/compare-logs.ts';
import { lineRate } from '../../statistics/logs/line-rate.ts';
import { logMessageOf } from '../../statistics/logs/log-message.ts';
import { isFailing } from '../../statistics/logs/log-words.ts';
import type { Ledger, NewEvidence } from '../ledger.ts';
import type { SourceFault, SourceReport } from '../metric-facts.ts';
import { notesOf, seriesData, spanOf } from '../metrics/series-data.ts';
import type { Told } from '../ask-within.ts';
import { countQuery, type LogAnswers, type ReadStreams } from './ask-logs.ts';
import { countedLines, emptyTimes, minuteEnd, type CountedLines } from './counted-lines.ts';
import type { LogWindow } from './log-comparison.ts';
import {
  perMinuteText, quotedPattern, type LogFacts, type LogNews, type RateFacts, type TroubleFacts,
} from './log-facts.ts';
import type { LogStreams } from './log-streams.ts';

/** Items that {@linkcode collectLogs} adds at most. */
export const logItemsMax = 3;

const newsMax = 8;
const quotedMax = 200;
const exampleMax = 300;

type Add = (item: Omit<NewEvidence, 'source' | 'kind'>) => string;

/** Writes down what the logs say; the same answers make the same items. */
export function collectLogs(
  answers: LogAnswers,
  { ledger, now, queries }: {
    readonly ledger: Ledger; readonly now: number; readonly queries: number;
  },
): LogFacts {
  const { window, streams, read } = answers;
  const base = { source: 'loki', fetched_at: isoTime(now) };
  const source = addSource((item) => ledger.add({ ...item, ...base, kind: 'source' }), answers);
  const add: Add = (item) => ledger.add({ ...item, ...base, kind: 'logs' });
  const lines = read === null ? null : countedLines(read.counts);
  const empty = emptyTimes(lines, window);
  const reading = streams !== null && read !== null &&
    { streams, read, window, lines, emptyUntilMs: empty.emptyUntilMs };
  return {
    source: { ...source, durationMs: Math.round(answers.durationMs), queries },
    window, ...empty,
    rate: reading ? addRate(add, reading) : null,
    trouble: reading ? addTrouble(add, reading) : null,
  };
}

function addSource(
  add: (item: Omit<NewEvidence, 'source' | 'kind'>) => string,
  answers: LogAnswers,
): Pick<SourceReport, 'state' | 'evidence' | 'failures' | 'mayAnswerLater'> {
  const { found, read, objects, streams } = answers;
  const all: (readonly [part: string, told: Told<unknown>])[] = [
    ...found.map((told) => ['Which logs are those of the alert', told] as const),
    ...(read === null ? [] : [
      ['Log lines around the alert', read.after], ['Log lines of the hour before', read.before],
      ['How many lines it logs', read.counts],
    ] as const),
  ];
  const failed = all.flatMap(([what, told]) => ('value' in told ? [] : [{ what, ...told }]));
  const [first] = failed;
  const isFailed = first !== undefined && failed.length === all.length;
  const state = all.length === 0 ? 'empty' : isFailed ? 'failed' : 'ok';
  const evidence = add({
    title: 'Loki', state,
    summary: all.length === 0 ? `It was not asked: ${noObject}`
      : `Loki answered ${all.length - failed.length} of ${counted(all.length, 'question')}.` +
        `${first === undefined ? '' : ` ${first.hint}`}`,
    error: isFailed ? `Cannot read from Loki: ${first.why}.` : null,
    warnings: isFailed ? [] : failed.map(({ what, why }) => `${what}: ${why}.`),
  });
  const isMissing = streams === null && failed.length === 0;
  const failures = failed.map(({ what, why, hint }): SourceFault => {
    return { what, why: `Cannot read from Loki: ${why}.`, hint, evidence };
  });
  return {
    state, evidence, failures: isMissing ? [withoutStreams(objects, evidence)] : failures,
    mayAnswerLater: failed.some(({ mayPass }) => mayPass),
  };
}

const noObject = 'no label of the alert names the pod, the service or the host it is about.';

/** Nobody failed, and yet no log is known to be that of the alert. */
function withoutStreams(objects: LogAnswers['objects'], evidence: string): SourceFault {
  const named = objects.map(({ kind, name }) => `${kind} ${shownText(name, 80)}`).join(' or ');
  const labels = [...new Set(objects.flatMap((object) => object.labels.slice(0, labelsShown)))];
  return {
    what: 'Log lines around the alert', evidence,
    why: objects.length === 0 ? `Loki was not asked: ${noObject}`
      : `No stream in Loki is that of ${named}.`,
    hint: objects.length === 0 ? 'Keep such a label in the rule.'
      : `See whether its logs reach Loki, labelled with one of ${labels.join(', ')}.`,
  };
}

const labelsShown = 3;

interface Reading {
  readonly streams: LogStreams;
  readonly read: ReadStreams;
  readonly window: LogWindow;
  readonly lines: CountedLines | null;
  readonly emptyUntilMs: number | null;
}

/** How many lines there are, and since when none. */
function addRate(add: Add, { streams, window, lines, emptyUntilMs }: Reading): RateFacts | null {
  if (lines === null || lines.values.length === 0) return null;
  const { answer, values, gap } = lines;
  const { grid } = answer;
  const split = Math.ceil((window.splitMs - grid.startMs) / grid.stepMs);
  // What a log has in a minute is not to be told of the time before it began, or in a gap.
  const begin = emptyUntilMs === null ? 0 : Math.ceil((emptyUntilMs - grid.startMs) / grid.stepMs);
  const isUsual = (at: number): boolean => {
    return at >= begin && (gap === null || at < gap.from || at >= gap.to);
  };
  const before = values.slice(0, split).filter((_, at) => isUsual(at));
  const after = values.slice(split).filter((_, at) => isUsual(split + at));
  const rate = lineRate([...before, ...after], before.length);
  if (rate === null) return null;
  const evidence = add({
    title: `Lines a minute of ${streams.owner}`,
    query: countQuery(streams), ...spanOf(grid), ...notesOf(answer),
    summary: `${perMinuteText(rate.beforePerMinute)} before, ` +
      `${perMinuteText(rate.afterPerMinute)} in the latest; ${counted(streams.count, 'stream')}.`,
    data: seriesData({
      labels: {}, unit: 'lines per minute', grid, values: Float64Array.from(values), split,
    }, { before: rate.beforePerMinute, after: rate.afterPerMinute }),
  });
  // Nothing is left out of what is silent at the end.
  const leftOut = values.length - before.length - after.length;
  const silentSinceMs = rate.silentFrom === null ? null
    : minuteEnd(lines, leftOut + rate.silentFrom - 1);
  const toMs = minuteEnd(lines, grid.count - 1);
  return { ...rate, owner: streams.owner, silentSinceMs, toMs, evidence };
}

/** What lines tell of trouble, and what of it is new. */
function addTrouble(add: Add, { streams, read, window }: Reading): TroubleFacts | null {
  const { before, after, comparison, query } = read;
  if (!('value' in before && 'value' in after) || comparison === null) return null;
  const { fromMs, splitMs, toMs } = window;
  const { changes } = comparison;
  const redactor = createRedactor({ secrets: [] });
  const news = newsOf(changes, before.value.isCut).slice(0, newsMax)
    .map((change) => withoutSecrets(change, redactor));
  const facts = {
    owner: streams.owner, news, patterns: changes.length,
    before: comparison.before.lines.length, after: comparison.after.lines.length,
    beforeFromMs: comparison.before.fromMs, afterFromMs: comparison.after.fromMs,
  };
  const evidence = add({
    title: `What the log of ${streams.owner} says of trouble`,
    query, from: isoTime(fromMs), to: isoTime(toMs),
    state: facts.before + facts.after === 0 ? 'empty' : 'ok',
    summary: troubleSummary(facts, window),
    data: {
      split: isoTime(splitMs), before: facts.before, after: facts.after,
      before_from: isoTime(facts.beforeFromMs), after_from: isoTime(facts.afterFromMs),
      patterns: news.map(dataOf),
    },
    truncated: before.value.isCut || after.value.isCut,
    warnings: [...notesOf({ notes: after.value.notes, omitted: 0 }).warnings],
    redactions: redactor.total,
  });
  return { ...facts, evidence };
}

function newsOf(changes: readonly PatternChange[], isBeforeCut: boolean): PatternChange[] {
  const changed = changes.filter(({ kind }) => kind === 'new' || kind === 'more');
  if (changed.length > 0 || isBeforeCut) return changed;
  return changes.filter(({ before, after, level, pattern }) => {
    if (before > 0 || after === 0) return false;
    return level === null ? isFailing(pattern) : level === 'error' || level === 'fatal';
  });
}

/**
 * Names and hidden characters that give a secret away may be no part of the message, and in a
 * pattern its own form is lost: it is looked for in the line, and where the message of that holds
 * one, it stands for the pattern.
 */
function withoutSecrets({ line, ...change }: PatternChange, { redact }: Redactor): LogNews {
  const masked = redact(line);
  const message = masked === line ? change.example : logMessageOf(masked).message || masked;
  const example = redact(message);
  const pattern = example === change.example ? redact(change.pattern) : example;
  return {
    ...change, pattern: shownText(pattern, quotedMax), example: shownText(example, exampleMax),
  };
}

function troubleSummary(
  facts: Omit<TroubleFacts, 'evidence'>,
  { toMs, splitMs }: LogWindow,
): string {
  const { before, after, news, patterns } = facts;
  const [first] = news;
  if (before + after === 0) return 'No line tells of trouble.';
  const long = (ms: number): string => formatDuration(Math.max(0, ms) / 1000);
  const fresh = first === undefined ? 'None of it is clearly new.'
    : `${first.kind === 'alike' ? 'Not seen before' : 'New or more frequent'}: ${news.length} of ` +
      `${counted(patterns, 'pattern')}, ${quotedPattern(first.pattern)} first of all.`;
  const beforeMs = splitMs - facts.beforeFromMs;
  const earlier = beforeMs > 0 ? `${before} in the ${long(beforeMs)} before` : 'no log before';
  return `${counted(after, 'line')} of trouble in the ${long(toMs - facts.afterFromMs)} at the ` +
    `end, ${earlier}. ${fresh}`;
}

function dataOf(change: LogNews): unknown {
  const { pattern, kind, before, after, level, firstAtMs, example } = change;
  const first = firstAtMs === null ? null : isoTime(firstAtMs);
  return { text: pattern, kind, before, after, level, first, example };
}
