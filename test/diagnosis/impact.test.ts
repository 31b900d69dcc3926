import assert from 'node:assert/strict';
import test from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import { scopeWord } from '../../src/diagnosis/impact.ts';
import type { OpenAlert } from '../../src/report/case-file.ts';
import { anAlert } from '../support/samples/alerts.ts';
import { aCaseFile, investigated, openAlert } from '../support/samples/case-files.ts';
import { concluded, latencyCase } from '../support/samples/metric-facts.ts';

test('targets that are no more are not counted as none of none', () => {
  const { impact } = concluded(latencyCase(), { scrape: { up: 0, total: 0 } });
  assert.deepEqual([impact.targets_up, impact.targets_total], [null, null]);
});

test('targets are counted only where the labels of the alert say whose they are', () => {
  const targetsOf = (labels: LabelSet): unknown => {
    const alert = anAlert({ labels: { alertname: 'ErrorRateHigh', ...labels } });
    const { impact } = concluded(latencyCase({ alert }), { scrape: { up: 3, total: 4 } });
    return [impact.targets_up, impact.targets_total];
  };
  assert.deepEqual(targetsOf({ namespace: 'shop', service: 'api' }), [null, null]);
  assert.deepEqual(targetsOf({ namespace: 'shop', job: 'api' }), [3, 4]);
});

test('impactOf names the targets that an alert on targets only counts', () => {
  const alert = anAlert({
    labels: { alertname: 'TargetDown', job: 'web' },
    generatorURL: 'http://p/graph?g0.expr=count(up+%3D%3D+0)+%3E+1',
  });
  const down = ['a:80', 'b:80'].map((instance) => ({ job: 'web', instance }));
  const scrape = { up: 1, total: 3, down };
  assert.deepEqual(concluded(latencyCase({ alert }), { scrape }).impact.affected,
    ['job=web', 'instance=a:80', 'instance=b:80']);
  assert.deepEqual(concluded(latencyCase(), { scrape }).impact.affected, ['service=checkout']);
});

test('scopeWord grows with the number of alerts', () => {
  const cases = [[1, 'single'], [2, 'few'], [4, 'few'], [5, 'many'], [20, 'broad']] as const;
  for (const [count, word] of cases) assert.equal(scopeWord(count), word);
});

test('the scope of an alert that names no object is unknown', async () => {
  const scopeOf = async (labels: LabelSet, openAlerts: readonly OpenAlert[]): Promise<unknown> =>
    (await investigated(aCaseFile({ alert: anAlert({ labels }), openAlerts }))).impact.scope;
  const bare = { alertname: 'ErrorRateHigh', severity: 'critical' };
  assert.equal(await scopeOf(bare, []), null);
  assert.equal(await scopeOf({ ...bare, service: 'api', namespace: 'shop' }, []), null);
  assert.equal(await scopeOf({ ...bare, service: 'api', pod: 'api-1' }, []), 'single');
  assert.equal(await scopeOf({ alertname: 'Watchdog', cluster: 'eu' }, []), null);
});

test('the ports and mount points affected are told with what they belong to', async () => {
  const port = (ifName: string, instance: string) =>
    ({ alertname: 'PortDown', ifName, ifIndex: '3', instance, job: 'snmp' });
  const report = await investigated(aCaseFile({
    alert: anAlert({ labels: port('Gi0/3', 'sw-1') }),
    openAlerts: [openAlert(port('Gi0/4', 'sw-1'), 1), openAlert(port('Gi0/3', 'sw-2'), 2)],
    sameNameOpen: 2,
  }));
  assert.match(report.verdict.headline, /^PortDown on Gi0\/3 of sw-1\b/);
  assert.deepEqual(report.impact.affected, [
    'ifName=Gi0/3 of sw-1', 'ifName=Gi0/4 of sw-1', 'ifName=Gi0/3 of sw-2',
  ]);
});

test('what a pair of Prometheus servers sends twice is one alert', async () => {
  const labels = { alertname: 'PodCrashes', pod: 'cart-1', prometheus_replica: 'k8s-0' };
  const reached = async (other: LabelSet, own: LabelSet = labels): Promise<unknown> => {
    const openAlerts = [openAlert(other, 0)];
    const report = await investigated(aCaseFile({
      alert: anAlert({ labels: own }), openAlerts, sameNameOpen: 1,
    }));
    const { scope, firing_same: firing, affected } = report.impact;
    return [scope, firing, affected.length];
  };
  assert.deepEqual(await reached({ ...labels, prometheus_replica: 'k8s-1' }), ['single', 1, 1]);
  const cart2 = { ...labels, pod: 'cart-2', prometheus_replica: 'k8s-1' };
  assert.deepEqual(await reached(cart2), ['few', 2, 2]);
  const shard = { alertname: 'PartBehind', replica: 'r1', instance: 'ch:9363' };
  assert.deepEqual(await reached({ ...shard, replica: 'r2' }, shard), ['few', 2, 1]);
});

test('what differs between alerts of a rule is named, whatever its label is called', async () => {
  const labels = { alertname: 'SessionDown', pod: 'speaker-1', peer: '10.0.0.1' };
  const openAlerts = [openAlert({ ...labels, peer: '10.0.0.2' }, 0)];
  const { impact } = await investigated(aCaseFile({ alert: anAlert({ labels }), openAlerts }));
  assert.deepEqual(impact.affected, ['peer=10.0.0.1', 'peer=10.0.0.2']);
});

test('how much is hit is told in the numbers that the rule reads', () => {
  const extentOf = (expr: string, facts: Parameters<typeof concluded>[1]): unknown => {
    const alert = anAlert({
      labels: { alertname: 'X', job: 'web' },
      generatorURL: `http://p/graph?g0.expr=${encodeURIComponent(expr)}`,
    });
    return concluded(latencyCase({ alert }), facts).impact.extent;
  };
  const whole = {
    atFire: 188, counted: 'requests', isRate: true, rangeSeconds: 60, evidence: 'E9',
  };
  const ratio = (selected: string, limit: string): string =>
    `sum(rate(http_requests_total{${selected}}[1m])) / sum(rate(http_requests_total[1m])) ${limit}`;
  const value = { valueAtFire: 0.25, valueNow: 0.3 };
  const share = { kind: 'share', of: 188, is_rate: true, unit: null, what: 'requests', pace: null,
    ends_at: null, as_of: 'fire' };
  assert.deepEqual(extentOf(ratio('code=~"5.."', '> 0.1'), { whole, own: value }),
    { ...share, part: 47 });
  // The rest is hit of what should succeed.
  assert.deepEqual(extentOf(ratio('code=~"2.."', '< 0.9'), { whole, own: value }),
    { ...share, part: 141 });
  assert.deepEqual(extentOf('sum(kafka_consumergroup_lag) > 100', { own: {
    valueAtFire: 500, valueNow: 900,
    growth: { foot: { atMs: 0, value: 0 }, top: { atMs: 90_000, value: 900 } },
  } }), {
    kind: 'waiting', part: 900, of: null, is_rate: false, unit: null, what: null, pace: 10,
    ends_at: null, as_of: 'now',
  });
  assert.deepEqual(extentOf('sum(up == 0) > 1', { scrape: { up: 1, total: 3 } }), {
    kind: 'left', part: 1, of: 3, is_rate: false, unit: null, what: 'targets', pace: null,
    ends_at: null, as_of: 'now',
  });
  const used = (valueNow: number): unknown => extentOf('connections >= allowed', {
    own: { valueNow, limit: { atFire: 37, now: 37, before: null, isGoneAtEnd: false } },
  });
  assert.deepEqual(used(37), {
    kind: 'used', part: 37, of: 37, is_rate: false, unit: null, what: null, pace: null,
    ends_at: null, as_of: 'now',
  });
  assert.equal(used(38), undefined, 'beyond a limit that is only a threshold');
  assert.equal(extentOf('sum(rate(errors_total[1m])) > 1', { own: value }), undefined);
});
