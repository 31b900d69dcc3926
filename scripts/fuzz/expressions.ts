import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expressionIn } from '../../src/alert/rule-link.ts';
import { readExpression } from '../../src/evidence/rule/rule-expression.ts';
import { promqlTokens } from '../../src/lib/promql/promql-tokens.ts';
import type { Chance } from './chance.ts';
import { mutateText } from './mutate-text.ts';
import type { Target } from './target.ts';

const rules = readFileSync(join(process.cwd(), 'test/fixtures/api/prom-rules-all.json'), 'utf8');

const expressions: readonly string[] = [
  ...[...rules.matchAll(/"query":("(?:[^"\\]|\\.)*")/g)].map(([, text]) => {
    return JSON.parse(text ?? '""') as string;
  }),
  'up == 0', '(x_seconds > 0.5)', '0.5 < x', 'a > 2 * (3 + 1) ^ 2', 'x > 1h30m',
  'x{a=~`\\d+`} > 1',
  'rate(x{code=~"5\\\\d\\\\d",path!~"/(a|b)\\\\."}[5m]) > 1', 'x{"quoted.name"="1"} > 0',
  'sum by (job) (rate(e_total{code=~"5.."}[5m])) / on(job) group_left(pod) sum(y) > 5',
  'max_over_time(rate(x[5m])[1h:30s]) > 0', 'x offset 5m > 1', 'x @ end() > 1',
  'x @ 1600000000 > 1',
  'job:x:rate5m > bool 1', 'a > 1 and b < 2 unless c', "x{a='it\"s'} >= -1e3 # note",
];

const words = [
  ' and ', ' or ', ' unless ', ' by (a) ', ' on(x) ', ' == ', ' >= ', '!=', '=~', '{a="b"}', '[5m]',
  '[1h:1m]', '(', ')', '{', '}', ',', ' 0x', '1e', '5m', 'rate', ' bool ', '"', "'", '`', '# ', '@',
];

function mutated(chance: Chance): string {
  const expression = mutateText(chance.pick(expressions), chance, words);
  return chance.oneIn(30) ? expression.repeat(2 + chance.below(100)) : expression;
}

/** The parser of rule expressions: never throws, and parses what it would query to the same. */
export const promql: Target = {
  name: 'promql',
  run(chance) {
    const expression = mutated(chance);
    const reading = readExpression(expression);
    assert.equal(reading.expression, expression);
    const threshold = reading.comparison?.threshold ?? null;
    assert.equal(threshold === null, reading.unread !== null);
    if (threshold !== null) assert.ok(Number.isFinite(threshold));
    const sent = encodeURIComponent(expression.replace(/\p{Surrogate}/gu, '?'));
    const address = `http://p/graph?g0.expr=${sent}`;
    const found = expressionIn(chance.oneIn(2) ? address : mutateText(address, chance));
    if (found !== null) assert.ok(found.length > 0 && found.length <= 16 * 1024);
    const compared = reading.comparison?.compared;
    if (compared === undefined) return;
    const textsOf = (query: string): (string | undefined)[] =>
      (promqlTokens(query) ?? []).filter(({ kind }) => kind === 'text').map(({ text }) => text);
    const again = readExpression(`${compared} > 1`).comparison?.compared;
    assert.equal(again, compared, 'the query changes when it is parsed again');
    for (const text of textsOf(compared)) {
      assert.ok(expression.includes(text ?? ''), `${text} is not in ${expression}`);
    }
  },
};
