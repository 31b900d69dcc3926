import type { LabelSet } from '../alert/labels.ts';
import {
  readInstant, readRange, readRaw, readSeriesList, type AnswerBounds, type InstantAnswer,
  type RangeAnswer, type RawAnswer, type SeriesAnswer,
} from './prometheus-answers.ts';
import { configBytesWanted, onlyExternalLabels, readExternalLabels } from './prometheus-config.ts';
import { listsAlertingRules, readRules, type AlertRule } from './prometheus-rules.ts';
import { readFailedScrapes, type FailedScrape } from './prometheus-targets.ts';
import type { Parameters, SourceIdentity } from './source-access.ts';
import type { AskableSource } from './source-client.ts';
import { gridOf, lastTimeOf, type RangeWindow, type TimeSpan } from './time-grid.ts';

export const prometheusIdentity: SourceIdentity = {
  title: 'Prometheus', prefix: 'PROMETHEUS',
  provides: 'The value now, its past, and what else moved before the alert',
};

/** Every method throws SourceFailure and nothing else. */
export interface Prometheus {
  /**
   * The expression's value at one moment: a vector or a scalar. Here and below, servers are asked
   * for one more than the bound: some cut an answer to the limit and do not say so.
   */
  query(expression: string, atMs: number): Promise<InstantAnswer>;
  queryRange(expression: string, window: RangeWindow): Promise<RangeAnswer>;
  /** The samples that a selector matches, as they were scraped within a span of whole seconds. */
  rawSamples(selector: string, span: TimeSpan): Promise<RawAnswer>;
  /** Label sets of the series that any of the selectors matches. */
  series(
    selectors: readonly string[],
    window: TimeSpan & { readonly limit: number },
  ): Promise<SeriesAnswer>;
  /** The alerting rules of this name; older servers return others as well, which are dropped. */
  rules(name: string): Promise<readonly AlertRule[]>;
  /**
   * Whether it lists any alerting rules. VictoriaMetrics without a vmalert and a Thanos without a
   * ruler answer with an empty list.
   */
  hasRules(): Promise<boolean>;
  /**
   * The targets whose last scrape failed, at most 1000: those of one scrape pool, which servers
   * before 2.42 ignore, or all.
   */
  failedScrapes(pool: string | null): Promise<readonly FailedScrape[]>;
  /** The labels that the server adds to all its alerts; none if its answer reports none. */
  externalLabels(): Promise<LabelSet>;
}

const rangeBounds: AnswerBounds = { seriesMax: 1000, pointsMax: 1_000_000 };
const samplesMax = 1000;
const rawSeriesMax = 600;
/** Samples of one series. 20 minutes hold a third of it, scraped every five seconds. */
const rawSamplesMax = 720;
const rulesMax = 50;
const failedScrapesMax = 1000;
/** The server times out before the client does, so that it abandons queries that nobody awaits. */
const serverShare = 0.9;

/** Aborting `signal` cancels all questions. */
export function createPrometheus(client: AskableSource, signal?: AbortSignal): Prometheus {
  const limits: Parameters = [
    ['timeout', `${Math.ceil(client.timeoutMs * serverShare)}ms`],
    // Thanos then returns what it has, with a warning. Others ignore the parameter.
    ['partial_response', 'true'],
  ];
  return {
    query: (expression, atMs) => {
      const parameters: Parameters = [
        ['query', expression], ['time', seconds(atMs)], ['limit', String(samplesMax + 1)],
        ...limits,
      ];
      return client.ask({ signal, path: '/api/v1/query', parameters }, (body) =>
        readInstant(body, samplesMax));
    },

    queryRange: (expression, window) => {
      const grid = gridOf(window);
      const parameters: Parameters = [
        ['query', expression], ['start', seconds(grid.startMs)],
        ['end', seconds(lastTimeOf(grid))],
        ['step', String(grid.stepMs / 1000)],
        ['limit', String(rangeBounds.seriesMax + 1)], ...limits,
      ];
      return client.ask({ signal, path: '/api/v1/query_range', parameters }, (body) =>
        readRange(body, grid, rangeBounds));
    },

    rawSamples: (selector, { fromMs, toMs }) => {
      const parameters: Parameters = [
        ['query', `${selector}[${Math.max(1, Math.ceil((toMs - fromMs) / 1000))}s]`],
        ['time', seconds(toMs)], ['limit', String(rawSeriesMax + 1)], ...limits,
      ];
      return client.ask({ signal, path: '/api/v1/query', parameters }, (body) =>
        readRaw(body, rawSeriesMax, rawSamplesMax));
    },

    series: (selectors, { fromMs, toMs, limit }) => {
      const parameters: Parameters = [
        ...selectors.map((selector) => ['match[]', selector] as const),
        ['start', seconds(fromMs)], ['end', seconds(toMs)], ['limit', String(limit + 1)], ...limits,
      ];
      return client.ask({ signal, path: '/api/v1/series', parameters }, (body) =>
        readSeriesList(body, limit));
    },

    rules: (name) => {
      const parameters: Parameters = [['type', 'alert'], ['rule_name[]', name]];
      return client.ask({ signal, path: '/api/v1/rules', parameters }, (body) =>
        readRules(body, name, rulesMax));
    },

    hasRules: () => client.ask({
      signal, path: '/api/v1/rules', parameters: [['type', 'alert']],
    }, listsAlertingRules),

    failedScrapes: (pool) => {
      const parameters: Parameters = [
        ['state', 'active'], ...(pool === null ? [] : [['scrapePool', pool] as const]),
      ];
      return client.ask({ signal, path: '/api/v1/targets', parameters }, (body) =>
        readFailedScrapes(body, failedScrapesMax));
    },

    externalLabels: () => client.ask({
      signal, path: '/api/v1/status/config', firstBytes: configBytesWanted,
      reduce: onlyExternalLabels,
    }, readExternalLabels),
  };
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
