import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ruleFactsOf, type RuleFacts } from '../../src/alert/rule-facts.ts';
import { labelsOfSubject } from '../../src/alert/subject.ts';

function facts(expression: string): RuleFacts {
  return ruleFactsOf(`http://p/graph?g0.expr=${encodeURIComponent(expression)}`);
}

const minute = 60_000;
const read: readonly [expression: string, expected: {
  readonly selected: Readonly<Record<string, string>>;
  readonly kept: readonly string[] | null;
  readonly windowMs: number;
}][] = [
  ['sum(rate(x_total{code=~"5..",job="shop-api"}[2m])) > 0.5',
    { selected: { job: 'shop-api' }, kept: [], windowMs: 2 * minute }],
  ['histogram_quantile(0.99, sum by (le, job) (rate(x_bucket{job="api"}[5m]))) > 1',
    { selected: { job: 'api' }, kept: ['le', 'job'], windowMs: 5 * minute }],
  ['0 < sum by (a) (x{job="a"}) / sum by (a) (y{job="b"})',
    { selected: {}, kept: ['a'], windowMs: 0 }],
  ['sum by (a) (x) > 1 or sum by (b) (y) > 1', { selected: {}, kept: ['a', 'b'], windowMs: 0 }],
  ['pg_up{instance="a:1"} == 0', { selected: { instance: 'a:1' }, kept: null, windowMs: 0 }],
  ['sum without (pod) (x) > 1', { selected: {}, kept: null, windowMs: 0 }],
  ['sum by (pod) (x) * on (pod) group_left (node) y > 1',
    { selected: {}, kept: ['pod', 'node'], windowMs: 0 }],
  ['absent(up{job="a"})', { selected: { job: 'a' }, kept: ['job'], windowMs: 0 }],
  ['max_over_time(sum(x)[1h:1m]) > 1', { selected: {}, kept: [], windowMs: 60 * minute }],
  ['sum(x{', { selected: {}, kept: null, windowMs: 0 }],
];
for (const [expression, expected] of read) {
  test(`ruleFactsOf() reads ${expression}`, () => {
    const { selected, kept, windowMs } = facts(expression);
    assert.deepEqual(
      { selected: Object.fromEntries(selected), kept: kept && [...kept], windowMs }, expected);
    assert.equal(facts(expression), facts(expression), 'one object for all alerts of a rule');
  });
}

test('ruleFactsOf() does not read what is too long, or no link at all', () => {
  const nothing = { selected: new Map(), kept: null, windowMs: 0 };
  for (const link of ['', 'x', `http://p/graph?g0.expr=up+or+${'x'.repeat(5000)}`]) {
    assert.deepEqual(ruleFactsOf(link), nothing);
  }
});

test('labelsOfSubject() adds what the rule asks for, and leaves out what its author wrote', () => {
  const labels = { alertname: 'A', severity: 'page', team: 'x', service: 'shop', route: '/o' };
  assert.deepEqual(labelsOfSubject(labels, facts('sum by (route) (x{job="api",code="5"}) > 1')),
    { alertname: 'A', severity: 'page', route: '/o', job: 'api' });
  assert.deepEqual(labelsOfSubject(labels, facts('sum by (route) (x) > 1')),
    { alertname: 'A', severity: 'page', service: 'shop', route: '/o' });
  assert.deepEqual(labelsOfSubject({ ...labels, job: 'own' }, facts('x{job="api"} > 1')),
    { ...labels, job: 'own' });
});
