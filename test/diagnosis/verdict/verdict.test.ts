import assert from 'node:assert/strict';
import test from 'node:test';
import type { CaseFile } from '../../../src/report/case-file.ts';
import type { Classification } from '../../../src/report/report.ts';
import { anAlert } from '../../support/samples/alerts.ts';
import {
  aCaseFile, investigated, openAlert, pastEpisode,
} from '../../support/samples/case-files.ts';

function labelled(labels: Record<string, string>): Partial<CaseFile> {
  return { alert: anAlert({ labels }) };
}

const shortOnes = [2, 20, 40, 60, 80].map((hours, index) => pastEpisode(6 - index, hours, 2));

test('verdict classifies by the first rule that fits', async () => {
  const fresh = { ...aCaseFile().episode, number: 7, startsAt: '2026-11-20T10:29:00Z' };
  const absent = 'http://p/graph?g0.expr=absent(up)';
  const cases: readonly [string, Partial<CaseFile>, Classification][] = [
    ['plain', {}, 'actionable'],
    ['info', labelled({ alertname: 'X', severity: 'info' }), 'informational'],
    ['none', labelled({ alertname: 'X', severity: 'none' }), 'informational'],
    ['watchdog', labelled({ alertname: 'Watchdog' }), 'informational'],
    ['no data', labelled({ alertname: 'DatasourceNoData', severity: 'critical' }), 'data_problem'],
    ['absent', { alert: anAlert({ generatorURL: absent }) }, 'data_problem'],
    ['short-lived', { earlier: shortOnes, episode: fresh }, 'noisy'],
    ['short-lived, but critical', {
      ...labelled({ alertname: 'X', severity: 'critical' }), earlier: shortOnes, episode: fresh,
    }, 'actionable'],
    ['longer than ever', { earlier: shortOnes }, 'actionable'],
    ['nothing said', labelled({ case: 'x' }), 'inconclusive'],
    ['resolved', {
      alert: anAlert({ status: 'resolved', endsAt: '2026-11-20T10:10:00Z' }), earlier: shortOnes,
    }, 'recovered'],
  ];
  for (const [name, over, expected] of cases) {
    const { verdict } = await investigated(aCaseFile(over));
    assert.equal(verdict.classification, expected, name);
  }
});

test('verdict confirms only what the alert itself proves', async () => {
  const labels = { alertname: 'NobodyKnowsThis', pod: 'p', reason: 'OOMKilled' };
  const { verdict, hypotheses } = await investigated(aCaseFile(labelled(labels)));
  assert.equal(verdict.certainty, 'confirmed');
  assert.match(verdict.most_likely ?? '', /memory/iu);
  assert.equal(hypotheses[0]?.certainty, 'confirmed');
  const raised = verdict.reasons.find(({ effect }) => effect === 'raises');
  assert.deepEqual(raised?.evidence, ['E1']);
});

test('verdict confirms the cause that the label proves, whatever the text mentions', async () => {
  const labels = {
    alertname: 'KubePodCrashLooping', namespace: 'shop', pod: 'api-1', container: 'api',
    reason: 'OOMKilled', severity: 'warning',
  };
  const annotations = { description: 'Restarts; check image, config, liveness and exit code 1.' };
  const report = await investigated(aCaseFile({ alert: anAlert({ labels, annotations }) }));
  const [first, ...rest] = report.hypotheses;
  assert.match(first?.cause ?? '', /memory/iu);
  assert.equal(first?.certainty, 'confirmed');
  assert.ok(first?.for.some(({ text }) => text.includes('reason="OOMKilled"')));
  assert.ok(rest.length > 0 && rest.every(({ certainty }) => certainty !== 'confirmed'));
  assert.ok(new Set(report.hypotheses.map(({ cause }) => cause)).size === report.hypotheses.length);
});

test('verdict proves by a reason only the cause that this reason names', async () => {
  const labels = { alertname: 'etcdMembersDown', namespace: 'kube-system', reason: 'OOMKilled' };
  const { verdict } = await investigated(aCaseFile(labelled(labels)));
  assert.equal(verdict.certainty, 'confirmed');
  assert.match(verdict.most_likely ?? '', /memory/iu);
});

test('verdict leads from an alert of a storm to the report that has the evidence', async () => {
  const representative = { name: 'NodeDown', reportUrl: 'http://r.example/report/abc/1' };
  const caseFile = aCaseFile({ storm: { size: 60, representative } });
  const { verdict } = await investigated(caseFile);
  assert.match(verdict.do_first ?? '', / NodeDown, .*: http:\/\/r\.example\/report\/abc\/1$/u);
  assert.equal(verdict.first_step, undefined);
  const alone = await investigated(aCaseFile({ storm: { size: 60, representative: null } }));
  assert.doesNotMatch(alone.verdict.do_first ?? '', /storm/u);
});

test('verdict has nothing to do first when it is over or for information only', async () => {
  const ended = anAlert({ status: 'resolved', endsAt: '2026-11-20T10:05:00Z' });
  const over = await investigated(aCaseFile({ alert: ended }));
  assert.equal(over.verdict.do_first, 'Nothing now: the alert has ended.');
  const silent = anAlert({ ...ended, labels: { alertname: 'Watchdog' } });
  const stopped = await investigated(aCaseFile({ alert: silent }));
  assert.equal(stopped.verdict.classification, 'actionable');
  assert.match(stopped.verdict.headline, /It stopped 10:05 UTC/u);
  assert.match(stopped.verdict.do_first ?? '', /^Check that Prometheus/u);
  const watchdog = await investigated(aCaseFile(labelled({ alertname: 'Watchdog' })));
  assert.match(watchdog.verdict.do_first ?? '', /for information/u);
  assert.equal(watchdog.hypotheses.length, 0);
});

test('verdict takes the end of any heartbeat for a problem, and of nothing else', async () => {
  const endOf = async (alertname: string, expression = 'vector(1)'): Promise<Classification> => {
    const generatorURL = `http://p/graph?g0.expr=${encodeURIComponent(expression)}`;
    const alert = anAlert({
      status: 'resolved', endsAt: '2026-11-20T10:05:00Z', labels: { alertname }, generatorURL,
    });
    return (await investigated(aCaseFile({ alert }))).verdict.classification;
  };
  assert.equal(await endOf('PrometheusAlertmanagerE2eDeadManSwitch'), 'actionable');
  assert.equal(await endOf('EverythingIsWired'), 'actionable');
  assert.equal(await endOf('InfoInhibitor'), 'recovered');
  // The name alone is no heartbeat where its rule looks for a missing one.
  assert.equal(await endOf('DeadMansSwitch', 'time() - last_heartbeat_seconds > 300'), 'recovered');
});

test('verdict says possible for what only began earlier, inconclusive without that', async () => {
  const alert = anAlert({ labels: { alertname: 'NobodyKnowsThis', instance: 'a:1' } });
  const earlier = openAlert({ alertname: 'DiskFull', instance: 'a:1' }, -180);
  const { verdict } = await investigated(aCaseFile({ alert, openAlerts: [earlier] }));
  assert.equal(verdict.certainty, 'possible');
  assert.match(verdict.most_likely ?? '', /DiskFull, which began 3 min earlier/u);
  const together = openAlert({ alertname: 'DiskFull', instance: 'a:1' }, -20);
  const atOnce = await investigated(aCaseFile({ alert, openAlerts: [together] }));
  assert.equal(atOnce.verdict.certainty, 'inconclusive');
  const info = { alertname: 'PeakSeen', instance: 'a:1', severity: 'info' };
  const openAlerts = [openAlert(info, -180)];
  const informed = await investigated(aCaseFile({ alert, openAlerts }));
  assert.equal(informed.verdict.certainty, 'inconclusive');
  const minor = anAlert({ labels: { ...info, alertname: 'NobodyKnowsThis' } });
  const alike = await investigated(aCaseFile({ alert: minor, openAlerts }));
  assert.match(alike.verdict.most_likely ?? '', /PeakSeen/u);
  const later = openAlert({ alertname: 'DiskFull', instance: 'a:1' }, 180);
  const alone = await investigated(aCaseFile({ alert, openAlerts: [later] }));
  assert.equal(alone.verdict.certainty, 'inconclusive');
  assert.equal(alone.verdict.most_likely, null);
});

test('verdict blames no alert that began minutes earlier for what comes slowly', async () => {
  const labels = {
    alertname: 'HostDiskWillFillIn24Hours', instance: 'a:1', job: 'node', mountpoint: '/data',
  };
  const mostLikely = async (earlier: string): Promise<string | null> => {
    const openAlerts = [openAlert({ ...labels, alertname: earlier }, -180)];
    return (await investigated(aCaseFile({ alert: anAlert({ labels }), openAlerts })))
      .verdict.most_likely;
  };
  assert.equal(await mostLikely('HostClockNotSynchronising'), null);
  assert.equal(await mostLikely('NobodyKnowsThis'), null);
  assert.match(await mostLikely('HostOutOfDiskSpace') ?? '', /HostOutOfDiskSpace, which began/u);
});

test('verdict is never likely and always names the missing metrics', async () => {
  const { verdict } = await investigated(aCaseFile());
  assert.notEqual(verdict.certainty, 'likely');
  assert.ok(verdict.reasons.some(({ text }) => text.startsWith('No metric source')));
});

test('headline says value, limit and since when', async () => {
  const alert = anAlert({
    labels: { alertname: 'CheckoutLatencyHigh', service: 'checkout', namespace: 'payments' },
    annotations: { description: 'p95 is 1.9s' },
    generatorURL: 'http://p/graph?g0.expr=l_seconds+%3E+0.5',
  });
  const { verdict, reality } = await investigated(aCaseFile({ alert }));
  assert.equal(
    verdict.headline,
    'CheckoutLatencyHigh on checkout in payments: 1.9 s, 3.8× its threshold of 500 ms. ' +
      'Firing since 10:00 UTC.',
  );
  assert.deepEqual(
    [reality.value_at_fire, reality.threshold, reality.operator, reality.unit],
    [1.9, 0.5, '>', 'seconds'],
  );
  assert.deepEqual(reality.evidence, ['E2', 'E3', 'E5']);
});

test('headline adds the object that the words leave out', async () => {
  const annotations = { summary: 'Pod is crash looping.' };
  const labels = { alertname: 'X', pod: 'api-1', namespace: 'shop' };
  const { verdict } = await investigated(aCaseFile({ alert: anAlert({ labels, annotations }) }));
  assert.match(verdict.headline, /^api-1 in shop: “Pod is crash looping.” Firing since/u);
});

test('the test of a cause is whole or left out', async () => {
  const labels = { alertname: 'KafkaConsumerLag', job: 'kafka' };
  const testOf = async (topic: string): Promise<string | null | undefined> => {
    const named = { ...labels, consumergroup: topic, topic };
    const { hypotheses } = await investigated(aCaseFile(labelled(named)));
    return hypotheses.find(({ cause }) => cause.startsWith('One message or'))?.test;
  };
  assert.match(await testOf('t') ?? '', /\)$/u);
  assert.equal(await testOf('t'.repeat(1000)), null);
});

test('a storm is told by how far it reaches', async () => {
  const openAlerts = Array.from({ length: 23 }, (_, index) => {
    return openAlert({ alertname: 'HighCPU', instance: `i${index}`, severity: 'warning' }, index);
  });
  const report = await investigated(aCaseFile({ openAlerts, sameNameOpen: 23 }));
  assert.equal(report.impact.scope, 'broad');
  assert.equal(report.impact.firing_same, 24);
  assert.equal(report.impact.affected[0], 'instance=a:9100');
  assert.equal(report.impact.affected.length, 24);
  assert.ok(report.findings.some(({ text }) =>
    text === '23 other alerts of the same name are open.'));
});

test('an alert of a storm that is not investigated says where the evidence is', async () => {
  const reportUrl = 'https://reports.example/report/a/1';
  const representative = { fingerprint: 'a', name: 'NodeDown', startsAt: '', reportUrl };
  const lowering = async (over: Partial<CaseFile>): Promise<string[]> =>
    (await investigated(aCaseFile(over))).verdict.reasons.map(({ text }) => text);
  const [first] = await lowering({ storm: { size: 30, representative } });
  assert.match(first ?? '', /^Not investigated by itself: .* storm of 30 alerts, see .* NodeDown/u);
  for (const storm of [null, { size: 30, representative: null }]) {
    assert.ok((await lowering({ storm })).every((text) => !text.startsWith('Not investigated')));
  }
});

test('rules of kinds that cannot be read are said to be so', async () => {
  const generatorURL = 'http://p/graph?g0.expr=a+%3E+1+or+b+%3E+2';
  const { unknowns, reality } = await investigated(aCaseFile({ alert: anAlert({ generatorURL }) }));
  assert.equal(reality.threshold, null);
  const limit = unknowns.find(({ what }) => what === 'The threshold of the rule.');
  assert.equal(limit?.why, 'The rule fires on any of several conditions.');
});
