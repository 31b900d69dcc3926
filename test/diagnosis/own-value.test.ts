import assert from 'node:assert/strict';
import test from 'node:test';
import type { Classification } from '../../src/report/report.ts';
import {
  concluded, latencyCase, type Concluded, type FactsOver,
} from '../support/samples/metric-facts.ts';

/** What is concluded of an alert on this expression, with these facts. */
function of(expression: string, over: FactsOver): Concluded {
  const { alert } = latencyCase();
  const generatorURL = `http://p/graph?g0.expr=${encodeURIComponent(expression)}`;
  return concluded(latencyCase({ alert: { ...alert, generatorURL } }), over);
}

function textsOf({ verdict: { reasons } }: Concluded): string {
  return reasons.map(({ text }) => text).join('\n');
}

test('a value is back within its threshold only where nothing says otherwise', () => {
  const within = { valueNow: 0.2, overSinceMs: null };
  const cases: readonly [string, string, NonNullable<FactsOver['own']>, Classification][] = [
    ['back', 'l_seconds > 0.5', within, 'recovered'],
    ['its series shows it beyond', 'l_seconds > 0.5', { valueNow: 0.2 }, 'actionable'],
    ['more conditions hold', 'l_seconds > 0.5 and x > 1', within, 'actionable'],
    ['no value', 'l_seconds > 0.5', { ...within, valueNow: null }, 'actionable'],
  ];
  for (const [name, expression, own, expected] of cases) {
    assert.equal(of(expression, { own }).verdict.classification, expected, name);
  }
});

test('a value is called barely over only by a threshold that stood still', () => {
  const own = { valueAtFire: 1.51, valueNow: 1.51, worst: 1.51, yesterday: null, lastWeek: null };
  assert.match(textsOf(of('l_seconds > 1.5', { own })), /^The value was never more than 2 %/m);
  const limit = { atFire: 1.5, now: 1.5, before: null, isGoneAtEnd: false };
  const moving = of('l_seconds > usual_seconds', { own: { ...own, limit } });
  assert.doesNotMatch(textsOf(moving), /never more than/);
});

test('a value is usual only where it was beyond its threshold on both days', () => {
  const said = (yesterday: number, lastWeek: number): boolean =>
    /a day and a week before it fired/.test(
      textsOf(of('l_seconds > 0.5', { own: { yesterday, lastWeek } })));
  assert.ok(said(0.9, 0.8));
  assert.ok(!said(0.2, 0.8));
  assert.ok(!said(0.9, 0.2));
});

test('a rule whose series is gone has a data problem, unless that is what it looks for', () => {
  const over: FactsOver = { own: null, scrape: { isStale: true } };
  assert.equal(of('l_seconds > 0.5', over).verdict.classification, 'data_problem');
  assert.equal(of('up == 0', over).verdict.classification, 'actionable');
});
