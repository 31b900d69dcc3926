/** What reports say of a real cluster, over HTTP and through a whole investigation. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Report } from '../../src/report/report.ts';
import { ofKubernetes, reported } from '../support/sources/cluster-report.ts';
import { realCluster, type Cluster } from '../support/sources/fake-kubernetes.ts';

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
    const report = await reported(t, labels);
    const { verdict } = report;
    const { most_likely: likely, certainty } = verdict;
    assert.deepEqual({ says: ofKubernetes(report), likely, certainty }, told);
  });
}

test('what Kubernetes leaves unanswered for one reason is told once', async (t) => {
  const { objects, logs } = realCluster();
  const { '/api/v1/nodes': _nodes, '/api/v1/events': _events, ...rest } = objects;
  const labels = { namespace: 'shop', pod: 'cart-67c4c47d76-twbqp' };
  const { unknowns } = await reported(t, labels, { objects: rest, logs });
  const own = unknowns.filter(({ why }) => why.startsWith('Cannot read from Kubernetes'));
  assert.deepEqual(own.map(({ what }) => what), ['The node; Events of the last hour.']);
});

test('no secret that Kubernetes repeats stands in a report, wherever it is cut', async (t) => {
  const told = JSON.stringify(realCluster());
  const cluster = JSON.parse(told, (name, value: unknown) => {
    if (typeof value !== 'string') return value;
    if (name === 'image') return `https://cart:hunter2@${value}`;
    return name !== 'message' ? value
      : `${value.slice(0, 60).padEnd(216, '.')} postgres://cart:hunter2@db/cart`;
  }) as Cluster;
  for (const { labels } of incidents) {
    const { alert: _alert, ...made } = await reported(t, labels, cluster);
    assert.doesNotMatch(JSON.stringify(made), /hunter2/);
    const counted = made.evidence.filter(({ title, redactions }) => {
      return redactions > 0 && /^(?:Conditions of|Warnings about) /.test(title);
    });
    assert.ok(counted.length <= 1, 'what was masked for both is counted once');
  }
});
