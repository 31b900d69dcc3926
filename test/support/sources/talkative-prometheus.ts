/** Answers over HTTP as a Prometheus, an Alertmanager and a Loki that know one alert. */
import type { Alert } from '../../../src/alert/alert.ts';
import { anAlert } from '../samples/alerts.ts';
import { fakeLoki } from './fake-loki.ts';
import type { Answer } from './fake-source.ts';

export const errorsAlert: Alert = anAlert({
  startsAt: '2026-11-20T10:00:00Z',
  labels: { alertname: 'HighErrors', namespace: 'shop', instance: 'a:80', job: 'api' },
  generatorURL: `http://p/graph?g0.expr=${encodeURIComponent('errors_total > 1')}`,
});

const rule = {
  type: 'alerting', name: 'HighErrors', query: 'errors_total > 1', duration: 0, labels: {},
  annotations: {}, alerts: [], health: 'ok', lastError: '',
};

export interface Talk {
  /** The number of series in the answer to each range query. */
  readonly series?: number;
  /** Called before each request is answered; returns true if it answers the request itself. */
  readonly before?: (...given: Parameters<Answer>) => boolean;
}

export function talkativeSource({ series = 3, before }: Talk = {}): Answer {
  return (response, request, asked) => {
    if (before?.(response, request, asked) === true) return;
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://source');
    if (pathname.startsWith('/loki/')) return loki(response, request, asked);
    const body = pathname.startsWith('/api/v2/')
      ? alertmanagerAnswer()
      : { status: 'success', data: prometheusData(pathname, searchParams, series) };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
}

const firedAt = Date.parse(errorsAlert.startsAt ?? '');

const loki = fakeLoki([{
  labels: { app: 'api', namespace: 'shop' },
  lines: Array.from({ length: 120 }, (_, index) => {
    const atMs = firedAt + (index - 115) * 60_000;
    return [atMs, atMs < firedAt ? `GET /cart/${index} 200` : `error: no answer to ${index}`];
  }),
}]);

function alertmanagerAnswer(): unknown {
  const of = (fingerprint: string, labels: object, inhibitedBy: string[]): object => ({
    fingerprint, labels, annotations: {}, startsAt: errorsAlert.startsAt,
    endsAt: errorsAlert.startsAt, updatedAt: errorsAlert.startsAt, generatorURL: '',
    receivers: [{ name: 'team' }],
    status: {
      state: inhibitedBy.length > 0 ? 'suppressed' : 'active', silencedBy: [], inhibitedBy,
    },
  });
  return [
    of('nodedown', { alertname: 'NodeDown', instance: 'a:80' }, []),
    of(errorsAlert.fingerprint, errorsAlert.labels, ['nodedown']),
  ];
}

function metric(index: number): Record<string, string> {
  const instance = index === 0 ? 'a:80' : `pod-${index}:80`;
  return { __name__: 'errors_total', instance, job: 'api', namespace: 'shop' };
}

function prometheusData(path: string, asked: URLSearchParams, series: number): unknown {
  const isOfAlerts = asked.get('query')?.includes('ALERTS') === true;
  const data: Record<string, () => unknown> = {
    '/api/v1/query': () => ({
      resultType: 'vector',
      result: isOfAlerts ? [] : [{ metric: metric(0), value: [Number(asked.get('time')), '3'] }],
    }),
    '/api/v1/query_range': () => ({
      resultType: 'matrix',
      result: Array.from({ length: series }, (_, index) => ({
        metric: metric(index), values: samples(asked, index),
      })),
    }),
    '/api/v1/series': () => [metric(0)],
    '/api/v1/rules': () => ({ groups: [{ name: 'g', file: 'f', interval: 15, rules: [rule] }] }),
    '/api/v1/alerts': () => ({ alerts: [] }),
    '/api/v1/status/buildinfo': () => ({ version: '3.5.0' }),
  };
  return data[path]?.() ?? {};
}

function samples(asked: URLSearchParams, seed: number): [number, string][] {
  const numberOf = (name: string): number => Number(asked.get(name));
  const [from, to, step] = [numberOf('start'), numberOf('end'), numberOf('step')];
  const start = Date.parse(errorsAlert.startsAt ?? '') / 1000;
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => {
    const at = from + index * step;
    const noise = Math.sin(seed * 127.1 + index * 311.7) / 3;
    return [at, String((at < start ? 1 : 4) + noise)];
  });
}
