import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparesCounter } from '../../../src/diagnosis/findings/counter-rule.ts';
import { readExpression } from '../../../src/evidence/rule/rule-expression.ts';
import { concluded, latencyCase } from '../../support/samples/metric-facts.ts';

const rules: readonly (readonly [expression: string, compares: boolean])[] = [
  ['sum(payment_errors_total) by (job) > 3000', true],
  ['dropped_total{path=~"a-b/.*"} >= 1', true],
  ['max_over_time(dropped_total[5m]) > 1', true],
  ['rate(payment_errors_total[5m]) > 3', false],
  ['increase(payment_errors_total[5m]) > 3', false],
  ['payment_errors_total - payment_errors_total offset 5m > 3', false],
  ['payment_errors_total / payments_total > 0.1', false],
  ['payment_errors_total < 3', false],
  ['node_memory_total > 3', false],
  ['queue_length > 3', false],
  ['absent(payment_errors_total)', false],
];
for (const [expression, compares] of rules) {
  test(`comparesCounter of ${expression}`, () => {
    assert.equal(comparesCounter(readExpression(expression)), compares);
  });
}

test('findingsOf says that an alert on a counter does not end by itself', () => {
  const { alert } = latencyCase();
  const expression = encodeURIComponent('sum(payment_errors_total) > 3000');
  const generatorURL = `http://p/graph?g0.expr=${expression}`;
  const { findings } = concluded(latencyCase({ alert: { ...alert, generatorURL } }), {});
  assert.ok(findings.some(({ text }) => text.startsWith('The rule compares a counter, which')));
});
