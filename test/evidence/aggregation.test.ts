import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aggregationIn } from '../../src/evidence/aggregation.ts';

test('aggregationIn reads an aggregation, alone or above what it is divided by', () => {
  const cases: readonly [string, string, string, readonly string[] | null, boolean][] = [
    ['sum(x)', 'sum', 'x', [], true],
    ['(sum by (a, b) (rate(x{c="d"}[5m])))', 'sum', 'rate(x{c="d"}[5m])', ['a', 'b'], true],
    ['COUNT(up == 0) BY (job)', 'count', 'up == 0', ['job'], true],
    ['max without (pod) (x)', 'max', 'x', null, true],
    ['min by () (x - y)', 'min', 'x - y', [], true],
    ['sum(rate(e[5m])) by (a) / sum(rate(r[5m])) by (a)', 'sum', 'rate(e[5m])', ['a'], false],
    ['100 * (sum(e) / on (a) group_left sum(r))', 'sum', 'e', [], false],
    ['sum(a) / sum(b) * 100', 'sum', 'a', [], false],
    ['sum(a unless b) / 1024 / 1024', 'sum', 'a unless b', [], false],
  ];
  for (const [expression, kind, inner, by, isWhole] of cases) {
    assert.deepEqual(aggregationIn(expression), { kind, inner, by, isWhole }, expression);
  }
});

test('aggregationIn reads nothing whose parts do not tell what moved the whole', () => {
  const expressions = [
    'x', 'avg(x)', 'topk(3, x)', 'rate(x[5m])', '1 - sum(a) / sum(b)', 'sum(a) + sum(b)',
    '-sum(x)', '(-1) * sum(x)', 'sum(x) / (0 - 2)', 'sum(a) * sum(b)', 'a / sum(b)', 'sum(x) ^ 2',
    'histogram_quantile(0.9, sum by (le) (x))', 'sum(a) or sum(b)', 'sum by ("a.b") (x)', 'sum()',
    `${'('.repeat(900)}sum(x)${' * 1)'.repeat(900)}`,
    'sum', 'sum by (a)', 'sum(x', '', 'clamp_max(sum(x), 1)', 'sum{a="b"}', 'sum(x) by (a) by (b)',
  ];
  for (const expression of expressions) assert.equal(aggregationIn(expression), null, expression);
});
