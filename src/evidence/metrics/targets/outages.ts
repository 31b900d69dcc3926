import type { RangeSeries } from '../../../sources/prometheus-answers.ts';
import { timeAt, type TimeGrid, type TimeSpan } from '../../../sources/time-grid.ts';
import type { Outage } from '../../metric-facts.ts';

/** Samples missing for more than this many scrapes are a gap. */
const gapScrapes = 2.5;

/** Unusually long stretches without samples, between samples or after the last one. */
export function gapsOf(
  values: Float64Array,
  grid: TimeGrid,
  scrapeSeconds: number | null,
): TimeSpan[] {
  const longest = gapScrapes * Math.max(grid.stepMs, (scrapeSeconds ?? 0) * 1000);
  const gaps: TimeSpan[] = [];
  let last = -1;
  for (let index = 0; index <= values.length; index += 1) {
    const isEnd = index === values.length;
    if (!isEnd && !Number.isFinite(values[index])) continue;
    if (last >= 0 && (index - last - (isEnd ? 1 : 0)) * grid.stepMs > longest) {
      gaps.push({ fromMs: timeAt(grid, last), toMs: timeAt(grid, index - 1) });
    }
    last = index;
  }
  return gaps;
}

const outagesMax = 20;
/** A single failed scrape is not an outage. */
const outagePointsMin = 2;

export function outagesOf(series: readonly RangeSeries[], grid: TimeGrid): Outage[] {
  const outages = series.flatMap(({ labels, values }) => {
    const known = [...values.entries()].filter(([, value]) => !Number.isNaN(value));
    return known.flatMap(([from, value], place): Outage[] => {
      // Leaves out outages that began before the window.
      if (value !== 0 || from === 0 || known[place - 1]?.[1] === 0) return [];
      const [end = null] = known.slice(place).find(([, later]) => later !== 0) ?? [];
      if (end !== null && end - from < outagePointsMin) return [];
      const toMs = end === null ? null : timeAt(grid, end);
      return [{ labels, fromMs: timeAt(grid, from), toMs }];
    });
  });
  return outages.sort((a, b) => a.fromMs - b.fromMs).slice(-outagesMax);
}
