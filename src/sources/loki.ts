/**
 * Loki's query API (grafana/loki: docs/sources/reference/loki-http-api.md). Its times are integer
 * nanoseconds, too large for a JavaScript number, so they are sent as text.
 */
import { readLines, type LinesAnswer } from './loki-answers.ts';
import {
  readRange, readSeriesList, type RangeAnswer, type SeriesAnswer,
} from './prometheus-answers.ts';
import { quoteText, type Matcher } from './promql-text.ts';
import type { Parameters, SourceIdentity } from './source-access.ts';
import type { AskableSource } from './source-client.ts';
import { SourceFailure } from './source-failure.ts';
import { gridOf, lastTimeOf, type RangeWindow, type TimeSpan } from './time-grid.ts';

export const lokiIdentity: SourceIdentity = {
  title: 'Loki', prefix: 'LOKI', provides: 'Log lines around the alert',
};

/** Every method throws SourceFailure and nothing else. */
export interface Loki {
  /** Label sets of the streams that any of the selectors matches. */
  streams(selectors: readonly string[], window: TimeSpan): Promise<SeriesAnswer>;
  /** The lines of a log query; the newest, or the oldest, if there are more than the bound. */
  lines(query: string, window: TimeSpan, end?: 'newest' | 'oldest'): Promise<LinesAnswer>;
  /** A metric query over time. */
  counts(query: string, window: RangeWindow): Promise<RangeAnswer>;
}

/** As many lines of the longest kept length fill what is kept of one answer. */
const linesMax = 1000;
const streamsMax = 1000;
const countBounds = { seriesMax: 100, pointsMax: 100_000 };

/** `{app="cart"}`. Loki requires that at least one matcher rejects the empty value. */
export function streamSelector(matchers: readonly Matcher[]): string {
  return `{${matchers.map(({ name, op, value }) => `${name}${op}${quoteText(value)}`).join(',')}}`;
}

/** Aborting `signal` cancels all questions. */
export function createLoki(client: AskableSource, signal?: AbortSignal): Loki {
  return {
    streams: (selectors, window) => {
      const parameters: Parameters = [
        ...selectors.map((selector) => ['match[]', selector] as const), ...spanOf(window),
      ];
      return client.ask({ signal, path: '/loki/api/v1/series', parameters }, (body) =>
        readSeriesList(body, streamsMax));
    },

    lines: async (query, window, end = 'newest') => {
      const asked = (limit: number): Promise<LinesAnswer> => {
        const parameters: Parameters = [
          ['query', query], ...spanOf(window), ['limit', String(limit)],
          ['direction', end === 'newest' ? 'backward' : 'forward'],
        ];
        return client.ask({ signal, path: '/loki/api/v1/query_range', parameters }, (body) =>
          readLines(body, limit));
      };
      try {
        return await asked(linesMax);
      } catch (error) {
        const limit = limitIn(error);
        if (limit === null) throw error;
        return asked(limit);
      }
    },

    counts: (query, window) => {
      const grid = gridOf(window);
      const parameters: Parameters = [
        ['query', query], ...spanOf({ fromMs: grid.startMs, toMs: lastTimeOf(grid) }),
        ['step', String(grid.stepMs / 1000)],
      ];
      return client.ask({ signal, path: '/loki/api/v1/query_range', parameters }, (body) =>
        readRange(body, grid, countBounds));
    },
  };
}

/** The server's own limit, if it refused because more was asked for; null otherwise. */
function limitIn(error: unknown): number | null {
  const limit = error instanceof SourceFailure ? Number(tooMany.exec(error.detail)?.[1]) : NaN;
  return limit >= 1 && limit < linesMax ? limit : null;
}

/** Older servers call it `max_entries_limit` (grafana/loki: pkg/querier, pkg/util/validation). */
const tooMany = /limit > max_entries_limit(?:_per_query)? \(\d+ > (\d+)\)/;

function spanOf({ fromMs, toMs }: TimeSpan): Parameters {
  return [['start', nanoseconds(fromMs)], ['end', nanoseconds(toMs)]];
}

function nanoseconds(ms: number): string {
  return `${Math.round(ms)}000000`;
}
