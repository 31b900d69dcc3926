import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../../src/alert/labels.ts';
import type { OpenAlert } from '../../../src/report/case-file.ts';
import { anAlert } from '../../support/samples/alerts.ts';
import { aCaseFile, investigated, openAlert } from '../../support/samples/case-files.ts';
import { concluded } from '../../support/samples/metric-facts.ts';

const cluster = { cluster: 'prod-eu', severity: 'critical' };
const redis = { ...cluster, alertname: 'RedisDown', instance: 'redis-1:9121', job: 'redis' };
const errors = { ...cluster, alertname: 'HighErrorRate', job: 'checkout' };

async function causesAmong(openAlerts: OpenAlert[], expression = ''): Promise<string[]> {
  const generatorURL = `http://p/graph?g0.expr=${encodeURIComponent(expression)}`;
  const alert = anAlert({ labels: errors, generatorURL });
  const { hypotheses } = await investigated(aCaseFile({ alert, openAlerts }));
  return hypotheses.filter(({ certainty }) => certainty === 'possible').map(({ cause }) => cause);
}

test('an alert that began with an outage may be its effect, whatever labels it has', async () => {
  const earlier = 'The same problem as RedisDown on redis-1:9121 (redis), prod-eu, ' +
    'which began 18 s earlier';
  assert.deepEqual(await causesAmong([openAlert(redis, -18)]), [earlier]);
  const [first] = await causesAmong([openAlert(redis, 10)]);
  assert.match(first ?? '', /redis-1:9121 \(redis\), prod-eu, which began 10 s later$/u);
});

test('an outage that shares no label explains nothing, unless it is of a store', async () => {
  const causes = async (own: LabelSet, other: LabelSet): Promise<number> => {
    const alert = anAlert({ labels: { severity: 'critical', team: 'a', ...own } });
    const openAlerts = [openAlert({ severity: 'critical', team: 'a', ...other }, -60)];
    const { hypotheses } = await investigated(aCaseFile({ alert, openAlerts }));
    return hypotheses.filter(({ kind }) => kind === 'same_problem').length;
  };
  const machine = { alertname: 'InstanceDown', instance: 'printer-3:9100', job: 'node' };
  const orders = { alertname: 'OrdersPerMinuteLow', country: 'se' };
  assert.equal(await causes(orders, machine), 0);
  assert.equal(await causes({ ...orders, site: 'x' }, { ...machine, site: 'x' }), 1);
  assert.equal(await causes(orders, { alertname: 'PostgresDown', instance: 'pg:9187' }), 1);
  const heartbeat = { alertname: 'BoxDown', type: 'heartbeat', site: 'x' };
  assert.equal(await causes({ ...heartbeat, box: '1' }, { ...heartbeat, box: '2' }), 0);
});

test('of the resources of a machine one does not explain the other', async () => {
  const host = { ...cluster, instance: 'web-1:9100', job: 'node' };
  const mostLikely = async (name: string, earlier: string): Promise<string | null> => {
    const alert = anAlert({ labels: { ...host, alertname: name } });
    const openAlerts = [openAlert({ ...host, alertname: earlier }, -400)];
    return (await investigated(aCaseFile({ alert, openAlerts }))).verdict.most_likely;
  };
  assert.equal(await mostLikely('HostOutOfMemory', 'HostOutOfDiskSpace'), null);
  assert.equal(await mostLikely('HostHighCpuLoad', 'HostOutOfMemory'), null);
  assert.match(await mostLikely('CheckoutFails', 'HostOutOfMemory') ?? '', /HostOutOfMemory/u);
  assert.match(await mostLikely('NodeMemoryHigh', 'HostOutOfMemory') ?? '', /HostOutOfMemory/u);
});

test('an outage long before, elsewhere, or one of many explains nothing', async () => {
  assert.deepEqual(await causesAmong([openAlert(redis, -1200)]), []);
  assert.deepEqual(await causesAmong([openAlert({ ...redis, cluster: 'prod-us' }, -18)]), []);
  assert.deepEqual(await causesAmong([openAlert({ ...redis, namespace: 'lab' }, -18)]), []);
  const many = ['a', 'b', 'c', 'd'].map((instance) => openAlert({ ...redis, instance }, -18));
  assert.deepEqual(await causesAmong(many), []);
});

test('no outage is what slows down, is scaled down, or only informs', async () => {
  for (const alertname of ['HaproxyHttpSlowingDown', 'ClusterScaledDown']) {
    assert.deepEqual(await causesAmong([openAlert({ ...redis, alertname }, -18)]), []);
  }
  assert.deepEqual(await causesAmong([openAlert({ ...redis, severity: 'info' }, -18)]), []);
});

test('an outage of monitoring explains nothing but trouble in monitoring', async () => {
  const down = { ...cluster, alertname: 'AlertmanagerClusterDown', job: 'alertmanager' };
  assert.deepEqual(await causesAmong([openAlert(down, -18)]), []);
  const exporter = { ...redis, alertname: 'RedisExporterDown' };
  assert.deepEqual(await causesAmong([openAlert(exporter, -18)]), []);
  const watched = { ...redis, job: 'redis_exporter' };
  assert.equal((await causesAmong([openAlert(watched, -18)])).length, 1);
  const failing = { ...cluster, alertname: 'PrometheusErrorSendingAlerts', job: 'prometheus' };
  const { hypotheses } = await investigated(aCaseFile({
    alert: anAlert({ labels: failing }), openAlerts: [openAlert(down, -18)],
  }));
  assert.match(hypotheses[0]?.cause ?? '', /^The same problem as AlertmanagerClusterDown/u);
});

test('an outage explains what callers see or wait for, not what a process takes', async () => {
  for (const [rule, causes] of [
    ['sum(rate(http_requests_total{code=~"5.."}[1m])) > 1', 1], ['probe_success == 0', 1],
    ['queue_length > 100', 1], ['queue_length > 100 and up == 1', 1], ['unheard_of > 3', 1],
    ['up == 0', 0], ['process_open_fds / process_max_fds > 0.8', 0],
    ['node_filesystem_avail_bytes / node_filesystem_size_bytes < 0.1', 0],
    ['time() - backup_last_success_timestamp_seconds > 86400', 0],
  ] as const) {
    assert.equal((await causesAmong([openAlert(redis, -18)], rule)).length, causes, rule);
  }
});

test('an outage in another world explains nothing, by whatever label the worlds differ', () => {
  const causes = (landscape: string): number => {
    const openAlerts = [openAlert({ ...redis, landscape }, -18)];
    const alert = anAlert({ labels: { ...errors, landscape: 'blue' } });
    return concluded(aCaseFile({ alert, openAlerts }), { world: { landscape: 'blue' } })
      .hypotheses.filter(({ kind }) => kind === 'same_problem').length;
  };
  assert.deepEqual([causes('blue'), causes('green')], [1, 0]);
});
