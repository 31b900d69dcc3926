import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import type { Asker } from '../../src/evidence/metrics/asking.ts';
import { askWorld, WorldBinder, type Bound, type World } from '../../src/evidence/metrics/world.ts';
import { readExpression } from '../../src/evidence/rule/rule-expression.ts';
import { aRule, collected, noise, troubleAt } from '../support/samples/shop-scenario.ts';
import { fakePrometheus, fakeSeries, type FakeSeries } from '../support/sources/fake-prometheus.ts';

function askerOf(series: readonly FakeSeries[]): Asker {
  const prometheus = fakePrometheus({ series });
  return {
    query: (_: string, query: string, atMs: number) => prometheus.query(query, atMs),
  } as unknown as Asker;
}

/** Twins of everything: each job, with the same names and addresses, in both worlds. */
function twins(world: string, jobs = ['api', 'redis', 'db']): FakeSeries[] {
  return ['a', 'b'].flatMap((value) => jobs.flatMap((job) => {
    const labels = { job, instance: `${job}:80`, [world]: value };
    return [
      fakeSeries('up', labels, () => 1), fakeSeries(`${job}_restarts_total`, labels, () => 1),
    ];
  }));
}

async function boundOf(
  series: readonly FakeSeries[],
  query: string,
  { alert = {}, target, expression = null }: {
    readonly alert?: LabelSet; readonly target: LabelSet; readonly expression?: string | null;
  },
): Promise<{ world: World; bound: Bound }> {
  const asker = askerOf(series);
  const place = { labels: { ...target, ...alert }, target, added: [] };
  const world = await askWorld(asker, alert, { place, expression, atMs: 0 });
  return { world, bound: await new WorldBinder(asker, world, 0).bind(query) };
}

for (const world of ['cluster', 'env', 'region', 'tenant', 'dc', 'landscape', 'x17']) {
  test(`a query is kept to its own ${world}`, async () => {
    const target = { job: 'api', instance: 'api:80', [world]: 'a' };
    const { bound } = await boundOf(twins(world), 'sum(redis_restarts_total{job="redis"}) > 0',
      { target });
    assert.deepEqual(bound, { query: `sum(redis_restarts_total{job="redis", ${world}="a"}) > 0` });
  });
}

test('a query by an address is bound as well, since twins may have the same', async () => {
  const target = { job: 'api', instance: 'api:80', cluster: 'a' };
  const query = 'max(api_restarts_total{instance="api:80"}) / max(api_restarts_total{job="api"})';
  const { bound } = await boundOf(twins('cluster'), query, { target });
  assert.ok('query' in bound);
  assert.equal(bound.query.match(/cluster="a"/gu)?.length, 2);
});

test('of series that do not say in which world they are, nothing is asked', async () => {
  const target = { job: 'api', instance: 'api:80', cluster: 'a' };
  const nameless = fakeSeries('queue_depth', { queue: 'orders' }, () => 9);
  const { bound } = await boundOf([...twins('cluster'), nameless],
    'max(queue_depth{queue="orders"})', { target });
  assert.match('why' in bound ? bound.why : '', /cluster/u);
});

test('what only one world has is not asked for in another', async () => {
  const other = { job: 'cache', instance: 'cache:80', cluster: 'b' };
  const series = [...twins('cluster'), fakeSeries('up', other, () => 1),
    fakeSeries('cache_down', other, () => 1)];
  const { bound } = await boundOf(series, 'max(cache_down{job="cache"})',
    { target: { job: 'api', instance: 'api:80', cluster: 'a' } });
  assert.deepEqual(bound, { query: 'max(cache_down{job="cache", cluster="a"})' });
});

test('with one world only, and for a host that is none, queries stay as they are', async () => {
  const query = 'sum(redis_restarts_total{job="redis"})';
  const one = twins('cluster').filter(({ labels }) => labels['cluster'] === 'a');
  const target = { job: 'api', instance: 'api:80', cluster: 'a' };
  assert.deepEqual((await boundOf(one, query, { target })).bound, { query });
  const hosts = ['api', 'redis', 'db', 'mail'].flatMap((job) => twins('host', [job]).map((each) =>
    ({ ...each, labels: { ...each.labels, host: `${job}-1` } })));
  const { world, bound } = await boundOf(hosts, query,
    { target: { job: 'api', instance: 'api:80', host: 'api-1' } });
  assert.deepEqual([world.shared, bound], [{}, { query }]);
});

test('a query of no single target keeps the labels of the alert that its series have', async () => {
  const of = (host: string, flaps: number): FakeSeries =>
    fakeSeries('carrier_changes_total', { job: 'node', host, device: 'eth1' }, () => flaps);
  const alert = { host: 'edge-7', device: 'eth1' };
  const query = 'increase(carrier_changes_total{device="eth1"}[1h])';
  const { bound } = await boundOf([of('edge-7', 0), of('edge-9', 12)], query,
    { alert, target: {}, expression: 'sum by (host, device) (rate(errs_total[5m])) > 1' });
  assert.deepEqual(bound,
    { query: 'increase(carrier_changes_total{device="eth1", host="edge-7"}[1h])' });
  const rabbit = ['shop', 'legacy'].map((cluster) => fakeSeries('consumers',
    { queue: 'orders', rabbitmq_cluster: cluster }, () => 1));
  const queue = await boundOf(rabbit, 'min(consumers{queue="orders"})',
    { alert: { queue: 'orders', rabbitmq_cluster: 'shop' }, target: {} });
  assert.deepEqual(queue.bound,
    { query: 'min(consumers{queue="orders", rabbitmq_cluster="shop"})' });
});

test('what the rule itself filters by is no place', async () => {
  const requests = ['200', '500'].map((code) =>
    fakeSeries('requests_total', { job: 'api', code }, () => 1));
  const query = 'sum(requests_total{job="api"})';
  const { bound } = await boundOf(requests, query, {
    alert: { job: 'api', code: '500' }, target: {},
    expression: 'sum by (job, code) (requests_total{code=~"5.."}) > 1',
  });
  assert.deepEqual(bound, { query });
});

test('tests, targets and the search of an alert see nothing of its twins', async () => {
  const worlds = ['prod', 'staging'].flatMap((env) => ['api', 'redis', 'db'].flatMap((job) => {
    const labels = { job, instance: `${job}:80`, env };
    const isIll = env === 'staging';
    return [
      fakeSeries('up', labels, () => (isIll ? 0 : 1)),
      fakeSeries('errors', labels, (at) => at >= troubleAt && job === 'api' ? 9 : 1),
      fakeSeries('waiting', labels, (at) => isIll && at >= troubleAt ? 100 : noise(3, at)),
    ];
  }));
  const size = fakeSeries('prometheus_tsdb_head_series', { job: 'p', instance: 'p' }, () => 100);
  const expression = 'errors > 5';
  const of = (job: string): string => `max(waiting{job="${job}"})`;
  const tests = ['api', 'redis'].map((job) => ({
    id: job, cause: 'It waits', query: of(job), isSupported: () => false,
  }));
  const { facts, prometheus } = await collected({
    series: [...worlds, size], rules: [aRule({ name: 'Errors', query: expression, labels: {} })],
  }, {
    alert: { labels: { alertname: 'Errors', job: 'api', instance: 'api:80', env: 'prod' } },
    context: { rule: readExpression(expression), testsFor: () => tests },
  });
  assert.deepEqual([facts.scrape?.up, facts.scrape?.total], [1, 1]);
  assert.deepEqual([...facts.answers.values()].map(({ bound }) => bound),
    ['max(waiting{job="api", env="prod"})', 'max(waiting{job="redis", env="prod"})']);
  const compared = facts.ranking?.ranking.series ?? [];
  assert.ok(compared.length > 0);
  assert.ok(compared.every(({ candidate }) => candidate.labels['env'] === 'prod'));
  assert.ok(prometheus.questions.every((question) => !question.includes('staging')));
});
