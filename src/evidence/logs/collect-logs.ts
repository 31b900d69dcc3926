import { formatDuration } from '../../lib/quantity.ts';
import { createRedactor, type Redactor } from '../../redaction/redactor.ts';
import { counted } from '../../report/plain-text.ts';
import { shownText } from '../../report/shown-text.ts';
import { isoTime } from '../../report/time-text.ts';
import type { PatternChange } from '../../statistics/logs/compare-logs.ts';
import { lineRate } from '../../statistics/logs/line-rate.ts';
import { logMessageOf } from '../../statistics/logs/log-message.ts';
import type { Ledger, NewEvidence } from '../ledger.ts';
import type { SourceFault, SourceReport } from '../metric-facts.ts';
import { notesOf, seriesData, spanOf } from '../metrics/series-data.ts';
import type { Told } from '../told.ts';
import { countQuery, type LogAnswers, type ReadStreams } from './ask-logs.ts';
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
  const isRead = streams !== null && read !== null;
  return {
    source: { ...source, durationMs: Math.round(answers.durationMs), queries },
    window,
    rate: isRead ? addRate(add, { streams, read, window }) : null,
    trouble: isRead ? addTrouble(add, { streams, read, window }) : null,
  };
}

function addSource(
  add: (item: Omit<NewEvidence, 'source' | 'kind'>) => string,
  answers: LogAnswers,
): Pick<SourceReport, 'state' | 'evidence' | 'failures'> {
  const { found, read, levels, streams } = answers;
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
  return { state, evidence, failures: isMissing ? [withoutStreams(levels, evidence)] : failures };
}

const noObject = 'no label of the alert names a pod, a service or a host.';

/** Nobody failed, and yet no log is known to be that of the alert. */
function withoutStreams(levels: LogAnswers['levels'], evidence: string): SourceFault {
  const objects = levels.map(({ kind, name }) => `${kind} ${shownText(name, 80)}`).join(' or ');
  const labels = [...new Set(levels.flatMap((level) => level.labels.slice(0, labelsShown)))];
  return {
    what: 'Log lines around the alert', evidence,
    why: levels.length === 0 ? `Loki was not asked: ${noObject}`
      : `No stream in Loki is that of ${objects}.`,
    hint: levels.length === 0 ? 'Keep such a label in the rule.'
      : `See whether its logs reach Loki, labelled with one of ${labels.join(', ')}.`,
  };
}

const labelsShown = 3;

interface Reading {
  readonly streams: LogStreams;
  readonly read: ReadStreams;
  readonly window: LogWindow;
}

/** How many lines there are, and since when none. */
function addRate(add: Add, { streams, read: { counts }, window }: Reading): RateFacts | null {
  if (!('value' in counts)) return null;
  const { grid, series } = counts.value;
  const told = series[0]?.values;
  if (told === undefined) return null;
  // The server leaves out a minute without a line.
  const values = told.map((count) => (Number.isFinite(count) ? count : 0));
  const split = Math.ceil((window.splitMs - grid.startMs) / grid.stepMs);
  const rate = lineRate([...values], split);
  if (rate === null) return null;
  const evidence = add({
    title: `Lines a minute of ${streams.said}`,
    query: countQuery(streams), ...spanOf(grid), ...notesOf(counts.value),
    summary: `${perMinuteText(rate.beforePerMinute)} before, ` +
      `${perMinuteText(rate.afterPerMinute)} in the latest; ${counted(streams.count, 'stream')}.`,
    data: seriesData({ labels: {}, unit: 'lines per minute', grid, values, split }, {
      before: rate.beforePerMinute, after: rate.afterPerMinute,
    }),
  });
  const silentSinceMs = rate.silentFrom === null ? null
    : grid.startMs + (rate.silentFrom - 1) * grid.stepMs;
  return { ...rate, said: streams.said, silentSinceMs, evidence };
}

/** What lines tell of trouble, and what of it is new. */
function addTrouble(add: Add, { streams, read, window }: Reading): TroubleFacts | null {
  const { before, after, comparison, query } = read;
  if (!('value' in before && 'value' in after) || comparison === null) return null;
  const { fromMs, splitMs, toMs } = window;
  const { changes } = comparison;
  const redactor = createRedactor({ secrets: [] });
  const news = changes.filter(({ kind }) => kind === 'new' || kind === 'more').slice(0, newsMax)
    .map((change) => withoutSecrets(change, redactor));
  const facts = {
    said: streams.said, news, patterns: changes.length,
    before: comparison.before.lines.length, after: comparison.after.lines.length,
    beforeFromMs: comparison.before.fromMs, afterFromMs: comparison.after.fromMs,
  };
  const evidence = add({
    title: `What the log of ${streams.said} says of trouble`,
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
  const fresh = first === undefined ? 'None of it is new.'
    : `New or more frequent: ${news.length} of ${counted(patterns, 'pattern')}, ` +
      `${quotedPattern(first.pattern)} first of all.`;
  return `${counted(after, 'line')} of trouble in the ${long(toMs - facts.afterFromMs)} at the ` +
    `end, ${before} in the ${long(splitMs - facts.beforeFromMs)} before. ${fresh}`;
}

function dataOf(change: LogNews): unknown {
  const { pattern, kind, before, after, level, firstAtMs, example } = change;
  const first = firstAtMs === null ? null : isoTime(firstAtMs);
  return { text: pattern, kind, before, after, level, first, example };
}
