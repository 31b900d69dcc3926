import type { LabelSet } from '../../alert/labels.ts';
import { objectsOf } from '../../evidence/logs/alert-objects.ts';
import { chooseStreams, selectorsOf, type LogStreams } from '../../evidence/logs/log-streams.ts';
import { seriesData } from '../../evidence/metrics/series-data.ts';
import { namespaceOf } from '../../evidence/named-in-labels.ts';
import { escapeRegex } from '../../lib/promql-string.ts';
import { counted } from '../../report/plain-text.ts';
import { shownText } from '../../report/shown-text.ts';
import { isoTime } from '../../report/time-text.ts';
import { createLoki, type Loki } from '../../sources/loki.ts';
import type { LinesAnswer } from '../../sources/loki-answers.ts';
import { quoteText } from '../../sources/promql-text.ts';
import type { TimeSpan } from '../../sources/time-grid.ts';
import { flagArgument, numberWithin, orNull, textArgument } from './argument.ts';
import { knownName } from './known-name.ts';
import { stepFor } from './query-guard.ts';
import { cutResult, numbersOf } from './result-text.ts';
import { spanBefore } from './span-before.ts';
import {
  createTool, found, nothingFound, type Tool, type ToolContext, type ToolOutcome,
} from './tool.ts';

/** Minutes before the alert began: when the model does not say, and at most. */
const minutesBackDefault = 30;
const minutesBackMax = 6 * 60;
const textMax = 200;
const linesShown = 40;
const lineMax = 180;

/**
 * The tools that read logs; none without Loki. The model names a component and a text, and code
 * builds the query. Only logs of components that the evidence names can be read: whoever steers a
 * model by a log line must not make it read what they cannot read themselves.
 */
export function lokiTools(context: ToolContext): Tool[] {
  const { sources: { loki }, caseFile: { alert: { labels } } } = context;
  if (loki === null) return [];
  const takes = {
    component: orNull(knownName(
      context, "A pod, service or machine that evidence names; null: the alert's own.",
    )),
    containing: orNull(textArgument(
      textMax, 'A text that the lines contain, in any case; null is all lines.',
    )),
    minutes_before: numberWithin(
      { min: 0, max: minutesBackMax, otherwise: minutesBackDefault },
      'Minutes before the alert began; null is 30.',
    ),
  };
  const inStreams = async (
    { component, containing, minutes_before: minutes }: {
      readonly component: string | null; readonly containing: string | null;
      readonly minutes_before: number;
    },
    signal: AbortSignal,
    read: (asked: Asked, source: Loki) => Promise<ToolOutcome>,
  ): Promise<ToolOutcome> => {
    const span = spanBefore(context, minutes);
    const source = createLoki(loki, signal);
    const streams = await streamsOf(source, span, { component, labels });
    if (streams === null) {
      const what = component === null ? "the alert's own objects" : shownText(component, 80);
      return nothingFound(`There is no log stream of ${what}.`);
    }
    return read({ query: queryOf(streams, containing), span, owner: streams.owner }, source);
  };
  const isFirst = orNull(flagArgument('The oldest lines, such as the first error; null: newest.'));
  return [
    createTool({
      name: 'log_lines',
      description: 'Log lines, 40 at most, from some minutes before the alert began until now.',
      takes: { ...takes, oldest: isFirst },
    }, ({ oldest, ...given }, signal) => inStreams(given, signal, async (asked, source) =>
      outcomeOf(await source.lines(asked.query, asked.span, oldest ? 'oldest' : 'newest'), {
        ...asked, isOldest: oldest === true,
      }))),
    createTool({
      name: 'log_counts',
      description: 'How many log lines contain a text, over time, from some minutes before the ' +
        'alert began until now.',
      takes,
    }, (given, signal) => inStreams(given, signal, countsOf)),
  ];
}

interface Asked {
  readonly query: string;
  readonly span: TimeSpan;
  readonly owner: string;
}

async function countsOf({ query: lines, span, owner }: Asked, source: Loki): Promise<ToolOutcome> {
  const stepSeconds = stepFor({ seconds: null, windowMs: span.toMs - span.fromMs });
  const query = `sum(count_over_time(${lines} [${stepSeconds}s]))`;
  const { grid, series: [counts] } = await source.counts(query, { ...span, stepSeconds });
  if (counts === undefined) return nothingFound(`No such line in the log of ${owner}.`);
  // Loki leaves out intervals without a line.
  const values = counts.values.map((value) => Number.isFinite(value) ? value : 0);
  const numbers = numbersOf({ labels: {}, values });
  const text = `Lines of ${owner} in each ${stepSeconds} s since ${isoTime(grid.startMs)}: ` +
    `min ${numbers.min}, max ${numbers.max}; samples ${numbers.samples.join(' ')}`;
  return found(text, {
    kind: 'logs', role: 'query_of_model', source: 'loki', title: query, query, summary: text,
    from: isoTime(grid.startMs), to: isoTime(span.toMs), step_seconds: stepSeconds,
    data: seriesData({ labels: {}, unit: 'count', grid, values, split: 0 }),
  });
}

async function streamsOf(
  loki: Loki,
  span: TimeSpan,
  { component, labels }: { readonly component: string | null; readonly labels: LabelSet },
): Promise<LogStreams | null> {
  const sought = component === null ? [labels] : named(component, labels);
  for (const each of sought) {
    const objects = objectsOf(each);
    const answers = await Promise.all(objects.map(async (object) => {
      const { series } = await loki.streams(selectorsOf(object), span);
      return [object, series] as const;
    }));
    const streams = chooseStreams(each, new Map(answers));
    if (streams !== null) return streams;
  }
  return null;
}

/** The component as a pod or workload in the alert's namespace, then as a host. */
function named(component: string, labels: LabelSet): LabelSet[] {
  const namespace = namespaceOf(labels);
  const place = namespace === null ? {} : { namespace };
  return [{ ...place, pod: component, service: component }, { host: component }];
}

function queryOf({ selector }: LogStreams, containing: string | null): string {
  if (containing === null || containing === '') return selector;
  return `${selector} |~ ${quoteText(`(?i)${escapeRegex(containing)}`)}`;
}

function outcomeOf(
  { lines, isCut }: LinesAnswer,
  { query, span, owner, isOldest }: Asked & { readonly isOldest: boolean },
): ToolOutcome {
  const chosen = isOldest ? lines.slice(0, linesShown) : lines.slice(-linesShown);
  const shown = chosen.map(({ atMs, text }) =>
    `${isoTime(atMs)} ${shownText(text, lineMax)}`);
  const [first] = lines;
  const count = first === undefined ? `No such line in the log of ${owner}.`
    : `${isCut ? 'At least ' : ''}${counted(lines.length, 'line')} in the log of ${owner}, ` +
      `${isCut ? 'read' : 'the first'} from ${isoTime(first.atMs)} on.`;
  const text = shown.length === 0 ? `${count} An absent line is not health.`
    : cutResult([count, ...shown].join('\n'), 'Ask for a text that fewer lines contain.');
  return found(text, {
    kind: 'logs', role: 'query_of_model', source: 'loki', title: query, query,
    from: isoTime(span.fromMs), to: isoTime(span.toMs), truncated: isCut,
    state: shown.length === 0 ? 'empty' : 'ok', data: { lines: shown },
    summary: [count, ...(isOldest ? shown.slice(0, 3) : shown.slice(-3))].join(' '),
  });
}
