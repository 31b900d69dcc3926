/**
 * A failure that was recorded at a pet shop on AWS (test/fixtures/labelled-incidents), as if it had
 * begun a few minutes ago: its alert, and a stand-in for a Prometheus that has its samples.
 */
import { join } from 'node:path';
import type { LabelSet } from '../../src/alert/labels.ts';
import type { Cleanup } from '../../test/support/cleanup.ts';
import { fakeSeries, type FakeSeries } from '../../test/support/sources/fake-prometheus.ts';
import { serveWorld } from '../../test/support/sources/served-prometheus.ts';
import { caseAlert, secondsToAlert, type CaseAlert } from '../ranking/case-alert.ts';
import type { LabelledCase } from '../ranking/labelled-case.ts';
import { readLabelledIncidents } from '../ranking/labelled-incidents.ts';
import { placedLabels, stepSeconds } from '../ranking/openmetrics.ts';

/** Its cause is visible in the metrics. */
const shownIncident = 'petshop-low_traffic-train-issue_0';
/** One value was recorded every five minutes; it is scraped until the next one. */
const recordedStepSeconds = 300;
/** How long the alert has been firing. */
const firingSeconds = 180;

export function shownFailure(): LabelledCase {
  const folder = join('test', 'fixtures', 'labelled-incidents', 'petshop');
  const incident = readLabelledIncidents(folder).cases.find(({ id }) => id === shownIncident);
  if (incident === undefined) throw new Error(`There is no incident ${shownIncident}`);
  return incident;
}

/**
 * What Alertmanager posts about the alert. `prometheus` is the address that sent it; `endsAt` (ms)
 * is null while it fires.
 */
export function failureNotification(
  alert: CaseAlert, prometheus: string, endsAt: number | null = null,
): object {
  const expression = encodeURIComponent(alert.expression);
  const status = endsAt === null ? 'firing' : 'resolved';
  return {
    version: '4', status, receiver: 'alert-analyst',
    externalURL: 'http://alertmanager.example.com:9093',
    alerts: [{
      status, labels: alert.labels, startsAt: alert.startsAt,
      endsAt: endsAt === null ? '0001-01-01T00:00:00Z' : new Date(endsAt).toISOString(),
      annotations: {
        summary: 'Requests take longer than they should',
        description: 'More than half of what is usual was added to it.',
        runbook_url: 'https://runbooks.example.com/service-degraded',
        dashboard: 'https://grafana.example.com/d/abc/service',
      },
      generatorURL: `${prometheus}/graph?g0.expr=${expression}&g0.tab=1`,
    }],
  };
}

interface ServedFailure {
  readonly alert: CaseAlert;
  /** When the alert ends, in ms: the recorded values are usual again. */
  readonly endsAt: number;
  /** Address of the stand-in for Prometheus. */
  readonly url: string;
}

/** Serves the failure as it is at `now` (ms), and goes on from there. */
export async function serveFailure(cleanup: Cleanup, now: number): Promise<ServedFailure> {
  const incident = shownFailure();
  const nowSeconds = Math.floor(now / 60_000) * 60;
  const { forSeconds, ...told } = caseAlert(incident, 'shop', { onsetSeconds: 0, nowSeconds });
  const crossesAfter = (secondsToAlert(incident) - forSeconds) / stepSeconds * recordedStepSeconds;
  const startsAt = nowSeconds - firingSeconds;
  const activeSeconds = startsAt - forSeconds;
  const alert = {
    ...told, forSeconds, activeSeconds, startsAt: new Date(startsAt * 1000).toISOString(),
  };
  const recorded = recordedSeries(incident, alert.namespace, activeSeconds - crossesAfter);
  const beyond = recorded.flatMap((series) => beyondThreshold(series, alert));
  const { url } = await serveWorld(cleanup, {
    series: [...recorded, ...stateSeries(alert, beyond)],
    expressions: { [alert.expression]: beyond },
    rules: [{
      group: 'shop', name: alert.labels['alertname'] ?? '', query: alert.expression,
      labels: alert.ruleLabels, annotations: {}, durationSeconds: forSeconds,
      keepFiringForSeconds: 0, intervalSeconds: 60, health: 'ok', lastError: null, alerts: [],
    }],
  });
  return { alert, endsAt: endOf(beyond, now), url };
}

/** Values before the recording are missing; after it, the last ones remain. */
function recordedSeries(
  { candidates, own, split }: LabelledCase,
  namespace: string,
  onsetSeconds: number,
): FakeSeries[] {
  const isListed = candidates.some(({ id }) => id === own?.id);
  const all = own === null || isListed ? candidates : [...candidates, own];
  const targets = new Map<string, LabelSet>();
  const series = all.map((candidate) => {
    const { metric, values } = candidate;
    const labels = placedLabels(candidate, namespace);
    targets.set(JSON.stringify(labels), labels);
    return fakeSeries(metric, labels, (atMs) => {
      const step = Math.floor((atMs / 1000 - onsetSeconds) / recordedStepSeconds);
      return values[Math.min(split + step, values.length - 1)] ?? Number.NaN;
    });
  });
  return [...series, ...[...targets.values()].map((labels) => fakeSeries('up', labels, () => 1))];
}

/** The series of the alert as its rule returns it: without the samples that do not fire. */
function beyondThreshold(series: FakeSeries, { expression, labels }: CaseAlert): FakeSeries[] {
  const [, metric, sign, limit] = /^(\w+)\{.*\} ([<>]) (\S+)$/s.exec(expression) ?? [];
  const { __name__: name, ...own } = series.labels;
  const isOwn = name === metric && Object.entries(own).every(([label, value]) =>
    labels[label] === value);
  if (!isOwn) return [];
  const isBeyond = (value: number): boolean =>
    sign === '>' ? value > Number(limit) : value < Number(limit);
  const valueAt = (atMs: number): number => {
    const value = series.valueAt(atMs);
    return isBeyond(value) ? value : Number.NaN;
  };
  return [{ ...series, valueAt }];
}

/** What Prometheus keeps of the state of an alert. */
function stateSeries(
  { labels, activeSeconds, forSeconds }: CaseAlert, beyond: readonly FakeSeries[],
): FakeSeries[] {
  const firesAt = (activeSeconds + forSeconds) * 1000;
  const during = (fromMs: number, value: number) => (atMs: number): number =>
    atMs >= fromMs && beyond.some((series) => !Number.isNaN(series.valueAt(atMs)))
      ? value : Number.NaN;
  return [
    fakeSeries('ALERTS_FOR_STATE', labels, during(activeSeconds * 1000, activeSeconds)),
    fakeSeries('ALERTS', { ...labels, alertstate: 'firing' }, during(firesAt, 1)),
  ];
}

function endOf(beyond: readonly FakeSeries[], now: number): number {
  let at = now;
  while (beyond.some((series) => !Number.isNaN(series.valueAt(at)))) at += 1000;
  return at;
}
