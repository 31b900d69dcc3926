import assert from 'node:assert/strict';
import test from 'node:test';
import type { Certainty } from '../../../src/report/report.ts';
import type { ChangeCandidate } from '../../../src/statistics/change-candidate.ts';
import { assertCompleteReport } from '../../support/complete-report.ts';
import { anAlert } from '../../support/samples/alerts.ts';
import { aCaseFile, openAlert } from '../../support/samples/case-files.ts';
import {
  concluded, latencyCase, moving, onPoint, problemBegan, type FactsOver,
} from '../../support/samples/metric-facts.ts';

const quiet = ['cart', 'email'].map((name) => moving(name, 'memory_bytes'));
const database = moving('orders-db', 'connections', { before: 40, after: 198 });
const crashing = aCaseFile({
  alert: anAlert({
    labels: {
      alertname: 'KubePodCrashLooping', namespace: 'shop', pod: 'api-1', container: 'api',
      severity: 'warning',
    },
  }),
});
const oomQuery = 'kube_pod_container_status_last_terminated_reason{pod="api-1",reason="OOMKilled"}';

test('nextStepsOf says what a test would show, and asks for none that was answered', () => {
  const answered = concluded(crashing, { answers: { liveness: { samples: [4] } } });
  assert.ok(answered.next_steps.every(({ kind }) => kind !== 'test'));
  const open = concluded(crashing, null);
  assert.equal(open.verdict.most_likely, null);
  const actions = open.next_steps.map(({ action }) => action);
  assert.ok(actions.some((action) => action.startsWith('Test the first explanation: ')));
  assert.ok(actions.every((action) => !action.includes('most likely')));
});

test('hypothesesOf tells causes apart that have the same test', () => {
  const alert = anAlert({ labels: { alertname: 'HostOomKillDetected', instance: 'app-1:9100' } });
  const samples = [0.01];
  const { hypotheses: [first] } = concluded(aCaseFile({ alert }), {
    answers: { 'container-limit': { samples }, 'host-overcommit': { samples } },
  });
  assert.equal(first?.cause, 'The host itself ran out of memory');
});

test('hypothesesOf judges the causes whose tests were answered', () => {
  const cases: readonly [string, NonNullable<FactsOver['answers']>, string, Certainty][] = [
    ['proof', { 'oom-killed': { samples: [1], query: oomQuery } }, 'oom-killed', 'confirmed'],
    ['no proof', { liveness: { samples: [4] } }, 'liveness', 'possible'],
    ['one of several that are left', {
      liveness: { samples: [4] }, 'oom-killed': { samples: [0], query: oomQuery },
    }, 'liveness', 'possible'],
    ['long before', { release: { samples: [1], isFromBefore: true }, liveness: { samples: [4] } },
      'liveness', 'possible'],
    ['two of them', {
      liveness: { samples: [4] }, release: { samples: [1] }, 'oom-killed': { samples: [0] },
    }, 'liveness', 'possible'],
  ];
  for (const [name, answers, id, expected] of cases) {
    const { hypotheses, situation, report } = concluded(crashing, { answers });
    assertCompleteReport(report);
    const cause = situation.knowledge?.causes.find((each) => each.id === id)?.cause;
    assert.equal(hypotheses[0]?.cause, cause, name);
    assert.equal(hypotheses[0]?.certainty, expected, name);
    const cited = situation.evidence.metrics?.answers.get(id)?.evidence;
    assert.deepEqual(hypotheses[0]?.for[0]?.evidence, [cited], name);
  }
});

test('hypothesesOf leaves a cause as it was when its test decides nothing or failed', () => {
  const { hypotheses, ruled_out: ruledOut, situation } = concluded(crashing, {
    answers: { 'oom-killed': { failed: 'timeout' }, liveness: { samples: [] } },
  });
  assert.equal(ruledOut.length, 0);
  for (const id of ['oom-killed', 'liveness']) {
    const cause = situation.knowledge?.causes.find((each) => each.id === id);
    const found = hypotheses.find((each) => each.cause === cause?.cause);
    assert.equal(found?.certainty, 'inconclusive', id);
    assert.equal(found?.test, cause?.test?.text, id);
  }
});

test('hypothesesOf puts the cause that the alert names before others that hold as well', () => {
  const etcd = (alertname: string): string | undefined => {
    const alert = anAlert({ labels: { alertname, job: 'etcd' } });
    const { hypotheses } = concluded(aCaseFile({ alert }), {
      answers: { 'slow-disk': { samples: [0.4] }, 'member-down': { samples: [0] } },
    });
    return hypotheses[0]?.cause;
  };
  assert.equal(etcd('etcdMembersDown'), 'A member is down');
  assert.equal(etcd('etcdHighFsyncDurations'), 'Its disk is slow');
});

test('testedCauses says answers in the unit of what was asked', () => {
  const said = (query: string, samples: readonly number[]): string => {
    const { hypotheses } = concluded(crashing, { answers: { liveness: { samples, query } } });
    return hypotheses[0]?.for[0]?.text ?? '';
  };
  assert.match(said('x_timestamp_seconds - time()', [864_000]), / returned 10 d, /u);
  assert.match(said('a_bytes / b_bytes', [1, 4]), / returned 1 to 4, /u);
});

test('ruledOutOf lists what a query rules out, with the answer', () => {
  const { ruled_out: ruledOut, hypotheses, report } = concluded(crashing, {
    answers: { 'oom-killed': { samples: [0, 0], query: oomQuery } },
  });
  assertCompleteReport(report);
  assert.equal(ruledOut.length, 1);
  assert.equal(
    ruledOut[0]?.why, 'Its test query returned 0 for 2 series, which rules it out.',
  );
  assert.ok(hypotheses.every(({ cause }) => cause !== ruledOut[0]?.cause));
});

test('a label that proves a cause is not confirmed against the answer of its test', () => {
  const labels = { ...crashing.alert.labels, reason: 'OOMKilled' };
  const { hypotheses, ruled_out: ruledOut } = concluded(
    aCaseFile({ alert: anAlert({ labels }) }),
    { answers: { 'oom-killed': { samples: [0], query: oomQuery } } },
  );
  const first = hypotheses.find(({ cause }) => /memory limit/u.test(cause));
  assert.equal(first?.certainty, 'possible');
  assert.equal(first?.against.length, 1);
  assert.equal(ruledOut.length, 0);
});

test('componentHypotheses counts no deviations of what never moved before', () => {
  const flat = moving('orders-db', 'connections', { before: 40, after: 4e6 });
  const { hypotheses } = concluded(latencyCase(), { candidates: [...quiet, flat] });
  assert.match(hypotheses[0]?.for[0]?.text ?? '', / \(more than 100 deviations, strong\)\.$/u);
});

test('componentHypotheses explains nothing by what waits for others, or moves by chance', () => {
  const victim = moving('orders-db', 'http_client_request_seconds', { after: 400 });
  const byChance = [
    ...Array.from({ length: 150 }, (_, index) => moving(`s${index}`, 'memory_bytes')),
    moving('orders-db', 'connections', { after: 46 }),
  ];
  for (const candidates of [[victim], byChance]) {
    const { hypotheses } = concluded(latencyCase(), { candidates: [...quiet, ...candidates] });
    assert.ok(hypotheses.every(({ cause }) => !cause.startsWith('orders-db')));
  }
});

test('componentHypotheses calls possible at most what is late, and says so', () => {
  const late = moving('orders-db', 'connections', { after: 198, at: onPoint + 6 });
  const { hypotheses: [first] } = concluded(latencyCase(), { candidates: [...quiet, late] });
  assert.equal(first?.certainty, 'possible');
  const said = 'It began to move 6 min after the problem.';
  assert.ok(first?.against.some(({ text }) => text === said));
});

test('componentHypotheses settles on nothing unrelated unless it alone moves with it', () => {
  const elsewhere = (component: string): ChangeCandidate => ({
    ...moving(component, 'open_files', { after: 190 }), labels: { instance: `${component}:9256` },
  });
  const [mail, files] = [elsewhere('mail'), elsewhere('files')];
  const both = concluded(latencyCase(), { candidates: [...quiet, mail, files] });
  assert.equal(both.verdict.most_likely, null);
  assert.match(both.hypotheses[0]?.cause ?? '', /open files rose/u);
  const alone = concluded(latencyCase(), { candidates: [...quiet, mail] });
  assert.equal(alone.verdict.most_likely, null);
  const along = concluded(latencyCase(), { candidates: [...quiet, mail], ownValues: mail.values });
  assert.match(along.verdict.most_likely ?? '', /^mail open files rose/u);
});

test('componentHypotheses settles on nothing that moved before a disk that fills slowly', () => {
  const mostLikely = (alertname: string): string | null => {
    const labels = { alertname, job: 'node', instance: 'web-1:9100', mountpoint: '/data' };
    const drops = moving('node', 'node_netstat_Udp_NoPorts', { after: 190, labels });
    const rival = moving('node2', 'node_sockstat_UDP_inuse', { after: 90, labels });
    return concluded(latencyCase({ alert: anAlert({ labels }) }), { candidates: [drops, rival] })
      .verdict.most_likely;
  };
  assert.equal(mostLikely('HostOutOfDiskSpace'), null);
  assert.match(mostLikely('NobodyKnowsThis') ?? '', / rose from /u);
});

test('componentHypotheses does not tell of the kill of a process on another machine', () => {
  const labels = { alertname: 'HostHighCpuLoad', job: 'node', instance: 'web-1:9100' };
  const load = moving('node', 'node_load1', { after: 190, labels });
  const killed = (instance: string): string => concluded(
    latencyCase({ alert: anAlert({ labels }) }), {
      candidates: [load],
      events: [{
        kind: 'event', text: `A process on ${instance} was OOM-killed`,
        atMs: problemBegan - 120_000, component: { label: 'job', value: 'node' },
        labels: { __name__: 'node_vmstat_oom_kill', job: 'node', instance },
      }],
    }).hypotheses.map(({ cause }) => cause).join('; ');
  assert.match(killed('web-1:9100'), /web-1:9100 was OOM-killed, and its load1 rose/u);
  assert.doesNotMatch(killed('db-1:9100'), /OOM-killed/u);
});

test("componentHypotheses does not take the alert's own outside for a cause", () => {
  const outside = moving('checkout', 'request_seconds', { after: 400, side: 'external' });
  const without = concluded(latencyCase(), { candidates: [...quiet, outside] });
  assert.ok(without.hypotheses.every(({ cause }) => !cause.startsWith('checkout:')));
  const inside = moving('checkout', 'memory_bytes', {
    before: 1e9, after: 4e9, unit: 'bytes',
  });
  const { hypotheses } = concluded(latencyCase(), { candidates: [...quiet, outside, inside] });
  assert.match(hypotheses[0]?.cause ?? '', /^checkout memory rose from 954 MiB to 3\.\d+ GiB$/u);
});

test("componentHypotheses lays no change to a restart long before, or to an exporter's", () => {
  const cause = (event: NonNullable<FactsOver['events']>[number]): string | undefined =>
    concluded(latencyCase(), {
      candidates: [database, ...quiet],
      events: [{
        text: 'orders-db was changed', atMs: problemBegan - 20 * 60_000,
        component: { label: 'service', value: 'orders-db' }, ...event,
      }],
    }).hypotheses[0]?.cause;
  const [moved, both] = ['orders-db connections rose from 40 to 201',
    'orders-db was changed, and its connections rose from 40 to 201'];
  assert.equal(cause({ kind: 'version' }), both);
  assert.equal(cause({ kind: 'restart' }), moved);
  const atMs = problemBegan - 60_000;
  assert.equal(cause({ kind: 'restart', atMs }), both);
  assert.equal(cause({ kind: 'restart', atMs, isOfExporter: true }), moved);
});

test('componentHypotheses raises a component that was restarted or is alerted on', () => {
  const earlier = openAlert({ alertname: 'PgConnections', service: 'orders-db', namespace: 'shop' },
    -120);
  const { hypotheses } = concluded(latencyCase({ openAlerts: [earlier] }), {
    candidates: [...quiet, database],
    events: [{
      kind: 'restart', text: 'orders-db restarted', atMs: problemBegan - 400_000,
      component: { label: 'service', value: 'orders-db' },
    }],
  });
  const [first] = hypotheses;
  assert.equal(first?.cause, 'orders-db restarted, and its connections rose from 40 to 201');
  const said = first?.for.map(({ text }) => text).join(' ') ?? '';
  assert.match(said, /orders-db restarted, 6 min 40 s before the problem\./u);
  assert.match(said, /PgConnections is also open on it\./u);
});

test('no cause is what the list of changes calls no notable change', () => {
  const apart = (size: number): Float64Array => Float64Array.from({ length: 90 }, (_, index) => {
    return 1 + (index % 2) * size;
  });
  const { hypotheses, report, verdict } = concluded(latencyCase(), {
    candidates: [...quiet, moving('checkout', 'connections', { after: 198 })],
    ownValues: apart(9),
  });
  assertCompleteReport(report);
  assert.equal(report.changes.find(({ title }) => title.includes('connections'))?.strength, 'weak');
  assert.ok(hypotheses.every(({ cause }) => !cause.includes('connections')));
  assert.equal(verdict.most_likely, null);
});

test('componentHypotheses takes nothing that began with its effect or after for likely', () => {
  const own = moving('checkout', 'l_seconds', { after: 400, at: onPoint - 5 }).values;
  const cases: readonly [string, number, number | null, Certainty, RegExp | null][] = [
    ['before', onPoint - 6, onPoint - 5, 'likely', null],
    ['together', onPoint - 5, onPoint - 5, 'likely', null],
    ['after the value moved', onPoint - 4, onPoint - 5, 'possible', /^It cannot be shown/u],
    ['the value is unknown', onPoint, null, 'likely', null],
    ['a step late', onPoint + 1, null, 'possible', /^With one value every 1 min, it cannot/u],
    ['two steps late', onPoint + 2, null, 'possible', /^With one value/u],
  ];
  for (const [name, at, ownOnsetIndex, expected, against] of cases) {
    const { hypotheses: [first] } = concluded(latencyCase(), {
      candidates: [...quiet, moving('checkout', 'connections', { after: 198, at })],
      ownValues: own, ranking: { ownOnsetIndex },
    });
    assert.equal(first?.certainty, expected, name);
    const said = first?.against.map(({ text }) => text) ?? [];
    assert.equal(said.some((text) => against?.test(text) ?? false), against !== null, name);
  }
});

test('hypothesesOf explains no alert that fires on purpose', () => {
  const alert = anAlert({
    labels: { alertname: 'Watchdog', severity: 'none' },
    generatorURL: 'http://p/graph?g0.expr=vector%281%29',
  });
  const candidates = [database, ...quiet];
  assert.deepEqual(concluded(aCaseFile({ alert }), { candidates }).hypotheses, []);
});

test('a test that several series answer says which of them support the cause', () => {
  const alert = anAlert({ labels: { alertname: 'AlertmanagerFailedToSendAlerts', job: 'am' } });
  const integration = (name: string): Record<string, string> => ({ integration: name, job: 'am' });
  const labels = ['email', 'slack', 'webhook', 'sns', 'opsgenie'].map(integration);
  const answer = { labels, samples: [0, 78, 122, 3, 2] };
  const { hypotheses: [first] } = concluded(aCaseFile({ alert }), {
    answers: { 'receiver-down': answer },
  });
  assert.equal(first?.for[0]?.text, 'Its test query returned 122 for webhook, ' +
    '78 for slack, 3 for sns, 1 more and 0 for the other, which supports it.');
});

test('a cause names whom its test names, if that is one', () => {
  const alert = anAlert({ labels: { alertname: 'HighErrorRate', job: 'web' } });
  const causeOf = (id: string, labels: Record<string, string>[], samples: number[]): string => {
    const answers = { [id]: { labels, samples } };
    return concluded(aCaseFile({ alert }), { answers }).hypotheses[0]?.cause ?? '';
  };
  const [bad, good] = [{ instance: '10.0.0.2:80' }, { instance: '10.0.0.1:80' }];
  const replica = 'One replica of it fails while its others are healthy';
  assert.equal(causeOf('one-replica', [bad], [1]), `${replica} (10.0.0.2:80)`);
  assert.equal(causeOf('one-replica', [good, bad], [0.1, 0.9]), `${replica} (10.0.0.2:80)`);
  const call = { job: 'web', env: 'production', peer: 'checkout' };
  const dependency = 'Something it calls fails';
  assert.equal(causeOf('dependency', [call], [1.02]), `${dependency} (checkout)`);
  assert.equal(causeOf('dependency', [call, { ...call, peer: 'stock' }], [1, 1]), dependency);
  assert.equal(causeOf('dependency', [{ job: 'web', env: 'production' }], [1]), dependency);
});

test('a blocked event loop comes before the calls that it makes look slow', () => {
  const alert = anAlert({ labels: { alertname: 'HighRequestLatency', job: 'web' } });
  const { hypotheses: [first, second] } = concluded(aCaseFile({ alert }), {
    answers: {
      dependency: { labels: [{ job: 'web', peer: 'checkout' }], samples: [3.2] },
      'event-loop': { labels: ['a', 'b'].map((instance) => ({ instance })), samples: [0.01, 0.6] },
    },
  });
  assert.deepEqual([first?.cause, first?.certainty],
    ['An event loop of Node.js is blocked (b)', 'likely']);
  assert.deepEqual([second?.cause, second?.certainty],
    ['Something it calls is slow (checkout)', 'possible']);
});

test('componentHypotheses suspects no other machine of what is wrong on one', () => {
  const labels = { alertname: 'HostHighCpuLoad', job: 'node', instance: 'web-1:9100' };
  const generatorURL = 'http://p/graph?g0.expr=node_load1+%3E+8';
  const own = moving('web-1', 'node_disk_io', { after: 90, labels });
  const other = moving('db-1', 'node_load1', { after: 400 });
  const program = moving('orders-db', 'connections', { after: 198 });
  const { hypotheses } = concluded(latencyCase({ alert: anAlert({ labels, generatorURL }) }), {
    candidates: [...quiet, own, other, program], ranking: { ownComponent: 'web-1' },
  });
  const moved = hypotheses.map(({ cause }) => cause).filter((cause) => / rose from /u.test(cause));
  assert.equal(moved.length, 2);
  assert.ok(['web-1 disk I/O', 'orders-db connections'].every((name) =>
    moved.some((cause) => cause.startsWith(name))), moved.join('; '));
});

test('componentHypotheses says how far the first is ahead of the next', () => {
  const next = moving('cart', 'open_files', { after: 45 });
  const candidates = [...quiet, next, database];
  const { hypotheses: [first] } = concluded(latencyCase(), { candidates });
  assert.match(first?.cause ?? '', /^orders-db connections/u);
  assert.ok(first?.for.some(({ text }) =>
    /^It is clearly ahead of cart, the next \(score [\d.]+, then [\d.]+\)\.$/u.test(text)));
});
