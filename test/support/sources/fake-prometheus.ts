import { once } from 'node:events';
import type { LabelSet } from '../../../src/alert/labels.ts';
import { historyQuery } from '../../../src/evidence/metrics/ask-moments.ts';
import { prometheusIdentity, type Prometheus } from '../../../src/sources/prometheus.ts';
import type { AlertRule } from '../../../src/sources/prometheus-rules.ts';
import type { FailedScrape } from '../../../src/sources/prometheus-targets.ts';
import type { QueryBudget } from '../../../src/sources/query-budget.ts';
import { SourceFailure, type FailureReason } from '../../../src/sources/source-failure.ts';
import { gridOf, type RangeWindow } from '../../../src/sources/time-grid.ts';

export interface FakeSeries {
  readonly labels: LabelSet;
  /** The sample at a time in milliseconds; NaN for none. */
  readonly valueAt: (atMs: number) => number;
}

export interface FakeOptions {
  readonly series: readonly FakeSeries[];
  /** Results of whole expressions by their text; those of rules are not evaluated here. */
  readonly expressions?: Readonly<Record<string, readonly FakeSeries[]>>;
  readonly rules?: readonly AlertRule[];
  /** What `/api/v1/targets` says of failed scrapes, by scrape pool. */
  readonly failedScrapes?: Readonly<Record<string, readonly FailedScrape[]>>;
  /** What it adds to all its alerts. */
  readonly externalLabels?: LabelSet;
  readonly scrapeSeconds?: number;
  /** Most samples of one answer. */
  readonly samplesMax?: number;
  /** What goes wrong with a question: a failure, or no answer for ever. */
  readonly fault?: (question: string) => FailureReason | 'hang' | null;
  readonly budget?: number;
  /** Answers with smaller numbers arrive first. */
  readonly delayOf?: (question: string) => number;
  readonly noteOf?: (question: string) => string | null;
}

export interface FakePrometheus extends Prometheus {
  readonly questions: readonly string[];
  readonly budget: Pick<QueryBudget, 'used' | 'left'>;
  /** The same, with questions that hang until the signal is aborted. */
  readonly open: (signal: AbortSignal) => Prometheus;
}

/**
 * A Prometheus in memory. It understands plain selectors, `or`, `count by`, `sum by` of series that
 * are 1, an `offset` (of no time), sums of `count`, `max`, `topk` and `bottomk` (all series are
 * returned), `rate`, `count_over_time`, the restriction of an expression to one set of labels, and
 * the expressions whose results it is given.
 */
export function fakePrometheus(options: FakeOptions): FakePrometheus {
  const questions: string[] = [];
  let signal = new AbortController().signal;
  const budget = {
    get used(): number { return questions.length; },
    get left(): number { return (options.budget ?? 80) - questions.length; },
  };
  const ask = async <T>(question: string, read: () => T): Promise<T> => {
    if (budget.left <= 0) {
      const detail = 'All queries of the investigation are used';
      throw new SourceFailure(prometheusIdentity, { reason: 'cancelled', detail });
    }
    questions.push(question);
    for (let turn = options.delayOf?.(question) ?? 0; turn > 0; turn -= 1) await Promise.resolve();
    const fault = options.fault?.(question) ?? null;
    if (fault === 'hang') {
      await once(signal, 'abort');
      const detail = 'the investigation ended before the answer';
      throw new SourceFailure(prometheusIdentity, { reason: 'cancelled', detail });
    }
    if (fault !== null) {
      throw new SourceFailure(prometheusIdentity, { reason: fault, detail: `test ${fault}` });
    }
    return read();
  };
  const notes = (question: string): { warnings: string[]; isPartial: boolean } => {
    const note = options.noteOf?.(question) ?? null;
    return { warnings: note === null ? [] : [note], isPartial: false };
  };
  const prometheus: Prometheus = {
    query: (expression, atMs) => ask(expression, () => {
      const samples = evaluate(expression, options, atMs).flatMap(({ labels, valueAt }) => {
        const value = valueAt(atMs);
        return Number.isNaN(value) ? [] : [{ labels, value }];
      });
      const kept = samples.slice(0, options.samplesMax);
      return { samples: kept, omitted: samples.length - kept.length, notes: notes(expression) };
    }),
    queryRange: (expression, window: RangeWindow) => ask(expression, () => {
      const grid = gridOf(window);
      const series = evaluate(expression, options, window.toMs).map(({ labels, valueAt }) => {
        const values = Float64Array.from({ length: grid.count }, (_, index) =>
          valueAt(grid.startMs + index * grid.stepMs));
        const known = values.map((value) => (Number.isFinite(value) ? value : Number.NaN));
        const infinite = values.filter((value) => Math.abs(value) === Infinity).length;
        const last = values.findLastIndex((value) => Math.abs(value) === Infinity);
        const valueless = last < 0 ? null
          : { first: values.findIndex((value) => Math.abs(value) === Infinity), last };
        return { labels, infinite, valueless, values: known };
      }).filter(({ values, infinite }) => infinite > 0 || values.some(Number.isFinite));
      return { grid, series, omitted: 0, notes: notes(expression) };
    }),
    rawSamples: (selector, { fromMs, toMs }) => ask(`${selector}[raw]`, () => {
      const everyMs = 1000 * (options.scrapeSeconds ?? 15);
      const first = Math.ceil(fromMs / everyMs) * everyMs;
      const times = Array.from({ length: Math.floor((toMs - first) / everyMs) + 1 }, (_, index) =>
        first + index * everyMs);
      const series = evaluate(selector, options, toMs).flatMap(({ labels, valueAt }) => {
        const timesMs = times.filter((ms) => Number.isFinite(valueAt(ms)));
        return timesMs.length === 0 ? [] : [{ labels, timesMs, values: timesMs.map(valueAt) }];
      });
      return { series, omitted: 0, notes: notes(selector) };
    }),
    series: () => ask('series', () => ({ series: [], omitted: 0, notes: notes('series') })),
    rules: (name) => ask(`rules ${name}`, () =>
      (options.rules ?? []).filter((rule) => rule.name === name)),
    hasRules: () => ask('rules', () => (options.rules ?? []).length > 0),
    failedScrapes: (pool) => ask(`targets ${pool ?? ''}`, () => {
      const { failedScrapes = {} } = options;
      return pool === null ? Object.values(failedScrapes).flat() : (failedScrapes[pool] ?? []);
    }),
    externalLabels: () => ask('external labels', () => options.externalLabels ?? {}),
  };
  const open = (given: AbortSignal): Prometheus => {
    signal = given;
    return prometheus;
  };
  return { ...prometheus, questions, budget, open };
}

function evaluate(expression: string, options: FakeOptions, atMs: number): readonly FakeSeries[] {
  const told = options.expressions?.[expression];
  if (told !== undefined) return told;
  const inner = /^\((\{(?:[^()"]|"[^"]*")*)\)$/s.exec(expression);
  if (inner !== null) return evaluate(inner[1] ?? '', options, atMs);
  const isSides = /^count by|^\(?[\w:]*\{/.test(expression);
  const sides = isSides ? expression.split(/ or (?![^(]*\))/) : [];
  if (sides.length > 1) return sides.flatMap((side) => evaluate(side, options, atMs));
  // How far back it has data: as far as anyone asks, unless `expressions` says otherwise.
  if (expression === historyQuery) return [];
  // What it was is as good as what it is.
  const past = /^(.*) offset \d+s$/s.exec(expression);
  if (past !== null) return evaluate(past[1] ?? '', options, atMs);
  const summed = /^sum by \(([^)]*)\) \((.*)\)$/s.exec(expression);
  if (summed !== null) return countBy(summed, options, atMs);
  const highest = /^(?:topk|bottomk)\(\d+, (.*)\)$/s.exec(expression);
  if (highest !== null) return evaluate(highest[1] ?? '', options, atMs);
  const [, counts] = /^\(count\((.*)\) or vector\(0\)\)$/s.exec(expression) ?? [];
  if (counts !== undefined) {
    const found = counts.split(') or vector(0)) + (count(')
      .flatMap((each) => select(each, options.series));
    return [{ labels: {}, valueAt: () => found.length }];
  }
  const restricted = /^\((.*)\) and on \([^)]*\) (.*)$/s.exec(expression);
  if (restricted !== null) {
    const wanted = [...(restricted[2] ?? '').matchAll(/, "(\w+)", "((?:[^"\\]|\\.)*)", "", ""/g)];
    return evaluate(restricted[1] ?? '', options, atMs).filter(({ labels }) =>
      wanted.every(([, name = '', value = '']) =>
        (labels[name] ?? '') === unquoted(value).replaceAll('$$', '$')));
  }
  const counted = /^count by \(([^)]*)\) \(((?:(?!\) or ).)*)\)$/s.exec(expression);
  if (counted !== null) return countBy(counted, options, atMs);
  const targets = /^up and on \(job, instance\) \((.*)\)$/s.exec(expression);
  if (targets !== null) {
    const found = evaluate(targets[1] ?? '', options, atMs);
    return select('up', options.series).filter(({ labels }) => found.some((each) =>
      each.labels['job'] === labels['job'] && each.labels['instance'] === labels['instance']));
  }
  const largest = /^(?:sum\(scrape_samples_post_metric_relabeling\) or )?max\((.*)\)$/s
    .exec(expression);
  if (largest !== null) return select(largest[1] ?? '', options.series).slice(0, 1);
  const rate = /^rate\((.*)\[(\d+)m\]\)$/s.exec(expression);
  if (rate !== null) {
    const ms = Number(rate[2]) * 60_000;
    return select(rate[1] ?? '', options.series).map(({ labels, valueAt }) => {
      const { __name__: _, ...others } = labels;
      return { labels: others, valueAt: (at) => (valueAt(at) - valueAt(at - ms)) / ms * 1000 };
    });
  }
  const overTime = /^count_over_time\((.*)\[(\d+)m\]\)$/s.exec(expression);
  if (overTime !== null) {
    return select(overTime[1] ?? '', options.series).map(({ labels, valueAt }) => {
      const { __name__: _, ...others } = labels;
      return { labels: others, valueAt: countOver(valueAt, Number(overTime[2]), options) };
    });
  }
  return select(expression, options.series);
}

function countBy(
  [, by = '', inner = '']: RegExpExecArray,
  options: FakeOptions,
  atMs: number,
): FakeSeries[] {
  const counts = new Map<string, { labels: LabelSet; count: number }>();
  for (const { labels, valueAt } of select(inner, options.series)) {
    if (Number.isNaN(valueAt(atMs))) continue;
    const kept = Object.fromEntries(by.split(', ').flatMap((name) =>
      labels[name] === undefined ? [] : [[name, labels[name]]]));
    const key = JSON.stringify(kept);
    counts.set(key, { labels: kept, count: 1 + (counts.get(key)?.count ?? 0) });
  }
  return [...counts.values()].map(({ labels, count }) => ({ labels, valueAt: () => count }));
}

function countOver(
  valueAt: FakeSeries['valueAt'],
  minutes: number,
  { scrapeSeconds = 15 }: FakeOptions,
): FakeSeries['valueAt'] {
  const found = new Map<number, boolean>(); // Windows overlap.
  const isThere = (atMs: number): boolean => {
    const known = found.get(atMs);
    if (known !== undefined) return known;
    const isSample = !Number.isNaN(valueAt(atMs));
    found.set(atMs, isSample);
    return isSample;
  };
  return (atMs) => {
    let count = 0;
    for (let back = 0; back < minutes * 60; back += scrapeSeconds) {
      if (isThere(atMs - back * 1000)) count += 1;
    }
    return count === 0 ? Number.NaN : count;
  };
}

/** The series that `name{a="b",…}` selects. Throws `bad_query` for any other expression. */
function select(expression: string, series: readonly FakeSeries[]): readonly FakeSeries[] {
  const shape = /^([a-zA-Z_:][\w:]*)?(?:\{(.*)\})?$/s.exec(expression);
  if (shape === null) {
    const detail = `parse error in ${expression}`;
    throw new SourceFailure(prometheusIdentity, { reason: 'bad_query', detail });
  }
  const matchers = [...(shape[2] ?? '').matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"/gs)]
    .map(([, name = '', op = '', value = '']) => ({ name, op, value: unquoted(value) }));
  if (shape[1] !== undefined) matchers.push({ name: '__name__', op: '=', value: shape[1] });
  return series.filter(({ labels }) => matchers.every(({ name, op, value }) => {
    const own = labels[name] ?? '';
    const isEqual = op.includes('~') ? new RegExp(`^(?:${value})$`, 'su').test(own) : own === value;
    return op.startsWith('!') ? !isEqual : isEqual;
  }));
}

function unquoted(text: string): string {
  return text.replace(/\\(n|.)/gs, (_, letter: string) => (letter === 'n' ? '\n' : letter));
}

/** A series of the metric `name`; `valueAt` takes milliseconds. */
export function fakeSeries(
  name: string,
  labels: LabelSet,
  valueAt: FakeSeries['valueAt'],
): FakeSeries {
  return { labels: { __name__: name, ...labels }, valueAt };
}

/** A counter that grows from zero at `fromMs` by `rateAt` per second. */
export function fakeCounter(
  rateAt: (atMs: number) => number,
  fromMs: number,
): FakeSeries['valueAt'] {
  const stepMs = 60_000;
  const sums: number[] = [0];
  return (atMs) => {
    const steps = Math.floor((atMs - fromMs) / stepMs);
    if (steps < 0 || steps > 100_000) return Number.NaN;
    for (let step = sums.length; step <= steps; step += 1) {
      const gained = rateAt(fromMs + (step - 1) * stepMs) * (stepMs / 1000);
      sums.push((sums[step - 1] ?? 0) + gained);
    }
    const partial = (atMs - fromMs - steps * stepMs) / 1000;
    return (sums[steps] ?? 0) + rateAt(fromMs + steps * stepMs) * partial;
  };
}
