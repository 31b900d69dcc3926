import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findEvents } from '../../src/evidence/metrics/events/events.ts';
import type { RangeSeries } from '../../src/sources/prometheus-answers.ts';
import { cpuTimer } from '../support/cpu-timer.ts';

const at = Date.parse('2026-11-20T10:00:00Z');
const minute = 60_000;
const grid = { startMs: at, stepMs: minute, count: 20 };

function raw(
  name: string,
  labels: Readonly<Record<string, string>>,
  values: Float64Array,
): RangeSeries {
  return {
    labels: { __name__: name, namespace: 'shop', ...labels }, values, infinite: 0, valueless: null,
  };
}

/** `before`, and from the eighth minute on `after`. */
function step(before: number, after: number): Float64Array {
  return new Float64Array(grid.count).fill(before).fill(after, 8);
}

test('findEvents merges versions, settings and restarts of replicas', () => {
  const from = (index: number): Float64Array =>
    new Float64Array(20).fill(Number.NaN).fill(1, index);
  const image = (tag: string, pod: string, values: Float64Array): RangeSeries => raw(
    'kube_pod_container_info', { pod, container: 'c', image: `reg/web:${tag}` }, values);
  const events = findEvents([
    image('1.4', 'web-578fcf4766-9csqn', new Float64Array(20).fill(1)),
    image('1.5', 'web-6b9fcf4777-2csqx', from(9)),
    image('1.5', 'web-6b9fcf4777-7xsqz', from(10)),
    raw('kube_deployment_spec_replicas', { deployment: 'web' }, step(3, 5)),
    ...['a', 'b'].map((pod) =>
      raw('kube_pod_container_status_restarts_total', { pod, container: 'c' }, step(1, 2))),
  ], { grid, onMs: at + 8 * minute, componentOf: () => ({ label: 'service', value: 'web' }) });
  assert.deepEqual(events.map(({ kind, text }) => [kind, text]), [
    ['restart', 'web restarted (2 instances)'],
    ['config', 'web was scaled from 3 to 5 replicas'],
    ['version', 'The image of web changed from 1.4 to 1.5 on 2 of 3 instances'],
  ]);
  assert.deepEqual([events[2]?.before, events[2]?.after], ['1.4', '1.5']);
});

test('findEvents says which instances a new version is on, unless it is on all', () => {
  const build = (version: string, instance: string, from: number, to = 20): RangeSeries =>
    raw('app_build_info', { job: 'pay', instance, version },
      new Float64Array(20).fill(Number.NaN).fill(1, from, to));
  const changed = (...names: readonly string[]): string[] => findEvents(['a', 'b', 'c'].flatMap(
    (name) => names.includes(name) ? [build('1.8', name, 0, 9), build('1.9', name, 9)]
      : [build('1.8', name, 0)]), {
    grid, onMs: at + 8 * minute, componentOf: () => ({ label: 'job', value: 'pay' }),
  }).map(({ text }) => text);
  const text = 'The version of pay changed from 1.8 to 1.9';
  assert.deepEqual(changed('b'), [`${text} on b alone`]);
  assert.deepEqual(changed('a', 'c'), [`${text} on 2 of 3 instances`]);
  assert.deepEqual(changed('a', 'b', 'c'), [text]);
});

test('findEvents tells whose version it is that a collector or a host passes on', () => {
  const seen = (name: string, labels: Readonly<Record<string, string>>, from: number, to = 20) =>
    raw(name, labels, new Float64Array(20).fill(Number.NaN).fill(1, from, to));
  const textsOf = (...series: readonly RangeSeries[]): string[] => findEvents(series, {
    grid, onMs: at + 8 * minute,
    componentOf: ({ exported_job: from, app }) => ({ label: 'job', value: from ?? app ?? '' }),
  }).map(({ text }) => text);
  const passedOn = { job: 'otel', instance: 'gw:1' };
  assert.deepEqual(textsOf(
    seen('target_info', { ...passedOn, exported_job: 'cart', service_version: '5.1' }, 0),
    seen('target_info', { ...passedOn, exported_job: 'ads', service_version: '2.0' }, 0, 9),
    seen('target_info', { ...passedOn, exported_job: 'ads', service_version: '2.1' }, 9),
  ), ['The version of ads changed from 2.0 to 2.1']);
  const onHost = { job: 'node', instance: 'fe1:9100' };
  assert.deepEqual(textsOf(
    seen('app_release_info', { ...onHost, app: 'profile', release: '11-29.1' }, 0, 9),
    seen('app_release_info', { ...onHost, app: 'profile', release: '11-29.2' }, 9),
    seen('app_release_info', { ...onHost, app: 'media', release: '11-02.4' }, 0),
  ), ['The version of profile changed from 11-29.1 to 11-29.2']);
});

test('findEvents tells of a version that came with a new instance, unless others had it', () => {
  const seen = (version: string, instance: string, from: number, to = 20): RangeSeries =>
    raw('app_build_info', { job: 'pay', instance, version },
      new Float64Array(20).fill(Number.NaN).fill(1, from, to));
  const told = (...series: readonly RangeSeries[]): string[] => findEvents(series, {
    grid, onMs: at + 8 * minute, componentOf: () => ({ label: 'job', value: 'pay' }),
  }).map(({ text }) => text);
  const old = ['a', 'b'].map((name) => seen('1.8', name, 0));
  const text = 'The version of pay changed from 1.8 to 1.9';
  assert.deepEqual(told(...old, seen('1.9', 'c', 9)), [`${text} on c alone`]);
  // It was removed again: two are left, neither of which had it.
  assert.deepEqual(told(...old, seen('1.9', 'c', 9, 14)), [`${text} on c alone`]);
  assert.deepEqual(told(seen('1.8', 'a', 0, 9), seen('1.8', 'b', 0, 10),
    seen('1.9', 'c', 9), seen('1.9', 'd', 10)), [text]);
  assert.deepEqual(told(...old, seen('1.8', 'c', 9)), []);
  assert.deepEqual(told(...old, seen('1.9', 'c', 0), seen('1.9', 'd', 9)), []);
  assert.deepEqual(told(seen('1.8', 'a', 0, 3), seen('1.9', 'b', 12)), []);
});

test('findEvents does not take a start time that moved with a clock for a restart', () => {
  const started = at / 1000 - 3600;
  const told = (...starts: readonly (readonly [from: number, seconds: number])[]): unknown => {
    const values = new Float64Array(20).fill(started);
    for (const [from, seconds] of starts) values.fill(started + seconds, from);
    const process = (instance: string, own: Float64Array): RangeSeries =>
      raw('process_start_time_seconds', { job: 'pay', instance }, own);
    return findEvents([process('a', values), process('b', new Float64Array(20).fill(started))], {
      grid, onMs: at + 8 * minute, componentOf: () => ({ label: 'job', value: 'pay' }),
    }).map(({ kind, text }) => [kind, text]);
  };
  const moved = (by: string): unknown => ['event', `The start time of pay moved by ${by} without ` +
    'a restart, as when a clock is set on a alone'];
  assert.deepEqual(told([8, 120], [12, 0]), [moved('2 min'), moved('-2 min')]);
  assert.deepEqual(told([8, 3600 + 450]), [['restart', 'pay restarted']]);
  // It has just started, however long the time before was known.
  assert.deepEqual(told([0, 3600 + 200], [8, 3600 + 450]), [['restart', 'pay restarted']]);
  // It lived for less than its start times are apart.
  assert.deepEqual(told([8, 3600 + 450], [10, 3600 + 600]), [['restart', 'pay restarted']]);
});

test('findEvents keeps a release apart from one of the same version taken back before', () => {
  const seen = (instance: string, version: string, from: number, to: number): RangeSeries =>
    raw('app_build_info', { job: 'pay', instance, version },
      new Float64Array(20).fill(Number.NaN).fill(1, from, to));
  const events = findEvents([
    seen('a', '1.8', 0, 10), seen('a', '1.9', 10, 20),
    // A canary, taken back before the release of all.
    seen('b', '1.8', 0, 4), seen('b', '1.9', 4, 7),
    seen('c', '1.8', 0, 11), seen('c', '1.9', 11, 20),
    raw('app_build_info', { job: 'pay', instance: 'b', version: '1.8', pid: '2' },
      new Float64Array(20).fill(Number.NaN).fill(1, 7, 11)),
    raw('app_build_info', { job: 'pay', instance: 'b', version: '1.9', pid: '3' },
      new Float64Array(20).fill(Number.NaN).fill(1, 11)),
  ], {
    grid: { ...grid, stepMs: 15_000 }, onMs: at + 3 * minute,
    componentOf: () => ({ label: 'job', value: 'pay' }),
  });
  assert.deepEqual(events.map(({ text, atMs }) => [text, (atMs - at) / 15_000]), [
    ['The version of pay changed from 1.8 to 1.9 on b alone', 4],
    ['The version of pay went back from 1.9 to 1.8 on b alone', 7],
    ['The version of pay changed from 1.8 to 1.9', 10],
  ]);
});

test('findEvents tells of a version that comes back, but not of one that was only not seen', () => {
  const seen = (version: string, ...spans: readonly [number, number][]): RangeSeries => {
    const values = new Float64Array(20).fill(Number.NaN);
    for (const [from, to] of spans) values.fill(1, from, to);
    return raw('app_build_info', { job: 'pay', instance: 'a', version }, values);
  };
  const told = (...series: readonly RangeSeries[]): unknown => findEvents(series, {
    grid, onMs: at + 8 * minute, componentOf: () => ({ label: 'job', value: 'pay' }),
  }).map(({ text, atMs }) => [text, (atMs - at) / minute]);
  assert.deepEqual(told(seen('1.8', [0, 5], [12, 20]), seen('1.9', [5, 12])), [
    ['The version of pay changed from 1.8 to 1.9', 5],
    ['The version of pay went back from 1.9 to 1.8', 12],
  ]);
  assert.deepEqual(told(seen('1.8', [0, 5], [12, 20])), []);
});

test('findEvents reports a restart once, at its exact time', () => {
  const startedAt = at + 7 * minute + 15_000;
  const process = raw('process_start_time_seconds', { pod: 'idx-1', job: 'idx' },
    step(at / 1000 - 9000, startedAt / 1000));
  const counted = raw('kube_pod_container_status_restarts_total',
    { pod: 'idx-1', container: 'idx' }, step(1, 2));
  const context = {
    grid, onMs: startedAt + 60_000,
    componentOf: ({ job = 'idx-1' }: Readonly<Record<string, string>>) =>
      ({ label: 'job', value: job }),
  };
  const told = (series: readonly RangeSeries[]): unknown =>
    findEvents(series, context).map(({ text, atMs }) => [text, atMs]);
  assert.deepEqual(told([process, counted]), [['idx restarted', startedAt]]);
  assert.deepEqual(told([counted]), [['idx-1 restarted', at + 8 * minute]]);
  const server = raw('pg_postmaster_start_time_seconds', { job: 'pg' },
    step(at / 1000 - 9000, startedAt / 1000));
  assert.deepEqual(told([server]), [['PostgreSQL of pg restarted', startedAt]]);
  const another = raw('process_start_time_seconds', { pod: 'idx-2', job: 'idx' },
    step(at / 1000 - 9000, at / 1000 + 1e6));
  assert.deepEqual(told([another, counted]), [
    ['idx restarted', at + 8 * minute], ['idx-1 restarted', at + 8 * minute],
  ]);
});

test('findEvents tells of the latest restarts of a long crash loop', () => {
  const long = { ...grid, count: 240 };
  const counted = raw('kube_pod_container_status_restarts_total',
    { pod: 'cart-1', container: 'cart' },
    Float64Array.from({ length: long.count }, (_, index) => Math.floor(index / 6)));
  const events = findEvents([counted], {
    grid: long, onMs: at + 200 * minute, componentOf: () => null,
  });
  assert.deepEqual(events.map(({ atMs }) => (atMs - at) / minute),
    [180, 186, 192, 198, 204, 210, 216, 222]);
});

test('findEvents takes what changes all the time for no setting', () => {
  const updated = raw('kube_deployment_metadata_generation', { deployment: 'operator' },
    Float64Array.from({ length: 40 }, (_, index) => index));
  const scaled = raw('kube_deployment_spec_replicas', { deployment: 'web' }, step(3, 5));
  const events = findEvents([updated, scaled], { grid, onMs: at, componentOf: () => null });
  assert.deepEqual(events.map(({ text }) => text), ['web was scaled from 3 to 5 replicas']);
});

test('findEvents tells of a scaling once, though it makes a new generation', () => {
  const of = (name: string, deployment: string, values: Float64Array): RangeSeries =>
    raw(`kube_deployment_${name}`, { deployment }, values);
  const events = findEvents([
    of('spec_replicas', 'web', step(3, 5)), of('status_observed_generation', 'web', step(7, 8)),
    of('metadata_generation', 'web', step(7, 8)), of('metadata_generation', 'cart', step(2, 3)),
  ], { grid, onMs: at, componentOf: () => null });
  assert.deepEqual(events.map(({ text }) => text),
    ['cart was changed (generation 2 to 3)', 'web was scaled from 3 to 5 replicas']);
});

test('findEvents says what was OOM-killed, once, and whether it restarted', () => {
  const reason = (why: string): RangeSeries => raw(
    'kube_pod_container_status_last_terminated_reason',
    { pod: 'cart-1', container: 'cart', reason: why }, step(Number.NaN, 1));
  const restart = raw('kube_pod_container_status_restarts_total',
    { pod: 'cart-1', container: 'cart' }, step(1, 2));
  const process = raw('process_start_time_seconds', { pod: 'cart-1' },
    step(at / 1000 - 9000, at / 1000 + 470));
  const kill = (labels: Readonly<Record<string, string>>): RangeSeries =>
    raw('container_oom_events_total', labels, step(0, 1));
  const ofCart = kill({ pod: 'cart-1', container: 'cart' });
  const ofPods = kill({ pod: 'cart-1', container: '', id: '/kubepods' });
  const onNode = raw('node_vmstat_oom_kill', { instance: 'worker-1:9100' }, step(3, 5));
  const told = (...series: RangeSeries[]): unknown => {
    return findEvents(series, { grid, onMs: at + 8 * minute, componentOf: () => null })
      .map(({ kind, text }) => [kind, text]);
  };
  const restarted = [['restart', 'cart was OOM-killed and restarted']];
  assert.deepEqual(told(restart, reason('OOMKilled')), restarted);
  assert.deepEqual(told(restart, reason('OOMKilled'), process, ofCart, ofPods), restarted);
  assert.deepEqual(told(restart, reason('Error')), [['restart', 'cart restarted']]);
  assert.deepEqual(told(reason('OOMKilled')), []);
  assert.deepEqual(told(ofCart, ofPods), [['event', 'A process of cart was OOM-killed']]);
  assert.deepEqual(told(onNode), [['event', 'A process on worker-1:9100 was OOM-killed']]);
});

test('findEvents takes no longer when every pod of a large namespace keeps restarting', () => {
  const points = 360;
  const series = Array.from({ length: 600 }, (_, index) => {
    const labels = { pod: `cart-${index}`, container: 'cart' };
    const restarts = Float64Array.from({ length: points }, (__, minutes) =>
      Math.floor((minutes + index % 17) / 17));
    return [
      raw('kube_pod_container_status_restarts_total', labels, restarts),
      raw('container_start_time_seconds', labels,
        restarts.map((count) => at / 1000 + (count * 17 - index % 17) * 60)),
    ];
  }).flat();
  const elapsed = cpuTimer();
  const events = findEvents(series, {
    grid: { ...grid, count: points }, onMs: at + 330 * minute,
    componentOf: ({ pod = '' }) => ({ label: 'pod', value: pod }),
  });
  // About 0.1 s with the machine to itself; comparing all with all takes 15 s.
  assert.ok(elapsed() < 3000);
  assert.equal(events.length, 8);
});

test('findEvents tells which program reloaded its configuration, and the exact time', () => {
  const reloadedAt = at + 7 * minute + 19_500;
  const context = { grid, onMs: at + 9 * minute, componentOf: () => null };
  const told = (labels: Readonly<Record<string, string>>): unknown => findEvents([
    raw('prometheus_config_last_reload_success_timestamp_seconds', labels,
      step(at / 1000 - 9000, reloadedAt / 1000)),
  ], context).map(({ text, atMs }) => [text, atMs]);
  assert.deepEqual(told({ instance: '10.0.0.7:9090' }),
    [['The configuration of prometheus on 10.0.0.7:9090 was reloaded', reloadedAt]]);
  assert.deepEqual(told({ pod: 'prometheus-k8s-0' }),
    [['The configuration of prometheus-k8s was reloaded', reloadedAt]]);
});

test('findEvents tells what happens to an exporter from what happens to its server', () => {
  const target = { job: 'redis', instance: 'db-1:9121' };
  const started = step(at / 1000 - 9000, at / 1000 + 470);
  const process = raw('process_start_time_seconds', target, started);
  const version = (name: string, tag = '1.45.0', values = step(1, 1)): RangeSeries =>
    raw(`${name}_build_info`, { ...target, version: tag }, values);
  const told = (...series: readonly RangeSeries[]): unknown => findEvents(series, {
    grid, onMs: at + 8 * minute,
    componentOf: ({ job = 'redis' }) => ({ label: 'job', value: job }),
  }).map(({ text, isOfExporter = false }) => [text, isOfExporter]);
  const exporter = ['redis exporter restarted', true];
  const server = ['Redis of redis restarted', false];
  assert.deepEqual(told(process), [['redis restarted', false]]);
  assert.deepEqual(told(process, version('redis_exporter')), [exporter]);
  assert.deepEqual(told(process, version('jmx_exporter')), [['redis restarted', false]]);
  assert.deepEqual(told(process, version('redis_exporter'),
    raw('redis_start_time_seconds', target, started)), [server, exporter]);
  const never = Number.NaN;
  assert.deepEqual(told(version('redis_exporter', '1.45.0', step(1, never)),
    version('redis_exporter', '1.46.0', step(never, 1))),
  [['The version of redis exporter changed from 1.45.0 to 1.46.0', true]]);

  const counted = (container: string): RangeSeries =>
    raw('kube_pod_container_status_restarts_total', { pod: 'redis-0', container }, step(1, 2));
  const pod = { pod: 'redis-0', container: 'redis-exporter' };
  const inPod = raw('process_start_time_seconds', pod, started);
  const known = raw('redis_exporter_build_info', pod, step(1, 1));
  assert.deepEqual(told(inPod, known, counted('redis-exporter')), [exporter]);
  assert.deepEqual(told(known, counted('redis-exporter')), [exporter]);
  assert.deepEqual(told(inPod, known, counted('redis')), [exporter, ['redis restarted', false]]);
  assert.deepEqual(told(known, raw('redis_start_time_seconds', pod, started)), [server]);
  const kill = raw('node_vmstat_oom_kill', { ...pod, instance: 'w-1' }, step(1, 2));
  assert.deepEqual(told(known, kill), [['A process on w-1 was OOM-killed', false]]);
  // The image of a container beside it, by what reports on pods and is none of them.
  const state = { job: 'kube-state-metrics', instance: 'k:8080' };
  const image = (container: string, tag: string, values: Float64Array): RangeSeries =>
    raw('kube_pod_container_info', { ...pod, ...state, container, image: `x:${tag}` }, values);
  const replaced = (container: string): RangeSeries[] =>
    [image(container, '1', step(1, never)), image(container, '2', step(never, 1))];
  const main = image('redis', '1', step(1, 1));
  const ofPod = [
    [main, ...replaced('redis-exporter')], replaced('redis'), replaced('invoice-exporter'),
  ].map((series) => findEvents(series, {
    grid, onMs: at + 8 * minute, componentOf: () => ({ label: 'pod', value: 'redis' }),
  }).map(({ text, isOfExporter = false }) => [text, isOfExporter]));
  assert.deepEqual(ofPod, [
    [['The image of redis exporter changed from 1 to 2', true]],
    [['The image of redis changed from 1 to 2', false]],
    [['The image of redis changed from 1 to 2', false]],
  ], 'what runs alone is not beside anything');
  assert.deepEqual(told(image('redis-exporter', '1', step(1, 1)),
    raw('process_start_time_seconds', { ...state, pod: 'ksm-0' }, started)),
  [['kube-state-metrics restarted', false]]);
  const named = { ...target, job: 'redis-exporter' };
  assert.deepEqual(told(raw('process_start_time_seconds', named, started),
    raw('redis_exporter_build_info', named, step(1, 1))), [['redis-exporter restarted', false]]);
});

test('findEvents reads restarts from any time or duration since when something runs', () => {
  const restartSeconds = at / 1000 + 8.5 * 60;
  const age = (perSecond: number, isRestarted: boolean): Float64Array =>
    Float64Array.from({ length: grid.count }, (_, index) => {
      const seconds = at / 1000 + index * 60;
      const since = isRestarted && seconds >= restartSeconds ? restartSeconds : at / 1000 - 7e5;
      return (seconds - since) * perSecond;
    });
  const told = (...series: readonly RangeSeries[]): unknown[] => findEvents(series, {
    grid, onMs: at + 9 * minute,
    componentOf: ({ job }) => ({ label: 'job', value: job ?? '' }),
  }).map(({ text, atMs }) => [text, (atMs - at) / minute]);
  const of = { job: 'cache', instance: 'mc1:9150' };
  const expected = [['cache restarted', 8.5]];
  for (const [name, perSecond] of [
    ['memcached_uptime_seconds', 1], ['mysql_global_status_uptime', 1], ['phpfpm_start_since', 1],
    ['java_lang_Runtime_Uptime', 1000], ['sysUpTime', 100],
  ] as const) {
    assert.deepEqual(told(raw(name, of, age(perSecond, true))), expected, name);
    assert.deepEqual(told(raw(name, of, age(perSecond, false))), [], name);
  }
  assert.deepEqual(told(raw('app_start_time_seconds', of,
    new Float64Array(20).fill(at / 1000 - 7e5).fill(restartSeconds, 9))), expected);
  assert.deepEqual(told(raw('java_lang_Runtime_StartTime', of,
    new Float64Array(20).fill(at - 7e8).fill(restartSeconds * 1000, 9))), expected);
  const share = new Float64Array(20).fill(1).fill(0.2, 9);
  assert.deepEqual(told(raw('line_uptime_ratio', of, share)), []);
  assert.deepEqual(told(...['a', 'b'].map((peer) =>
    raw('bgp_peer_uptime_seconds', { ...of, peer }, age(1, true)))), []);
});

test('findEvents tells whose version a collector passes on, and what restarted beside it', () => {
  const seen = (labels: Readonly<Record<string, string>>, from: number, to = 20): RangeSeries =>
    raw('app_release_info', { job: 'node', instance: 'fe1:9100', host: 'fe1', ...labels },
      new Float64Array(20).fill(Number.NaN).fill(1, from, to));
  const started = (job: string, host: string): RangeSeries => raw('process_start_time_seconds',
    { job, instance: `${host}:9253`, host },
    new Float64Array(20).fill(at / 1000 - 7e5).fill(at / 1000 + 9 * 60, 9));
  const [event] = findEvents([
    seen({ app: 'profile', release: '2' }, 9), seen({ app: 'profile', release: '1' }, 0, 9),
    seen({ app: 'chat', release: '7' }, 0), started('php-fpm', 'fe1'), started('mail', 'fe2'),
  ], {
    grid, onMs: at + 9 * minute, componentOf: ({ job }) => ({ label: 'job', value: job ?? '' }),
  }).filter(({ kind }) => kind === 'version');
  assert.equal(event?.text, 'The version of profile changed from 1 to 2');
  assert.deepEqual(event?.component, { label: 'app', value: 'profile' });
  assert.deepEqual(event?.restarted, ['php-fpm']);
});

test('findEvents names whose version it is also where nothing else tells components apart', () => {
  const seen = (app: string, version: string, from: number, to = 20): RangeSeries =>
    raw('app_build_info', { job: app, instance: `10.0.0.${app.length}:80`, app, version },
      new Float64Array(20).fill(Number.NaN).fill(1, from, to));
  const [event] = findEvents([
    seen('shop', '1', 0, 9), seen('shop', '2', 9), seen('mails', '7', 0),
  ], { grid, onMs: at + 9 * minute, componentOf: () => null });
  assert.equal(event?.text, 'The version of shop changed from 1 to 2');
});
