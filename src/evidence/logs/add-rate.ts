import { counted } from '../../report/plain-text.ts';
import { indexFrom } from '../../sources/time-grid.ts';
import { lineRate } from '../../statistics/logs/line-rate.ts';
import type { AddItem } from '../ledger.ts';
import { notesOf, seriesData, spanOf } from '../metrics/series-data.ts';
import { countQuery, type Reading } from './ask-logs.ts';
import { minuteEnd } from './counted-lines.ts';
import { perMinuteText, type RateFacts } from './log-facts.ts';

/** Adds the rate of all lines, and since when there are none. */
export function addRate(
  add: AddItem,
  { streams, window, lines, emptyUntilMs }: Reading,
): RateFacts | null {
  if (lines === null || lines.values.length === 0) return null;
  const { answer, values, gap } = lines;
  const { grid } = answer;
  const split = indexFrom(grid, window.splitMs);
  // Minutes before the log began, or within a gap, would distort the usual rate.
  const begin = emptyUntilMs === null ? 0 : indexFrom(grid, emptyUntilMs);
  const isUsual = (at: number): boolean =>
    at >= begin && (gap === null || at < gap.from || at >= gap.to);
  const before = values.slice(0, split).filter((_, at) => isUsual(at));
  const after = values.slice(split).filter((_, at) => isUsual(split + at));
  const rate = lineRate([...before, ...after], before.length);
  if (rate === null) return null;
  const evidence = add({
    kind: 'logs', title: `Lines a minute of ${streams.owner}`,
    query: countQuery(streams), ...spanOf(grid), ...notesOf(answer),
    summary: `${perMinuteText(rate.beforePerMinute)} before, ` +
      `${perMinuteText(rate.afterPerMinute)} in the latest minutes; ` +
      `${counted(streams.count, 'stream')}.`,
    data: seriesData({
      labels: {}, unit: 'lines per minute', grid, values: Float64Array.from(values), split,
    }, { before: rate.beforePerMinute, after: rate.afterPerMinute }),
  });
  // The minutes left out are all before the silence at the end.
  const leftOut = values.length - before.length - after.length;
  const silentSinceMs = rate.silentFrom === null ? null
    : minuteEnd(lines, leftOut + rate.silentFrom - 1);
  const toMs = minuteEnd(lines, grid.count - 1);
  return { ...rate, owner: streams.owner, silentSinceMs, toMs, evidence };
}
