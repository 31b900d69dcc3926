/** Incidents whose cause is visible in the metrics. */
import { noise } from '../support/samples/shop-scenario.ts';
import { fakeSeries } from '../support/sources/fake-prometheus.ts';
import type { Plot, Scenario } from './scenario.ts';
import {
  minute, notified, ownValue, ruleOf, shopSeries, stepping, type Trouble, type Watched,
} from './shop-world.ts';

const latency =
  'histogram_quantile(0.9, sum by (le, namespace, service) (rate(http_seconds_bucket[5m]))) > 0.5';

interface Slow {
  readonly name: string;
  readonly trouble: (troubleAt: number) => Trouble;
  readonly expected: Omit<Scenario['expected'], 'classification'>;
}

/** `web` has been slow for twelve minutes; `trouble` says why. */
function slowWeb({ name, trouble, expected }: Slow): Plot {
  return (now, namespace = `shop-${name.replace(' ', '-')}`) => {
    const troubleAt = now - 12 * minute;
    const watched: Watched = {
      labels: { alertname: 'HighLatency', namespace, service: 'web', severity: 'critical' },
      annotations: { summary: 'Nine in ten requests to web take longer than 500 ms' },
      expression: latency, startsAt: now - 5 * minute,
    };
    const of = (service: string, to: number): ReturnType<typeof stepping> => {
      return stepping({ namespace, service }, { from: 0.2, to, atMs: troubleAt });
    };
    return {
      name,
      notifications: [{ status: 'firing', alerts: [notified(watched)] }],
      world: {
        series: shopSeries(namespace, now, trouble(troubleAt)),
        expressions: ownValue(watched, [of('web', 1), of('cart', 0.2), of('db', 0.2)]),
        rules: [ruleOf(watched)],
      },
      expected: { classification: 'actionable', ...expected },
    };
  };
}

const since = (service: string, troubleAt: number, more: number): NonNullable<Trouble['busy']> => {
  return (each, at) => each === service && at >= troubleAt ? more : 0;
};

/** The database behind `web` gets busy at the same time. */
export const dependency: Plot = slowWeb({
  name: 'dependency',
  trouble: (troubleAt) => ({ busy: since('db', troubleAt, 0.7) }),
  expected: { causes: [/\bdb\b/], innocent: [/\bmail\b/], absent: [] },
});

/** `mail` was much busier than the database, but an hour and a half earlier and only briefly. */
export const redHerring: Plot = slowWeb({
  name: 'red herring',
  trouble: (troubleAt) => ({
    busy: (service, at) => {
      const isEarlier = at >= troubleAt - 90 * minute && at < troubleAt - 75 * minute;
      if (service === 'mail') return isEarlier ? 2 : 0;
      return service === 'db' && at >= troubleAt ? 0.7 : 0;
    },
  }),
  expected: { causes: [/\bdb\b/], innocent: [/\bmail\b/], absent: [] },
});

/** The database gets busy and `cart` eats memory, at the same time. */
export const twoFaults: Plot = slowWeb({
  name: 'two faults',
  trouble: (troubleAt) => ({
    busy: since('db', troubleAt, 0.7),
    memory: (service, at) => service === 'cart' && at >= troubleAt ? 4e8 : 0,
  }),
  expected: { causes: [/\bdb\b/, /\bcart\b/], innocent: [/\bmail\b/], absent: [] },
});

/** Scrapes are missing for some minutes before the database gets busy. */
export const scrapeGap: Plot = slowWeb({
  name: 'scrape gap',
  trouble: (troubleAt) => ({
    busy: since('db', troubleAt, 0.7),
    target: (_service, at) => {
      return at >= troubleAt - 18 * minute && at < troubleAt - 11 * minute ? 'gone' : 'up';
    },
  }),
  expected: { causes: [/\bdb\b/], innocent: [/\bmail\b/, /gone|appeared|restart/], absent: [] },
});

/** Errors since a rollout: a new generation of the deployment, and restarted processes. */
export const deploy: Plot = (now, namespace = 'shop-deploy') => {
  const rolledOutAt = now - 12 * minute;
  const watched: Watched = {
    labels: {
      alertname: 'HighErrorRate', namespace, service: 'web', job: 'web', severity: 'critical',
    },
    annotations: { summary: 'More than 5 % of the answers of web are errors' },
    expression:
      'sum by (namespace, service) (rate(http_requests_total{code=~"5.."}[5m])) / ' +
      'sum by (namespace, service) (rate(http_requests_total[5m])) > 0.05',
    startsAt: now - 6 * minute,
  };
  const rollout = { namespace, deployment: 'web' };
  return {
    name: 'deploy',
    notifications: [{ status: 'firing', alerts: [notified(watched)] }],
    world: {
      series: [
        ...shopSeries(namespace, now, {
          startedAt: (service, at) => service === 'web' && at >= rolledOutAt ? rolledOutAt : null,
        }),
        fakeSeries('kube_deployment_status_observed_generation', rollout,
          (at) => at >= rolledOutAt ? 8 : 7),
      ],
      expressions: ownValue(watched, [
        stepping({ namespace, service: 'web' }, { from: 0.002, to: 0.3, atMs: rolledOutAt }),
      ]),
      holding: [[
        `changes(kube_deployment_status_observed_generation{namespace="${namespace}"`,
        [{ labels: rollout, valueAt: (at) => at >= rolledOutAt ? 1 : 0 }],
      ]],
      rules: [ruleOf(watched)],
    },
    expected: {
      classification: 'actionable', causes: [/web was changed \(generation 7 to 8\)/, /release/],
      innocent: [], absent: [],
    },
  };
};

/** A volume that fills steadily and will be full in some hours. */
export const capacity: Plot = (now, namespace = 'shop-capacity') => {
  const labels = {
    namespace, instance: 'db-0:9100', device: '/dev/sdb1', mountpoint: '/var/lib/db',
    fstype: 'ext4', job: 'node',
  };
  const watched: Watched = {
    labels: { ...labels, alertname: 'NodeFilesystemAlmostOutOfSpace', severity: 'critical' },
    annotations: { summary: 'The filesystem has less than 5 % space left' },
    expression: 'node_filesystem_avail_bytes{fstype!=""} / ' +
      'node_filesystem_size_bytes{fstype!=""} * 100 < 5',
    startsAt: now - 20 * minute,
  };
  const size = 500e9;
  const percentAt = (at: number): number => {
    const hours = (now - at) / (60 * minute);
    return Math.max(0.1, Math.min(64, 4.2 + 2.5 * hours) + 0.02 * noise(2, at));
  };
  return {
    name: 'capacity',
    notifications: [{ status: 'firing', alerts: [notified(watched)] }],
    world: {
      series: [
        ...shopSeries(namespace, now),
        fakeSeries('node_filesystem_avail_bytes', labels, (at) => percentAt(at) / 100 * size),
        fakeSeries('node_filesystem_size_bytes', labels, () => size),
      ],
      expressions: ownValue(watched, [{ labels, valueAt: percentAt }]),
      rules: [ruleOf(watched)],
    },
    expected: {
      classification: 'actionable',
      // With the date after midnight.
      causes: [/below its minimum of 5 %, and falling: 0 % at about (?:\d+ \w+ )?\d\d:\d\d UTC/],
      innocent: [], absent: [],
    },
  };
};
