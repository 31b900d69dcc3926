import { counted } from '../../report/plain-text.ts';
import { indexFrom, lastTimeOf } from '../../sources/time-grid.ts';
import { lineRate } from '../../statistics/logs/line-counts.ts';
import type { AddItem } from '../ledger.ts';
import { notesOf, seriesData, spanOf } from '../metrics/series-data.ts';
import { lineCountQuery, type Reading } from './ask-logs.ts';
import { minuteBegin } from './counted-lines.ts';
import { perMinuteText, type RateFacts } from './log-facts.ts';

/** Adds the rate of all lines, and since when there are none. */
export function addRate(
  add: AddItem,
  { streams, window, lines }: Reading,
): RateFacts | null {
  if (lines === null) return null;
  const { answer, counts } = lines;
  const { grid } = answer;
  const split = indexFrom(grid, window.splitMs);
  const rate = lineRate(lines, split);
  if (rate === null) return null;
  const evidence = add({
    kind: 'logs', title: `Lines a minute of ${streams.owner}`,
    query: lineCountQuery(streams), ...spanOf(grid), ...notesOf(answer),
    summary: `${perMinuteText(rate.beforePerMinute)} before, ` +
      `${perMinuteText(rate.afterPerMinute)} in the latest minutes; ` +
      `${counted(streams.count, 'stream')}.`,
    data: seriesData({
      labels: {}, unit: 'lines per minute', grid, values: Float64Array.from(counts), split,
    }, { before: rate.beforePerMinute, after: rate.afterPerMinute }),
  });
  return {
    ...rate, owner: streams.owner, toMs: lastTimeOf(grid), evidence,
    silentSinceMs: rate.silentFrom === null ? null : minuteBegin(lines, rate.silentFrom),
  };
}
