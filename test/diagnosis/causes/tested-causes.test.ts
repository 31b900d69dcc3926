import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hypothesis, Report } from '../../../src/report/report.ts';
import { anAlert } from '../../support/samples/alerts.ts';
import { aCaseFile } from '../../support/samples/case-files.ts';
import {
  concluded, latencyCase, moving, type FactsOver,
} from '../../support/samples/metric-facts.ts';

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

test('a cause that people gave is the same for whichever of several an answer names', () => {
  const alert = anAlert({ labels: { alertname: 'HaproxyServerDown', job: 'haproxy' } });
  const refused = {
    samples: [1, 0], query: 'max by (proxy, server) (haproxy_server_check_status)',
    labels: [{ proxy: 'shop', server: 'a' }, { proxy: 'shop', server: 'b' }],
  };
  const causesWith = (...causes: string[]): Hypothesis[] => {
    const feedback = causes.map((cause) => ({
      fingerprint: alert.fingerprint, number: 2, startsAt: '2026-11-19T08:00:00Z',
      reportUrl: 'https://reports.example/report/x/2', at: '2026-11-20T09:30:00.000Z',
      verdict: 'right' as const, cause, note: null, noisy: false,
    }));
    const { hypotheses } = concluded(aCaseFile({ alert, feedback }), { answers: { refused } });
    return hypotheses.filter(({ cause }) => /refuses connections/u.test(cause));
  };
  const [found, ...others] = causesWith();
  assert.equal(found?.cause,
    'A server refuses connections: its process is not running (a)');
  assert.deepEqual(others, []);
  for (const told of [found.cause, found.cause.replace('(a)', '(b)'), found.cause.slice(0, -4)]) {
    const joined = causesWith(told);
    assert.equal(joined.length, 1, told);
    assert.match(joined[0]?.for.at(-1)?.text ?? '', /the on-call gave the cause as/u);
  }
});

test('a test whose answer lacks what is down rules nothing out', () => {
  const labels = { alertname: 'CephHealth', job: 'ceph' };
  const answers = { 'slow-device': { samples: [2], query: 'max(ceph_osd_apply_latency_ms)' } };
  const { report } = concluded(aCaseFile({ alert: anAlert({ labels }) }), { answers });
  assert.ok(report.hypotheses.some(({ cause }) => cause === 'A disk is slow or fails'));
  assert.deepEqual(report.ruled_out, []);
});

const young: readonly (readonly [alertname: string, id: string, cause: string])[] = [
  ['NodeFileDescriptorLimit', 'socket-leak', 'A process leaks sockets'],
  ['NodeFileDescriptorLimit', 'file-leak', 'A process leaks open files'],
  ['HostConntrackLimit', 'connection-leak', 'Connections are opened and never closed'],
  ['HostOutOfMemory', 'leak', 'A process leaks memory'],
];
for (const [alertname, id, cause] of young) {
  test(`what was flat for hours does not rule out that lately ${cause.toLowerCase()}`, () => {
    const labels = { alertname, job: 'node', instance: 'a:9100' };
    const answers = { [id]: { samples: [-0.001], query: 'min_over_time(a[1h])' } };
    const { report } = concluded(aCaseFile({ alert: anAlert({ labels }) }), { answers });
    assert.ok(report.hypotheses.some((each) => each.cause === cause));
    assert.deepEqual(report.ruled_out, []);
  });
}

for (const [gone, expected] of [
  [1, 'Prometheus lists fewer targets than an hour ago'], [0, 'The process is down or restarts'],
] as const) {
  test(`too few targets with ${gone} listed less than before: ${expected}`, () => {
    const alert = anAlert({
      labels: { alertname: 'ReplicasLow', job: 'pay' },
      generatorURL: 'http://p/graph?g0.expr=count(up{job="pay"} == 1) < 3',
    });
    const { hypotheses } = concluded(aCaseFile({ alert }), {
      answers: { 'process-down': { samples: [2] }, 'none-listed': { samples: [gone] } },
    });
    assert.equal(hypotheses[0]?.cause, expected);
    assert.equal(hypotheses[0]?.certainty, 'likely');
  });
}

test('what a cause names is followed to what that waits for in turn', () => {
  const calls = (from: string, peer: string, after: number): ReturnType<typeof moving> => {
    const labels = { peer };
    const made = moving(from, 'http_client_request_duration_seconds', {
      before: 0.08, after, side: 'external', labels, unit: 'seconds',
    });
    return { ...made, id: `${from} to ${peer}` };
  };
  const following = (...candidates: NonNullable<FactsOver['candidates']>): Report => {
    const dependency = { samples: [9], labels: [{ peer: 'cart' }] };
    const answers = { dependency, 'one-replica': { samples: [1] } };
    return concluded(latencyCase(), { answers, candidates }).report;
  };
  const still = ['pay', 'bank', 'stock'].map((name) => moving(name, 'threads'));
  const { hypotheses: [found], next_steps: [step] } = following(
    calls('cart', 'stock', 0.08), calls('cart', 'http://pay.shop.svc:8080/v1', 1.2),
    calls('pay', 'bank', 1.1), calls('bank', 'cart', 1.1), ...still);
  assert.equal(found?.cause,
    'Something it calls is slow (cart, because of pay, because of bank)');
  assert.deepEqual(found.for.slice(1).map(({ text }) => text), [
    'In turn, cart HTTP client request duration rose from 80 ms to 1.22 s.',
    'In turn, pay HTTP client request duration rose from 80 ms to 1.12 s.',
  ]);
  assert.match(step?.action ?? '', /^Look at bank: /u);
  const near = following(calls('cart', 'pay', 0.08), calls('other', 'pay', 1.2), ...still);
  assert.equal(near.hypotheses[0]?.cause, 'Something it calls is slow (cart)');
  assert.match(near.next_steps[0]?.action ?? '', /^Look at cart: /u);
});
