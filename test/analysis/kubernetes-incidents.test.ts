/** What reports say of a real cluster, over HTTP and through a whole investigation. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { investigate } from '../../src/analysis/investigate.ts';
import { openSources } from '../../src/analysis/thread-sources.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Report } from '../../src/report/report.ts';
import { bySource } from '../../src/sources/asked-source.ts';
import type { Cleanup } from '../support/programs/programs.ts';
import { anAlert } from '../support/samples/alerts.ts';
import { aCaseFile } from '../support/samples/case-files.ts';
import {
  clusterAt, fakeKubernetes, realCluster, type Cluster,
} from '../support/sources/fake-kubernetes.ts';
import { startFakeSource } from '../support/sources/fake-source.ts';

interface Incident {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The findings that rest on Kubernetes, each as it stands in the report. */
  readonly says: readonly string[];
  readonly likely: string | null;
  readonly certainty: Report['verdict']['certainty'];
}

const file = join(process.cwd(), 'test/fixtures/cluster/incidents.json');
const incidents = JSON.parse(readFileSync(file, 'utf8')) as readonly Incident[];

for (const { name, labels, ...told } of incidents) {
  test(`investigate() tells of ${name}`, async (t) => {
    const { findings, verdict, evidence } = await reported(t, labels);
    const own = new Set(evidence.flatMap(({ id, source }) => (source === 'kubernetes' ? id : [])));
    const says = findings.filter((each) => each.evidence.some((id) => own.has(id)))
      .map(({ text }) => text);
    const { most_likely: likely, certainty } = verdict;
    assert.deepEqual({ says, likely, certainty }, told);
  });
}

async function reported(
  t: Cleanup,
  labels: Incident['labels'],
  cluster: Cluster = realCluster(),
): Promise<Report> {
  const { url } = await startFakeSource(t, fakeKubernetes(cluster));
  const access = { url, timeoutMs: 5_000, ca: null, headers: [], token: null, login: null };
  const sources = openSources(bySource((source) => (source === 'kubernetes' ? access : null)), {
    clock: systemClock, random: () => 0.5, atOnce: 4, onAsked: () => {},
  });
  const ahead = clusterAt - systemClock.now();
  const startsAt = new Date(clusterAt - 180_000).toISOString();
  const { report } = await investigate(aCaseFile({ alert: anAlert({ labels, startsAt }) }), {
    clock: { ...systemClock, now: () => systemClock.now() + ahead }, sources, version: '1.2.3',
    signal: new AbortController().signal, onProgress: () => {},
  });
  return report;
}
