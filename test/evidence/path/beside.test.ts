import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../../src/alert/labels.ts';
import { readExpression } from '../../../src/evidence/rule/rule-expression.ts';
import type { Path } from '../../../src/report/path.ts';
import { activeAt, aRule, collected } from '../../support/samples/shop-scenario.ts';
import { fakeCounter, fakeSeries, type FakeSeries } from '../../support/sources/fake-prometheus.ts';

const beginning = activeAt - 3_600_000;
const troubleAt = activeAt - 60_000;
const rule = 'sum(rate(http_requests_total{job="web",code="500"}[1m])) > 1';

function of(job: string, labels: LabelSet = {}): LabelSet {
  return { job, instance: `${job}:80`, ...labels };
}

function target(job: string, labels: LabelSet = {}): FakeSeries {
  return fakeSeries('up', of(job, labels), () => 1);
}

function counter(
  name: string, labels: LabelSet, [before, after]: readonly [number, number], from = troubleAt,
): FakeSeries {
  return fakeSeries(name, labels,
    fakeCounter((atMs) => (atMs >= from ? after : before), beginning));
}

/** A program of whose requests some fail from a time on, and that counts nothing else. */
function failing(job: string, from = troubleAt, labels: LabelSet = {}): FakeSeries[] {
  return [
    target(job, labels),
    counter('http_requests_total', of(job, { code: '200', ...labels }), [10, 5], from),
    counter('http_requests_total', of(job, { code: '500', ...labels }), [0, 5], from),
  ];
}

function gauge(name: string, labels: LabelSet, [before, after]: readonly [number, number]) {
  return fakeSeries(name, labels, (atMs) => (atMs >= troubleAt ? after : before));
}

const mysql = [
  target('mysqld'), fakeSeries('mysql_up', of('mysqld'), () => 1),
  gauge('mysql_global_status_threads_running', of('mysqld'), [2, 140]),
];

async function pathOf(
  series: readonly FakeSeries[], { query = rule, labels = {} }: {
    readonly query?: string; readonly labels?: Record<string, string>;
  } = {},
): Promise<Path | null> {
  const { facts } = await collected(
    { series, rules: [aRule({ name: 'Errors', query, labels: {} })], budget: 400 },
    { alert: { labels: { alertname: 'Errors', ...labels } },
      context: { rule: readExpression(query) } });
  return facts.path;
}

function told(path: Path | null): string {
  return (path?.hops ?? []).map(({ component, state, relation }) =>
    `${relation === null ? '' : `${relation} `}${component} ${state}`).join(' > ');
}

const names = (path: Path | null): string[] => (path?.beside ?? []).map((each) => each.component);

test('what begins to fail at that moment stands beside, and nothing older or far', async () => {
  const path = await pathOf([
    ...failing('web'), ...failing('geo'), ...failing('old', troubleAt - 400_000),
    target('calm'), counter('http_requests_total', of('calm', { code: '200' }), [10, 10]),
    ...failing('far', troubleAt, { env: 'test' }),
  ]);
  assert.equal(told(path), 'web failing');
  assert.deepEqual(names(path), ['geo', 'far'], 'nothing tells the environment of web');
  const [geo] = path?.beside ?? [];
  assert.deepEqual(geo?.faults.map(({ kind }) => kind), ['fails']);
  const apart = await pathOf([
    ...failing('web', troubleAt, { env: 'prod' }), ...failing('geo', troubleAt, { env: 'prod' }),
    ...failing('far', troubleAt, { env: 'test' }),
  ], { labels: { env: 'prod' } });
  assert.deepEqual(names(apart), ['geo']);
});

test('without calls that are counted, a path leads to the only store in trouble', async () => {
  const path = await pathOf([...failing('web'), ...mysql]);
  assert.equal(told(path), 'web failing > shared mysqld failing');
  const [fault] = path?.hops[1]?.faults ?? [];
  assert.deepEqual([fault?.kind, fault?.value, fault?.before], ['waiting', 140, 2]);
});

test('of a pooler and its store, what is wrong says more than who waits', async () => {
  const sessions = of('postgres', { datname: 'shop', state: 'idle in transaction' });
  const path = await pathOf([...failing('web'),
    target('pooler'), fakeSeries('pgbouncer_up', of('pooler'), () => 1),
    gauge('pgbouncer_pools_client_waiting_connections', of('pooler'), [0, 40]),
    target('postgres'), fakeSeries('pg_up', of('postgres'), () => 1),
    gauge('pg_stat_activity_count', sessions, [0, 30]),
    gauge('pg_stat_activity_max_tx_duration', sessions, [0, 60]),
  ]);
  assert.equal(told(path), 'web failing > shared postgres failing');
  assert.deepEqual(names(path), ['pooler']);
});

test('who has taken the connections that others wait for is behind the store', async () => {
  const pooler = [target('pooler'), fakeSeries('pgbouncer_up', of('pooler'), () => 1),
    gauge('pgbouncer_pools_client_waiting_connections', of('pooler'), [0, 40])];
  const held = (job: string, counts: readonly [number, number]): FakeSeries =>
    gauge('sqlalchemy_pool_checkedout_connections', of(job, { engine: 'shop' }), counts);
  const path = await pathOf([...failing('web'), ...pooler, target('batch'),
    held('batch', [1, 37]), held('web', [1, 2])]);
  assert.equal(told(path),
    'web failing > shared pooler failing > holder batch failing');
  assert.deepEqual(path?.hops[2]?.faults.map(({ kind, value, before }) => [kind, value, before]),
    [['holds', 37, 1]]);
  const all = await pathOf([...failing('web'), ...pooler, target('batch'),
    held('batch', [1, 20]), held('web', [1, 20])]);
  assert.equal(told(all), 'web failing > shared pooler failing');
});

test('it leads to no store where calls are counted, or where two have trouble', async () => {
  const calls = counter('client_calls_total', of('web', { peer: 'geo', code: '200' }), [5, 5]);
  assert.equal(told(await pathOf([...failing('web'), ...mysql, target('geo'), calls])),
    'web failing');
  const redis = [target('redis'), fakeSeries('redis_up', of('redis'), () => 1),
    gauge('redis_blocked_clients', of('redis'), [0, 40])];
  assert.equal(told(await pathOf([...failing('web'), ...mysql, ...redis])), 'web failing');
});

test('a path leads over a name server to the one that it asks', async () => {
  const dns = (labels: LabelSet, rates: readonly [number, number]): FakeSeries =>
    counter('coredns_dns_responses_total', of('dns', labels), rates);
  const asked = (to: string, rcode: string, rates: readonly [number, number]): FakeSeries =>
    counter('coredns_proxy_request_duration_seconds_count', of('dns', { to, rcode }), rates);
  const path = await pathOf([
    ...failing('web'), ...failing('geo'), target('dns'),
    fakeSeries('coredns_build_info', of('dns'), () => 1),
    dns({ rcode: 'NOERROR' }, [20, 10]), dns({ rcode: 'SERVFAIL' }, [0, 6]),
    asked('10.0.0.2:53', 'NOERROR', [5, 0]), asked('10.0.0.2:53', 'SERVFAIL', [0, 5]),
    asked('10.0.0.3:53', 'NOERROR', [5, 5]),
  ]);
  assert.equal(told(path),
    'web failing > shared dns failing > called 10.0.0.2:53 failing');
  assert.deepEqual(names(path), ['geo']);
});

test('services that a collector passes on are things of their own', async () => {
  const at = (service: string, labels: LabelSet = {}): LabelSet =>
    of('otel', { exported_job: `shop/${service}`, exported_instance: service, ...labels });
  const counted = (service: string, labels: LabelSet, rates: readonly [number, number]) =>
    counter('http_server_requests_total', at(service, labels), rates);
  const path = await pathOf([
    target('otel'),
    ...['front', 'cart', 'mail'].map((each) => fakeSeries('target_info', at(each), () => 1)),
    counted('front', { code: '200' }, [10, 5]), counted('front', { code: '500' }, [0, 5]),
    counted('cart', { code: '200' }, [10, 5]), counted('cart', { code: '500' }, [0, 5]),
    counted('mail', { code: '200' }, [10, 10]),
    counter('http_client_requests_total', at('front', { server_address: 'cart.shop.svc',
      code: '503' }), [0, 5]),
    counter('http_client_requests_total', at('front', { server_address: 'cart.shop.svc',
      code: '200' }), [10, 5]),
  ], { query: 'sum by (exported_job) (rate(http_server_requests_total{code="500"}[1m])) > 1',
    labels: { exported_job: 'shop/front' } });
  assert.equal(told(path), 'front failing > called cart failing');
});
