import assert from 'node:assert/strict';
import test from 'node:test';
import { divisorIn } from '../../src/evidence/rule/divisor.ts';
import { assertCompleteReport } from '../support/complete-report.ts';
import { concluded, latencyCase, type Concluded } from '../support/samples/metric-facts.ts';

const divisors: readonly (readonly [query: string, divisor: string | null, isLimit?: boolean])[] = [
  ['redis_memory_used_bytes / redis_memory_max_bytes * 100', 'redis_memory_max_bytes', true],
  ['100 * (1 - free{a="1"} / size{a="1"})', 'size{a="1"}', false],
  ['used / on (pod) quota{resource="memory"}', 'quota{resource="memory"}', true],
  ['backlog / sum(rate(max_acked_total[5m]))', 'sum(rate(max_acked_total[5m]))', false],
  ['errors / 60', null],
  ['used', null],
];
for (const [query, text, isLimit] of divisors) {
  test(`divisorIn of ${query}`, () => {
    assert.deepEqual(divisorIn(query), text === null ? null : { text, isLimit });
  });
}

/** What is concluded of an alert whose value is infinite. */
function infinite(expression: string): Concluded {
  const { alert } = latencyCase();
  const generatorURL = `http://p/graph?g0.expr=${encodeURIComponent(expression)}`;
  const over = { own: { valueAtFire: Infinity, valueNow: Infinity, worst: Infinity } };
  return concluded(latencyCase({ alert: { ...alert, generatorURL } }), over);
}

test('a share of a limit that is not set is a problem of the rule', () => {
  const { verdict, hypotheses, next_steps: steps, report } = infinite('used / used_max > 0.9');
  assertCompleteReport(report);
  assert.equal(verdict.classification, 'data_problem');
  assert.match(verdict.headline, /: \+Inf, because used_max is 0\. Firing since/u);
  assert.deepEqual(hypotheses.map(({ cause, certainty }) => [cause, certainty]),
    [['No limit is set, and the rule fires without one', 'confirmed']]);
  assert.match(steps[0]?.action ?? '', /require that used_max is above 0$/u);
});

test('a backlog that nothing works off is as bad as its rule says', () => {
  const { verdict, findings } = infinite('backlog / sum(rate(acked_total[5m])) > 600');
  assert.equal(verdict.classification, 'actionable');
  assert.ok(findings.some(({ text }) =>
    text === 'The value is infinite because the rule divides by sum(rate(acked_total[5m])), ' +
      'which is 0.'));
});
