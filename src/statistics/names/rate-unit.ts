import { metricWords } from './metric-words.ts';

/** Units of an increase per second that does not depend on what is counted. */
const rateUnits: ReadonlyMap<string, string> = new Map([
  ['bytes', 'bytes_per_second'], ['bits', 'bits_per_second'],
  ['kibibytes', 'kibibytes_per_second'], ['count', 'per_second'],
  // `row_ops_total` counts operations, though a level of that name is already a rate.
  ['per_second', 'per_second'],
]);

/** A little above 1, which a rate reaches by rounding where something is always busy. */
const wholeMax = 1.1;

/**
 * The unit of a counter's increase per second, given the counter's own; null if it has no name.
 * Seconds per second are CPUs kept busy or a share of the time. Where several things can wait at
 * once they are neither: 15 seconds of waiting in a second are 15 that wait.
 */
export function rateUnit(metric: string, unit: string | null, rates: Float64Array): string | null {
  const words = metricWords(metric);
  // Time weighted by the number of requests waiting is the length of a queue.
  if (words.includes('weighted')) return null;
  if (unit !== 'seconds') return rateUnits.get(unit ?? 'count') ?? null;
  // CPU pressure is time spent waiting, which keeps no CPU busy.
  if (words.includes('cpu') && !/pressure|waiting/.test(words)) return 'cores';
  return isShare(rates) ? 'ratio' : null;
}

/** Whether all values can be shares of a whole. */
export function isShare(values: Float64Array): boolean {
  return values.every((value) => !(value > wholeMax));
}
