import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import type { AlertPlace } from '../../src/evidence/place.ts';
import { readExpression } from '../../src/evidence/rule/rule-expression.ts';
import { aRule, collected, type Collected } from '../support/samples/shop-scenario.ts';
import { fakeSeries, type FakeSeries } from '../support/sources/fake-prometheus.ts';

interface Asked extends Collected {
  /** What the tests of causes were made for. */
  readonly tested: AlertPlace | null;
}

/** An alert with these labels of a rule that sums errors away, on a server with these series. */
async function askedOf(
  expression: string,
  labels: LabelSet,
  { series, ruleLabels = {} }: {
    readonly series: readonly FakeSeries[]; readonly ruleLabels?: Record<string, string>;
  },
): Promise<Asked> {
  let tested: AlertPlace | null = null;
  const found = await collected(
    { series, rules: [aRule({ name: 'Errors', query: expression, labels: ruleLabels })] },
    {
      alert: { labels: { alertname: 'Errors', ...labels } },
      context: {
        rule: readExpression(expression),
        testsFor: (_, place) => {
          tested = place;
          return [];
        },
      },
    });
  return { ...found, tested };
}

function jobSeries(job: string, more: LabelSet = {}): FakeSeries[] {
  const labels = { job, instance: `${job}:80`, ...more };
  return [
    fakeSeries('up', labels, () => 1),
    fakeSeries('errors_total', { ...labels, code: '500' }, () => 7),
    fakeSeries('process_start_time_seconds', labels, () => 1),
  ];
}

const shops = [...jobSeries('shop-api', { dc: 'a' }), ...jobSeries('mail', { dc: 'b' })];

test('an alert without labels is looked for where its expression selects', async () => {
  const expression = 'sum(errors_total{job="shop-api"}) > 5';
  const { facts, tested, prometheus } = await askedOf(expression, {}, { series: shops });
  assert.deepEqual(tested?.labels, { job: 'shop-api', instance: 'shop-api:80', dc: 'a' });
  assert.equal(facts.place, tested);
  assert.deepEqual([facts.scrape?.up, facts.scrape?.total], [1, 1]);
  assert.ok(prometheus.questions.some((question) => question.includes('job="shop-api"')));
});

test('an alert without labels or selectors is where all its series are', async () => {
  const [one, both] = await Promise.all([jobSeries('shop-api', { dc: 'a' }), shops].map((series) =>
    askedOf('sum(errors_total) > 5', {}, { series })));
  assert.deepEqual(one?.tested?.labels, { job: 'shop-api', instance: 'shop-api:80', dc: 'a' });
  assert.deepEqual(both?.tested?.labels, {});
});

test('no query selects by what only the author of the rule wrote', async () => {
  const author = { topic: 'observability', service: 'shop', team: 'web' };
  const { tested, prometheus } = await askedOf('errors_total > 5',
    { ...author, job: 'shop-api', instance: 'shop-api:80', code: '500' },
    { series: shops, ruleLabels: author });
  assert.deepEqual(tested?.added, ['topic', 'service', 'team']);
  const ofServer = prometheus.questions.filter((question) => !question.includes('ALERTS'));
  assert.ok(ofServer.every((question) => !/(?:topic|service|team)[=~,)]/u.test(question)),
    ofServer.join('\n'));
});

test('the address that the series name is that of the thing, and not of its exporter', async () => {
  const of = (server: string, state: string): FakeSeries => fakeSeries('pg_sessions',
    { job: 'pg', instance: 'exporter:9187', server, state }, () => 9);
  const expression = 'sum by (job, instance) (pg_sessions) > 5';
  const labels = { job: 'pg', instance: 'exporter:9187' };
  const one = [of('10.0.0.7:5433', 'idle'), of('10.0.0.7:5433', 'active')];
  const known = await askedOf(expression, labels, { series: one });
  assert.deepEqual(known.tested?.labels, { ...labels, server: '10.0.0.7:5433' });
  const several = await askedOf(expression, labels,
    { series: [...one, of('10.0.0.8:5433', 'idle')] });
  assert.deepEqual(several.tested?.labels, labels);
});
