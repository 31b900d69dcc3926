import assert from 'node:assert/strict';
import { test } from 'node:test';
import { earlierTrouble } from '../../src/evidence/metrics/search/earlier-trouble.ts';
import { readExpression } from '../../src/evidence/rule/rule-expression.ts';

const grid = { startMs: 0, stepMs: 60_000, count: 120 };
const split = 100;

function troubleOf(expression: string, over: readonly (readonly [from: number, to: number])[]):
ReturnType<typeof earlierTrouble> {
  const values = Float64Array.from({ length: grid.count }, (_, index) =>
    (over.some(([from, to]) => index >= from && index < to) ? 9 : 1));
  const range = {
    query: expression, values, infinite: 0,
    answer: { grid, series: [], warnings: [], isTruncated: false },
  };
  const own = { window: range, since: null, yesterday: null, lastWeek: null } as unknown as
    Parameters<typeof earlierTrouble>[0]['own'];
  return earlierTrouble({ own, limit: null, reading: readExpression(expression) }, split);
}

function spansOf(marked: Uint8Array | undefined): string {
  return [...(marked ?? [])].join('').replace(/0+|1+/gu, (run, at: number) =>
    (run.startsWith('1') ? `${at}-${at + run.length - 1} ` : '')).trim();
}

const rate = 'rate(errors_total[3m]) > 5';

test('earlier stretches beyond the limit are marked, from where the trouble may have begun', () => {
  const found = troubleOf(rate, [[20, 25], [60, 62], [100, 120]]);
  assert.equal(spansOf(found?.marked), '16-25 56-62');
  assert.equal(found?.isUsualLeft, true);
});

test('a stretch that reaches the split is the trouble itself', () => {
  assert.equal(troubleOf(rate, [[95, 120]]), null);
  assert.equal(spansOf(troubleOf(rate, [[20, 25], [95, 120]])?.marked), '16-25');
});

test('where trouble was frequent, there is no usual state', () => {
  assert.equal(troubleOf(rate, [[5, 70], [100, 120]])?.isUsualLeft, false);
});

test('without an earlier stretch, or where more than the value decides, nothing is marked', () => {
  assert.equal(troubleOf(rate, [[100, 120]]), null);
  assert.equal(troubleOf('errors > 5 and requests > 10', [[20, 25]]), null);
  assert.equal(troubleOf('absent(errors)', [[20, 25]]), null);
});
