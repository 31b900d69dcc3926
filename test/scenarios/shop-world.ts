import { fingerprintOf } from '../../src/alert/fingerprint.ts';
import { readExpression } from '../../src/evidence/rule/rule-expression.ts';
import type { AlertRule } from '../../src/sources/prometheus-rules.ts';
import { aRule, noise } from '../support/samples/shop-scenario.ts';
import { fakeCounter, fakeSeries, type FakeSeries } from '../support/sources/fake-prometheus.ts';
import type { World } from '../support/sources/served-prometheus.ts';
import type { NotifiedAlert } from './scenario.ts';

export const minute = 60_000;
export const day: number = 24 * 60 * minute;

/** What happens in a shop of four services; members left out stay normal. Times are in ms. */
export interface Trouble {
  /** Cores in use, in addition to the usual. */
  readonly busy?: (service: string, atMs: number) => number;
  /** Bytes of memory, in addition to the usual. */
  readonly memory?: (service: string, atMs: number) => number;
  /** When the service was last started; null for its usual start. */
  readonly startedAt?: (service: string, atMs: number) => number | null;
  /** Whether scrapes of the service succeed, fail, or have no samples at all. */
  readonly target?: (service: string, atMs: number) => 'up' | 'down' | 'gone';
}

const ups = { up: 1, down: 0, gone: Number.NaN };
const services = ['web', 'cart', 'db', 'mail'];

/** CPU, memory, requests and targets of the services in a namespace. */
export function shopSeries(namespace: string, now: number, trouble: Trouble = {}): FakeSeries[] {
  const bootMs = now - 8 * day;
  return services.flatMap((service, seed) => {
    const labels = { namespace, service, pod: `${service}-578fcf4766-9csqn`, job: service };
    const target = (atMs: number): keyof typeof ups => trouble.target?.(service, atMs) ?? 'up';
    const scraped = (valueAt: FakeSeries['valueAt']): FakeSeries['valueAt'] => {
      return (atMs) => target(atMs) === 'up' ? valueAt(atMs) : Number.NaN;
    };
    const busy = (at: number): number => {
      return 0.2 + 0.02 * noise(seed, at) + (trouble.busy?.(service, at) ?? 0);
    };
    const memory = (at: number): number => {
      return 1e8 + 1e6 * noise(seed + 4, at) + (trouble.memory?.(service, at) ?? 0);
    };
    const traffic = (at: number): number => 20 + noise(seed + 7, at);
    return [
      fakeSeries('up', { ...labels, instance: `${service}:80` }, (at) => ups[target(at)]),
      fakeSeries('process_cpu_seconds_total', labels, scraped(fakeCounter(busy, bootMs))),
      fakeSeries('process_resident_memory_bytes', labels, scraped(memory)),
      fakeSeries('process_start_time_seconds', labels,
        scraped((at) => (trouble.startedAt?.(service, at) ?? bootMs) / 1000)),
      fakeSeries('http_requests_total', labels, scraped(fakeCounter(traffic, bootMs))),
    ];
  });
}

/** `ALERTS` during periods of firing, as Prometheus stores it. */
export function firedSeries(
  labels: Readonly<Record<string, string>>,
  stretches: readonly (readonly [fromMs: number, toMs: number])[],
): FakeSeries[] {
  const isIn = (at: number): boolean => stretches.some(([from, to]) => at >= from && at <= to);
  return [fakeSeries('ALERTS', { ...labels, alertstate: 'firing' },
    (at) => isIn(at) ? 1 : Number.NaN)];
}

export interface Watched {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly expression: string;
  readonly startsAt: number;
  readonly endsAt?: number;
}

export function notified(
  { labels, annotations = {}, expression, startsAt, endsAt }: Watched,
): NotifiedAlert {
  return {
    status: endsAt === undefined ? 'firing' : 'resolved', labels, annotations,
    startsAt: new Date(startsAt).toISOString(),
    ...(endsAt !== undefined && { endsAt: new Date(endsAt).toISOString() }),
    generatorURL: `http://prometheus:9090/graph?g0.expr=${encodeURIComponent(expression)}`,
    fingerprint: fingerprintOf(labels),
  };
}

/** The rule of an alert, as Prometheus lists it. */
export function ruleOf({ labels, expression }: Watched): AlertRule {
  const { alertname = '', severity = '' } = labels;
  return aRule({ name: alertname, query: expression, labels: { severity } });
}

/** The left side of the rule's comparison, with these series as its values. */
export function ownValue(
  { expression }: Watched,
  series: readonly FakeSeries[],
): NonNullable<World['expressions']> {
  return { [readExpression(expression).comparison?.compared ?? expression]: series };
}

/** A series that steps from one level to another at `atMs`, with a little noise. */
export function stepping(
  labels: Readonly<Record<string, string>>,
  { from, to, atMs, untilMs = Infinity }: {
    readonly from: number; readonly to: number; readonly atMs: number; readonly untilMs?: number;
  },
): FakeSeries {
  const valueAt = (at: number): number => {
    const level = at >= atMs && at < untilMs ? to : from;
    return level * (1 + 0.05 * (noise(3, at) - 0.5));
  };
  return { labels, valueAt };
}
