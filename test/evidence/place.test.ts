import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeOfAlert } from '../../src/evidence/place.ts';
import { resultLabels, selectedLabels } from '../../src/lib/promql/result-labels.ts';

function resultsOf(expression: string): string[] | null {
  const found = resultLabels(expression);
  return found && [...found].sort();
}

test('resultLabels() knows which labels an expression leaves', () => {
  const cases: readonly (readonly [string, string[] | null])[] = [
    ['sum(rate(errors_total{job="api"}[1m])) > 1', []],
    ['sum by (job, route) (rate(errors_total[1m])) / sum by (job, route) (rate(all_total[1m])) > 1',
      ['job', 'route']],
    ['histogram_quantile(0.99, sum by (le, path) (rate(x_bucket[5m]))) > 1', ['le', 'path']],
    ['up == 0', null],
    ['100 * sum by (a) (x) > 5', ['a']],
    ['sum without (pod) (x) > 1', null],
    ['topk(3, sum by (queue) (depth)) > 10', ['queue']],
    ['sum(rate(x[5m])) < 0.5 * sum(rate(x[5m] offset 1d))', []],
    ['sum by (a) (x) > 1 and on () up == 0', ['a']],
    ['sum by (pod) (x) * on (pod) group_left (node) kube_pod_info > 1', ['node', 'pod']],
    ['absent(up{job="batch", zone=~"a.*"})', ['job']],
    ['label_replace(sum by (a) (x), "b", "$1", "a", "(.*)") > 1', ['a', 'b']],
    ['time() - max(last_success) > 600', []],
    ['sum by (', null],
  ];
  for (const [expression, expected] of cases) {
    assert.deepEqual(resultsOf(expression), expected, expression);
  }
});

test('selectedLabels() are those that every selector asks for alike', () => {
  const selected = (expression: string): object => Object.fromEntries(selectedLabels(expression));
  assert.deepEqual(selected('sum(a{job="x",code="500"}) / sum(a{job="x"})'), { job: 'x' });
  assert.deepEqual(selected('a{job="x"} > b{job="y"}'), {});
  assert.deepEqual(selected('a{job=~"x|y",env!="dev",zone=""}'), {});
});

test('an alert without labels is where its expression selects', () => {
  const expression = 'sum(rate(errors_total{job="shop-api"}[1m])) > 0.5';
  const labels = { alertname: 'ErrorRate', severity: 'page', topic: 'observability' };
  const place = placeOfAlert(labels, { expression });
  assert.deepEqual(place.labels, { job: 'shop-api' });
  assert.deepEqual(place.added, ['severity', 'topic']);
});

test('without selectors an alert is where all targets of its series are', () => {
  const target = { job: 'postgres', instance: 'db-1:9187', cluster: 'eu' };
  const seen = { shared: new Set<string>(), target };
  const place = placeOfAlert({ alertname: 'Connections', severity: 'page' }, {
    expression: 'sum(pg_stat_activity_count) > 30', ruleLabels: { severity: 'page' }, seen,
  });
  assert.deepEqual(place.labels, target);
  assert.deepEqual(place.target, target);
});

test('what only the author wrote is not where an alert is, unless its series have it', () => {
  const expression = 'queue_lag > 5';
  const labels = { alertname: 'Lag', topic: 'observability', service: 'mail', job: 'mailer' };
  const ruleLabels = { topic: 'observability', service: 'mail' };
  const unseen = placeOfAlert(labels, { expression, ruleLabels });
  assert.deepEqual([unseen.labels, unseen.added], [{ job: 'mailer' }, ['topic', 'service']]);
  const seen = { shared: new Set(['job', 'service']), target: {} };
  const found = placeOfAlert(labels, { expression, ruleLabels, seen });
  assert.deepEqual(found.labels, { job: 'mailer', service: 'mail' });
  const repeated = placeOfAlert(labels, { expression, ruleLabels: { service: '{{ $labels.x }}' } });
  assert.equal(repeated.labels['service'], 'mail');
});

test('an external label is no selector, and one that the series have is', () => {
  const labels = { alertname: 'Slow', cluster: 'eu', job: 'api', region: 'north' };
  const told = placeOfAlert(labels, { expression: 'latency > 1' });
  assert.deepEqual(told.labels, { job: 'api' });
  const seen = { shared: new Set(['job', 'region']), target: {} };
  const found = placeOfAlert(labels, { expression: 'latency > 1', seen });
  assert.deepEqual(found.labels, { job: 'api', region: 'north' });
});

test('what a collector tells of others is not where the collector is', () => {
  const target = { job: 'kube-state-metrics', instance: '10.0.0.1:8080' };
  const seen = { shared: new Set(['namespace', 'pod']), target };
  const labels = { alertname: 'Crash', namespace: 'shop', pod: 'cart-1' };
  const { labels: found } = placeOfAlert(labels, {
    expression: 'sum by (namespace, pod) (kube_pod_container_status_restarts_total) > 1', seen,
  });
  assert.deepEqual(found, { namespace: 'shop', pod: 'cart-1' });
});
