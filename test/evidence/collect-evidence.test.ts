import assert from 'node:assert/strict';
import test from 'node:test';
import { collectEvidence, ownItemsMax } from '../../src/evidence/collect-evidence.ts';
import { Ledger } from '../../src/evidence/ledger.ts';
import { addMissingSources } from '../../src/evidence/missing-sources.ts';
import { noFacts } from '../../src/evidence/source-facts.ts';
import { bySource } from '../../src/sources/asked-source.ts';
import { aCaseFile, caseNow } from '../support/samples/case-files.ts';
import { latencyCase, someFacts } from '../support/samples/metric-facts.ts';

test("addMissingSources uses the collector's item of a configured source", () => {
  const ledger = new Ledger();
  const series = ledger.add({ kind: 'series', source: 'prometheus', title: 'a', summary: 'a' });
  const own = ledger.add({
    kind: 'source', source: 'prometheus', title: 'b', summary: 'b', state: 'empty',
  });
  const sources = addMissingSources(ledger, new Set(['prometheus', 'alertmanager']));
  assert.equal(sources.prometheus.id, own);
  assert.notEqual(sources.prometheus.id, series);
  assert.deepEqual(bySource((name) => sources[name].state), {
    prometheus: 'empty', alertmanager: 'failed', loki: 'not_configured',
    kubernetes: 'not_configured',
  });
  const missing = ledger.items.filter(({ state }) => state === 'not_configured');
  assert.deepEqual(missing.map(({ source }) => source), ['kubernetes', 'loki']);
});

test('collectEvidence takes the value from the series, else from the alert', () => {
  const facts = (own: Parameters<typeof someFacts>[1]): unknown[] => {
    const ledger = new Ledger();
    const metrics = someFacts(ledger, own);
    const { measurement, sources } = collectEvidence(latencyCase(), {
      ...noFacts, ledger, now: caseNow, familyUnit: null, metrics,
      configured: new Set(['prometheus']),
    });
    return [measurement.origin, measurement.value, measurement.unit, sources.prometheus];
  };
  assert.deepEqual(facts({}), ['series', 1.9, 'seconds', 'ok']);
  assert.deepEqual(facts({ own: { valueNow: null } }), ['series', 1.6, 'seconds', 'ok']);
  assert.deepEqual(facts({ own: null }), [null, null, 'seconds', 'ok']);
  assert.deepEqual(facts({ own: { valueNow: Infinity } }), ['series', Infinity, 'seconds', 'ok']);
  assert.deepEqual(
    facts({ own: { valueNow: null, valueAtFire: null, worst: 0.3 } }),
    [null, null, 'seconds', 'ok'], 'what is within the threshold made nothing fire',
  );
});

test('collectEvidence does not use the value now for an alert that has ended', () => {
  const { alert, episode } = latencyCase();
  const endsAt = '2026-11-20T10:20:00Z';
  const ended = latencyCase({
    alert: { ...alert, status: 'resolved', endsAt }, episode: { ...episode, endsAt },
  });
  const ledger = new Ledger();
  const metrics = someFacts(ledger, { own: { valueNow: 0.1, valueAtFire: 1.6 } });
  const { measurement } = collectEvidence(ended, {
    ...noFacts, ledger, now: caseNow, familyUnit: null, metrics,
    configured: new Set(['prometheus']),
  });
  assert.equal(measurement.value, 1.6);
});

test('collectEvidence takes the unit of the text only if its number is the measured one', () => {
  const unitOf = (description: string): string | null => {
    const { alert, ...rest } = latencyCase();
    const ledger = new Ledger();
    const metrics = someFacts(ledger, { own: { valueAtFire: 1, valueNow: 1 } });
    const generatorURL = `http://p/graph?g0.expr=${encodeURIComponent('sum(pods_waiting) > 0')}`;
    const sent = { ...alert, generatorURL, annotations: { description } };
    return collectEvidence({ ...rest, alert: sent }, {
      ...noFacts, ledger, now: caseNow, familyUnit: null, metrics,
      configured: new Set(['prometheus']),
    }).measurement.unit;
  };
  assert.equal(unitOf('Pods have waited 15 minutes.'), null);
  assert.equal(unitOf('The wait is 1.02 s.'), null, 'the rule may count anything');
  assert.equal(unitOf('The size is 1.02 B.'), 'bytes');
});

test("collectEvidence uses the family's unit only for limits in its range", () => {
  const unitOf = (expression: string, familyUnit = 'seconds'): string | null => {
    const { alert, ...rest } = latencyCase();
    const link = `http://p/graph?g0.expr=${encodeURIComponent(expression)}`;
    return collectEvidence({ ...rest, alert: { ...alert, generatorURL: link } }, {
      ...noFacts, ledger: new Ledger(), now: caseNow, familyUnit, configured: new Set(),
    }).measurement.unit;
  };
  assert.equal(unitOf('latency_p99 > 0.5'), 'seconds');
  assert.equal(unitOf('latency_p99 > 500'), null, 'these are milliseconds');
  assert.equal(unitOf('connected_replicas > 0'), null, 'that is a number of things');
  assert.equal(unitOf('latency_p99 * 60 > 30'), null);
  assert.equal(unitOf('errors > 0', 'ratio'), null, 'that is a count');
  assert.equal(unitOf('errors > 0.05', 'ratio'), 'ratio');
  assert.equal(unitOf('mysql_slave_status_seconds_behind_master > 300'), 'seconds');
});

test('collectEvidence takes no value from the text of a rule whose query failed', () => {
  const annotations = { summary: 'Success rate is -1 %', grafana_state_reason: 'Error' };
  const { alert } = aCaseFile();
  const { measurement } = collectEvidence(aCaseFile({ alert: { ...alert, annotations } }), {
    ...noFacts, ledger: new Ledger(), now: caseNow, familyUnit: null, configured: new Set(),
  });
  assert.deepEqual([measurement.value, measurement.origin], [null, null]);
});

test('collectEvidence adds no more items than ownItemsMax', () => {
  const ledger = new Ledger();
  collectEvidence(aCaseFile(), {
    ...noFacts, ledger, now: caseNow, familyUnit: null, configured: new Set(),
  });
  assert.ok(ledger.items.length <= ownItemsMax, `${ledger.items.length} items`);
});
