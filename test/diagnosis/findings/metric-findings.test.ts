import assert from 'node:assert/strict';
import test from 'node:test';
import { cpuTimer } from '../../support/cpu-timer.ts';
import { concluded, latencyCase, type FactsOver } from '../../support/samples/metric-facts.ts';

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
