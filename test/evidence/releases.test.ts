import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Asker } from '../../src/evidence/metrics/asking.ts';
import { findEvents, sightingsIn } from '../../src/evidence/metrics/events/events.ts';
import { askExactTimes } from '../../src/evidence/metrics/events/exact-times.ts';
import type { EventContext } from '../../src/evidence/metrics/events/found-event.ts';
import type { RangeSeries, RawSeries } from '../../src/sources/prometheus-answers.ts';
import { fakePrometheus, type FakeSeries } from '../support/sources/fake-prometheus.ts';

const at = Date.parse('2026-11-20T10:00:00Z');
const second = 1000;
const minute = 60_000;
const grid = { startMs: at, stepMs: minute, count: 40 };
const none = Number.NaN;

type Labels = Readonly<Record<string, string>>;

function seen(name: string, labels: Labels, ...parts: readonly [from: number, value: number][]):
RangeSeries {
  const values = new Float64Array(grid.count).fill(none);
  for (const [from, value] of parts) values.fill(value, from);
  return { labels: { __name__: name, ...labels }, values, infinite: 0, valueless: null };
}

const context: EventContext = {
  grid, onMs: at + 21 * minute,
  // As where the label that tells components apart is that of instances.
  componentOf: ({ instance = '', app }) => ({ label: 'instance', value: app ?? instance }),
};

/** Instances of one job that go from one version to another with a new process. */
function released(instances: readonly string[], all: readonly string[], startMs: number):
RangeSeries[] {
  return all.flatMap((instance) => {
    const target = { job: 'basket', instance };
    const build = { ...target, app: 'basket' };
    const isNew = instances.includes(instance);
    return [
      seen('app_build_info', { ...build, version: '7.1' }, [0, 1], ...isNew
        ? [[20, none] as [number, number]] : []),
      ...(isNew ? [seen('app_build_info', { ...build, version: '7.2' }, [20, 1])] : []),
      seen('process_start_time_seconds', target, [0, at / 1000 - 5e5], ...isNew
        ? [[20, startMs / 1000] as [number, number]] : []),
      seen('app_config_last_reload_success_timestamp_seconds', target, [0, at / 1000 - 5e5],
        ...isNew ? [[20, startMs / 1000 + 1] as [number, number]] : []),
    ];
  });
}

test('a version, a restart and a configuration of one service are one release', () => {
  const startMs = at + 19 * minute + 12_340;
  const told = (...on: readonly string[]): unknown =>
    findEvents(released(on, ['a:1', 'b:1', 'c:1'], startMs), context)
      .map(({ kind, atMs, sinceMs, before, after, release }) =>
        [kind, atMs, sinceMs, before, after, release]);
  const release = { isBack: false, takenBackMs: null, of: 3 };
  assert.deepEqual(told('a:1', 'b:1', 'c:1'),
    [['version', startMs, undefined, '7.1', '7.2', { ...release, on: 3 }]]);
  assert.deepEqual(told('b:1'),
    [['version', startMs, undefined, '7.1', '7.2', { ...release, on: 1 }]]);
});

test('what restarted for another reason is no part of a release', () => {
  const startMs = at + 19 * minute + 12_340;
  const other = { job: 'basket', instance: 'c:1' };
  const events = findEvents([
    ...released(['a:1', 'b:1'], ['a:1', 'b:1'], startMs),
    seen('process_start_time_seconds', other, [0, at / 1000 - 5e5], [20, startMs / 1000]),
    seen('node_boot_time_seconds', { job: 'node', instance: 'a:1' },
      [0, at / 1000 - 5e5], [20, startMs / 1000]),
  ], context);
  assert.deepEqual(events.map(({ kind, labels: { job, instance } }) => [kind, job, instance]), [
    ['version', 'basket', 'a:1'], ['restart', 'node', 'a:1'], ['restart', 'basket', 'c:1'],
  ]);
});

test('of pods, an image, a version and a generation are one release', () => {
  const pod = (name: string): Labels => ({ namespace: 'shop', pod: `web-${name}` });
  const old = pod('578fcf4766-9csqn');
  const next = pod('6b9fcf4777-2csqx');
  const startedMs = at + 19 * minute + 30_000;
  const events = findEvents([
    seen('kube_pod_container_info', { ...old, container: 'web', image: 'r/web:3' }, [0, 1]),
    seen('kube_pod_container_info', { ...next, container: 'web', image: 'r/web:4' }, [20, 1]),
    seen('web_build_info', { ...old, version: '3.0' }, [0, 1]),
    seen('web_build_info', { ...next, version: '4.0' }, [21, 1]),
    seen('process_start_time_seconds', next, [21, startedMs / 1000]),
    seen('kube_deployment_status_observed_generation', { namespace: 'shop', deployment: 'web' },
      [0, 8], [19, 9]),
    seen('kube_pod_container_status_restarts_total', { ...next, container: 'web' },
      [20, 0], [23, 1]),
  ], { ...context, componentOf: () => ({ label: 'service', value: 'web' }) });
  assert.deepEqual(events.map(({ kind, before, after, atMs, release }) =>
    [kind, before, after, (atMs - at) / minute, release?.on, release?.of]), [
    ['version', '3.0', '4.0', 19, 1, 2], ['restart', null, null, 23, undefined, undefined],
  ]);
});

test('a version that ran before for long is a return, and ends the release in between', () => {
  const build = (version: string, ...parts: readonly [number, number][]): RangeSeries =>
    seen('app_build_info', { job: 'pay', instance: 'a:1', version }, ...parts);
  const told = (...series: readonly RangeSeries[]): unknown => findEvents(series, context)
    .map(({ after, release }) => [after, release?.isBack,
      release?.takenBackMs && (release.takenBackMs - at) / minute]);
  const kept = build('2.0', [0, 1], [20, none], [30, 1]);
  assert.deepEqual(told(kept, build('2.1', [20, 1], [30, none])),
    [['2.1', false, 30], ['2.0', true, null]]);
  // A trial of five minutes, and what ran for longer in between, is released for good.
  assert.deepEqual(told(
    build('1.9', [0, 1], [4, none]), build('2.0', [4, 1], [9, none], [25, 1]),
    build('1.9', [9, 1], [25, none])),
  [['2.0', false, 9], ['1.9', true, null], ['2.0', false, null]]);
});

test('what changed is dated by the samples around it, within which it happened', async () => {
  const swappedMs = at + 19 * minute + 22_000;
  const build = (version: string, isThere: (ms: number) => boolean): FakeSeries => ({
    labels: { __name__: 'app_build_info', job: 'pay', instance: 'a:1', version },
    valueAt: (ms) => (isThere(ms) ? 1 : none),
  });
  const generation: FakeSeries = {
    labels: { __name__: 'kube_daemonset_metadata_generation', namespace: 'ops', daemonset: 'log' },
    valueAt: (ms) => (ms < swappedMs ? 4 : 5),
  };
  const all = [
    build('2.0', (ms) => ms < swappedMs), build('2.1', (ms) => ms >= swappedMs), generation,
  ];
  const series = all.map(({ labels, valueAt }): RangeSeries => ({
    labels, infinite: 0, valueless: null,
    values: Float64Array.from({ length: grid.count }, (_, index) => valueAt(at + index * minute)),
  }));
  const prometheus = fakePrometheus({ series: all, scrapeSeconds: 15 });
  const asker = new Asker(prometheus, (_, question) => question());
  const ask = (budget: number): ReturnType<typeof askExactTimes> =>
    askExactTimes(asker, sightingsIn(series, context), { ...context, budget });
  const dates = (rawOf: NonNullable<EventContext['rawOf']>): unknown =>
    findEvents(series, { ...context, rawOf })
      .map(({ kind, atMs, sinceMs = 0 }) => [kind, (atMs - at) / second, (sinceMs - at) / second]);
  const first = 19 * 60 + 30;
  assert.deepEqual(dates(await ask(4)),
    [['version', first, first - 15], ['config', first, first - 15]]);
  assert.equal(prometheus.questions.length, 2);
  assert.deepEqual(dates(await ask(0)), [['version', 1200, 1140], ['config', 1200, 1140]]);
  assert.equal(prometheus.questions.length, 2);
  const early = series.map((each) => ({ ...each, values: each.values.toReversed() }));
  await askExactTimes(asker, sightingsIn(early, { ...context, onMs: at + 90 * minute }),
    { grid, onMs: at + 90 * minute, budget: 4 });
  assert.equal(prometheus.questions.length, 2, 'what is long past is not asked about');
});

test('a series that is scraped late is not dated by another one', () => {
  const raw: RawSeries = {
    labels: {}, timesMs: [at + 19 * minute - second, at + 19 * minute + 14_000], values: [4, 5],
  };
  const [event] = findEvents([
    seen('kube_daemonset_metadata_generation', { namespace: 'ops', daemonset: 'log' },
      [0, 4], [20, 5]),
  ], { ...context, rawOf: () => raw });
  assert.deepEqual([event?.atMs, event?.sinceMs], [raw.timesMs[1], raw.timesMs[0]]);
});
