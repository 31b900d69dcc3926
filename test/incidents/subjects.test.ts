import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import { Incidents } from '../../src/incidents/incidents.ts';
import { grouping, member, openAll, type TestMember } from '../support/samples/incident-members.ts';

/** As told by the exporter of a proxy, of processes, of a broker: one for many things. */
function told(job: string, labels: LabelSet): LabelSet {
  return { job, instance: `127.0.0.1:${9000 + job.length}`, severity: 'warning', ...labels };
}

const apart = [[0], [1]];
const together = [[0, 1]];

const pairs: readonly [what: string, a: LabelSet, b: LabelSet, expected: number[][]][] = [
  [
    'two groups of processes of one exporter',
    told('process', { alertname: 'ProcessGone', groupname: 'mailer' }),
    told('process', { alertname: 'ProcessFiles', groupname: 'batch' }), apart,
  ],
  [
    'two proxies of one exporter',
    told('haproxy', { alertname: 'ServerDown', proxy: 'be_shop', server: 's1' }),
    told('haproxy', { alertname: 'BackendErrors', proxy: 'be_pay' }), apart,
  ],
  [
    'a proxy and its exporter as a whole',
    told('haproxy', { alertname: 'ServerDown', proxy: 'be_shop', server: 's1' }),
    told('haproxy', { alertname: 'ProxyReloads' }), together,
  ],
  [
    'the same group and topic, as a whole and in part',
    { alertname: 'Lag', consumergroup: 'tracker', topic: 'parcels', severity: 'critical' },
    told('kafka', { alertname: 'Stuck', consumergroup: 'tracker', topic: 'parcels', part: '9' }),
    together,
  ],
  [
    'two groups of one topic',
    { alertname: 'Lag', consumergroup: 'tracker', topic: 'parcels', shape: 'big' },
    told('kafka', { alertname: 'Stuck', consumergroup: 'audit', topic: 'parcels', shape: 'big' }),
    apart,
  ],
  [
    'the same team',
    { alertname: 'Lag', consumergroup: 'tracker', team: 'tracking' },
    { alertname: 'Late', handler: 'search', team: 'tracking' }, apart,
  ],
  [
    'one address under two labels',
    { alertname: 'StoreDown', job: 'db', instance: '10.0.0.1:9187', server: '10.0.0.1:5432' },
    { alertname: 'PortClosed', job: 'blackbox', instance: '10.0.0.1:5432', module: 'tcp' },
    together,
  ],
  [
    'a probed page and the job that serves it',
    { alertname: 'ProbeFailed', job: 'blackbox', instance: 'http://localhost:8080/health' },
    { alertname: 'Restarts', job: 'shop', instance: '127.0.0.1:8080' }, together,
  ],
  [
    'links to one place, as runbooks are',
    { alertname: 'A', runbook: 'https://wiki.example/a', x: '1' },
    { alertname: 'B', runbook: 'https://wiki.example/b', x: '2' }, apart,
  ],
  [
    'a dependency and the job of its name',
    { alertname: 'CallsFail', job: 'shop', dependency: 'inventory' },
    { alertname: 'Gone', job: 'inventory', instance: '10.0.0.7:80' }, together,
  ],
  [
    'a server of a proxy and the host of its name',
    told('haproxy', { alertname: 'ServerDown', proxy: 'be_shop', server: 'shop2' }),
    { alertname: 'HighLoad', job: 'node', instance: 'shop2:9100' }, together,
  ],
  [
    'equal names in two namespaces',
    { alertname: 'CallsFail', job: 'shop', namespace: 'a', dependency: 'inventory' },
    { alertname: 'Gone', job: 'inventory', namespace: 'b' }, apart,
  ],
  [
    'equal names in two environments',
    { alertname: 'CallsFail', job: 'shop', env: 'prod', dependency: 'inventory' },
    { alertname: 'Gone', job: 'inventory', env: 'test' }, apart,
  ],
  [
    'a job and one of its routes',
    { alertname: 'Errors', job: 'shop-api' },
    { alertname: 'Slow', job: 'shop-api', route: '/order' }, together,
  ],
  [
    'two instances of a job with a rule each',
    { alertname: 'DiskFull', job: 'node', instance: 'a:9100' },
    { alertname: 'ClockSkew', job: 'node', instance: 'b:9100' }, apart,
  ],
  [
    'values that name nothing',
    { alertname: 'A', job: 'a', endpoint: 'http', code: '500', ok: 'true' },
    { alertname: 'B', job: 'http', protocol: 'http', status: '500', yes: 'true' }, apart,
  ],
];
for (const [what, a, b, expected] of pairs) {
  test(`Incidents, of ${what}: ${expected === together ? 'one' : 'two'}`, () => {
    for (const [first, second] of [[a, b], [b, a]] as const) {
      const members = [member(first), member(second, 20)];
      openAll(new Incidents<TestMember>(), members);
      assert.deepEqual(grouping(members), expected);
    }
  });
}

test('Incidents joins nothing by what lingers, and what lingers to what just began', () => {
  const hour = { windowMs: 3_600_000 };
  const slow = { ...member({ alertname: 'Budget', job: 'shop' }), ...hour };
  const next = member({ alertname: 'Errors', job: 'shop' }, 300);
  const late = { ...member({ alertname: 'Share', job: 'shop' }, 420), ...hour };
  const members = [slow, next, late];
  openAll(new Incidents<TestMember>(), members);
  assert.deepEqual(grouping(members), [[0], [1, 2]]);
  const near = [{ ...slow, incident: null }, member({ alertname: 'Errors', job: 'shop' }, 60)];
  openAll(new Incidents<TestMember>(), near);
  assert.deepEqual(grouping(near), [[0, 1]]);
});

test('Incidents makes two incidents one by no alert that lingers', () => {
  const members = [
    member({ alertname: 'A', instance: 'a:1' }), member({ alertname: 'B', instance: 'b:1' }),
    { ...member({ alertname: 'C', instance: 'a:1', server: 'b:1' }, 30), windowMs: 3_600_000 },
  ];
  openAll(new Incidents<TestMember>(), members);
  assert.equal(grouping(members).length, 2);
});

test('Incidents: the name of a rule joins its alerts of one job, and within two minutes', () => {
  const key = '{}:{alertname="QueueLong"}';
  const queue = (job: string, name: string, second: number): TestMember =>
    member({ alertname: 'QueueLong', job, queue: name, instance: `${job}:1` }, second, key);
  const members = [queue('a', 'x', 0), queue('a', 'y', 60), queue('b', 'x', 60),
    queue('a', 'z', 400)];
  openAll(new Incidents<TestMember>(), members);
  assert.deepEqual(grouping(members), [[0, 1], [2], [3]]);
});
