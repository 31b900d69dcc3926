import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenAlert } from '../../../src/report/case-file.ts';
import { anAlert } from '../../support/samples/alerts.ts';
import { aCaseFile, investigated, openAlert } from '../../support/samples/case-files.ts';

const cluster = { cluster: 'prod-eu', severity: 'critical' };
const redis = { ...cluster, alertname: 'RedisDown', instance: 'redis-1:9121', job: 'redis' };
const errors = { ...cluster, alertname: 'HighErrorRate', job: 'checkout' };

async function causesAmong(openAlerts: OpenAlert[]): Promise<string[]> {
  const alert = anAlert({ labels: errors });
  const { hypotheses } = await investigated(aCaseFile({ alert, openAlerts }));
  return hypotheses.filter(({ certainty }) => certainty === 'possible').map(({ cause }) => cause);
}

test('an alert that began with an outage may be its effect, whatever labels it has', async () => {
  const earlier = 'The same problem as RedisDown on redis-1:9121 (redis), which began 18 s earlier';
  assert.deepEqual(await causesAmong([openAlert(redis, -18)]), [earlier]);
  const [first] = await causesAmong([openAlert(redis, 10)]);
  assert.match(first ?? '', /RedisDown on redis-1:9121 \(redis\), which began 10 s later$/u);
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
