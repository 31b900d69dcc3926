/** Posts the alert of a labelled incident to a running service and reads the report on it. */
import type { Change, Report } from '../../src/report/report.ts';
import { workloadOfPod } from '../../src/statistics/names/workload-name.ts';
import { postNotification } from '../../test/support/http/post-notification.ts';
import { eventually } from '../../test/support/programs/programs.ts';
import type { CaseAlert } from './case-alert.ts';
import type { LabelledCase } from './labelled-case.ts';

export interface ReportedCase {
  readonly report: Report;
  /** From the webhook's answer until the report was finished. */
  readonly seconds: number;
}

export interface Posting {
  /** Address of the service. */
  readonly analyst: string;
  /** Address of Prometheus, for `generatorURL`. */
  readonly prometheus: string;
}

export async function reportOn(alert: CaseAlert, posting: Posting): Promise<ReportedCase> {
  const firing = notificationOf(alert, posting.prometheus);
  const [fingerprint] = await postNotification(posting.analyst, firing);
  const answeredAt = performance.now();
  if (fingerprint === undefined) throw new Error('The answer has no report link');
  const report = await finishedReport(posting.analyst, fingerprint);
  return { report, seconds: (performance.now() - answeredAt) / 1000 };
}

/** Without it, the next alert would be taken for a part of the same trouble. */
export async function endAlert(alert: CaseAlert, posting: Posting): Promise<void> {
  const endsAt = new Date().toISOString();
  await postNotification(posting.analyst, notificationOf(alert, posting.prometheus, endsAt));
}

export async function finishedReport(analyst: string, fingerprint: string): Promise<Report> {
  return eventually('the report', async () => {
    const response = await fetch(`${analyst}/report/${fingerprint}.json`);
    if (response.status !== 200) return null;
    const report = (await response.json()) as Report;
    const isOver = ['ready', 'final', 'failed'].includes(report.status)
      && !(report.narrative.state === 'absent' && report.narrative.reason === 'pending');
    return isOver && report.progress === null ? report : null;
  }, { everyMs: 20, withinMs: 900_000 });
}

function notificationOf(alert: CaseAlert, prometheus: string, endsAt?: string): object {
  const expression = encodeURIComponent(alert.expression);
  const status = endsAt === undefined ? 'firing' : 'resolved';
  return {
    version: '4', status, receiver: 'alert-analyst',
    alerts: [{
      status, labels: alert.labels, annotations: {}, startsAt: alert.startsAt,
      endsAt: endsAt ?? '0001-01-01T00:00:00Z',
      generatorURL: `${prometheus}/graph?g0.expr=${expression}&g0.tab=1`,
    }],
  };
}

/** Components in the order in which the report first names them, without the one that alerts. */
export function reportedComponents(changes: readonly Change[], alerting: string): string[] {
  const names = changes.flatMap(({ component }) => component === null ? [] : [component.value]);
  return [...new Set(names)].filter((name) => name !== alerting);
}

/** 1 if the report names the culprit first, 0 if it does not name it. */
export function placeOfCulprit({ changes }: Report, incident: LabelledCase): number {
  const names = namesOfCulprit(incident);
  const components = reportedComponents(changes, incident.alerting);
  return components.findIndex((name) => names.includes(name)) + 1;
}

/** `tied`: among those that are too close to call. */
export type Naming = 'first' | 'tied' | 'not';

/** How the verdict names the culprit as the cause; null if it names no cause. */
export function namingOfCulprit(
  { verdict: { most_likely: cause, certainty } }: Report,
  incident: LabelledCase,
): Naming | null {
  if (cause === null) return null;
  const names = namesOfCulprit(incident);
  if (certainty !== 'inconclusive') {
    return names.some((name) => cause.startsWith(`${name} `)) ? 'first' : 'not';
  }
  return names.some((name) => cause.includes(` of ${name}`)) ? 'tied' : 'not';
}

export function namesOfCulprit({ answers }: LabelledCase): string[] {
  return [...answers].flatMap((culprit) => [culprit, workloadOfPod(culprit)]);
}
