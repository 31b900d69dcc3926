import { alertNameOf, type Alert } from '../../../src/alert/alert.ts';
import { Ledger } from '../../../src/evidence/ledger.ts';
import type { MetricFacts } from '../../../src/evidence/metric-facts.ts';
import {
  collectMetrics, type MetricsContext,
} from '../../../src/evidence/metrics/collect-metrics.ts';
import { readExpression } from '../../../src/evidence/rule/rule-expression.ts';
import type { AlertRule } from '../../../src/sources/prometheus-rules.ts';
import { ManualClock } from '../manual-clock.ts';
import {
  fakeCounter, fakePrometheus, fakeSeries, type FakeOptions, type FakePrometheus, type FakeSeries,
} from '../sources/fake-prometheus.ts';
import { anAlert } from './alerts.ts';
import { aCaseFile } from './case-files.ts';

const minute = 60_000;

/** When the alert of the shop fired, and when its expression became true. */
export const firedAt: number = Date.parse('2026-11-20T10:00:00Z');
export const activeAt: number = firedAt - 5 * minute;
export const present: number = firedAt + 5 * minute;

/** When the shop's database got busy. */
export const troubleAt: number = activeAt - 2 * minute;

export const shopLabels: Record<string, string> = {
  alertname: 'HighLatency', namespace: 'shop', service: 'web', severity: 'page',
};
export const shopExpression =
  'histogram_quantile(0.9, sum by (le, namespace, service) (rate(http_seconds_bucket[5m]))) > 0.5';
export const shopCompared: string = readExpression(shopExpression).comparison?.compared ?? '';

/** A value between 0 and 1 that depends only on the seed and the time, in steps of 15 s. */
export function noise(seed: number, atMs: number): number {
  const x = Math.sin(seed * 127.1 + Math.floor(atMs / 15_000) * 311.7) * 43_758.5453;
  return x - Math.floor(x);
}

export function aRule(over: Partial<AlertRule> = {}): AlertRule {
  return {
    group: 'shop', name: 'HighLatency', query: shopExpression,
    durationSeconds: 300, keepFiringForSeconds: 0, labels: { severity: 'page' }, annotations: {},
    health: 'ok', lastError: null, intervalSeconds: 15, alerts: [],
    ...over,
  };
}

/** When the alert's own value and the database recover, if they do. */
export interface Ends {
  readonly untilMs?: number;
  readonly dbUntilMs?: number;
}

/** The latencies of three services, of which that of `web` rises. */
export function ownShopSeries(
  { untilMs = Infinity }: Ends = {},
): Record<string, readonly FakeSeries[]> {
  const of = (service: string, rises: boolean): FakeSeries => ({
    labels: { namespace: 'shop', service },
    valueAt: (atMs) => 0.2 + 0.02 * noise(service.length, atMs) +
      (rises && atMs >= troubleAt && atMs < untilMs ? 0.8 : 0),
  });
  return { [shopCompared]: [of('web', true), of('cart', false), of('db', false)] };
}

/** CPU, memory and requests of four services; the CPU of `db` gets busy. */
export function shopSeries(
  { untilMs = Infinity, dbUntilMs = untilMs }: Ends = {},
): FakeSeries[] {
  const startMs = firedAt - 8 * 86_400_000;
  return ['web', 'cart', 'db', 'mail'].flatMap((service, seed) => {
    const labels = { namespace: 'shop', service, pod: `${service}-578fcf4766-9csqn`, job: service };
    const busy = (atMs: number): number =>
      0.2 + 0.02 * noise(seed, atMs) +
      (service === 'db' && atMs >= troubleAt && atMs < dbUntilMs ? 0.7 : 0);
    const slow = (atMs: number): number => {
      const wait = service === 'web' && atMs >= troubleAt && atMs < untilMs ? 0.8 : 0;
      return 20 * (0.1 + 0.01 * noise(seed + 9, atMs) + wait);
    };
    return [
      fakeSeries('up', { ...labels, instance: `${service}:80` }, () => 1),
      fakeSeries('process_cpu_seconds_total', labels, fakeCounter(busy, startMs)),
      fakeSeries('process_resident_memory_bytes', labels, (at) => 1e8 + 1e6 * noise(seed + 4, at)),
      fakeSeries('process_start_time_seconds', labels, () => startMs / 1000),
      fakeSeries('http_seconds_sum', labels, fakeCounter(slow, startMs)),
      fakeSeries('http_seconds_count', labels, fakeCounter(() => 20, startMs)),
    ];
  });
}

/** `ALERTS` during the given periods, as Prometheus stores it: without external labels. */
export function alertsSeries(
  stretches: readonly (readonly [fromMs: number, toMs: number])[],
  { alert = shopLabels, state = 'firing' }: { alert?: Alert['labels']; state?: string } = {},
): FakeSeries[] {
  const isIn = (atMs: number): boolean =>
    stretches.some(([from, to]) => atMs >= from && atMs <= to);
  const labels = { ...alert, alertname: alertNameOf(alert) };
  const since = (atMs: number): number =>
    (stretches.findLast(([from]) => from <= atMs)?.[0] ?? Number.NaN) / 1000 - 300;
  return [
    fakeSeries('ALERTS', { ...labels, alertstate: state }, (at) => (isIn(at) ? 1 : Number.NaN)),
    ...(state === 'firing'
      ? [fakeSeries('ALERTS_FOR_STATE', labels, (at) => (isIn(at) ? since(at) : Number.NaN))] : []),
  ];
}

export interface Collected {
  readonly facts: MetricFacts;
  readonly ledger: Ledger;
  readonly prometheus: FakePrometheus;
}

/** The whole shop; `over` replaces members. */
export function shop(over: Partial<FakeOptions> = {}): FakeOptions {
  return {
    series: [...shopSeries(), ...alertsSeries([[firedAt, present]])],
    expressions: ownShopSeries(), rules: [aRule()], ...over,
  };
}

export async function collected(
  options: FakeOptions,
  {
    alert = {}, context = {},
  }: { alert?: Partial<Alert>; context?: Partial<MetricsContext> } = {},
): Promise<Collected> {
  const ledger = context.ledger ?? new Ledger();
  const prometheus = fakePrometheus(options);
  const caseFile = aCaseFile({
    alert: anAlert({ labels: shopLabels, startsAt: new Date(firedAt).toISOString(), ...alert }),
  });
  const facts = await collectMetrics(caseFile, {
    ledger, open: prometheus.open, budget: prometheus.budget, now: present,
    clock: new ManualClock(present), signal: new AbortController().signal, deadlineMs: 2500,
    rule: readExpression(shopExpression), testsFor: () => [], ...context,
  });
  return { facts, ledger, prometheus };
}
