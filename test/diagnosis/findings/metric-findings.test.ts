import assert from 'node:assert/strict';
import test from 'node:test';
import { assertCompleteReport } from '../../support/complete-report.ts';
import { cpuTimer } from '../../support/cpu-timer.ts';
import { anAlert } from '../../support/samples/alerts.ts';
import {
  concluded, latencyCase, moving, problemBegan, type FactsOver,
} from '../../support/samples/metric-facts.ts';

test('findingsOf says what was measured of it, its peers and its data', () => {
  const { findings, impact, report } = concluded(latencyCase(), {
    peers: { total: 12, beyond: 9 }, own: { crossedMs: [1, 2, 3], worst: 2.4 },
    scrape: {
      up: 11, total: 12, down: [{ instance: 'web-1:80' }],
      gaps: [{ fromMs: problemBegan, toMs: problemBegan + 90_000 }],
    },
    fired: { intervals: [
      { fromMs: problemBegan - 7_200_000, toMs: problemBegan - 7_000_000 },
      { fromMs: problemBegan + 300_000, toMs: problemBegan + 2_100_000 },
    ], pendingOnly: 2 },
    candidates: [moving('orders-db', 'connections', { after: 198 }), moving('cart', 'a_bytes')],
  });
  assertCompleteReport(report);
  const texts = findings.map(({ text }) => text);
  for (const expected of [
    'When last checked, the value was 1.9 s, 3.8× its threshold of 500 ms.',
    'Beyond its threshold since 09:55 UTC.',
    'The value crossed its threshold 3 times in the window examined.',
    'At its worst, the value was 2.4 s.',
    'When last checked, 9 of the 12 series of its rule were beyond the threshold.',
    '1 of 12 targets cannot be scraped: web-1:80.',
    'Its data has a gap of 1 min 30 s from 09:55 UTC.',
    'It started firing 2 times in 24 h, 2 times in 7 days and 2 times in 30 days.',
    'It was pending 2 more times without firing.',
    '1 of 2 series moved; less than one is expected by chance.',
  ]) {
    assert.ok(texts.includes(expected), `${expected} not in ${texts.join('\n')}`);
  }
  assert.equal(impact.scope, 'broad');
});

test('findingsOf says how many changes are chance at most', () => {
  const candidates = Array.from({ length: 240 }, (_, index) =>
    moving(`c-${index}`, 'load', { after: index === 0 ? 90 : 40 }));
  const { findings } = concluded(latencyCase(), { candidates });
  const texts = findings.map(({ text }) => text);
  assert.ok(texts.includes('1 of 240 series moved; at most 2 are expected by chance.'));
});

test('findingsOf says what there is not, where that is what the rule fires on', () => {
  const caseFile = latencyCase();
  const of = (expression: string): string[] => concluded(latencyCase({
    alert: {
      ...caseFile.alert,
      generatorURL: `http://p/graph?g0.expr=${encodeURIComponent(expression)}`,
    },
  }), {}).findings.map(({ text }) => text);
  const said = 'The rule fires when orders{job="shop"} has no series.';
  assert.ok(of('absent(orders{job="shop"})').includes(said));
  assert.ok(of('orders{job="shop"} offset 1d unless orders{job="shop"}').includes(said));
});

test('findingsOf counts two or all series of a rule in words, and tells a worst value once', () => {
  const of = (total: number, beyond: number): string[] => {
    const { findings } = concluded(latencyCase(), {
      own: { valueNow: 1.903, worst: 1.904 }, peers: { total, beyond },
    });
    return findings.map(({ text }) => text);
  };
  for (const [total, beyond, expected] of [
    [2, 2, 'both series of its rule were'], [3, 3, 'all 3 series of its rule were'],
    [3, 0, 'none of the 3 series of its rule was'],
  ] as const) {
    assert.ok(of(total, beyond).includes(`When last checked, ${expected} beyond the threshold.`));
  }
  assert.ok(of(2, 2).every((text) => !text.startsWith('At its worst')));
});

test('of a rule on a state nothing is said to be beyond a threshold', () => {
  const alert = anAlert({
    labels: { alertname: 'ReplicaReadOnly', service: 'db' },
    generatorURL: 'http://p/graph?g0.expr=read_only+%3D%3D+1',
  });
  const { findings, timeline } = concluded(latencyCase({ alert }), {
    own: { valueAtFire: 1, valueNow: 1, worst: 1 }, peers: { total: 3, beyond: 2 },
  });
  const said = [...findings, ...timeline].map(({ text }) => text);
  for (const expected of [
    'It has matched its rule since 09:55 UTC.',
    'When last checked, 2 of the 3 series of its rule matched it.',
    'The value matches its rule from here on.',
  ]) assert.ok(said.includes(expected), said.join(' '));
  assert.ok(said.every((text) => !/beyond/iu.test(text)), said.join(' '));
  const back = concluded(latencyCase({ alert }), {
    own: {
      valueAtFire: 1, valueNow: 0, worst: 1, overSinceMs: null, crossedMs: [1, 2, 3],
      yesterday: 1, lastWeek: 1,
    },
  });
  const told = [...back.findings, ...back.verdict.reasons].map(({ text }) => text);
  for (const expected of [
    'The value no longer matches its rule, but the alert is still firing.',
    'The value started or stopped matching its rule 3 times in the window examined.',
    'The value also matched its rule a day and a week before it fired.',
  ]) assert.ok(told.includes(expected), told.join(' '));
  assert.ok(told.every((text) => !/threshold/iu.test(text)), told.join(' '));
  assert.match(back.verdict.do_first ?? '', /^Nothing now: the value no longer matches its rule\./);
  const kept = concluded(latencyCase({ alert }), {
    own: { valueAtFire: 1, valueNow: 0, worst: 1, overSinceMs: null },
    rule: { keepFiringSeconds: 300 },
  });
  assert.ok(kept.verdict.reasons.some(({ text }) => text === 'The value no longer matches its ' +
    'rule, but the alert is still firing: its rule keeps it firing for 5 min.'));
});

test('findingsOf tells how fast an error budget burns where the rule is written so', () => {
  const { alert } = latencyCase();
  const burns = (expression: string, alertname = 'CheckoutBudgetBurn'): string | undefined => {
    const generatorURL = `http://p/graph?g0.expr=${encodeURIComponent(expression)}`;
    const { findings } = concluded(
      latencyCase({ alert: { ...alert, generatorURL, labels: { alertname } } }),
      { own: { valueNow: 0.0453, valueAtFire: 0.0145 } },
    );
    return findings.find(({ text }) => text.startsWith('The error budget'))?.text;
  };
  assert.equal(burns('job:slo:ratio_rate1h > (14.4 * 0.001) and job:slo:ratio_rate5m > 0.0144'),
    "The error budget burns at 45.3× the sustainable rate; the rule's threshold is 14.4×.");
  assert.equal(burns('job:slo:ratio_rate1h > 0.0144'), undefined);
  assert.equal(burns('used_ratio > 0.1 * 0.2', 'PoolUse'), undefined);
  const cpuMs = cpuTimer();
  burns(`job:slo:ratio_rate1h > 0.0144 and x > ${'1'.repeat(15_000)}`);
  assert.ok(cpuMs() < 2_000);
});

test('findingsOf calls the alert alone beyond its threshold only where it is', () => {
  const said = (beyond: number, own: FactsOver['own'] = {}): string | undefined =>
    concluded(latencyCase(), { peers: { total: 12, beyond }, own }).findings
      .find(({ text }) => text.includes('12 series'))?.text;
  assert.equal(said(1), 'When last checked, of the 12 series of its rule, only this one was ' +
    'beyond the threshold.');
  const back = { valueNow: 0.2, overSinceMs: null };
  assert.equal(said(1, back), 'When last checked, 1 of the 12 series of its rule was ' +
    'beyond the threshold.');
  assert.equal(said(0, back), 'When last checked, none of the 12 series of its rule was ' +
    'beyond the threshold.');
});
