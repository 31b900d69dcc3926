import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readExpression } from '../../src/evidence/rule/rule-expression.ts';
import {
  aRule, collected, shop, troubleAt, type Collected,
} from '../support/samples/shop-scenario.ts';
import type { FakeOptions, FakeSeries } from '../support/sources/fake-prometheus.ts';

const expression = 'sum by (namespace, service) (jobs_waiting) > 10';
const reading = readExpression(expression);

/** Jobs of many workers of `web`, of which one gets behind, and of another service. */
function waiting(workers: number): FakeSeries[] {
  const of = (service: string, worker: number): FakeSeries => ({
    labels: { __name__: 'jobs_waiting', namespace: 'shop', service, pod: `${service}-${worker}` },
    valueAt: (atMs) => worker === 0 && atMs >= troubleAt ? 100 : 1,
  });
  return [...Array.from({ length: workers }, (_, worker) => of('web', worker)), of('cart', 0)];
}

function collectedOf(workers: number, over: Partial<FakeOptions> = {}): Promise<Collected> {
  const options = shop();
  const own: FakeSeries = {
    labels: { namespace: 'shop', service: 'web' },
    valueAt: (atMs) => workers + (atMs >= troubleAt ? 99 : 0),
  };
  return collected({
    ...options, series: [...options.series, ...waiting(workers)],
    expressions: { [reading.comparison?.compared ?? '']: [own] },
    rules: [aRule({ query: expression })],
    ...over,
  }, { context: { rule: reading } });
}

test('collectMetrics finds which series inside an aggregation make its value', async () => {
  const { facts, ledger, prometheus } = await collectedOf(4);
  assert.deepEqual(facts.inside?.finding, {
    kind: 'leaders', direction: 'rise', measured: 'amount', whole: { before: 4, after: 103 },
    leaders: [{ label: 'pod', values: ['web-0'], of: 4, share: 1, before: 1, after: 100 }],
  });
  const item = ledger.items.find(({ id }) => id === facts.inside?.evidence);
  assert.equal(item?.summary, '4 series when it fired, 4 before.');
  const { series } = item.data as { series: unknown[] };
  assert.deepEqual(series[0], { labels: { pod: 'web-0' }, before: 1, when_it_fired: 100 });
  assert.ok(Date.parse(item.from ?? '') < troubleAt);
  const asked = prometheus.questions.filter((question) => question.startsWith('topk('));
  assert.deepEqual(asked, [item.query, item.query]);
});

test('collectMetrics tells what only the errors have in common', async () => {
  const query = 'sum(requests_total{job="shop",code!="200"}) > 5';
  const rule = readExpression(query);
  const options = shop();
  const of = (route: string, code: string): FakeSeries => ({
    labels: { __name__: 'requests_total', job: 'shop', instance: 'a:80', route, code },
    valueAt: (atMs) => code === '200' ? 90 : atMs >= troubleAt ? 30 : Number.NaN,
  });
  const routes = ['/login', '/order', '/search'];
  const { facts } = await collected({
    ...options, rules: [aRule({ query })],
    series: [...options.series, ...routes.map((route) => of(route, '200')), of('/login', '500')],
    expressions: {
      [rule.comparison?.compared ?? '']: [{ labels: {}, valueAt: () => 30 }],
    },
  }, { context: { rule }, alert: { labels: { alertname: 'HighLatency' } } });
  const told = facts.inside?.finding;
  assert.ok(told?.kind === 'leaders');
  assert.deepEqual(told.leaders.map(({ label, values, of: all }) => [label, values, all]),
    [['route', ['/login'], 3], ['code', ['500'], 2]]);
  assert.deepEqual(told.whole, { before: 0, after: 30 });
});

test('collectMetrics names no contributors among too many series', async () => {
  const { facts, ledger } = await collectedOf(501);
  assert.equal(facts.inside, null);
  const item = ledger.items.find(({ title }) => title === "What is inside the rule's sum");
  assert.deepEqual([item?.state, item?.truncated], ['ok', true]);
});

test('collectMetrics reports a failed query for contributors', async () => {
  const { facts } = await collectedOf(4, {
    fault: (question) => question.startsWith('topk(') ? 'bad_query' : null,
  });
  assert.equal(facts.inside, null);
  const missing = facts.source.failures.map(({ what }) => what);
  assert.deepEqual(missing, ['The series inside the aggregation of the rule']);
});

test('collectMetrics handles group labels named like object members', async () => {
  const query = 'sum by (namespace, service, toString) (jobs_waiting) > 10';
  const rule = readExpression(query);
  const options = shop();
  const own: FakeSeries = { labels: { namespace: 'shop', service: 'web' }, valueAt: () => 103 };
  const { prometheus } = await collected({
    ...options, series: [...options.series, ...waiting(4)], rules: [aRule({ query })],
    expressions: { [rule.comparison?.compared ?? '']: [own] },
  }, { context: { rule } });
  const [asked] = prometheus.questions.filter((question) => question.startsWith('topk('));
  assert.match(asked ?? '', /"toString", "", "", ""/);
});

/** What is told of an aggregation over workers with these values, now and before. */
async function toldOf(
  query: string,
  { after, before = after }: { after: readonly number[]; before?: readonly number[] },
): Promise<unknown> {
  const rule = readExpression(query);
  const options = shop();
  const own = { labels: { namespace: 'shop', service: 'web' }, valueAt: () => 100 };
  const inside = after.map((value, worker) => ({
    labels: { __name__: 'jobs_waiting', ...own.labels, pod: `web-${worker}` },
    valueAt: (atMs: number) => atMs >= troubleAt ? value : (before[worker] ?? Number.NaN),
  }));
  const { facts } = await collected({
    ...options, series: [...options.series, ...inside], rules: [aRule({ query })],
    expressions: { [rule.comparison?.compared ?? '']: [own] },
  }, { context: { rule } });
  return facts.inside?.finding ?? null;
}

test('collectMetrics names the highest or lowest series, unless two are equal', async () => {
  const highest = 'max by (namespace, service) (jobs_waiting) > 10';
  assert.deepEqual(await toldOf(highest, { after: [100, 1, 1, 1] }), {
    kind: 'extreme', label: 'pod', value: 'web-0', of: 4, isHighest: true, measured: 100, next: 1,
  });
  assert.equal(await toldOf(highest, { after: [100, 100, 1, 1] }), null);
  const lowest = 'min by (namespace, service) (jobs_waiting) < 200';
  assert.deepEqual(await toldOf(lowest, { after: [100, 1] }), {
    kind: 'extreme', label: 'pod', value: 'web-1', of: 2, isHighest: false, measured: 1, next: 100,
  });
  assert.deepEqual(await toldOf(lowest, { after: [7] }), {
    kind: 'only', label: 'pod', value: 'web-0',
  });
  // Where the highest is too low, all are.
  const isTooLow = 'max by (namespace, service) (jobs_waiting) < 200';
  assert.equal(await toldOf(isTooLow, { after: [100, 1] }), null);
});

test('collectMetrics names the only series of a sum, and the few that are counted', async () => {
  const sum = 'sum by (namespace, service) (jobs_waiting) > 10';
  assert.deepEqual(await toldOf(sum, { after: [50], before: [1] }), {
    kind: 'only', label: 'pod', value: 'web-0',
  });
  const count = 'count by (namespace, service) (jobs_waiting) > 1';
  assert.deepEqual(await toldOf(count, { after: [0, 0], before: [] }), {
    kind: 'counted', label: 'pod', values: ['web-0', 'web-1'],
  });
  const many = await toldOf(count, { after: [0, 0, 0, 0, 0], before: [] });
  assert.deepEqual((many as { kind: string }).kind, 'spread');
});

test('what there was none of before has no mean that could be compared', async () => {
  const query = 'sum(rate(t_seconds_sum{job="shop"}[1m])) / ' +
    'sum(rate(t_seconds_count{job="shop"}[1m])) > 0.3';
  const rule = readExpression(query);
  const startMs = troubleAt - 4 * 3_600_000;
  const askedOf = async (isNew: boolean): Promise<unknown> => {
    const options = shop();
    const times = ['/a', '/b', '/c', '/d'].flatMap((route, index) => {
      const labels = { job: 'shop', instance: 'a:80', route };
      const counts = (perSecond: number): FakeSeries['valueAt'] => (atMs) =>
        atMs < troubleAt && isNew ? 0 : (perSecond * (atMs - startMs)) / 1000;
      const spent: FakeSeries['valueAt'] = (atMs) => atMs < troubleAt ? counts(0.1)(atMs)
        : counts(0.1)(atMs) + (index === 0 ? 9 * (atMs - troubleAt) / 1000 : 0);
      return [
        { labels: { __name__: 't_seconds_sum', ...labels }, valueAt: spent },
        { labels: { __name__: 't_seconds_count', ...labels }, valueAt: counts(10) },
      ];
    });
    const { facts } = await collected({
      ...options, rules: [aRule({ query })], series: [...options.series, ...times],
      expressions: { [rule.comparison?.compared ?? '']: [{ labels: {}, valueAt: () => 0.9 }] },
    }, { context: { rule }, alert: { labels: { alertname: 'HighLatency' } } });
    return facts.inside?.finding ?? null;
  };
  const known = await askedOf(false) as { measured: string; leaders: { before: number }[] };
  assert.equal(known.measured, 'mean');
  assert.ok(Math.abs((known.leaders[0]?.before ?? 0) - 0.01) < 0.001);
  assert.equal(await askedOf(true), null);
});
