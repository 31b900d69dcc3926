import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Incidents } from '../../src/incidents/incidents.ts';
import { layerOf, layerRank } from '../../src/incidents/layer.ts';
import { rankMembers } from '../../src/incidents/member.ts';
import { isInStorm } from '../../src/incidents/storm.ts';
import {
  member, openAll, stormStart, type TestMember,
} from '../support/samples/incident-members.ts';

const onsetsAt = (seconds: readonly number[]): number[] =>
  seconds.map((second) => stormStart + second * 1000);
const every = (count: number, seconds: number): number[] =>
  Array.from({ length: count }, (_, index) => index * seconds);

const storms: readonly [seconds: readonly number[], expected: boolean][] = [
  [every(10, 1), false],
  [every(11, 1), true],
  [every(11, 30), true],
  [every(11, 31), false],
  [[0, ...every(20, 1).map((second) => second + 400)], false],
];
for (const [seconds, expected] of storms) {
  test(`isInStorm() of ${seconds.length} over ${seconds.at(-1)} s`, () => {
    const onsets = onsetsAt(seconds);
    assert.equal(isInStorm(onsets[0] ?? 0, onsets), expected);
  });
}

test('isInStorm() is false for alerts of the incident long before the storm', () => {
  const onsets = onsetsAt([0, ...every(20, 1).map((second) => second + 200)]);
  assert.equal(isInStorm(onsets[0] ?? 0, onsets), true);
  const late = onsetsAt([0, ...every(20, 30).map((second) => second + 290)]);
  assert.equal(isInStorm(late[0] ?? 0, late), false);
  assert.equal(isInStorm(late[5] ?? 0, late), true);
});

const layers: readonly [name: string, labels: Record<string, string>, layer: string][] = [
  ['KubeNodeNotReady', { node: 'n1' }, 'node'],
  ['NodeFilesystemSpaceFillingUp', { instance: 'a:9100' }, 'storage'],
  ['NodeNetworkReceiveErrs', {}, 'network'],
  ['NICDown', {}, 'network'],
  ['HostHighCpuLoad', {}, 'node'],
  ['KubePersistentVolumeFillingUp', { namespace: 'a' }, 'storage'],
  ['KubeletDown', {}, 'kubelet'],
  ['KubePodCrashLooping', { pod: 'p' }, 'pod'],
  ['KubeDeploymentReplicasMismatch', {}, 'workload'],
  ['CheckoutLatencyHigh', { pod: 'p' }, 'service'],
  ['SLOBurnRateHigh', {}, 'probe'],
  ['BlackboxProbeFailed', {}, 'probe'],
  ['PrometheusRuleFailures', {}, 'monitoring'],
  ['TargetDown', { job: 'node-exporter', instance: 'a:9100' }, 'node'],
  ['Custom', { job: 'node-exporter', instance: 'a:9100', pod: 'o-node-exporter-1' }, 'node'],
  ['TargetDown', { job: 'shop', instance: 'a:80' }, 'service'],
  ['Custom', { pod: 'p', node: 'n1' }, 'pod'],
  ['Custom', { persistentvolumeclaim: 'data', pod: 'p' }, 'storage'],
  ['Custom', { mountpoint: '/data', node: 'n1' }, 'storage'],
  ['Custom', { container: 'c', node: 'n1' }, 'pod'],
  ['Custom', { deployment: 'd' }, 'workload'],
  ['Custom', { node: 'n1' }, 'node'],
  ['', {}, 'service'],
];
for (const [name, labels, layer] of layers) {
  test(`layerOf() of "${name}" with ${JSON.stringify(labels)} is ${layer}`, () => {
    assert.equal(layerOf(name, labels), layer);
  });
}

test('layerRank() puts nodes below pods below services below probes', () => {
  const order = ['node', 'kubelet', 'pod', 'workload', 'service', 'probe'] as const;
  const ranks = order.map(layerRank);
  assert.deepEqual(ranks, ranks.toSorted((a, b) => a - b));
  assert.equal(new Set(ranks).size, ranks.length);
  assert.deepEqual([layerRank('storage'), layerRank('network')], [ranks[0], ranks[0]]);
});

test('rankMembers() puts the lowest first, then the earliest, and says when neither tells', () => {
  const members = [
    member({ alertname: 'ApiErrors', node: 'n1', pod: 'p' }, -100),
    member({ alertname: 'KubeNodeNotReady', node: 'n1' }, 20),
    member({ alertname: 'NodeLoad', node: 'n1' }, 10),
  ];
  openAll(new Incidents<TestMember>(), members);
  const { members: ranked, likelyOrigin } = rankMembers(members);
  assert.deepEqual(ranked, [members[2], members[1], members[0]]);
  assert.equal(likelyOrigin, members[2]);
  const twins = [0, 0.5].map((second) => member({ alertname: 'A', index: `${second}` }, second));
  openAll(new Incidents<TestMember>(), twins);
  const onsets = onsetsAt([0, 0.5]);
  assert.deepEqual(rankMembers([...twins].reverse()), {
    members: twins, onsets, origin: null, likelyOrigin: null, runnerUp: twins[1],
  });
  assert.deepEqual(rankMembers([]), {
    members: [], onsets: [], origin: null, likelyOrigin: null, runnerUp: null,
  });
});

test('rankMembers() takes several machines at once for one origin, but not several pods', () => {
  const services = [5, 6].map((second) => member({ alertname: `Api${second}Errors` }, second));
  const ranked = (names: readonly string[], above = services): (TestMember | null)[] => {
    const low = names.map((alertname, index) => member({ alertname, instance: `i${index}` }, 20));
    const members = [...low, ...above];
    openAll(new Incidents<TestMember>(), members);
    const { likelyOrigin, runnerUp } = rankMembers(members);
    return [likelyOrigin && (low[0] ?? null), runnerUp];
  };
  const [node] = ranked(['NodeDown', 'NodeDown', 'KubeNodeNotReady']);
  assert.equal(node?.labels['alertname'], 'NodeDown');
  assert.equal(ranked(['NodeDown', 'NodeDown'])[1], services[0], 'the first above them');
  assert.equal(ranked(['NodeDown', 'NodeDown'], [])[0], null, 'nothing was spread to');
  assert.equal(ranked(['NodeDown', 'NodeDown', 'DiskFull'])[0], null, 'a disk is something else');
  assert.equal(ranked(['PodDown', 'PodDown'])[0], null, 'pods do not break each other');
});

test('rankMembers() takes no service for the origin that its rule saw sooner by a round', () => {
  const originAhead = (seconds: number): TestMember | null => {
    const members = [member({ alertname: 'CartSlow' }),
      ...['a', 'b'].map((service) => member({ alertname: 'ApiErrors', service }, seconds))];
    openAll(new Incidents<TestMember>(), members);
    return rankMembers(members).likelyOrigin;
  };
  assert.equal(originAhead(60), null);
  assert.equal(originAhead(61)?.labels['alertname'], 'CartSlow');
});
