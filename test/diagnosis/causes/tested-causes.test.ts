import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testedCauses } from '../../../src/diagnosis/causes/tested-causes.ts';
import type { TestAnswer } from '../../../src/evidence/metric-facts.ts';
import type { Hypothesis, Report } from '../../../src/report/report.ts';
import { anAlert } from '../../support/samples/alerts.ts';
import { aCaseFile } from '../../support/samples/case-files.ts';
import { concluded, latencyCase, type FactsOver } from '../../support/samples/metric-facts.ts';

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
  assert.ok(early.hypotheses.some(({ cause }) => ruledOut?.cause === cause), 'still possible');
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
    'A server refuses connections (a)');
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

for (const [gone, expected, certainty] of [
  [1, 'Prometheus lists fewer targets than an hour ago', 'likely'],
  [0, 'The process is down or restarts', 'possible'],
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
    assert.equal(hypotheses[0]?.certainty, certainty);
  });
}

for (const expression of [
  'up{job="pay"} == 0', '100 * (count by (job) (up == 0) / count by (job) (up)) > 10',
]) {
  test(`targets no longer listed do not explain ${expression}`, () => {
    const generatorURL = `http://p/graph?g0.expr=${encodeURIComponent(expression)}`;
    const alert = anAlert({ labels: { alertname: 'TargetDown', job: 'pay' }, generatorURL });
    const { hypotheses } = concluded(aCaseFile({ alert }), {
      answers: { 'process-down': { samples: [2] }, 'none-listed': { samples: [1] } },
    });
    assert.equal(hypotheses[0]?.cause, 'The process is down or restarts');
  });
}

test('what a cause names is followed to what that waits for in turn', () => {
  const answer = (value: number, peer: string): Partial<TestAnswer> => {
    return { samples: [value], labels: [{ peer }] };
  };
  const following = (answers: FactsOver['answers']): Report => concluded(latencyCase(), {
    answers: { ...answers, 'one-replica': { samples: [1] } },
  }).report;
  const { hypotheses: [found], next_steps: [step] } = following({
    dependency: answer(9, 'cart'), 'dependency of cart': answer(8, 'pay'),
    'dependency of pay': answer(7, 'bank'), 'dependency of bank': answer(5, 'cart'),
  });
  assert.equal(found?.cause, 'Something it calls is slow (cart, because of pay, because of bank)');
  assert.deepEqual(found.for.map(({ text }) => text), [
    'Its test query returned 9 for cart, which supports it.',
    'The same query for cart returned 8 for pay, which supports it.',
    'The same query for pay returned 7 for bank, which supports it.',
  ]);
  assert.match(step?.action ?? '', /^Look at bank: /u);
  const back = following({
    dependency: answer(9, 'cart'), 'dependency of cart': answer(8, 'checkout'),
  });
  assert.equal(back.hypotheses[0]?.cause, 'Something it calls is slow (cart)');
  assert.match(back.next_steps[0]?.action ?? '', /^Look at cart: /u);
  const near = following({ dependency: answer(9, 'cart'), 'dependency of cart': answer(1, 'pay') });
  assert.equal(near.hypotheses[0]?.cause, 'Something it calls is slow (cart)');
  assert.equal(near.hypotheses[0]?.for.length, 1);
  assert.match(near.next_steps[0]?.action ?? '', /^Look at cart: /u);
});

test('what is called through clients of stores is told by its own test', () => {
  const redis = { samples: [0.9], labels: [{ store: 'redis' }] };
  const reportWith = (answers: NonNullable<FactsOver['answers']>): Report =>
    concluded(latencyCase(), { answers }).report;
  const causeWith = (answers: NonNullable<FactsOver['answers']>): Hypothesis | undefined =>
    reportWith(answers).hypotheses[0];
  const slow = { samples: [9], labels: [{ peer: 'cart' }] };
  const { hypotheses: [found] } =
    reportWith({ dependency: slow, 'dependency in stores': redis });
  assert.equal(found?.cause, 'Something it calls is slow (redis)');
  assert.match(found.test ?? '', /"store", "redis"/u, 'the one that says so');
  assert.deepEqual(found.for.map(({ text }) => text), [
    'Its test query for its stores returned 0.9 for redis, which supports it.',
    'Its test query returned 9 for cart, which supports it.',
  ]);
  const followed = causeWith({ dependency: slow, 'dependency in stores of cart': redis });
  assert.equal(followed?.cause, 'Something it calls is slow (cart, because of redis)');
  const few = causeWith({ dependency: slow, 'dependency in stores': { ...redis, samples: [0.1] } });
  assert.equal(few?.cause, 'Something it calls is slow (cart)');
  assert.equal(few.for.length, 1);
});

test('where the time goes is likely where nothing says why, and rivals nothing that does', () => {
  const itself = { samples: [0.05] };
  const causesWith = (over: FactsOver): (readonly [string, string])[] =>
    concluded(latencyCase(), over).hypotheses.slice(0, 2)
      .map(({ cause, certainty }) => [cause, certainty]);
  const where = 'It takes the time itself, or in calls that it does not measure';
  assert.deepEqual(causesWith({ answers: { itself } })[0], [where, 'likely']);
  const answers = { itself, 'traffic-peak': { samples: [3] }, 'one-replica': { samples: [1] } };
  assert.deepEqual(causesWith({ answers }), [
    ['More traffic arrives and queues build up', 'possible'], [where, 'possible'],
  ]);
  const [other] = causesWith({ answers: { itself: { samples: [0.9] } } });
  assert.equal(other?.[1], 'inconclusive');
});

test('what happened long before the problem began is no reason for it, however young', () => {
  const alert = anAlert({
    labels: {
      alertname: 'KubeNodeNotReady', node: 'w-1', instance: 'w-1:9100', severity: 'critical',
    },
  });
  const outcome = (ageSeconds: number, problemSeconds: number): unknown => {
    const { situation } = concluded(aCaseFile({ alert }), {
      answers: { reboot: { samples: [ageSeconds], problemSeconds } },
    });
    return testedCauses(situation).find(({ cause }) => cause.id === 'reboot')?.outcome;
  };
  assert.equal(outcome(200, 120), 'supported');
  assert.equal(outcome(120 + 540, 120), 'supported');
  assert.equal(outcome(2200, 120), 'ruled_out', 'a young machine');
  assert.equal(outcome(1000, 120), 'undecided');
  assert.equal(outcome(2200, 1800), 'supported');
});
