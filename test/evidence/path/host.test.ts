import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../../src/alert/labels.ts';
import { readExpression } from '../../../src/evidence/rule/rule-expression.ts';
import type { Path } from '../../../src/report/path.ts';
import { activeAt, aRule, collected } from '../../support/samples/shop-scenario.ts';
import { fakeCounter, fakeSeries, type FakeSeries } from '../../support/sources/fake-prometheus.ts';

const beginning = activeAt - 3_600_000;
const troubleAt = activeAt - 60_000;
const rule = 'sum by (pod) (rate(http_requests_total{job="web",code="500"}[1m])) > 1';

function counter(
  name: string, labels: LabelSet, [before, after]: readonly [number, number],
): FakeSeries {
  return fakeSeries(name, labels,
    fakeCounter((atMs) => (atMs >= troubleAt ? after : before), beginning));
}

const target = { job: 'web', instance: '10.0.0.1:80', namespace: 'shop', pod: 'web-0' };
const web = [
  fakeSeries('up', target, () => 1),
  counter('http_requests_total', { ...target, code: '200' }, [10, 5]),
  counter('http_requests_total', { ...target, code: '500' }, [0, 5]),
  fakeSeries('kube_pod_info', { job: 'kube', namespace: 'shop', pod: 'web-0', node: 'n1',
    host_ip: '10.9.0.1' }, () => 1),
  fakeSeries('kube_pod_info', { job: 'kube', namespace: 'ops', pod: 'scrub-1', node: 'n1',
    host_ip: '10.9.0.1' }, () => 1),
];

function disk(instance: string, share: readonly [number, number]): FakeSeries {
  return counter('node_disk_io_time_seconds_total', { job: 'node', instance, device: 'sda' },
    share);
}

function reads(namespace: string, pod: string, rates: readonly [number, number]): FakeSeries {
  return counter('container_fs_reads_bytes_total', { job: 'kubelet', namespace, pod }, rates);
}

async function pathOf(series: readonly FakeSeries[]): Promise<Path | null> {
  const { facts } = await collected(
    { series, rules: [aRule({ name: 'Errors', query: rule, labels: {} })], budget: 400 },
    { alert: { labels: { alertname: 'Errors', pod: 'web-0' } },
      context: { rule: readExpression(rule) } });
  return facts.path;
}

function told(path: Path | null): string {
  return (path?.hops ?? []).map(({ component, faults }) =>
    `${component}${faults.map(({ kind }) => ` ${kind}`).join('')}`).join(' > ');
}

test('the machine of what fails is asked, and who uses up its disk', async () => {
  const path = await pathOf([...web, disk('10.9.0.1:9100', [0.1, 1]), disk('n2:9100', [0.1, 1]),
    reads('shop', 'web-0', [1e5, 1e5]), reads('ops', 'scrub-1', [0, 4e8]),
    reads('ops', 'other-1', [0, 9e8])]);
  assert.equal(told(path), 'web fails > n1 busy > scrub-1 uses');
  const fault = path?.hops[2]?.faults[0];
  assert.deepEqual([fault?.what, Math.round((fault?.value ?? 0) / 1e7), fault?.before],
    ['disk', 40, 0]);
  assert.equal(path?.origin, 2);
  assert.ok(path.hops.every(({ evidence }) => evidence.length > 0));
});

test('it is no cause that a machine is busy as before, or with the thing itself', async () => {
  assert.equal(told(await pathOf([...web, disk('n1:9100', [0.97, 1])])), 'web fails');
  assert.equal(told(await pathOf([...web, disk('n1:9100', [0.1, 1]),
    reads('shop', 'web-0', [1e5, 4e8])])), 'web fails');
});

test('processors that were slowed down are told of the machine that a process is on', async () => {
  const leaf = { job: 'leaf', instance: 'leaf-7.example:80' };
  const hertz = (instance: string, after: number): FakeSeries =>
    fakeSeries('node_cpu_scaling_frequency_hertz', { job: 'node', instance, cpu: '0' },
      (atMs) => (atMs >= troubleAt ? after : 3.4e9));
  const path = await pathOf([
    fakeSeries('up', { job: 'web', instance: 'w:80' }, () => 1), fakeSeries('up', leaf, () => 1),
    fakeSeries('up', { ...leaf, instance: 'leaf-8.example:80' }, () => 1),
    counter('http_requests_total', { job: 'web', instance: 'w:80', code: '500' }, [0, 5]),
    counter('http_client_requests_total', { job: 'web', instance: 'w:80', leaf: 'leaf-7',
      code: '500' }, [0, 5]),
    counter('http_client_requests_total', { job: 'web', instance: 'w:80', leaf: 'leaf-8',
      code: '200' }, [5, 5]),
    hertz('leaf-7.example:9100', 1e9), hertz('leaf-8.example:9100', 3.4e9),
  ]);
  assert.equal(told(path), 'web fails > leaf leaf-7.example:80 fails > leaf-7.example throttled');
});
