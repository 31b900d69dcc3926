/** A whole investigation against a cluster, over HTTP. */
import { investigate } from '../../../src/analysis/investigate.ts';
import { openSources } from '../../../src/analysis/open-sources.ts';
import type { Report } from '../../../src/report/report.ts';
import { bySource } from '../../../src/sources/asked-source.ts';
import type { Cleanup } from '../cleanup.ts';
import { ManualClock } from '../manual-clock.ts';
import { anAlert } from '../samples/alerts.ts';
import { aCaseFile } from '../samples/case-files.ts';
import { clusterAt, fakeKubernetes, realCluster, type Cluster } from './fake-kubernetes.ts';
import { startFakeSource } from './fake-source.ts';

export async function reported(
  t: Cleanup,
  labels: Readonly<Record<string, string>>,
  cluster: Cluster = realCluster(),
): Promise<Report> {
  const { url } = await startFakeSource(t, fakeKubernetes(cluster));
  const access = { urls: [url], timeoutMs: 5_000, ca: null, headers: [], token: null, login: null };
  // However slow the machine is, no answer comes too late.
  const clock = new ManualClock(clusterAt);
  const accesses = bySource((source) => (source === 'kubernetes' ? access : null));
  const sources = await openSources(accesses, {
    clock, random: () => 0.5, atOnce: 4, onAsked: () => {},
  })({});
  const startsAt = new Date(clusterAt - 180_000).toISOString();
  const { report } = await investigate(aCaseFile({ alert: anAlert({ labels, startsAt }) }), {
    clock, sources, version: '1.2.3',
    signal: new AbortController().signal, onProgress: () => {},
  });
  return report;
}

/** The findings that rest on what Kubernetes says. */
export function ofKubernetes({ findings, evidence }: Report): string[] {
  const own = new Set(evidence.flatMap(({ id, source }) => (source === 'kubernetes' ? id : [])));
  return findings.filter((each) => each.evidence.some((id) => own.has(id)))
    .map(({ text }) => text);
}
