import type { LabelSet } from '../../alert/labels.ts';
import { parseTime } from '../../alert/timestamp.ts';
import type { CaseFile } from '../../report/case-file.ts';
import { lokiIdentity, type Loki } from '../../sources/loki.ts';
import type { LinesAnswer } from '../../sources/loki-answers.ts';
import type { RangeAnswer, SeriesAnswer } from '../../sources/prometheus-answers.ts';
import { quoteText } from '../../sources/promql-text.ts';
import { askWithin, type AskContext, type Outcome, type Settle } from '../ask-within.ts';
import { objectsOf, type AlertObject } from './alert-objects.ts';
import { countedLines, emptyTimes } from './counted-lines.ts';
import { compareAnswers, type LogComparison, type LogWindow } from './log-comparison.ts';
import { chooseStreams, selectorsOf, type LogStreams } from './log-streams.ts';

export interface LogAnswers {
  readonly durationMs: number;
  readonly window: LogWindow;
  /** The objects named in the alert's labels, which its streams belong to. */
  readonly objects: readonly AlertObject[];
  /** The streams of each object, in the same order. */
  readonly found: readonly Outcome<SeriesAnswer>[];
  /** Null if there are none or the question was not answered. */
  readonly streams: LogStreams | null;
  /** Null if there are no streams to read. */
  readonly read: ReadStreams | null;
}

export interface ReadStreams {
  /** All lines, counted per minute. */
  readonly counts: Outcome<RangeAnswer>;
  /** Lines that report trouble. */
  readonly before: Outcome<LinesAnswer>;
  readonly after: Outcome<LinesAnswer>;
  /** Null if one of the two was not answered. */
  readonly comparison: LogComparison | null;
  readonly query: string;
}

const minuteMs = 60_000;
/**
 * How long before the alert the split is. Most rules wait at most 15 minutes, and a rate shows
 * trouble a few minutes late. If the split is early, trouble is still new; if it is late, it looks
 * old.
 */
const leadMs = 30 * minuteMs;
const beforeMs = 60 * minuteMs;
/** Lines later than this after the start are consequences. */
const afterMs = 10 * minuteMs;

/**
 * Words by which the server filters lines: all lines of a busy hour would be gigabytes. RE2 is
 * fastest with plain alternatives.
 */
const trouble = '(?i)error| err | err\\]|\\[err|=err |"err"|exception|warn|fatal|panic|crit|' +
  'severe|emerg|fail|timeout|timed out|refused|denied|forbidden|unauthorized|reject|invalid|' +
  'unavailable|unreachable|unhealthy|not healthy|unable|cannot|could not|lost|killed|died|' +
  'crash|exited|exit code|oom|out of memory|exhaust|exceed|too many|no space|read-only|' +
  'corrupt|deadlock|abort|traceback|segfault|reset by peer|broken pipe|expired|evict|sigterm|' +
  'shutting down|shutdown|restart|rollback|"level":[456]0';

/** Query for the lines that report trouble. */
function troubleQuery({ selector }: LogStreams): string {
  return `${selector} |~ ${quoteText(trouble)}`;
}

/** Query for the number of lines per minute. */
export function countQuery({ selector }: LogStreams): string {
  return `sum(count_over_time(${selector}[1m]))`;
}

/** Finds the alert's streams, then reads them. Rejects only when the signal is aborted. */
export function askLogs(
  caseFile: CaseFile,
  now: number,
  context: AskContext<Loki>,
): Promise<LogAnswers> {
  return askWithin(lokiIdentity, context, (loki, settle) => {
    return askAll(caseFile.alert.labels, windowOf(caseFile, now), { loki, settle });
  });
}

function windowOf({ alert, episode, receivedAt }: CaseFile, now: number): LogWindow {
  const told = parseTime(alert.startsAt ?? episode.startsAt) ?? parseTime(receivedAt) ?? now;
  // A sender's clock may be ahead of ours. Whole minutes let alerts of one service share answers.
  const startsAtMs = Math.floor(Math.min(told, now) / minuteMs) * minuteMs;
  const splitMs = startsAtMs - leadMs;
  return { fromMs: splitMs - beforeMs, splitMs, toMs: Math.min(now, startsAtMs + afterMs) };
}

interface Asking {
  readonly loki: Loki;
  readonly settle: Settle;
}

async function askAll(
  labels: LabelSet,
  window: LogWindow,
  asking: Asking,
): Promise<Omit<LogAnswers, 'durationMs'>> {
  const { loki, settle } = asking;
  const objects = objectsOf(labels);
  const found = await Promise.all(objects.map((object) => {
    return settle(loki.streams(selectorsOf(object), window));
  }));
  const streams = chooseStreams(labels, new Map(objects.flatMap((object, index) => {
    const outcome = found[index];
    if (outcome === undefined || !('value' in outcome)) return [];
    return [[object, outcome.value.series] as const];
  })));
  const read = streams === null ? null : await readStreams(streams, window, asking);
  return { window, objects, found, streams, read };
}

async function readStreams(
  streams: LogStreams,
  window: LogWindow,
  { loki, settle }: Asking,
): Promise<ReadStreams> {
  const { fromMs, splitMs, toMs } = window;
  const query = troubleQuery(streams);
  const [after, before, counts] = await Promise.all([
    settle(loki.lines(query, { fromMs: splitMs, toMs })),
    settle(loki.lines(query, { fromMs, toMs: splitMs })),
    settle(loki.counts(countQuery(streams), { fromMs, toMs, stepSeconds: 60 })),
  ]);
  const { emptyUntilMs } = emptyTimes(countedLines(counts), window);
  const begin = Math.min(splitMs, emptyUntilMs ?? fromMs);
  // Compared here, so that an error costs the evidence of Loki and not the whole report.
  const comparison = 'value' in before && 'value' in after
    ? compareAnswers(before.value, after.value, { ...window, fromMs: begin }) : null;
  return { query, counts, before, after, comparison };
}
