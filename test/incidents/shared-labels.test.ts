import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import { Incidents } from '../../src/incidents/incidents.ts';
import { grouping, member, openAll, type TestMember } from '../support/samples/incident-members.ts';

/** On a machine, as told by the exporter that is a pod of its own there. */
function onMachine(index: number, labels: LabelSet): LabelSet {
  return {
    job: 'node-exporter', instance: `10.0.0.${index}:9100`, pod: `o-node-exporter-${index}`,
    namespace: 'monitoring', service: 'o-node-exporter', container: 'node-exporter',
    endpoint: 'metrics', severity: 'warning', ...labels,
  };
}

/** A claim of a team, as told by the kubelet of a machine, and grouped by team. */
function ofClaim(index: number): TestMember {
  const namespace = `team${index}`;
  return member({
    alertname: 'VolumeFull', job: 'kubelet', instance: `10.0.0.${index}:10250`, node: `n${index}`,
    service: 'o-kubelet', endpoint: 'https-metrics', metrics_path: '/metrics', namespace,
    persistentvolumeclaim: 'data', severity: 'critical',
  }, 0, `{}:{namespace="${namespace}"}`);
}

/** Two alerts that have nothing else in common. */
function inGroup(groupKey: string, group: number): TestMember[] {
  return [0, 1].map((each) => member({ alertname: `A${group}${each}` }, 0, groupKey));
}

const everywhere = { cluster: 'a', region: 'eu', env: 'prod' };

const tables: readonly [what: string, members: readonly TestMember[], expected: number[][]][] = [
  [
    'machines by what is theirs, not by what their exporters share',
    [member(onMachine(1, { alertname: 'DiskFull' })), member(onMachine(2, { alertname: 'Load' })),
      member(onMachine(1, { alertname: 'ClockSkew' })),
      member({ alertname: 'Slow', namespace: 'monitoring', service: 'grafana' })],
    [[0, 2], [1], [3]],
  ],
  ['claims of three teams, told by kubelets', [1, 2, 3].map(ofClaim), [[0], [1], [2]]],
  [
    'alerts about kube-state-metrics itself, without what it tells',
    ['TargetDown', 'ScrapeSlow', 'Missing'].map((alertname, index) => member({
      alertname, job: 'kube-state-metrics', instance: '10.0.0.9:8080',
      ...(index === 2 && { deployment: 'cart', namespace: 'shop' }),
    })),
    [[0, 1], [2]],
  ],
  [
    'nothing that has only in common what all alerts of a Prometheus have',
    [member({ alertname: 'A', namespace: 'a', ...everywhere }),
      member({ alertname: 'B', namespace: 'b', ...everywhere }),
      member({ alertname: 'C', instance: 'c:1', job: 'node', ...everywhere }),
      member({ alertname: 'D', instance: 'd:1', job: 'node', ...everywhere })],
    [[0], [1], [2], [3]],
  ],
  [
    'nothing that the sender groups only by what all alerts of a Prometheus have',
    ['{}:{cluster="a"}', '{}/{team="x:{"}:{cluster="a", severity="critical"}',
      '{}:{cluster="a, path="}', '{}/{x=":{y}"}:{}'].flatMap(inGroup),
    [[0], [1], [2], [3], [4], [5], [6], [7]],
  ],
  [
    'what the sender groups by more, or by names of its own',
    ['{}:{cluster="a", job="x=\\"y\\""}', '{}:{"k8s.team"="b"}', 'of its own',
      '{}/{a="x:{"}:{path="/carts/:{id}"}', '{}:{cluster="a", path="/:{x=\\"b"}'].flatMap(inGroup),
    [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]],
  ],
];
for (const [what, members, expected] of tables) {
  test(`Incidents groups ${what}`, () => {
    openAll(new Incidents<TestMember>(), members);
    assert.deepEqual(grouping(members), expected);
  });
}
