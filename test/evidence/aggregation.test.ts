import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aggregationIn } from '../../src/evidence/rule/aggregation.ts';

test('aggregationIn reads an aggregation, alone or as a numerator', () => {
  type Standing = 'alone' | 'scaled' | 'part';
  const cases: readonly [string, string, string, readonly string[] | null, Standing][] = [
    ['sum(x)', 'sum', 'x', [], 'alone'],
    ['(sum by (a, b) (rate(x{c="d"}[5m])))', 'sum', 'rate(x{c="d"}[5m])', ['a', 'b'], 'alone'],
    ['COUNT(up == 0) BY (job)', 'count', 'up == 0', ['job'], 'alone'],
    ['max without (pod) (x)', 'max', 'x', null, 'alone'],
    ['min by () (x - y)', 'min', 'x - y', [], 'alone'],
    ['sum(rate(e[5m])) by (a) / sum(rate(r[5m])) by (a)', 'sum', 'rate(e[5m])', ['a'], 'part'],
    ['100 * (sum(e) / on (a) group_left sum(r))', 'sum', 'e', [], 'part'],
    ['sum(a) / sum(b) * 100', 'sum', 'a', [], 'part'],
    ['sum(a unless b) / 1024 / 1024', 'sum', 'a unless b', [], 'scaled'],
  ];
  for (const [expression, kind, inner, by, as] of cases) {
    const whole = { isWhole: as !== 'part', isAlone: as === 'alone' };
    assert.deepEqual(aggregationIn(expression), { kind, inner, by, ...whole }, expression);
  }
});

test('aggregationIn refuses sums and differences', () => {
  const expressions = [
    'x', 'avg(x)', 'topk(3, x)', 'rate(x[5m])', '1 - sum(a) / sum(b)', 'sum(a) + sum(b)',
    '-sum(x)', '(-1) * sum(x)', 'sum(x) / (0 - 2)', 'sum(a) * sum(b)', 'a / sum(b)', 'sum(x) ^ 2',
    'histogram_quantile(0.9, sum by (le) (x))', 'sum(a) or sum(b)', 'sum by ("a.b") (x)', 'sum()',
    `${'('.repeat(900)}sum(x)${' * 1)'.repeat(900)}`,
    'sum', 'sum by (a)', 'sum(x', '', 'clamp_max(sum(x), 1)', 'sum{a="b"}', 'sum(x) by (a) by (b)',
  ];
  for (const expression of expressions) assert.equal(aggregationIn(expression), null, expression);
});
