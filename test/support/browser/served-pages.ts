/** A service with reports, incidents and lists to look at in a browser. */
import { failureNotification, shownFailure } from '../../../scripts/demo/recorded-failure.ts';
import { finishedReport } from '../../../scripts/ranking/reported-case.ts';
import { serveCases } from '../../../scripts/ranking/served-cases.ts';
import { sampleNotification, type SampleName } from '../../../scripts/samples.ts';
import type { Report } from '../../../src/report/report.ts';
import type { Cleanup } from '../cleanup.ts';
import { postNotification } from '../http/post-notification.ts';
import { clockRate } from '../programs/node-options.ts';
import { startAnalyst, unlimited } from '../programs/running-analyst.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

export interface ServedPages {
  readonly url: string;
  /** Posts a notification, and resolves with the paths of its reports once all are finished. */
  post(notification: unknown): Promise<readonly string[]>;
}

/** The path of a page of each kind. */
export interface KnownPages {
  /** Path of the report on an alert whose cause is visible in Prometheus. */
  readonly report: string;
  readonly resolved: string;
  readonly list: string;
  readonly incident: string;
  readonly waiting: string;
  readonly lost: string;
}

export async function startPages(
  cleanup: Cleanup,
  env: Readonly<Record<string, string>> = {},
): Promise<ServedPages> {
  const analyst = await startAnalyst({
    dataDirectory: temporaryDirectory(), env: { ...unlimited, ...env },
  }, cleanup);
  return { url: analyst.url, post: (notification) => post(analyst.url, notification) };
}

async function post(url: string, notification: unknown): Promise<readonly string[]> {
  const fingerprints = await postNotification(url, notification);
  // One after another: polling for hundreds of reports at once would slow everything down.
  for (const fingerprint of fingerprints) await finishedReport(url, fingerprint);
  return fingerprints.map((fingerprint) => `/report/${fingerprint}`);
}

/** Pages about a recorded failure, replayed into a real Prometheus, and about other alerts. */
export async function startKnownPages(
  cleanup: Cleanup,
): Promise<{ readonly url: string; readonly pages: KnownPages }> {
  const { prometheus, served: [failure] } = await serveCases(cleanup, [shownFailure()]);
  if (failure === undefined) throw new Error('No case is served');
  const { url, post: send } = await startPages(cleanup, {
    ...clockRate(0.2), PROMETHEUS_URL: prometheus.url,
  });
  const sample = (name: SampleName): Promise<readonly string[]> =>
    send(sampleNotification(name, 1, Date.now()));
  const [report = ''] = await send(failureNotification(failure.alert, prometheus.url));
  const [member = ''] = await sample('group');
  await sample('unicode');
  await sample('firing');
  const [resolved = ''] = await sample('resolved');
  return {
    url,
    pages: {
      report, resolved, list: '/', incident: await incidentOf(url, member),
      waiting: '/report/0123456789abcdef', lost: '/incident/0123456789abcdef',
    },
  };
}

/** The path of the incident that the alert of a report belongs to. */
export async function incidentOf(url: string, report: string): Promise<string> {
  const { incident } = (await (await fetch(`${url}${report}.json`)).json()) as Report;
  if (incident === null) throw new Error(`${report} belongs to no incident`);
  return new URL(incident.url).pathname;
}
