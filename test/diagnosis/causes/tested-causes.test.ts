import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Report } from '../../../src/report/report.ts';
import { anAlert } from '../../support/samples/alerts.ts';
import { aCaseFile } from '../../support/samples/case-files.ts';
import { concluded } from '../../support/samples/metric-facts.ts';

test('an average from mostly before the problem rules out nothing that has just begun', () => {
  const lag = aCaseFile({ alert: anAlert({
    labels: { alertname: 'NodejsEventLoopLagHigh', job: 'pay', instance: 'pay-1:1' },
  }) });
  const conclude = (isDiluted: boolean): Report => {
    const computes = { samples: [0.04], query: 'rate(process_cpu_seconds_total[30s])', isDiluted };
    return concluded(lag, { answers: { 'cpu-bound': computes } }).report;
  };
  const [ruledOut] = conclude(false).ruled_out;
  assert.match(ruledOut?.why ?? '', /which rules it out\.$/u);
  const early = conclude(true);
  assert.deepEqual(early.ruled_out, []);
  const reasons = JSON.stringify(early.verdict.reasons);
  assert.match(reasons, /One test of a known cause was inconclusive/u);
});
