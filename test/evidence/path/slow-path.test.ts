import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../../src/alert/labels.ts';
import { readExpression } from '../../../src/evidence/rule/rule-expression.ts';
import type { Path } from '../../../src/report/path.ts';
import { activeAt, aRule, collected } from '../../support/samples/shop-scenario.ts';
import { fakeCounter, fakeSeries, type FakeSeries } from '../../support/sources/fake-prometheus.ts';

const beginning = activeAt - 3_600_000;
const troubleAt = activeAt - 60_000;
const rule = 'sum(rate(http_request_duration_seconds_sum{job="web",route="/buy"}[1m])) / ' +
  'sum(rate(http_request_duration_seconds_count{job="web",route="/buy"}[1m])) > 0.3';

function of(job: string, labels: LabelSet = {}): LabelSet {
  return { job, instance: `${job}:80`, ...labels };
}

function target(job: string): FakeSeries {
  return fakeSeries('up', of(job), () => 1);
}

/** A histogram's sum and count: so many a second, and how long each takes before and after. */
function timed(
  name: string, labels: LabelSet, { each: [before, after], perSecond = 5 }: {
    readonly each: readonly [number, number]; readonly perSecond?: number;
  },
): FakeSeries[] {
  return [
    fakeSeries(`${name}_sum`, labels, fakeCounter((atMs) =>
      perSecond * (atMs >= troubleAt ? after : before), beginning)),
    fakeSeries(`${name}_count`, labels, fakeCounter(() => perSecond, beginning)),
  ];
}

async function pathOf(series: readonly FakeSeries[], query = rule): Promise<Path | null> {
  const { facts } = await collected(
    { series, rules: [aRule({ name: 'Slow', query, labels: {} })], budget: 400 },
    { alert: { labels: { alertname: 'Slow' } }, context: { rule: readExpression(query) } });
  return facts.path;
}

function shown(path: Path | null): string {
  return (path?.hops ?? []).map(({ component, state, faults }) =>
    `${component} ${state}${faults.map(({ kind }) => ` ${kind}`).join('')}`).join(' > ');
}

/** Twice as slow, which alone may be chance. */
const slowWeb = [
  target('web'), target('orders'), target('stock'), target('prices'),
  ...timed('http_request_duration_seconds', of('web', { route: '/buy' }), { each: [0.2, 0.38] }),
  ...timed('http_request_duration_seconds', of('web', { route: '/' }),
    { each: [0.01, 0.01], perSecond: 90 }),
];

test('a path follows the time over calls to the deepest thing that takes it', async () => {
  const path = await pathOf([
    ...slowWeb,
    ...timed('client_call_seconds', of('web', { peer: 'orders' }), { each: [0.1, 0.28] }),
    ...timed('client_call_seconds', of('web', { peer: 'prices' }), { each: [0.05, 0.05] }),
    ...timed('http_request_duration_seconds', of('orders'), { each: [0.1, 0.28] }),
    ...timed('client_call_seconds', of('orders', { peer: 'stock' }), { each: [0.02, 0.2] }),
    ...timed('http_request_duration_seconds', of('stock'), { each: [0.02, 0.2] }),
    ...timed('http_request_duration_seconds', of('prices'), { each: [0.05, 0.05] }),
  ]);
  assert.equal(shown(path),
    'web failing slow > orders failing slow slow > stock failing slow slow');
  assert.equal(path?.origin, 2);
  const late = Date.parse(path.hops[2]?.since ?? '') - troubleAt;
  assert.ok(Math.abs(late) <= 30_000, `${late} ms late`);
});

test('who calls need not measure how long its calls take', async () => {
  const path = await pathOf([
    ...slowWeb,
    fakeSeries('client_calls_total', of('web', { peer: 'orders' }),
      fakeCounter(() => 5, beginning)),
    fakeSeries('client_calls_total', of('web', { peer: 'prices' }),
      fakeCounter(() => 5, beginning)),
    ...timed('http_request_duration_seconds', of('orders'), { each: [0.1, 0.28] }),
    ...timed('http_request_duration_seconds', of('prices'), { each: [0.05, 0.05] }),
  ]);
  assert.equal(shown(path), 'web failing slow > orders failing slow');
});

test('the time is not followed where most of it is spent by the thing itself', async () => {
  const path = await pathOf([
    ...slowWeb,
    ...timed('client_call_seconds', of('web', { peer: 'orders' }), { each: [0.1, 0.14] }),
    ...timed('http_request_duration_seconds', of('orders'), { each: [0.1, 0.14] }),
  ]);
  assert.equal(shown(path), 'web failing slow');
});

test('a slow alert makes nothing innocent, and a rise of another alert no slow hop', async () => {
  const all = [
    ...timed('client_call_seconds', of('web', { peer: 'orders' }), { each: [0.1, 0.1] }),
    ...timed('http_request_duration_seconds', of('orders'), { each: [0.1, 0.1] }),
  ];
  const same = [
    target('web'), target('orders'), ...all,
    ...timed('http_request_duration_seconds', of('web', { route: '/buy' }), { each: [0.2, 0.2] }),
  ];
  assert.equal(shown(await pathOf(same)), 'web unknown');
  const errors = 'sum(rate(http_requests_total{job="web",code="500"}[1m])) > 1';
  assert.equal(shown(await pathOf([...slowWeb, ...all], errors)), 'web innocent');
});

test('what one of several instances does is told of that one', async () => {
  const at = (job: string, index: number, labels: LabelSet = {}): LabelSet =>
    ({ job, instance: `${job}-${index}:80`, ...labels });
  const path = await pathOf([
    ...slowWeb,
    ...timed('client_call_seconds', of('web', { peer: 'pay' }), { each: [0.1, 0.28] }),
    ...[0, 1, 2, 3].flatMap((index) => [
      fakeSeries('up', at('pay', index), () => 1),
      ...timed('http_request_duration_seconds', at('pay', index),
        { each: [0.1, index === 2 ? 0.9 : 0.1], perSecond: 1.25 }),
    ]),
  ]);
  assert.equal(shown(path), 'web failing slow > pay pay-2:80 failing slow slow');
  assert.deepEqual([path?.hops[1]?.labels['instance'], path?.hops[1]?.one_of], ['pay-2:80', 4]);
});

test('what holds all threads is told beside the pool that it fills', async () => {
  const query = 'histogram_quantile(0.95, sum by (job, le) ' +
    '(rate(http_server_requests_seconds_bucket{job="pay"}[1m]))) > 0.6';
  const path = await pathOf([
    target('pay'),
    ...timed('http_server_requests_seconds', of('pay', { uri: '/statements' }),
      { each: [0.1, 30], perSecond: 1.5 }),
    ...timed('http_server_requests_seconds', of('pay', { uri: '/charges' }),
      { each: [0.1, 1.6], perSecond: 4 }),
    fakeSeries('tomcat_threads_busy_threads', of('pay', { name: 'http' }),
      (atMs) => (atMs >= troubleAt ? 50 : 3)),
    fakeSeries('tomcat_threads_config_max_threads', of('pay', { name: 'http' }), () => 50),
  ], query);
  assert.equal(shown(path), 'pay failing full slow');
  const [full, slow] = path?.hops[0]?.faults ?? [];
  assert.deepEqual([full?.what, full?.value, full?.limit], ['threads', 50, 50]);
  assert.deepEqual(slow?.labels, { uri: '/statements' });
});

test('what fails without taking the time that is missing is not where the time goes', async () => {
  const path = await pathOf([
    ...slowWeb,
    ...timed('client_call_seconds', of('web', { peer: 'orders', code: '200' }),
      { each: [0.1, 0.28] }),
    ...timed('client_call_seconds', of('web', { peer: 'prices', code: '200' }),
      { each: [0.05, 0.05] }),
    fakeSeries('client_call_seconds_count', of('web', { peer: 'prices', code: '503' }),
      fakeCounter((atMs) => (atMs >= troubleAt ? 3 : 0), beginning)),
    fakeSeries('client_call_seconds_sum', of('web', { peer: 'prices', code: '503' }),
      fakeCounter((atMs) => (atMs >= troubleAt ? 0.15 : 0), beginning)),
    ...timed('http_request_duration_seconds', of('orders'), { each: [0.1, 0.28] }),
  ]);
  assert.equal(shown(path), 'web failing slow > orders failing slow slow');
});

test('calls and queries that name nobody known are no requests of its own', async () => {
  const database = [
    target('db'), fakeSeries('mysql_up', of('db'), () => 1),
    fakeSeries('mysqld_exporter_build_info', of('db', { version: '1' }), () => 1),
  ];
  const queries = timed('db_query_duration_seconds', of('web'), { each: [0.01, 0.19] });
  assert.equal(shown(await pathOf([...slowWeb, ...queries, ...database])),
    'web failing slow > db failing slow');
  const outside = await pathOf([
    ...slowWeb,
    ...timed('http_client_requests_seconds', of('web', { client_name: 'bank.example' }),
      { each: [0.05, 0.23] }),
  ]);
  assert.equal(shown(outside), 'web failing slow > bank.example failing slow');
});
