import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import { readExpression } from '../../src/evidence/rule/rule-expression.ts';
import type { Path } from '../../src/report/path.ts';
import { activeAt, aRule, collected, present } from '../support/samples/shop-scenario.ts';
import { fakeCounter, fakeSeries, type FakeSeries } from '../support/sources/fake-prometheus.ts';

const beginning = activeAt - 3_600_000;
/** A little before the rule's expression holds. */
const troubleAt = activeAt - 60_000;
const expression = 'sum(rate(http_requests_total{job="checkout",code="500"}[1m])) > 1';

interface Rates {
  readonly usual?: number;
  readonly trouble: number;
  /** When the trouble begins and ends. */
  readonly from?: number;
  readonly to?: number;
}

function counter(name: string, labels: LabelSet, rates: Rates): FakeSeries {
  const { usual = 0, trouble, from = troubleAt, to = Infinity } = rates;
  return fakeSeries(name, labels, fakeCounter((atMs) =>
    (atMs >= from && atMs < to ? trouble : usual), beginning));
}

/** A counter that did not exist before the trouble, as those with a label for the error. */
function appearing(name: string, labels: LabelSet, perSecond: number): FakeSeries {
  return fakeSeries(name, labels, (atMs) =>
    atMs < troubleAt ? Number.NaN : (perSecond * (atMs - troubleAt)) / 1000 + 1);
}

function target(job: string, isUp = (_: number): boolean => true): FakeSeries {
  return fakeSeries('up', { job, instance: `${job}:80` }, (atMs) => Number(isUp(atMs)));
}

function of(job: string, labels: LabelSet = {}): LabelSet {
  return { job, instance: `${job}:80`, ...labels };
}

const failing = [
  target('checkout'),
  counter('http_requests_total', of('checkout', { code: '200', path: '/pay' }),
    { usual: 10, trouble: 5 }),
  counter('http_requests_total', of('checkout', { code: '200', path: '/cart' }),
    { usual: 10, trouble: 10 }),
  counter('http_requests_total', of('checkout', { code: '500', path: '/pay' }), { trouble: 5 }),
  counter('http_requests_total', of('checkout', { code: '500', path: '/cart' }), { trouble: 0 }),
];

interface Asked {
  readonly path: Path | null;
  readonly questions: readonly string[];
}

async function askedOf(
  series: readonly FakeSeries[],
  { rule = expression, labels = {} }: {
    readonly rule?: string; readonly labels?: Record<string, string>;
  } = {},
): Promise<Asked> {
  const { facts, prometheus } = await collected(
    { series, rules: [aRule({ name: 'Errors', query: rule, labels: {} })], budget: 400 },
    {
      alert: { labels: { alertname: 'Errors', ...labels } },
      context: { rule: readExpression(rule) },
    });
  return { path: facts.path, questions: prometheus.questions };
}

/** `checkout failing > payments innocent`. */
function told(path: Path | null): string {
  return (path?.hops ?? []).map(({ component, state }) => `${component} ${state}`).join(' > ');
}

function originOf(path: Path | null): string | null {
  return path?.origin === null || path === null ? null : path.hops[path.origin]?.component ?? null;
}

const mysql = [
  target('db'),
  fakeSeries('mysql_up', of('db'), () => 1),
  fakeSeries('mysqld_exporter_build_info', of('db', { version: '1' }), () => 1),
  fakeSeries('mysql_global_variables_max_connections', of('db'), () => 100),
  fakeSeries('mysql_global_status_threads_connected', of('db'), (atMs) =>
    (atMs >= troubleAt ? 100 : 20)),
];

test('a path leads over a service to the store whose connections are used up', async () => {
  const { path } = await askedOf([
    ...failing, ...mysql, target('payments'),
    // Names that nobody listed: the values decide.
    counter('outbound_total', of('checkout', { partner: 'payments', code: '503' }),
      { trouble: 5 }),
    counter('outbound_total', of('checkout', { partner: 'payments', code: '200' }),
      { usual: 10, trouble: 5 }),
    appearing('storage_failures_total', of('payments', { backing: 'mariadb', error: '1040' }), 5),
  ]);
  assert.equal(told(path), 'checkout failing > payments failing > db failing');
  assert.equal(originOf(path), 'db');
  const [first, , last] = path?.hops ?? [];
  assert.deepEqual(first?.faults[0]?.labels, { code: '500', path: '/pay' });
  assert.deepEqual(last?.faults.map(({ kind, seen_by: by }) => `${kind} ${by}`),
    ['full itself', 'fails client']);
  assert.deepEqual([last?.faults[0]?.value, last?.faults[0]?.limit], [100, 100]);
  const late = Date.parse(last?.since ?? '') - troubleAt;
  assert.ok(late >= 0 && late <= 30_000, `${late} ms late`);
  assert.ok(path?.hops.every(({ evidence }) => evidence.length > 0));
});

test('what is up and answers its probe is innocent of calls that do not reach it', async () => {
  const { path } = await askedOf([
    ...failing, target('payments'),
    fakeSeries('probe_success', { job: 'probes', instance: 'http://payments:80/' }, () => 1),
    fakeSeries('up', { job: 'probes', instance: 'http://payments:80/' }, () => 1),
    appearing('calls_total', of('checkout', { peer: 'payments', error: 'ENOTFOUND' }), 5),
  ]);
  assert.equal(told(path), 'checkout failing > payments innocent');
  assert.equal(path?.hops[0]?.faults[0]?.kind, 'unreachable');
  assert.deepEqual([path?.hops[1]?.works?.answers_probe, path?.hops[1]?.works?.targets?.up],
    [true, 1]);
  assert.equal(originOf(path), 'checkout');
});

test('refused calls to what is down make that the origin', async () => {
  const { path } = await askedOf([
    ...failing, target('payments', (atMs) => atMs < troubleAt),
    appearing('calls_total', of('checkout', { peer: 'payments', error: 'ECONNREFUSED' }), 5),
  ]);
  assert.equal(told(path), 'checkout failing > payments failing');
  assert.deepEqual(path?.hops[1]?.faults.map(({ kind }) => kind), ['down', 'fails']);
});

test('a store whose exporter is gone works as long as its clients say so', async () => {
  const rule = 'up{job="db"} == 0';
  const { path } = await askedOf([
    target('db', (atMs) => atMs < troubleAt), ...mysql.slice(1), target('payments'),
    counter('queries_total', of('payments', { db: 'mysql' }), { usual: 13, trouble: 13 }),
  ], { rule, labels: { job: 'db', instance: 'db:80' } });
  assert.equal(told(path), 'exporter of db failing > mysql innocent');
  assert.equal(originOf(path), 'exporter of db');
  assert.ok(Math.abs((path?.hops[1]?.works?.successes ?? 0) - 13) < 1);
});

test('a queue without consumers leads to the program that went at that moment', async () => {
  const rule = 'rabbitmq_queue_consumers{job="broker"} == 0';
  const consumers = fakeSeries('rabbitmq_queue_consumers', of('broker', { queue: 'orders' }),
    (atMs) => Number(atMs < troubleAt));
  const series = [
    target('broker'), fakeSeries('rabbitmq_build_info', of('broker', { v: '1' }), () => 1),
    consumers, target('worker', (atMs) => atMs < troubleAt), target('other'),
  ];
  const labels = of('broker', { queue: 'orders' }) as Record<string, string>;
  const { path } = await askedOf(series, { rule, labels });
  assert.equal(told(path), 'broker failing > worker failing');
  assert.equal(path?.hops[1]?.relation, 'consumer');
  const both = [...series, target('second', (atMs) => atMs < troubleAt)];
  assert.equal(told((await askedOf(both, { rule, labels })).path), 'broker failing');
});

test('a replica that lost its link leads to the primary, which works', async () => {
  const [replica, primary] = ['r1:6379', 'r0:6379'].map((instance) => ({ job: 'cache', instance }));
  const { path } = await askedOf([replica, primary].flatMap((each) => [
    fakeSeries('up', each ?? {}, () => 1), fakeSeries('redis_up', each ?? {}, () => 1),
  ]).concat(fakeSeries('redis_master_link_up', { ...replica, master_host: 'r0' }, (atMs) =>
    Number(atMs < troubleAt))), {
    rule: 'redis_master_link_up == 0', labels: { ...replica, master_host: 'r0' },
  });
  assert.equal(told(path), 'cache r1:6379 failing > cache r0:6379 innocent');
  assert.deepEqual(path?.hops[0]?.faults[0]?.labels, { master_host: 'r0' });
});

test('nothing leads from one environment into another with the same names', async () => {
  const inBoth = (landscape: string, isUp: boolean): FakeSeries[] => ['checkout', 'payments']
    .map((job) => fakeSeries('up', { job, instance: `${job}.${landscape}:80`, landscape },
      (atMs) => Number(job === 'checkout' || isUp || atMs < troubleAt)));
  const own = { job: 'checkout', instance: 'checkout.a:80', landscape: 'a' };
  const series = [
    ...inBoth('a', true), ...inBoth('b', false),
    counter('http_requests_total', { ...own, code: '500' }, { trouble: 5 }),
    appearing('calls_total', { ...own, peer: 'payments', error: 'timeout' }, 5),
  ];
  const rule = 'sum by (landscape) (rate(http_requests_total{job="checkout",code="500"}[1m])) > 1';
  const { path } = await askedOf(series, { rule, labels: { landscape: 'a' } });
  assert.equal(path?.hops[1]?.labels['landscape'], 'a');
  assert.ok(path?.hops[1]?.faults.every(({ kind }) => kind !== 'down'));
});

test('labels that lie and circles end a path', async () => {
  const { path } = await askedOf([
    ...failing, target('search'), target('payments'),
    // Names itself, and a thing that only an operation is called like.
    counter('calls_total', of('checkout', { peer: 'checkout', code: '500' }), { trouble: 5 }),
    counter('steps_total', of('checkout', { operation: 'search', result: 'error' }),
      { trouble: 5 }),
    counter('calls_total', of('checkout', { peer: 'payments', code: '500' }), { trouble: 5 }),
    counter('calls_total', of('payments', { peer: 'checkout', code: '500' }), { trouble: 5 }),
  ]);
  assert.equal(told(path), 'checkout failing > payments failing');
});

test('what was over before the problem, or began after it, is no origin', async () => {
  const withDatabase = (isUp: (atMs: number) => boolean): FakeSeries[] => [
    ...failing, target('db'), fakeSeries('mysql_up', of('db'), (atMs) => Number(isUp(atMs))),
    counter('queries_total', of('checkout', { db: 'mysql' }), { usual: 9, trouble: 9 }),
  ];
  const before = await askedOf(withDatabase((atMs) =>
    atMs < activeAt - 600_000 || atMs > activeAt - 420_000));
  assert.equal(originOf(before.path), 'checkout');
  const after = await askedOf(withDatabase((atMs) => atMs < present - 30_000));
  assert.equal(originOf(after.path), null);
  const always = await askedOf(withDatabase(() => false));
  assert.equal(originOf(always.path), 'checkout');
});

test('a walk is bounded, whatever there is to look at', async () => {
  const many = Array.from({ length: 60 }, (_, index) => `svc${index}x`);
  const { path, questions } = await askedOf([
    ...failing,
    ...many.flatMap((job) => [
      target(job), counter('calls_total', of('checkout', { peer: job, code: '500' }),
        { trouble: 5 }),
    ]),
    // More values than anyone reads.
    ...Array.from({ length: 300 }, (_, index) =>
      counter('by_customer_total', of('checkout', { customer: `c${index}` }), { trouble: 1 })),
  ]);
  assert.ok((path?.hops.length ?? 0) <= 8);
  const ofPath = questions.filter((question) => question.includes('pg_stat_activity_count'));
  assert.ok(ofPath.length <= 10, `${ofPath.length} views`);
  assert.ok(!questions.some((question) => question.includes('|by_customer_total|')));
});

test('an alert without a place that is scraped has no path', async () => {
  const { path } = await askedOf(failing, { rule: 'vector(1) > 0' });
  assert.equal(path, null);
});

test('a proxy leads to its server by name, which is down or, for all it says, works', async () => {
  const labels = { job: 'edge', instance: 'edge:8404', proxy: 'be_stock', server: 'stock1' };
  const askedWith = (isUp: (atMs: number) => boolean): Promise<Asked> => askedOf([
    fakeSeries('up', { job: 'edge', instance: 'edge:8404' }, () => 1),
    fakeSeries('haproxy_process_build_info', { job: 'edge', instance: 'edge:8404' }, () => 1),
    fakeSeries('haproxy_server_status', { ...labels, state: 'UP' }, (atMs) =>
      Number(atMs < troubleAt)),
    fakeSeries('haproxy_server_status', { ...labels, state: 'DOWN' }, (atMs) =>
      Number(atMs >= troubleAt)),
    fakeSeries('haproxy_server_status', { ...labels, server: 'other1', state: 'UP' }, (atMs) =>
      Number(atMs < troubleAt)),
    target('stock', isUp), target('other', (atMs) => atMs < troubleAt),
  ], { rule: 'haproxy_server_status{state="DOWN"} == 1', labels: { ...labels, state: 'DOWN' } });
  const down = await askedWith((atMs) => atMs < troubleAt);
  assert.equal(told(down.path), 'edge failing > stock failing');
  assert.equal(told((await askedWith(() => true)).path), 'edge failing > stock innocent');
});

test('a client names whom it calls, and a server who calls it', async () => {
  const { path } = await askedOf([
    ...failing, target('payments', (atMs) => atMs < troubleAt), target('web'),
    counter('http_client_requests_total', of('checkout', { client_name: 'payments', code: '500' }),
      { trouble: 5 }),
    counter('http_server_requests_total', of('checkout', { client: 'web', code: '500' }),
      { trouble: 9 }),
  ]);
  assert.equal(told(path), 'checkout failing > payments failing');
});

test('a metric that is named after a store leads to it', async () => {
  const { path } = await askedOf([
    ...failing, ...mysql,
    counter('mysql_client_errors_total', of('checkout', {}), { trouble: 5 }),
  ]);
  assert.equal(told(path), 'checkout failing > db failing');
});

test('what a collector reports on is the beginning, not the collector', async () => {
  const ofPod = of('kube-state-metrics', { pod: 'checkout-7d4b9c5f6d-x2x4z', container: 'main' });
  const { path } = await askedOf([
    ...failing, target('kube-state-metrics'), target('payments', (atMs) => atMs < troubleAt),
    fakeSeries('kube_pod_container_status_restarts_total', ofPod, () => 7),
    counter('calls_total', of('checkout', { peer: 'payments', code: '500' }), { trouble: 5 }),
  ], {
    rule: 'kube_pod_container_status_restarts_total > 5',
    labels: ofPod as Record<string, string>,
  });
  assert.equal(told(path), 'checkout failing > payments failing');
});

test('a lock that keeps everybody from a table is found behind who waits for it', async () => {
  const locks = (mode: string, at: (atMs: number) => boolean): FakeSeries =>
    fakeSeries('pg_locks_count', of('pg', { mode, datname: 'shop' }), (atMs) => Number(at(atMs)));
  const series = (isLong: boolean): FakeSeries[] => [
    ...failing, target('pg'), fakeSeries('pg_up', of('pg'), () => 1),
    counter('db_query_duration_seconds_count', of('checkout'), { usual: 5, trouble: 5 }),
    counter('db_query_duration_seconds_sum', of('checkout'), { usual: 0.05, trouble: 10 }),
    locks('accesssharelock', () => true),
    locks('accessexclusivelock', (atMs) =>
      atMs >= troubleAt && (isLong || atMs < troubleAt + 15_000)),
  ];
  const { path } = await askedOf(series(true));
  assert.equal(told(path), 'checkout failing > pg failing');
  assert.deepEqual(path?.hops[1]?.faults[0]?.labels,
    { mode: 'accessexclusivelock', datname: 'shop' });
  const brief = (await askedOf(series(false))).path;
  assert.deepEqual(brief?.hops[1]?.faults.map(({ kind }) => kind), ['slow']);
});
