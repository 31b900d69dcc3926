import type { LabelSet } from '../../alert/labels.ts';
import { rounded } from '../../evidence/metrics/series-data.ts';
import { shortened } from '../../lib/shortened.ts';
import type { RangeSeries } from '../../sources/prometheus-answers.ts';

/** Length of a result as text, in UTF-16 units. */
export const resultTextMax: number = 8 * 1024;
export const seriesMax = 20;
const samplesMax = 12;
const labelsShownMax = 12;
const labelValueMax = 120;

/** One series in numbers that a model can quote and code can verify. */
interface SeriesNumbers {
  readonly labels: LabelSet;
  readonly points: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly avg: number | null;
  readonly first: number | null;
  readonly last: number | null;
  /** At most 12 evenly spaced points. */
  readonly samples: readonly (number | null)[];
}

/** Null where there is no value, as `rounded` makes it of NaN and infinities. */
export function numbersOf(
  { labels, values }: Pick<RangeSeries, 'labels' | 'values'>,
): SeriesNumbers {
  const known = [...values].filter(Number.isFinite);
  const sum = known.reduce((total, value) => total + value, 0);
  return {
    labels,
    points: known.length,
    min: rounded(Math.min(...known)),
    max: rounded(Math.max(...known)),
    avg: rounded(sum / known.length),
    first: rounded(known[0] ?? Number.NaN),
    last: rounded(known.at(-1) ?? Number.NaN),
    samples: thinned(values).map(rounded),
  };
}

function thinned(values: Float64Array): number[] {
  if (values.length <= samplesMax) return [...values];
  const gap = (values.length - 1) / (samplesMax - 1);
  return Array.from({ length: samplesMax }, (_, index) =>
    values[Math.round(index * gap)] ?? Number.NaN);
}

export function numbersText(numbers: SeriesNumbers): string {
  const { labels, points, min, max, avg, first, last, samples } = numbers;
  const shown = samples.map((value) => value ?? 'none').join(' ');
  return `${labelsText(labels)}: points ${points}, min ${min}, max ${max}, avg ${avg}, ` +
    `first ${first}, last ${last}; samples ${shown}`;
}

/** Formats labels as `metric{a="b"}`, cut to bounds. */
export function labelsText(labels: LabelSet): string {
  const { __name__: name = '', ...rest } = labels;
  const entries = Object.entries(rest);
  const shown = entries.slice(0, labelsShownMax).map(([label, value]) =>
    `${label}=${JSON.stringify(shortened(value, labelValueMax))}`);
  if (entries.length > labelsShownMax) shown.push('…');
  return `${name}{${shown.join(', ')}}`;
}

/** Keeps head and tail of a text that is too long, with a hint on how to get less. */
export function cutResult(text: string, hint: string, lengthMax: number = resultTextMax): string {
  if (text.length <= lengthMax) return text;
  const room = Math.floor(lengthMax) - hint.length - 80;
  const head = text.slice(0, Math.ceil(room * 0.7)).replace(/\p{Cs}/gu, '');
  const tail = text.slice(-Math.floor(room * 0.3)).replace(/\p{Cs}/gu, '');
  const omitted = text.length - head.length - tail.length;
  return `${head}\n[… ${omitted} characters left out. ${hint} …]\n${tail}`;
}
