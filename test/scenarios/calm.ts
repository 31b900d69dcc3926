/** Alerts without a fault behind them, or many alerts with a single one. */
import { noise } from '../support/samples/shop-scenario.ts';
import { fakeSeries } from '../support/sources/fake-prometheus.ts';
import type { Plot } from './scenario.ts';
import {
  day, firedSeries, minute, notified, ownValue, ruleOf, shopSeries, stepping, type Watched,
} from './shop-world.ts';

/** The watchdog alert, which always fires to prove that alerts arrive. */
export const healthy: Plot = (now, namespace = 'shop-healthy') => {
  const watched: Watched = {
    labels: { alertname: 'Watchdog', namespace, severity: 'none' },
    annotations: { summary: 'This alert is always firing' },
    expression: 'vector(1)', startsAt: now - 3 * day,
  };
  return {
    name: 'healthy',
    notifications: [{ status: 'firing', alerts: [notified(watched)] }],
    world: { series: shopSeries(namespace, now), rules: [ruleOf(watched)] },
    expected: {
      classification: 'informational', causes: null,
      innocent: [/\b(?:web|cart|db|mail)\b/], absent: [],
    },
  };
};

function busyWeb(namespace: string, startsAt: number): Watched {
  return {
    labels: { alertname: 'HighQueueDepth', namespace, service: 'web', severity: 'warning' },
    annotations: { summary: 'More than 100 jobs wait' },
    expression: 'sum by (namespace, service) (jobs_waiting) > 100', startsAt,
  };
}

/** It fired, but its value is back within the limit before anybody looks. */
export const selfResolved: Plot = (now, namespace = 'shop-self-resolved') => {
  const watched = busyWeb(namespace, now - 9 * minute);
  const ended = { ...watched, endsAt: now - 2 * minute };
  const own = stepping({ namespace, service: 'web' }, {
    from: 20, to: 300, atMs: now - 12 * minute, untilMs: now - 3 * minute,
  });
  return {
    name: 'self-resolved',
    notifications: [
      { status: 'firing', alerts: [notified(watched)] },
      { status: 'resolved', alerts: [notified(ended)] },
    ],
    world: {
      series: [
        ...shopSeries(namespace, now),
        fakeSeries('jobs_waiting', { namespace, service: 'web' }, own.valueAt),
      ],
      expressions: ownValue(watched, [own]), rules: [ruleOf(watched)],
    },
    expected: { classification: 'recovered', causes: null, innocent: [/\bmail\b/], absent: [] },
  };
};

/** It has fired and resolved every half hour for two days. */
export const flapping: Plot = (now, namespace = 'shop-flapping') => {
  const watched = busyWeb(namespace, now - 2 * minute);
  const every = 30 * minute;
  const lasts = 5 * minute;
  const isIn = (at: number): boolean => // The last one goes on for as long as a run may take.
    at >= watched.startsAt || ((at - watched.startsAt) % every + every) % every < lasts;
  const stretches = Array.from({ length: 96 }, (_, index) => {
    const from = watched.startsAt - index * every;
    return [from, Math.min(now, from + lasts)] as const;
  });
  const valueAt = (at: number): number => (isIn(at) ? 104 : 96) + 2 * noise(5, at);
  return {
    name: 'flapping',
    notifications: [{ status: 'firing', alerts: [notified(watched)] }],
    world: {
      series: [
        ...shopSeries(namespace, now), ...firedSeries(watched.labels, stretches),
        fakeSeries('jobs_waiting', { namespace, service: 'web' }, valueAt),
      ],
      expressions: ownValue(watched, [{ labels: { namespace, service: 'web' }, valueAt }]),
      rules: [ruleOf(watched)],
    },
    expected: { classification: 'noisy', causes: null, innocent: [/\bmail\b/], absent: [] },
  };
};

const stormSize = 30;

/** A node fails, and every pod on it alerts within a minute. */
export const storm: Plot = (now, namespace = 'shop-storm') => {
  const node = 'node-7.example';
  const down: Watched = {
    labels: {
      alertname: 'KubeNodeNotReady', namespace, cluster: 'main', node, severity: 'critical',
    },
    annotations: { summary: `Node ${node} is not ready` },
    expression:
      'kube_node_status_condition{condition="Ready",status="true"} == 0',
    startsAt: now - 4 * minute,
  };
  const pods = Array.from({ length: stormSize }, (_, index): Watched => ({
    labels: {
      alertname: 'KubePodNotReady', namespace, cluster: 'main', node, pod: `web-${index}`,
      severity: 'warning',
    },
    annotations: { summary: `Pod web-${index} is not ready` },
    expression: 'kube_pod_status_ready{condition="true"} == 0',
    startsAt: now - 4 * minute + index * 1000,
  }));
  const readyAt = (at: number): number => at >= down.startsAt - minute ? 0 : 1;
  return {
    name: 'storm',
    notifications: [{ status: 'firing', alerts: [down, ...pods].map(notified) }],
    world: {
      series: shopSeries(namespace, now),
      expressions: ownValue(down, [{ labels: { node }, valueAt: readyAt }]),
      rules: [ruleOf(down)],
    },
    expected: {
      classification: 'actionable', causes: [/node-7/],
      innocent: [/\bmail\b/], absent: [],
    },
  };
};
