import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ruleOf, stateSamples } from '../../scripts/ranking/case-alert.ts';
import {
  reportedComponents, reportOn, type ReportedCase,
} from '../../scripts/ranking/reported-case.ts';
import { clockRate } from '../support/programs/node-options.ts';
import { startAnalyst, unlimited } from '../support/programs/running-analyst.ts';
import { startPrometheus } from '../support/programs/running-prometheus.ts';
import {
  alertingService, alertOfMany, manySeries, troubledService, type ManySeries,
} from '../support/sources/many-series.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const troubleBeganSeconds = 480;
/** The service's clock is slowed down, so that its deadlines hold on a busy machine. */
const rate = 0.2;
const secondsMax = 10;

/** The report on the alert of such a namespace, from a service that was just started. */
async function reportOfMany(t: TestContext, many: ManySeries): Promise<ReportedCase> {
  const nowSeconds = Math.floor(Date.now() / 60_000) * 60;
  const moment = { onsetSeconds: nowSeconds - troubleBeganSeconds, nowSeconds };
  const alert = alertOfMany(many.namespace, moment);
  const samples = function* (): Generator<string> {
    yield* manySeries(many, moment);
    yield* stateSamples(alert, moment);
  };
  const prometheus = await startPrometheus(t, { samples: samples(), rules: [ruleOf(alert)] });
  const analyst = await startAnalyst({
    dataDirectory: temporaryDirectory(),
    env: { ...unlimited, ...clockRate(rate), PROMETHEUS_URL: prometheus.url },
  }, t);
  const reported = await reportOn(alert, { analyst: analyst.url, prometheus: prometheus.url });
  t.diagnostic(`${many.count} series: ${reported.seconds.toFixed(2)} s`);
  return reported;
}

test('a report on a namespace of 5000 series is ready in time', async (t) => {
  const { report, seconds } = await reportOfMany(t, {
    namespace: 'wide', count: 5_000, historySteps: 195,
  });
  assert.equal(report.status, 'ready');
  assert.ok(seconds * rate < secondsMax, `${seconds} s`);
  const [first] = reportedComponents(report.changes, alertingService);
  assert.equal(first, troubledService);
  assert.ok((report.reality.value_at_fire ?? 0) > 3);
});

test('a report on a namespace of 50000 series is in time and says what is left out', async (t) => {
  const { report, seconds } = await reportOfMany(t, {
    namespace: 'vast', count: 50_000, historySteps: 12,
  });
  assert.equal(report.status, 'ready');
  assert.ok(seconds * rate < secondsMax, `${seconds} s`);
  assert.ok((report.reality.value_at_fire ?? 0) > 3);
  const cut = report.evidence.filter(({ truncated }) => truncated);
  assert.ok(cut.some(({ source }) => source === 'prometheus'));
});
