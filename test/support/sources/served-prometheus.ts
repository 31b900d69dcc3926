/** The fake Prometheus, Alertmanager, Loki and Kubernetes, served over HTTP at one address. */
import type { ServerResponse } from 'node:http';
import { SourceFailure } from '../../../src/sources/source-failure.ts';
import type { Cleanup } from '../cleanup.ts';
import { fakeKubernetes, type Cluster } from './fake-kubernetes.ts';
import { fakeLoki, type LoggedStream } from './fake-loki.ts';
import {
  fakePrometheus, type FakeOptions, type FakePrometheus, type FakeSeries,
} from './fake-prometheus.ts';
import { startFakeSource, type FakeSource, type SeenRequest } from './fake-source.ts';

export interface World extends FakeOptions {
  /** Results of all expressions that contain the text; they are not evaluated here. */
  readonly holding?: readonly (readonly [text: string, series: readonly FakeSeries[]])[];
  /** The alerts that `/api/v2/alerts` lists. */
  readonly active?: readonly object[];
  /** What Loki holds; default nothing. */
  readonly logs?: readonly LoggedStream[];
  /** What Kubernetes holds; default nothing. */
  readonly cluster?: Cluster;
}

/** An expression it does not understand returns no series, as if the metrics did not exist. */
export async function serveWorld(t: Cleanup, world: World): Promise<FakeSource> {
  const prometheus = fakePrometheus({ ...world, budget: Number.POSITIVE_INFINITY });
  const loki = fakeLoki(world.logs ?? []);
  const kubernetes = fakeKubernetes(world.cluster ?? { objects: {}, logs: {} });
  return startFakeSource(t, (response, request, asked) => {
    if (asked.path.startsWith('/loki/')) loki(response, request, asked);
    else if (/^\/apis\/|^\/api\/v1\/(?:namespaces\/|nodes$)/.test(asked.path)) {
      kubernetes(response, request, asked);
    }
    else void answer(response, asked, { prometheus, world });
  });
}

interface Served {
  readonly prometheus: FakePrometheus;
  readonly world: World;
}

async function answer(response: ServerResponse, asked: SeenRequest, served: Served): Promise<void> {
  const say = (status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  if (asked.path.startsWith('/api/v2/')) return say(200, activeIn(asked, served.world));
  try {
    say(200, { status: 'success', data: await dataOf(asked, served) });
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    say(error.reason === 'bad_query' ? 400 : 503, {
      status: 'error', errorType: 'bad_data', error: error.detail,
    });
  }
}

function activeIn({ path }: SeenRequest, { active = [] }: World): unknown {
  return path === '/api/v2/alerts' ? active : [];
}

async function dataOf(
  { path, parameters }: SeenRequest,
  { prometheus, world }: Served,
): Promise<unknown> {
  const ms = (name: string): number => Math.round(Number(parameters.get(name)) * 1000);
  const query = parameters.get('query') ?? '';
  const told = world.holding?.find(([text]) => query.includes(text))?.[1];
  switch (path) {
    case '/api/v1/query': {
      const atMs = ms('time');
      const [, raw, range] = /^(.*)\[(\d+)s\]$/su.exec(query) ?? [];
      if (raw !== undefined) {
        const span = { fromMs: atMs - 1000 * Number(range), toMs: atMs };
        const { series } = await prometheus.rawSamples(raw, span);
        return {
          resultType: 'matrix',
          result: series.map(({ labels, timesMs, values }) => ({
            metric: labels,
            values: timesMs.map((at, index) => [at / 1000, String(values[index])]),
          })),
        };
      }
      const samples = told?.map(({ labels, valueAt }) => ({ labels, value: valueAt(atMs) }))
        .filter(({ value }) => !Number.isNaN(value))
        ?? (await unlessUnknown(prometheus.query(query, atMs)))?.samples ?? [];
      return {
        resultType: 'vector',
        result: samples.map(({ labels, value }) => {
          return { metric: labels, value: [atMs / 1000, String(value)] };
        }),
      };
    }
    case '/api/v1/query_range': return rangeData(query, { prometheus, told, parameters });
    case '/api/v1/series': {
      const selector = parameters.get('match[]') ?? '';
      const found = await unlessUnknown(prometheus.query(selector, ms('end')));
      return (found?.samples ?? []).map(({ labels }) => labels);
    }
    case '/api/v1/rules': return rulesData(world, parameters.get('rule_name[]'));
    case '/api/v1/alerts': return { alerts: [] };
    case '/api/v1/targets': {
      const failed = await prometheus.failedScrapes(parameters.get('scrapePool'));
      return { activeTargets: failed.map(({ labels, error }) => ({ labels, lastError: error })) };
    }
    case '/api/v1/metadata': return {};
    case '/api/v1/status/config': return { yaml: 'global:\n  scrape_interval: 15s\n' };
    case '/api/v1/status/buildinfo': return { version: '3.5.0' };
    default: throw new Error(`Unexpected request for ${path}`);
  }
}

async function rangeData(
  query: string,
  { prometheus, told, parameters }: {
    readonly prometheus: FakePrometheus;
    readonly told: readonly FakeSeries[] | undefined;
    readonly parameters: URLSearchParams;
  },
): Promise<unknown> {
  const numberOf = (name: string): number => Number(parameters.get(name));
  const window = {
    fromMs: numberOf('start') * 1000, toMs: numberOf('end') * 1000, stepSeconds: numberOf('step'),
  };
  const found = told === undefined
    ? (await unlessUnknown(prometheus.queryRange(query, window)))?.series ?? []
    : told.map(({ labels, valueAt }) => ({ labels, values: valuesOf(valueAt, window) }));
  const result = found.map(({ labels, values }) => ({
    metric: labels,
    values: [...values].flatMap((value, index) => {
      const at = numberOf('start') + index * numberOf('step');
      return Number.isNaN(value) ? [] : [[at, String(value)]];
    }),
  }));
  return { resultType: 'matrix', result: result.filter(({ values }) => values.length > 0) };
}

function valuesOf(
  valueAt: FakeSeries['valueAt'],
  { fromMs, toMs, stepSeconds }: { fromMs: number; toMs: number; stepSeconds: number },
): number[] {
  const count = Math.floor((toMs - fromMs) / (stepSeconds * 1000)) + 1;
  return Array.from({ length: count }, (_, index) => valueAt(fromMs + index * stepSeconds * 1000));
}

async function unlessUnknown<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof SourceFailure && error.reason === 'bad_query') return null;
    throw error;
  }
}

function rulesData({ rules = [] }: World, name: string | null): unknown {
  const groups = rules.filter((rule) => name === null || rule.name === name).map((rule) => ({
    name: rule.group, interval: rule.intervalSeconds,
    rules: [{
      type: 'alerting', name: rule.name, query: rule.query, duration: rule.durationSeconds,
      keepFiringFor: rule.keepFiringForSeconds, labels: rule.labels,
      annotations: rule.annotations, alerts: [], health: rule.health, lastError: '',
    }],
  }));
  return { groups };
}
