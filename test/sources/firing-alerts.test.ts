import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertmanagerIdentity } from '../../src/sources/alertmanager.ts';
import {
  firingAtAlertmanager, firingAtPrometheus,
} from '../../src/sources/firing-alerts.ts';
import { SourceFailure } from '../../src/sources/source-failure.ts';
import {
  answering, recorded, startFakeSource, type Answer,
} from '../support/sources/fake-source.ts';
import { testClient } from '../support/sources/source-clients.ts';

const { signal } = new AbortController();
const given = (name: string): Answer => answering(recorded(name));

test('firingAtAlertmanager() leaves out the alerts that nobody is notified of', async (t) => {
  const { url } = await startFakeSource(t, given('am-alerts'));
  const client = testClient({ url, identity: alertmanagerIdentity });
  const { alerts, suppressed, hasRules } = await firingAtAlertmanager(client, signal);
  assert.deepEqual(alerts.map(({ fingerprint, startsAt, labels }) =>
    [fingerprint, startsAt, labels['alertname']]),
  [['e4b2a46b2ad5a5ad', '2026-11-20T16:06:18.034Z', 'TargetDown']]);
  assert.deepEqual([suppressed, hasRules], [1, true]);
});

test('firingAtPrometheus() adds `for` to when an alert began, and links to its rule', async (t) => {
  const { url } = await startFakeSource(t, given('prom-rules-all'));
  const client = testClient({ url });
  const { alerts, hasRules } = await firingAtPrometheus(client, 'http://prom/x', signal);
  assert.ok(hasRules);
  assert.deepEqual(alerts.map(({ labels, startsAt }) => [labels['alertname'], startsAt]), [
    ['TargetDown', '2026-11-20T16:06:18.034Z'], ['HighScrapeDuration', '2026-11-20T16:06:18.034Z'],
  ]);
  assert.match(alerts[0]?.generatorURL ?? '', /^http:\/\/prom\/x\/graph\?g0\.expr=up%7B/);
});

test('firingAtPrometheus() knows a server without rules from one that is quiet', async (t) => {
  const rules = (groups: readonly object[]): Answer =>
    answering(JSON.stringify({ status: 'success', data: { groups } }));
  const quiet = { name: 'a', query: 'up > 5', type: 'alerting', state: 'inactive', alerts: [] };
  const group = { name: 'g', rules: [quiet] };
  for (const [groups, hasRules] of [[[], false], [[group], true]] as const) {
    const { url } = await startFakeSource(t, rules(groups));
    const found = await firingAtPrometheus(testClient({ url }), url, signal);
    assert.deepEqual(found, { alerts: [], suppressed: 0, hasRules });
  }
});

test('both refuse what is no answer of such a server', async (t) => {
  for (const body of ['{}', '[1]', '[{"labels":{}}]', '{"status":"success","data":{}}', '<p>']) {
    const { url } = await startFakeSource(t, answering(body));
    await assert.rejects(firingAtAlertmanager(testClient({ url }), signal), SourceFailure, body);
    await assert.rejects(firingAtPrometheus(testClient({ url }), url, signal), SourceFailure, body);
  }
});
