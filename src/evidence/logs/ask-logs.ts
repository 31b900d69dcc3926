import type { LabelSet } from '../../alert/labels.ts';
import { minuteMs } from '../../lib/time-units.ts';
import type { CaseFile } from '../../report/case-file.ts';
import { lokiIdentity, type Loki } from '../../sources/loki.ts';
import type { LinesAnswer } from '../../sources/loki-answers.ts';
import { quoteText } from '../../sources/promql-text.ts';
import { askWithin, type Ask, type AskContext, type Asked } from '../ask-within.ts';
import { startsAtOf } from '../from-alert.ts';
import { objectsOf, type AlertObject } from './alert-objects.ts';
import { countedLines, emptyTimes, type CountedLines } from './counted-lines.ts';
import { compareAnswers, type LogComparison, type LogWindow } from './log-comparison.ts';
import type { LogFacts } from './log-facts.ts';
import { chooseStreams, selectorsOf, type LogStreams } from './log-streams.ts';

export interface LogAnswers extends Asked {
  readonly window: LogWindow;
  /** The objects named in the alert's labels, which its streams belong to. */
  readonly objects: readonly AlertObject[];
  /** Null if there are none or the question was not answered. */
  readonly streams: LogStreams | null;
  /** Null if there are no streams to read. */
  readonly read: ReadStreams | null;
}

interface ReadStreams {
  /** All lines; null if they were not counted. */
  readonly lines: CountedLines | null;
  /** Lines that report trouble; null if they could not be read. */
  readonly trouble: {
    readonly before: LinesAnswer; readonly after: LinesAnswer; readonly comparison: LogComparison;
  } | null;
  readonly query: string;
}

/** The streams that were read, with the answers. */
export interface Reading extends ReadStreams, Pick<LogFacts, 'window'> {
  readonly streams: LogStreams;
}

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
export function lineCountQuery({ selector }: LogStreams): string {
  return `sum(count_over_time(${selector}[1m]))`;
}

/** Finds the alert's streams, then reads them. Rejects only when the signal is aborted. */
export function askLogs(
  caseFile: CaseFile,
  now: number,
  context: AskContext<Loki>,
): Promise<LogAnswers> {
  return askWithin(lokiIdentity, context, (loki, ask: Ask) =>
    askAll(caseFile.alert.labels, windowOf(caseFile, now), { loki, ask }));
}

function windowOf(caseFile: CaseFile, now: number): LogWindow {
  // A sender's clock may be ahead of ours. Whole minutes let alerts of one service share answers.
  const startsAtMs = Math.floor(Math.min(startsAtOf(caseFile, now), now) / minuteMs) * minuteMs;
  const splitMs = startsAtMs - leadMs;
  return { fromMs: splitMs - beforeMs, splitMs, toMs: Math.min(now, startsAtMs + afterMs) };
}

interface Asking {
  readonly loki: Loki;
  readonly ask: Ask;
}

async function askAll(
  labels: LabelSet,
  window: LogWindow,
  asking: Asking,
): Promise<Omit<LogAnswers, keyof Asked>> {
  const { loki, ask } = asking;
  const objects = objectsOf(labels);
  const found = await Promise.all(objects.map(async (object) => {
    const answer = await ask('Which logs are those of the alert', () =>
      loki.streams(selectorsOf(object), window));
    return [object, answer?.series ?? []] as const;
  }));
  const streams = chooseStreams(labels, new Map(found));
  const read = streams === null ? null : await readStreams(streams, window, asking);
  return { window, objects, streams, read };
}

async function readStreams(
  streams: LogStreams,
  window: LogWindow,
  { loki, ask }: Asking,
): Promise<ReadStreams> {
  const { fromMs, splitMs, toMs } = window;
  const query = troubleQuery(streams);
  const [after, before, counts] = await Promise.all([
    ask('Log lines around the alert', () => loki.lines(query, { fromMs: splitMs, toMs })),
    ask('Log lines of the hour before', () => loki.lines(query, { fromMs, toMs: splitMs })),
    ask('How many lines it logs', () =>
      loki.counts(lineCountQuery(streams), { fromMs, toMs, stepSeconds: 60 })),
  ]);
  const lines = counts && countedLines(counts);
  const begin = Math.min(splitMs, emptyTimes(lines, window).emptyUntilMs ?? fromMs);
  // Compared here, so that an error costs the evidence of Loki and not the whole report.
  const trouble = before && after && {
    before, after, comparison: compareAnswers(before, after, { ...window, fromMs: begin }),
  };
  return { query, lines, trouble };
}
