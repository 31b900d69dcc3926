import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readExpression } from '../../src/evidence/rule/rule-expression.ts';
import {
  aRule, collected, shop, shopSeries, type Collected,
} from '../support/samples/shop-scenario.ts';
import { fakeSeries, type FakeOptions } from '../support/sources/fake-prometheus.ts';

/** Readable by the service, but of no interest to whoever gets reports of the shop. */
const foreign = 'tenant_secrets{tenant="other"}';
const sent = `max by (tenant, user) (${foreign}) > 5`;

function collectedWith(expression: string, over: Partial<FakeOptions>): Promise<Collected> {
  const many = Array.from({ length: expression.includes('many') ? 20_001 : 0 }, (_, index) =>
    fakeSeries('many', { id: String(index) }, () => 1));
  return collected(shop({
    series: [...shopSeries(), fakeSeries('tenant_secrets', { tenant: 'other' }, () => 42), ...many],
    ...over,
  }), { context: { rule: readExpression(expression) } });
}

/** Whether any part of the expression was sent, but for counting its series. */
function isRun({ prometheus }: Collected, part: string): boolean {
  return prometheus.questions.some((each) => each.includes(part) && !each.startsWith('(count('));
}

const alone = { ...aRule(), labels: { severity: 'none' } };
const rules: readonly (readonly [string, Partial<FakeOptions>, boolean])[] = [
  ['no rule of its name', { rules: [aRule({ name: 'Other' })] }, false],
  ['rules of its name for other alerts', { rules: [alone] }, false],
  ['several rules that may have sent it', { rules: [aRule(), aRule({ query: 'up == 0' })] }, false],
  ['a rule that sent it with another expression', { rules: [aRule()] }, false],
  ['the rule that sent it', { rules: [aRule({ query: sent })] }, true],
  ['a rule of its name with it', { rules: [alone, { ...alone, query: sent }] }, true],
  ['no rules at all', { rules: [] }, true],
  ['rules that cannot be read', {
    rules: [], fault: (question) => (question.startsWith('rules') ? 'timeout' : null),
  }, true],
  ['no rules, as far as it is known', {
    rules: [], fault: (question) => (question === 'rules' ? 'timeout' : null),
  }, true],
];
for (const [server, over, expected] of rules) {
  test(`an expression in a link is${expected ? '' : ' not'} run on a server with ${server}`,
    async () => {
      assert.equal(isRun(await collectedWith(sent, over), 'tenant_secrets'), expected);
    });
}

test('of a rule with the same tokens, its own expression is run', async () => {
  const [own, other] = ['a - b > 5', 'b - a > 5'];
  const done = await collectedWith(other, { rules: [alone, { ...alone, query: own }] });
  assert.deepEqual([isRun(done, 'a - b'), isRun(done, 'b - a')], [true, false]);
});

for (const [what, expression] of [
  ['over too long a range', `max_over_time(${foreign}[30d]) > 5`],
  ['in too short steps', `max_over_time(${foreign}[24h:100ms]) > 5`],
  ['over ranges of ranges', `max_over_time(rate(${foreign}[24h])[24h:15s]) > 5`],
  ['of everything', 'count by (tenant, user) ({__name__=~"tenant.+"}) > 5'],
  ['of everything, as VictoriaMetrics writes it', 'count({a="b" or __name__=~"tenant.*"}) > 5'],
  ['of too many series', `${foreign} + on () count(many) > 5`],
  ['of an unknown form', `WITH (x = ${foreign}) x > 5`],
  ['that is too long', `${foreign} > ${'1 + '.repeat(600)} 1`],
] as const) {
  test(`without rules, an expression ${what} is not run`, async () => {
    const done = await collectedWith(expression, { rules: [] });
    assert.equal(isRun(done, 'tenant'), false);
    assert.match(done.facts.unrun ?? '', /^The expression in the alert's link is not run: .*too m/);
  });
}

test('an expression whose series cannot be counted is not run', async () => {
  const fault: FakeOptions['fault'] = (question) =>
    (question.startsWith('(count(') ? 'timeout' : null);
  const done = await collectedWith(sent, { rules: [], fault });
  assert.equal(isRun(done, 'tenant'), false);
  assert.match(done.facts.unrun ?? '', /could not be counted/);
});

test('where an expression is not run, an item says so, and all else is still asked', async () => {
  const { facts, ledger } = await collectedWith(sent, { rules: [aRule({ name: 'Other' })] });
  assert.equal(facts.unrun,
    "The expression in the alert's link is not run: no rule of the server has it.");
  const item = ledger.items.find(({ title }) => title === "The alert's own series");
  assert.deepEqual([item?.state, item?.summary], ['empty', facts.unrun]);
  assert.deepEqual([facts.own, facts.peers, facts.inside], [null, null, null]);
  assert.ok((facts.ranking?.ranking.series.length ?? 0) > 0);
});
