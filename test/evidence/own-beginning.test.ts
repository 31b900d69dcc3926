import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readExpression } from '../../src/evidence/rule/rule-expression.ts';
import {
  aRule, collected, firedAt, shop, shopExpression, shopSeries,
} from '../support/samples/shop-scenario.ts';

const minute = 60_000;
const { NaN } = Number;

/** When the problem begins for what a rule on `backlog` sees, which the server does not know. */
async function begunBefore(
  valueAt: (minutesBefore: number) => number,
  expression = 'backlog > 100',
): Promise<{ on: number; split: number }> {
  const reading = readExpression(expression);
  const series = [{
    labels: { namespace: 'shop', service: 'web' },
    valueAt: (atMs: number) => valueAt((firedAt - atMs) / minute),
  }];
  const compared = reading.comparison?.compared ?? expression;
  const { facts: { window } } = await collected(shop({
    rules: [], series: shopSeries(), expressions: { [compared]: series },
  }), { context: { rule: reading } });
  return {
    on: (firedAt - window.onMs) / minute, split: (window.onMs - window.splitMs) / minute,
  };
}

test('a problem begins where the own series shows it if the `for` is unknown', async () => {
  const rows: readonly (readonly [string, (minutes: number) => number, number])[] = [
    ['for 10 minutes', (minutes) => (minutes <= 10 ? 200 : 50), 10],
    ['at once', (minutes) => (minutes <= 0.1 ? 200 : 50), 0],
    ['anew after it was within', (minutes) => (minutes > 30 || minutes <= 3 ? 200 : 50), 3],
    ['anew after a gap', (minutes) => (minutes > 9 && minutes < 15 ? NaN : 200), 9],
    ['of a series that began', (minutes) => (minutes > 4 ? NaN : 200), 4],
    ['for longer than any wait', (minutes) => (minutes <= 180 ? 200 : 50), 5],
    ['before all that is seen', () => 200, 5],
  ];
  for (const [name, valueAt, expected] of rows) {
    const { on, split } = await begunBefore(valueAt);
    assert.equal(on, expected, name);
    assert.equal(split, (await begunBefore(() => 200)).split, name);
  }
});

test('a problem with two conditions does not begin before either of them', async () => {
  const both = 'backlog > 100 and on () busy == 1';
  assert.equal((await begunBefore((minutes) => (minutes <= 60 ? 200 : 50), both)).on, 5);
  assert.equal((await begunBefore((minutes) => (minutes <= 2 ? 200 : 50), both)).on, 2);
});

test('a problem begins with a series that exists only while the alert fires', async () => {
  const seen = (minutes: number): number => (minutes <= 7 ? 1 : NaN);
  assert.equal((await begunBefore(seen, 'absent(backlog)')).on, 7);
});

test('a known rule decides when the problem begins, whatever the series does', async () => {
  const rule = aRule({ durationSeconds: 120, query: shopExpression });
  const { facts } = await collected(shop({ rules: [rule], series: shopSeries() }));
  assert.equal((firedAt - facts.window.onMs) / minute, 2);
});
