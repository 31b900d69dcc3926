import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import { Incidents } from '../../src/incidents/incidents.ts';
import { grouping, member, openAll, type TestMember } from '../support/samples/incident-members.ts';

/** As Alertmanager groups it by name and namespace. */
function inNamespace(index: number, second: number, labels: LabelSet = {}): TestMember {
  const namespace = `n${index}`;
  const all = { alertname: 'HighErrorRate', service: `s${index}`, namespace, ...labels };
  return member(all, second, `{}:{alertname="${all.alertname}", namespace="${namespace}"}`);
}
const several = (count: number, each: (index: number) => TestMember): TestMember[] =>
  Array.from({ length: count }, (_, index) => each(index));

const tables: readonly [what: string, members: readonly TestMember[], expected: number[][]][] = [
  [
    'five alerts of one name within two minutes, in groups of their own',
    several(7, (index) => inNamespace(index, index * 30)),
    [[0, 1, 2, 3, 4, 5, 6]],
  ],
  [
    'one name in two namespaces, as when two teams have a fault each',
    several(8, (index) => inNamespace(index % 2, index * 10)),
    [[0, 2, 4, 6], [1, 3, 5, 7]],
  ],
  [
    'what kube-state-metrics tells of two teams, and of one of them',
    several(6, (index) => inNamespace(index % 2, index, {
      job: 'kube-state-metrics', instance: '10.0.0.9:8080', service: 'o-kube-state-metrics',
      endpoint: 'http', severity: 'warning',
      ...(index < 4 ? { alertname: 'KubePodCrashLooping', pod: `web-${index}` } : {
        alertname: 'KubeDeploymentReplicasMismatch', deployment: `d${index}`,
        pod: 'o-kube-state-metrics-1',
      }),
    })),
    [[0, 2, 4], [1, 3, 5]],
  ],
  [
    'one name in three namespaces, many in one after the other',
    several(60, (index) => inNamespace(Math.floor(index / 20), index)),
    [Array.from({ length: 60 }, (_, index) => index)],
  ],
  [
    'what tells little more than a deployment of two teams, and of one of them',
    several(6, (index) => member({
      alertname: 'KubeDeploymentReplicasMismatch', cluster: 'eu', namespace: `n${index % 2}`,
      deployment: `d${index}`, severity: 'warning',
    }, 0, `{}:{namespace="n${index % 2}"}`)),
    [[0, 2, 4], [1, 3, 5]],
  ],
  [
    'fewer of one name, or over a longer time',
    [...several(4, (index) => inNamespace(index, index)),
      ...several(8, (index) => inNamespace(10 + index, index * 40, { alertname: 'QueueLong' }))],
    Array.from({ length: 12 }, (_, index) => [index]),
  ],
  [
    'bursts of one name in two clusters, and others at that time',
    several(12, (index) => inNamespace(index, index,
      { cluster: index % 2 === 0 ? 'a' : 'b', ...(index > 9 && { alertname: 'DiskFull' }) })),
    [[0, 2, 4, 6, 8], [1, 3, 5, 7, 9], [10], [11]],
  ],
];
for (const [what, members, expected] of tables) {
  test(`Incidents groups across namespaces ${what}`, () => {
    openAll(new Incidents<TestMember>(), members);
    assert.deepEqual(grouping(members), expected);
  });
}
