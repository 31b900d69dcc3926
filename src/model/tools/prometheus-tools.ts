import type { NewEvidence } from '../../evidence/ledger.ts';
import { seriesData, rounded } from '../../evidence/metrics/series-data.ts';
import { rangeHoursMax } from '../../evidence/rule/query-bounds.ts';
import { text } from '../../lib/parse.ts';
import { minuteMs } from '../../lib/time-units.ts';
import { caseStartOf } from '../../report/new-report.ts';
import { counted } from '../../report/plain-text.ts';
import { isoTime } from '../../report/time-text.ts';
import { createPrometheus, type Prometheus } from '../../sources/prometheus.ts';
import type { InstantAnswer, RangeAnswer } from '../../sources/prometheus-answers.ts';
import { numberArgument, numberWithin, orNull, type Argument } from './argument.ts';
import { queryProblem, stepFor } from './query-guard.ts';
import { cutResult, labelsText, numbersOf, numbersText, seriesMax } from './result-text.ts';
import { spanBefore } from './span-before.ts';
import {
  createTool, found, ToolProblem, type Tool, type ToolContext, type ToolOutcome,
} from './tool.ts';

/** Minutes before the alert began, when the model does not say. */
const minutesBackDefault = 60;
const listMax = 100;
const nothing = 'Nothing came back.';
const narrowHint = 'Aggregate with sum by, use topk, or add a label matcher.';

/** Tools that query Prometheus; none when it is not configured. */
export function prometheusTools(context: ToolContext): Tool[] {
  const { prometheus } = context.sources;
  if (prometheus === null) return [];
  const open: Open = (signal) => createPrometheus(prometheus, signal);
  return [instant(context, open), range(context, open), series(context, open)];
}

type Open = (signal: AbortSignal) => Prometheus;

function instant({ now }: ToolContext, open: Open): Tool {
  return createTool({
    name: 'prom_instant',
    description: 'The value of a PromQL expression at one moment.',
    takes: {
      query: promqlArgument('PromQL.'),
      minutes_ago: numberWithin(
        { min: 0, max: 7 * 24 * 60, otherwise: 0 }, 'Minutes before now; null is now.',
      ),
    },
  }, async ({ query, minutes_ago: minutes }, signal) => {
    const atMs = now - minutes * minuteMs;
    const answer = await open(signal).query(query, atMs);
    return outcomeOf(instantText(answer), {
      query, from: isoTime(atMs), to: isoTime(atMs), truncated: answer.omitted > 0,
      summary: instantSummary(answer),
      state: answer.samples.length === 0 ? 'empty' : 'ok',
      data: {
        samples: answer.samples.slice(0, seriesMax).map(({ labels, value }) => {
          return { labels, value: rounded(value) };
        }),
      },
    });
  });
}

function range(context: ToolContext, open: Open): Tool {
  return createTool({
    name: 'prom_range',
    description: 'A PromQL expression over time, from some minutes before the alert began ' +
      'until now, as numbers per series. At most 24 hours and 100 points per series.',
    takes: {
      query: promqlArgument('PromQL.'),
      minutes_before: numberWithin(
        { min: 1, max: rangeHoursMax * 60, otherwise: minutesBackDefault },
        'Minutes before the alert began; null is 60.',
      ),
      step_seconds: orNull(numberArgument('Null chooses a fitting one.')),
    },
  }, async ({ query, minutes_before: minutes, step_seconds: seconds }, signal) => {
    const span = spanBefore(context, minutes);
    const stepSeconds = stepFor({ seconds, windowMs: span.toMs - span.fromMs });
    const answer = await open(signal).queryRange(query, { ...span, stepSeconds });
    return outcomeOf(rangeText(answer), {
      query, from: isoTime(answer.grid.startMs), to: isoTime(span.toMs),
      step_seconds: answer.grid.stepMs / 1000, truncated: answer.omitted > 0,
      summary: rangeSummary(answer),
      state: answer.series.length === 0 ? 'empty' : 'ok',
      data: rangeData(answer, Math.min(caseStartOf(context.caseFile), context.now)),
    });
  });
}

function series({ now }: ToolContext, open: Open): Tool {
  const span = { fromMs: now - 6 * 60 * minuteMs, toMs: now };
  return createTool({
    name: 'prom_series',
    description: 'Which series a selector matches, of the last six hours.',
    takes: { match: promqlArgument('A series selector, such as up{job="api"}.') },
  }, async ({ match }, signal) => {
    const answer = await open(signal).series([match], { ...span, limit: listMax });
    const shown = answer.series.map(labelsText);
    const isEmpty = shown.length === 0;
    const count = `${answer.omitted > 0 ? 'At least ' : ''}${shown.length} series`;
    return outcomeOf(`${count}\n${shown.join('\n')}`, {
      query: match, summary: isEmpty ? nothing : `${count}: ${shown.slice(0, 10).join(', ')}`,
      state: isEmpty ? 'empty' : 'ok', data: { found: shown }, truncated: answer.omitted > 0,
    });
  });
}

function outcomeOf(
  given: string,
  answer: Pick<NewEvidence, 'summary' | 'query'> & Partial<NewEvidence>,
): ToolOutcome {
  const empty = `${nothing} That is missing data, not a finding: check the names with prom_series.`;
  const shown = answer.state === 'empty' ? empty : cutResult(given, narrowHint);
  return found(shown, {
    kind: 'series', role: 'query_of_model', source: 'prometheus', title: answer.query ?? '',
    ...answer,
  });
}

function instantText({ samples, omitted }: InstantAnswer): string {
  const lines = samples.slice(0, seriesMax).map(sampleText);
  return [...lines, ...moreThan(samples.length + omitted)].join('\n');
}

function instantSummary({ samples, omitted }: InstantAnswer): string {
  if (samples.length === 0) return nothing;
  const shown = samples.slice(0, 5).map(sampleText);
  return `${counted(samples.length + omitted, 'value')}: ${shown.join('; ')}`;
}

function sampleText({ labels, value }: InstantAnswer['samples'][number]): string {
  return `${labelsText(labels)} is ${rounded(value) ?? String(value)}`;
}

function rangeText({ series, grid, omitted }: RangeAnswer): string {
  const lines = series.slice(0, seriesMax).map((each) => numbersText(numbersOf(each)));
  const head = `From ${isoTime(grid.startMs)}, a point every ${grid.stepMs / 1000} s.`;
  return [head, ...lines, ...moreThan(series.length + omitted)].join('\n');
}

function rangeSummary({ series, omitted }: RangeAnswer): string {
  const shown = series.slice(0, 3).map((each) => {
    const { labels, min, max, avg, last } = numbersOf(each);
    return `${labelsText(labels)}: min ${min}, max ${max}, avg ${avg}, last ${last}`;
  });
  if (series.length === 0) return nothing;
  return `${series.length + omitted} series. ${shown.join('. ')}`;
}

/** A single series is kept whole, so that it can be drawn; of several, only their numbers. */
function rangeData({ series, grid }: RangeAnswer, startMs: number): unknown {
  const [only] = series;
  if (only !== undefined && series.length === 1) {
    const split = Math.max(0, Math.ceil((startMs - grid.startMs) / grid.stepMs));
    return {
      ...seriesData({ labels: only.labels, unit: null, grid, values: only.values, split }),
      numbers: numbersOf(only),
    };
  }
  return { series: series.slice(0, seriesMax).map(numbersOf) };
}

function moreThan(total: number): string[] {
  if (total <= seriesMax) return [];
  return [`[${total - seriesMax} more series not shown. ${narrowHint}]`];
}

function promqlArgument(description: string): Argument<string> {
  return {
    schema: { type: 'string', description },
    read(value, path) {
      const query = text(value, path);
      const problem = queryProblem(query);
      if (problem !== null) throw new ToolProblem(problem);
      return query.trim();
    },
  };
}
