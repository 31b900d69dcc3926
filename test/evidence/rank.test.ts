import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Derived } from '../../src/evidence/metrics/search/derive.ts';
import { rankDerived } from '../../src/evidence/metrics/search/rank.ts';

function steady(metric: string, labels: Readonly<Record<string, string>>): Derived {
  return {
    id: `${metric}${JSON.stringify(labels)}`, metric, labels, query: metric, sources: [metric],
    values: new Float64Array(60).fill(1), unit: null, signal: 'other', side: 'internal', what: '',
    kind: 'gauge', valueless: null,
  };
}

const state = { job: 'kube-state-metrics', instance: '10.0.3.7:8080' };

test('rankDerived names each component by the label that holds its name', () => {
  const derived = [
    steady('a', { instance: 'web-1:9100' }), steady('b', { instance: 'web-1:9100' }),
    steady('a', { instance: 'web-2:9100' }), steady('b', { instance: 'web-2:9100' }),
    steady('c', { ...state, pod: 'api-1' }), steady('node_load1', { instance: 'node-1:9100' }),
  ];
  const { ranking, componentOf } = rankDerived(derived, {
    alert: {}, ownLabels: null, place: {}, own: null, earlier: null, reading: null,
    split: 40, until: 60, node: { name: 'node-1', address: null },
  });
  const named = new Map(ranking.series.map(({ candidate }) =>
    [candidate.component, candidate.named]));
  assert.deepEqual(Object.fromEntries(named), {
    'web-1': { label: 'instance', value: 'web-1' },
    'web-2': { label: 'instance', value: 'web-2' },
    'api-1': { label: 'pod', value: 'api-1' },
    'node node-1': { label: 'node', value: 'node-1' },
  });
  assert.deepEqual(componentOf({ ...state, pod: 'api-1' }), { label: 'pod', value: 'api-1' });
});

test('rankDerived puts the queue of the alert before others that moved as much', () => {
  const risen = (queue: string): Derived => ({
    ...steady('memory', { job: 'mq', queue }),
    values: Float64Array.from({ length: 60 }, (_, index) => (index < 40 ? 1 : 9)),
  });
  const { ranking } = rankDerived([risen('dead'), risen('orders')], {
    alert: { queue: 'orders' }, ownLabels: null, place: {}, own: null, earlier: null, reading: null,
    split: 40, until: 60, node: null,
  });
  const scores = ranking.series.map(({ candidate, score }) => [candidate.labels['queue'], score]);
  assert.equal(scores[0]?.[0], 'orders');
  assert.ok(Number(scores[0]?.[1]) > 1.5 * Number(scores[1]?.[1]));
});

test('rankDerived knows the own component by the one target of the rule', () => {
  const derived = ['well', 'sick'].map((name) =>
    steady('node_errors', { instance: `${name}:9100`, job: 'node', host: `h-${name}` }));
  const ownOf = (place: Readonly<Record<string, string>>): string | null => rankDerived(derived, {
    alert: { host: 'h-well' }, ownLabels: { host: 'h-well' }, place, own: null, earlier: null,
    reading: null, split: 40, until: 60, node: null,
  }).ownComponent;
  assert.equal(ownOf({ instance: 'well:9100', job: 'node' }), 'well');
  assert.equal(ownOf({}), null);
});

test('what appears on a target that told of others before rose from nothing', () => {
  const process = (group: string, instance: string, from: number): Derived => ({
    ...steady('namedprocess_cpu_seconds_total', { job: 'node', instance, groupname: group }),
    signal: 'utilization', kind: 'counter', made: 'rate',
    values: Float64Array.from({ length: 60 }, (_, index) =>
      (index < from ? Number.NaN : group === 'scan' ? 3.4 : 0.1 + (index % 3) / 100)),
  });
  const { ranking } = rankDerived([
    process('sshd', 'a:9100', 0), process('scan', 'a:9100', 40), process('scan', 'b:9100', 40),
  ], {
    alert: { instance: 'a:9100' }, ownLabels: null, place: {}, own: null, earlier: null,
    reading: null, split: 39, until: 60, node: null,
  });
  const risen = ranking.series.filter(({ strength }) => strength === 'strong')
    .map(({ candidate, before, after }) => [candidate.labels['instance'], before, after]);
  assert.deepEqual(risen, [['a:9100', 0, 3.4]]);
});
