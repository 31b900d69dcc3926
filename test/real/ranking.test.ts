import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { LabelledCase } from '../../scripts/ranking/labelled-case.ts';
import { readLabelledIncidents } from '../../scripts/ranking/labelled-incidents.ts';
import {
  finishedReport, placeOfCulprit, reportOn,
} from '../../scripts/ranking/reported-case.ts';
import { accuracyOfPlaces } from '../../scripts/ranking/score.ts';
import { namespaceOf, serveCases } from '../../scripts/ranking/served-cases.ts';
import { beforePointsMin } from '../../src/statistics/robust-change.ts';
import { clockRate } from '../support/programs/node-options.ts';
import { eventually, freePort } from '../support/programs/programs.ts';
import { startAlertmanager } from '../support/programs/running-alertmanager.ts';
import { startAnalyst, unlimited, type Analyst } from '../support/programs/running-analyst.ts';
import { assertChangesAreThere } from '../support/reported-changes.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const { cases } = readLabelledIncidents(join(process.cwd(), 'test/fixtures/labelled-incidents'));
const casesPerDataset = 12;
/** More at once would be a storm, in which not every alert is investigated. */
const casesPerService = 6;
/**
 * Far below the measured scores, as a dozen cases say little: these floors only notice when reports
 * no longer follow the ranking. `scripts/score-reports.ts` measures the scores.
 */
const floors = [{ dataset: 'PetShop', avg5: 0.5 }, { dataset: 'Nezha', avg5: 0.4 }] as const;

/** Spread evenly over the list, so that every kind of fault is among them. */
function someOf(dataset: string): LabelledCase[] {
  const all = cases.filter((incident) => incident.dataset === dataset);
  return all.filter((_, index) => {
    return Math.floor(index * casesPerDataset / all.length) !==
      Math.floor((index - 1) * casesPerDataset / all.length);
  });
}

for (const { dataset, avg5 } of floors) {
  test(`reports on ${dataset} name the culprit, in time and with data`, async (t) => {
    const { prometheus, served } = await serveCases(t, someOf(dataset));
    const places: number[] = [];
    let analyst: Analyst | null = null;
    for (const [index, { incident, alert }] of served.entries()) {
      if (analyst === null || index % casesPerService === 0) {
        analyst = await freshAnalyst(t, prometheus.url);
      }
      const { report, seconds } = await reportOn(alert, {
        analyst: analyst.url, prometheus: prometheus.url,
      });
      assert.equal(report.status, 'ready', incident.id);
      assert.ok(seconds < 10, `${incident.id}: ${seconds} s`);
      places.push(placeOfCulprit(report, incident));
      // With so little before the fault, there may be nothing to compare with.
      const mayBeEmpty = incident.split < beforePointsMin;
      if (report.changes.length > 0 || !mayBeEmpty) await assertChangesAreThere(report, prometheus);
    }
    const accuracy = accuracyOfPlaces(places);
    t.diagnostic(JSON.stringify(accuracy));
    assert.equal(accuracy.cases, casesPerDataset);
    assert.ok(accuracy.avg5 >= avg5, `Avg@5 ${accuracy.avg5}`);
  });
}

async function freshAnalyst(t: TestContext, prometheus: string): Promise<Analyst> {
  const analyst = await startAnalyst({
    dataDirectory: temporaryDirectory(),
    env: { ...unlimited, ...clockRate(0.2), PROMETHEUS_URL: prometheus },
  }, t);
  return analyst;
}

test('an alert of Prometheus, sent by Alertmanager, gets a report with its series', async (t) => {
  const incident = cases.find(({ id }) => id === 'petshop-low_traffic-test-issue_4');
  assert.ok(incident);
  const [analystPort, token] = [await freePort(), 'token-of-the-chain'];
  const alertmanager = await startAlertmanager(t, {
    analyst: `http://127.0.0.1:${analystPort}`, token,
  });
  const { prometheus } = await serveCases(t, [incident], {
    target: new URL(alertmanager.url).host, namespace: namespaceOf(incident),
  });
  const analyst = await startAnalyst({
    dataDirectory: temporaryDirectory(), port: analystPort,
    env: {
      ...unlimited, ...clockRate(0.2), ACCESS_TOKEN: token, PROMETHEUS_URL: prometheus.url,
    },
  }, t);
  const report = await finishedReport(analyst.url, await firingFingerprint(t, alertmanager.url));
  assert.equal(report.status, 'ready');
  assert.equal(report.alert.namespace, namespaceOf(incident));
  assert.ok(report.alert.generatorURL.includes('g0.expr='));
  const { operator, threshold, value_now: valueNow } = report.reality;
  assert.equal(operator, '>');
  assert.ok(threshold !== null && valueNow !== null && valueNow > threshold);
  assert.equal(report.provenance.sources.find(({ name }) => name === 'prometheus')?.state, 'ok');
  const place = placeOfCulprit(report, incident);
  assert.ok(place >= 1 && place <= 5, `place ${place}`);
  await assertChangesAreThere(report, prometheus);
});

async function firingFingerprint(t: TestContext, alertmanager: string): Promise<string> {
  const fingerprint = await eventually('the alert at Alertmanager', async () => {
    const response = await fetch(`${alertmanager}/api/v2/alerts`);
    const [first] = (await response.json()) as readonly { readonly fingerprint: string }[];
    return first?.fingerprint ?? null;
  });
  t.diagnostic(`fingerprint ${fingerprint}`);
  return fingerprint;
}
