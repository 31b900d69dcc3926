import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AlertPlace } from '../../../src/evidence/place.ts';
import type { HopFault, Path, PathHop } from '../../../src/report/path.ts';
import type { Verdict } from '../../../src/report/report.ts';
import { anAlert } from '../../support/samples/alerts.ts';
import { concluded, latencyCase } from '../../support/samples/metric-facts.ts';

test('verdict says what the alert says where its value is 1, over 0', () => {
  const { alert } = latencyCase();
  const headlineOf = (over: Partial<typeof alert>, value: number): string => {
    const generatorURL = 'http://p/graph?g0.expr=zpool_state%7Bstate%21%3D%22online%22%7D+%3E+0';
    return concluded(latencyCase({ alert: { ...alert, generatorURL, ...over } }),
      { own: { valueAtFire: value, valueNow: value, worst: value } }).verdict.headline;
  };
  const annotations = { summary: 'A pool of nas-1 is degraded' };
  const labels = { alertname: 'ZfsPool', zpool: 'tank', state: 'degraded', instance: 'nas-1:9100' };
  assert.match(headlineOf({ annotations, labels }, 1),
    /^tank of nas-1:9100: “A pool of nas-1 is degraded”\. Firing/u);
  assert.match(headlineOf({ annotations, labels }, 6.03), /“A pool of nas-1 is degraded”\. /u);
  assert.match(headlineOf({ annotations, labels }, 3), /: zpool state is 3, over its/u);
  assert.match(headlineOf({ annotations: {}, labels }, 1), /: zpool state is 1, over its/u);
});

test('verdict says what is measured where the words only repeat the name of the rule', () => {
  const { alert } = latencyCase();
  const labels = { alertname: 'RedisDisconnectedReplicas', job: 'redis' };
  const annotations = { summary: 'Redis disconnected replicas' };
  const verdictOf = (rule: string, value: number, path: Path | null = null): Verdict => {
    const generatorURL = `http://p/graph?g0.expr=${encodeURIComponent(rule)}`;
    return concluded(latencyCase({ alert: { ...alert, generatorURL, labels, annotations } }),
      { own: { valueAtFire: value, valueNow: value, worst: value }, path }).verdict;
  };
  const lost = 'redis_replicas_lost > 0';
  assert.equal(verdictOf(lost, 1).gist, '“Redis disconnected replicas”.', 'better than nothing');
  const fault: HopFault = {
    kind: 'link_down', seen_by: 'itself', what: null, metric: 'redis_master_link_up', labels: {},
    value: 0, before: 1, limit: null, since: null, until: null,
  };
  const hop: PathHop = {
    component: 'redis', labels: {}, relation: null, state: 'failing', faults: [fault], works: null,
    since: null, evidence: [],
  };
  const { gist, subject } = verdictOf(lost, 1, { hops: [hop], origin: 0 });
  assert.deepEqual([gist, subject], ['No link to its primary.', 'redis']);
  assert.equal(verdictOf('up == 0', 0).gist, 'Prometheus cannot scrape it.');
});

test('verdict counts what is used up by its name', () => {
  const { alert } = latencyCase();
  const generatorURL = 'http://p/graph?g0.expr=pg_stat_activity_count+%3E+30';
  const fault: HopFault = {
    kind: 'full', seen_by: 'itself', what: 'connections', metric: 'pg_stat_activity_count',
    labels: {}, value: 37, before: 6, limit: 40, since: null, until: null,
  };
  const hop: PathHop = {
    component: 'postgres', labels: {}, relation: null, state: 'failing', faults: [fault],
    works: null, since: null, evidence: [],
  };
  const given = latencyCase({ alert: { ...alert, generatorURL, annotations: {} } });
  const { verdict } = concluded(given, {
    own: { valueAtFire: 37, valueNow: 37, worst: 37, trend: null },
    path: { hops: [hop], origin: 0 },
  });
  assert.equal(verdict.gist, '37 connections, over its threshold of 30.');
});

test('verdict says whose part it is where the words name the part alone', () => {
  const { alert } = latencyCase();
  const generatorURL = 'http://p/graph?g0.expr=md_disks_missing+%3E+0';
  const labels = { alertname: 'RaidDegraded', device: 'md0', instance: 'nas-1:9100' };
  const headlineOf = (summary: string): string => concluded(
    latencyCase({ alert: { ...alert, generatorURL, labels, annotations: { summary } } }),
    { own: { valueAtFire: 1, valueNow: 1, worst: 1 } }).verdict.headline;
  assert.match(headlineOf('Array md0 is degraded'),
    /^md0 of nas-1:9100: “Array md0 is degraded”\./u);
  assert.match(headlineOf('Array md0 of nas-1 is degraded'),
    /^“Array md0 of nas-1 is degraded”\./u);
});

test('verdict names the cluster where the words name the object alone', () => {
  const { alert } = latencyCase();
  const generatorURL = 'http://p/graph?g0.expr=md_disks_missing+%3E+0';
  const labels = { alertname: 'DiskFailed', device: 'md0', cluster: 'prod-eu-1' };
  const verdictOf = (summary: string): Verdict => concluded(
    latencyCase({ alert: { ...alert, generatorURL, labels, annotations: { summary } } }),
    { own: { valueAtFire: 1, valueNow: 1, worst: 1 } }).verdict;
  const { headline, gist } = verdictOf('Array md0 is degraded');
  assert.match(headline, /^prod-eu-1: “Array md0 is degraded”\./u);
  assert.equal(gist, '“Array md0 is degraded”.');
  assert.match(verdictOf('md0 of prod-eu-1 is down').headline, /^“md0 of prod-eu-1 is down”\./u);
});

test('verdict says of a forecast below zero that nothing is left', () => {
  const { alert, episode } = latencyCase();
  const expression = 'predict_linear(zfs_pool_free_bytes[4h], 43200) < 0';
  const generatorURL = `http://p/graph?g0.expr=${encodeURIComponent(expression)}`;
  const { verdict } = concluded(latencyCase({ alert: { ...alert, generatorURL } }),
    { own: { valueAtFire: -4e11, valueNow: -7e11, worst: -7e11 } });
  assert.match(verdict.headline, /: forecast to run out\. Firing since/u);
  const endsAt = '2026-11-20T10:20:00Z';
  const ended = concluded(latencyCase({
    alert: { ...alert, generatorURL, status: 'resolved', endsAt }, episode: { ...episode, endsAt },
  }), { own: { valueAtFire: -4e11, valueNow: 4e10, worst: -7e11 } });
  assert.match(ended.verdict.headline, /: was forecast to run out\. Recovered 10:20 UTC/u);
});

test('verdict leaves out what a template says of a label that the alert lacks', () => {
  const { alert } = latencyCase();
  const labels = { alertname: 'PrometheusJobMissing', job: 'prometheus' };
  const generatorURL = 'http://p/graph?g0.expr=absent%28up%7Bjob%3D%22prometheus%22%7D%29';
  const headlineOf = (summary: string): string => concluded(
    latencyCase({ alert: { ...alert, generatorURL, labels, annotations: { summary } } }),
    { own: { valueAtFire: 1, valueNow: 1, worst: 1 } }).verdict.headline;
  assert.match(headlineOf('Job missing (instance )'), /“Job missing”\. Firing/u);
  assert.match(headlineOf('No rate() of jobs (all)'), /“No rate\(\) of jobs \(all\)”\. Firing/u);
});

test('verdict and findings tell a template that fails from what the alert says', () => {
  const { alert } = latencyCase();
  const annotations = {
    summary: '<error expanding template: error executing template __alert_Cache: template: ' +
      '__alert_Cache:1:154: executing "__alert_Cache" at <first>: error calling first: first() ' +
      'called on vector with no elements>',
    description: 'The cache cannot be reached',
  };
  const generatorURL = 'http://p/graph?g0.expr=cache_up+%3D%3D+0';
  const labels = { alertname: 'Cache', instance: 'c1:80' };
  const { verdict, findings } = concluded(
    latencyCase({ alert: { ...alert, generatorURL, labels, annotations } }),
    { own: { valueAtFire: 0, valueNow: 0, worst: 0 } });
  assert.match(verdict.headline, /^c1:80: “The cache cannot be reached”\. Firing/u);
  assert.ok(findings.some(({ text }) => text ===
    'The template of the annotation summary fails: first() called on vector with no elements.'));
});

test('verdict says of an alert that starts later than now whose clock that is', () => {
  const { alert, episode } = latencyCase();
  const startsAt = '2026-11-20T10:34:00Z'; // Four minutes after now.
  const { verdict } = concluded(latencyCase({
    alert: { ...alert, startsAt }, episode: { ...episode, startsAt },
  }), null);
  assert.match(verdict.headline, / Firing since 10:34 UTC by its sender's clock\.$/u);
});

test('verdict says what is worth reading beside the name, the place and the times', () => {
  const { alert } = latencyCase();
  const gistOf = (over: Partial<typeof alert>, own = {}): string =>
    concluded(latencyCase({ alert: { ...alert, ...over } }), { own }).verdict.gist ?? '';
  assert.match(gistOf({}), /^\d.* its threshold of 500 ms[^.]*\.$/u);
  const generatorURL = 'http://p/graph?g0.expr=zpool_state%7Bstate%21%3D%22online%22%7D+%3E+0';
  const labels = { alertname: 'ZfsPool', zpool: 'tank', instance: 'nas-1:9100' };
  const one = { valueAtFire: 1, valueNow: 1, worst: 1 };
  const summary = 'a pool is degraded';
  assert.equal(gistOf({ generatorURL, labels, annotations: { summary } }, one),
    '“a pool is degraded”.', 'the words of its author stay as they are');
});

test('verdict tells the value of an alert that ended as past', () => {
  const { alert, episode } = latencyCase();
  const endsAt = '2026-11-20T10:20:00Z';
  const ended = latencyCase({
    alert: { ...alert, status: 'resolved', endsAt }, episode: { ...episode, endsAt },
  });
  const gistOf = (own: object | null): string | undefined =>
    concluded(ended, own && { own }).verdict.gist;
  assert.match(gistOf({ worst: null, valueNow: null }) ?? '', /^Was [\d.]+ s, .*its threshold/u);
  assert.match(gistOf({ valueNow: 0.3 }) ?? '', /^Back to 300 ms after a peak of /u);
  assert.match(gistOf({ worst: null, valueAtFire: 0.3, valueNow: 0.3 }) ?? '', /^300 ms, back/u);
});

test('a headline is a statement on what the rule compares, in the units of the rule', () => {
  const { alert } = latencyCase();
  const gistOf = (rule: string, value: number, labels = {}): string | undefined => {
    const generatorURL = `http://p/graph?g0.expr=${encodeURIComponent(rule)}`;
    return concluded(latencyCase({ alert: { ...alert, generatorURL, annotations: {} } }), {
      own: { labels, valueAtFire: value, valueNow: value, worst: value, trend: null },
    }).verdict.gist;
  };
  assert.equal(gistOf('open_connections > 30', 37),
    '37 open connections, over its threshold of 30.');
  assert.equal(gistOf('request_duration_seconds > 0.5', 0.6, { route: '/search' }),
    'Request duration (route /search) is 600 ms, over its threshold of 500 ms.');
  assert.equal(gistOf('process_resident_memory_bytes > 250e6', 300e6),
    'Resident memory is 300 MB, over its threshold of 250 MB.');
  assert.equal(gistOf('process_resident_memory_bytes > 268435456', 322122547),
    'Resident memory is 307 MiB, over its threshold of 256 MiB.');
  assert.equal(gistOf('up == 0', 0), 'Prometheus cannot scrape it.');
});

test('a headline says where the series are, and what the author calls it only without them', () => {
  const alert = anAlert({ labels: { alertname: 'JourneySlow', slo: 'checkout', team: 'web' } });
  const at = (place: AlertPlace): string =>
    concluded(latencyCase({ alert }), { place }).report.verdict.headline;
  const added = ['slo', 'team'];
  assert.match(at({ labels: { job: 'storefront', instance: 'a:80' }, target: {}, added }),
    /^JourneySlow on storefront\./u);
  assert.match(at({ labels: {}, target: {}, added }), /^JourneySlow on checkout/u);
  const own = { job: 'storefront', slo: 'checkout' };
  assert.match(at({ labels: own, target: {}, added: [] }), /^JourneySlow on checkout/u);
});
