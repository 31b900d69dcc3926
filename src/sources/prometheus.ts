import { askInTurn } from './ask-in-turn.ts';
import {
  readInstant, readRange, readSeriesList,
  type AnswerBounds, type InstantAnswer, type RangeAnswer, type SeriesAnswer, type TimeGrid,
} from './prometheus-answers.ts';
import { readRules, type AlertRule } from './prometheus-rules.ts';
import type { Turns } from './query-gate.ts';
import type { Parameters, SourceIdentity } from './source-access.ts';
import type { AskableSource } from './source-client.ts';
import { SourceFailure } from './source-failure.ts';

export const prometheusIdentity: SourceIdentity = { title: 'Prometheus', prefix: 'PROMETHEUS' };

export interface TimeWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface RangeWindow extends TimeWindow {
  /** Start and end are moved back to its multiples, so that caches of servers are of use. */
  readonly stepSeconds: number;
}

/** Every method throws SourceFailure and nothing else. */
export interface Prometheus {
  /**
   * The expression's value at one moment: a vector or a scalar. Here and below, servers are asked
   * for one more than the bound: some cut an answer to the limit and do not say so.
   */
  query(expression: string, atMs: number): Promise<InstantAnswer>;
  /** The grid of the answer may be twice as coarse as asked, where the server refused the first. */
  queryRange(expression: string, window: RangeWindow): Promise<RangeAnswer>;
  /** Label sets of the series that any of the selectors matches. */
  series(
    selectors: readonly string[],
    window: TimeWindow & { readonly limit: number },
  ): Promise<SeriesAnswer>;
  /** The alerting rules of this name, whatever else the server answers with. */
  rules(name: string): Promise<readonly AlertRule[]>;
}

const rangeBounds: AnswerBounds = { seriesMax: 1000, pointsMax: 1_000_000 };
const samplesMax = 1000;
const rulesMax = 50;
/** The server gives up first, so that it does not go on for nobody. */
const serverShare = 0.9;

/** `turns` is the gate, or the budget of an investigation before it; `signal` ends everything. */
export function createPrometheus(
  client: AskableSource,
  turns: Turns,
  signal?: AbortSignal,
): Prometheus {
  const ask = askInTurn(client, turns, signal);
  const limits: Parameters = [
    ['timeout', `${Math.ceil(client.timeoutMs * serverShare)}ms`],
    // Thanos answers with what it has; its warnings say so. Others do not know the parameter.
    ['partial_response', 'true'],
  ];
  const range = (expression: string, grid: TimeGrid): Promise<RangeAnswer> => {
    const parameters: Parameters = [
      ['query', expression], ['start', seconds(grid.startMs)],
      ['end', seconds(grid.startMs + (grid.count - 1) * grid.stepMs)],
      ['step', String(grid.stepMs / 1000)],
      ['limit', String(rangeBounds.seriesMax + 1)], ...limits,
    ];
    return ask({ path: '/api/v1/query_range', parameters }, (body) => {
      return readRange(body, grid, rangeBounds);
    });
  };

  return {
    query: (expression, atMs) => {
      const parameters: Parameters = [
        ['query', expression], ['time', seconds(atMs)], ['limit', String(samplesMax + 1)],
        ...limits,
      ];
      return ask({ path: '/api/v1/query', parameters }, (body) => readInstant(body, samplesMax));
    },

    queryRange: async (expression, window) => {
      try {
        return await range(expression, gridOf(window));
      } catch (error) {
        if (!isTooFine(error)) throw error;
        return range(expression, gridOf({ ...window, stepSeconds: window.stepSeconds * 2 }));
      }
    },

    series: (selectors, { fromMs, toMs, limit }) => {
      const parameters: Parameters = [
        ...selectors.map((selector) => ['match[]', selector] as const),
        ['start', seconds(fromMs)], ['end', seconds(toMs)], ['limit', String(limit + 1)], ...limits,
      ];
      return ask({ path: '/api/v1/series', parameters }, (body) => readSeriesList(body, limit));
    },

    rules: (name) => {
      const parameters: Parameters = [['type', 'alert'], ['rule_name[]', name]];
      return ask({ path: '/api/v1/rules', parameters }, (body) => {
        return readRules(body, name, rulesMax);
      });
    },
  };
}

/** The moments that a range query with this window asks for. */
export function gridOf({ fromMs, toMs, stepSeconds }: RangeWindow): TimeGrid {
  const stepMs = Math.round(stepSeconds * 1000);
  if (!(stepMs > 0 && toMs >= fromMs)) throw new RangeError('No step, or a window without end');
  const startMs = Math.floor(fromMs / stepMs) * stepMs;
  return { startMs, stepMs, count: Math.floor((toMs - startMs) / stepMs) + 1 };
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/**
 * Prometheus, Thanos and Mimir refuse more than 11 000 points per series with 400, VictoriaMetrics
 * more than 30 000 with 422 and in other words.
 */
function isTooFine(error: unknown): boolean {
  return error instanceof SourceFailure && (error.status === 400 || error.status === 422) &&
    /maximum resolution|too many points/i.test(error.detail);
}
