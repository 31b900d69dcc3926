import type { RangeSeries, TimeGrid } from '../../sources/prometheus-answers.ts';
import type { Outage, ScrapeFacts } from '../metric-facts.ts';

/** Samples missing for more than this many scrapes are a gap. */
const gapScrapes = 2.5;

export type Gap = ScrapeFacts['gaps'][number];

/** Unusually long stretches without samples, between samples or after the last one. */
export function gapsOf(
  values: Float64Array,
  { startMs, stepMs }: TimeGrid,
  scrapeSeconds: number | null,
): Gap[] {
  const longest = gapScrapes * Math.max(stepMs, (scrapeSeconds ?? 0) * 1000);
  const gaps: Gap[] = [];
  let last = -1;
  for (let index = 0; index <= values.length; index += 1) {
    const isEnd = index === values.length;
    if (!isEnd && !Number.isFinite(values[index])) continue;
    if (last >= 0 && (index - last - (isEnd ? 1 : 0)) * stepMs > longest) {
      gaps.push({ fromMs: startMs + last * stepMs, toMs: startMs + (index - 1) * stepMs });
    }
    last = index;
  }
  return gaps;
}

const outagesMax = 20;
/** A single failed scrape is not an outage. */
const outagePointsMin = 2;

export function outagesOf(series: readonly RangeSeries[], { startMs, stepMs }: TimeGrid): Outage[] {
  const at = (index: number): number => startMs + index * stepMs;
  const outages = series.flatMap(({ labels, values }) => {
    const known = [...values.entries()].filter(([, value]) => !Number.isNaN(value));
    return known.flatMap(([from, value], place): Outage[] => {
      // Leaves out outages that began before the window.
      if (value !== 0 || from === 0 || known[place - 1]?.[1] === 0) return [];
      const [end = null] = known.slice(place).find(([, later]) => later !== 0) ?? [];
      if (end !== null && end - from < outagePointsMin) return [];
      return [{ labels, fromMs: at(from), toMs: end === null ? null : at(end) }];
    });
  });
  return outages.sort((a, b) => a.fromMs - b.fromMs).slice(-outagesMax);
}
