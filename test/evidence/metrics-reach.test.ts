import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import {
  aRule, alertsSeries, collected, firedAt, noise, present, shop, shopCompared, shopLabels,
  shopSeries, troubleAt,
} from '../support/samples/shop-scenario.ts';
import {
  fakeCounter, fakeSeries, type FakeOptions, type FakeSeries,
} from '../support/sources/fake-prometheus.ts';

const dayMs = 86_400_000;

test('collectMetrics restricts queries to the own series if there are many', async () => {
  const service = 'a$1"b';
  const many = Array.from({ length: 50 }, (_, index): FakeSeries => ({
    labels: { namespace: 'shop', service: index === 7 ? service : `s${index}` },
    valueAt: () => index / 10,
  }));
  const { facts, prometheus } = await collected(
    shop({ expressions: { [shopCompared]: many }, series: shopSeries() }),
    { alert: { labels: { ...shopLabels, service } } },
  );
  assert.equal(facts.own?.valueNow, 0.7);
  assert.equal(facts.own?.evidence.length, 2);
  assert.deepEqual(facts.peers && [facts.peers.total, facts.peers.beyond], [50, 44]);
  const alone = prometheus.questions.find((question) => question.includes(') and on ('));
  assert.ok(alone?.includes('label_replace(vector(1), "namespace", "shop", "", "")'));
  assert.ok(alone?.includes('"a$$1\\"b"'));
});

test('collectMetrics goes one hop from a pod to its node', async () => {
  const pod = 'web-578fcf4766-9csqn';
  const node = [
    fakeSeries('kube_pod_info', {
      namespace: 'shop', pod, node: 'n1', host_ip: '10.0.0.7', instance: 'ksm:8080',
    }, () => 1),
    fakeSeries('node_load1', { instance: '10.0.0.7:9100', job: 'node' },
      (at) => 1 + 0.1 * noise(3, at) + (at >= troubleAt ? 9 : 0)),
    fakeSeries('node_load1', { instance: '10.0.0.70:9100', job: 'node' }, () => 50),
  ];
  const alert = { ...shopLabels, pod };
  const { facts, prometheus } = await collected(
    shop({ series: [...shopSeries(), ...node, ...alertsSeries([[firedAt, present]], { alert })] }),
    { alert: { labels: alert } },
  );
  const line = facts.ranking?.ranking.components.find(({ component }) => component === 'node n1');
  assert.equal(line?.best?.candidate.metric, 'node_load1');
  assert.ok((line?.best?.z ?? 0) > 8);
  assert.equal(facts.ranking?.ranking.series
    .filter(({ candidate }) => candidate.component === 'node n1').length, 1);
  assert.ok(prometheus.questions.includes(`count by (__name__) ({namespace="shop",pod="${pod}"})`));
});

test('collectMetrics recognises a change that happens every day', async () => {
  const series = shopSeries().map((each) => {
    const { labels } = each;
    if (labels['__name__'] !== 'process_resident_memory_bytes' || labels['service'] !== 'db') {
      return each;
    }
    const busy = (at: number): number => {
      const isBusy = (((at - troubleAt) % dayMs) + dayMs) % dayMs < 3_600_000;
      return 1e8 + 1e6 * noise(2, at) + (isBusy ? 1e8 : 0);
    };
    return { labels, valueAt: busy };
  });
  const { facts } = await collected(shop({ series }));
  const [id = ''] = [...facts.ranking?.seasonal.keys() ?? []].filter((key) =>
    key.startsWith('process_resident_memory_bytes'));
  assert.equal(facts.ranking?.seasonal.get(id)?.isUsual, true);
  const cpu = [...facts.ranking?.seasonal ?? []].find(([key]) =>
    key.startsWith('process_cpu_seconds_total') && key.includes('"db"'));
  assert.equal(cpu?.[1].isUsual, false);
});

test('collectMetrics compares the rate of a histogram with its rate on other days', async () => {
  const labels = { namespace: 'shop', service: 'db', job: 'db', instance: 'db:9100' };
  const rateAt = (at: number): number => 2 + 0.1 * noise(5, at) + (at >= troubleAt ? 9 : 0);
  const count = fakeCounter(rateAt, firedAt - 9 * dayMs);
  const series = [
    ...shopSeries(),
    // The mean does not move, so that the sum is not fetched for other days.
    fakeSeries('gc_pause_seconds_count', labels, count),
    fakeSeries('gc_pause_seconds_sum', labels, (at) => 0.01 * count(at)),
  ];
  const { facts } = await collected(shop({ series }));
  const counted = [...facts.ranking?.seasonal ?? []].find(([id]) =>
    id.startsWith('gc_pause_seconds_count'));
  assert.ok((counted?.[1].z ?? 0) > 8);
  assert.equal(counted?.[1].isUsual, false);
});

test('collectMetrics takes it for no gap that another series was the highest', async () => {
  const other = (at: number): boolean => at >= firedAt - 60 * 60_000 && at < firedAt - 50 * 60_000;
  const jobs = fakeSeries('queue_jobs', { namespace: 'shop', service: 'web' },
    (at) => (other(at) ? Number.NaN : 9));
  const gapsWith = async (query: string): Promise<number | undefined> => {
    const rules = [aRule({ query })];
    const { facts } = await collected(shop({ rules, series: [...shopSeries(), jobs] }));
    return facts.scrape?.gaps.length;
  };
  assert.equal(await gapsWith('queue_jobs > 5'), 1);
  assert.equal(await gapsWith('topk(1, queue_jobs) > 5'), 0);
});

test('collectMetrics finds scrape gaps and a series that has disappeared', async () => {
  const isGap = (at: number): boolean => at >= firedAt - 60 * 60_000 && at < firedAt - 50 * 60_000;
  const series = shopSeries().map(({ labels, valueAt }) => ({
    labels, valueAt: (at: number) => (isGap(at) ? Number.NaN : valueAt(at)),
  }));
  const { facts } = await collected(shop({ series }));
  assert.equal(facts.scrape?.gaps.length, 1);
  const [gap] = facts.scrape?.gaps ?? [];
  assert.ok(gap !== undefined && Math.abs(gap.toMs - gap.fromMs - 600_000) <= 120_000);
  assert.equal(facts.scrape?.isStale, false);
  const query = 'queue_jobs > 5';
  const jobs = fakeSeries('queue_jobs', { namespace: 'shop', service: 'web' },
    (at) => (at > firedAt + 60_000 ? Number.NaN : 9));
  const gone = await collected(
    shop({ rules: [aRule({ query })], series: [...shopSeries(), jobs] }),
  );
  assert.equal(gone.facts.own?.valueNow, null);
  assert.equal(gone.facts.own?.valueAtFire, 9);
  assert.equal(gone.facts.scrape?.isStale, true);
});

test('collectMetrics counts the targets that are up now, not at the last step', async () => {
  // Between two steps of the course.
  const lostAt = firedAt + 2_000;
  const series = shopSeries().map(({ labels, valueAt }) => ({
    labels,
    valueAt: (at: number) => (labels['__name__'] === 'up' && at >= lostAt ? 0 : valueAt(at)),
  }));
  const { facts } = await collected(shop({ series }), { context: { now: firedAt + 5_000 } });
  assert.deepEqual([facts.scrape?.up, facts.scrape?.total, facts.scrape?.down.length], [0, 4, 4]);
});

test('collectMetrics asks why targets are down, also in a pool of another name', async () => {
  const isDown = (labels: LabelSet): boolean =>
    labels['__name__'] === 'up' && labels['instance'] === 'db:80';
  const series = shopSeries().map(({ labels, valueAt }) => ({
    labels, valueAt: (at: number) => (isDown(labels) && at >= troubleAt ? 0 : valueAt(at)),
  }));
  const labels = { namespace: 'shop', service: 'db', job: 'db', instance: 'db:80' };
  const other = { labels: { ...labels, instance: 'db:81' }, error: 'EOF' };
  const refused = { labels, error: 'dial tcp 10.0.0.1:80: connect: connection refused' };
  for (const pool of ['db', 'serviceMonitor/shop/db/0']) {
    const failedScrapes = { [pool]: [other, refused] };
    const { facts, prometheus } = await collected(shop({ series, failedScrapes }));
    assert.deepEqual(facts.scrape?.failed?.scrapes, [refused], pool);
    const asked = prometheus.questions.filter((question) => question.startsWith('targets'));
    assert.equal(asked.length, pool === 'db' ? 1 : 2);
  }
  const well = await collected(shop());
  assert.equal(well.facts.scrape?.failed, null);
  assert.ok(well.prometheus.questions.every((question) => !question.startsWith('targets')));
});

for (const reason of ['not_found', 'too_large'] as const) {
  test(`collectMetrics counts an answer on targets that is ${reason} for no failure`, async () => {
    const series = shopSeries().map(({ labels, valueAt }) => ({
      labels, valueAt: (at: number) => (labels['__name__'] === 'up' ? 0 : valueAt(at)),
    }));
    const fault = (question: string): typeof reason | null =>
      question.startsWith('targets') ? reason : null;
    const { facts } = await collected(shop({ series, fault }));
    assert.equal(facts.scrape?.up, 0);
    assert.equal(facts.scrape?.failed, null);
    assert.deepEqual(facts.source.failures, []);
  });
}

test('collectMetrics follows a long-lasting alert up to the present', async () => {
  const now = firedAt + 6 * 3_600_000;
  const { facts } = await collected(shop(), { context: { now } });
  assert.equal(facts.window.toMs, firedAt + 30 * 60_000);
  assert.ok((facts.own?.valueNow ?? 0) > 0.9);
  assert.equal(facts.own?.crossedMs.length, 1);
  assert.ok((facts.own?.overSinceMs ?? 0) <= firedAt);
});

/** The shop, with another course of the alert's own value. */
function withOwn(valueAt: (atMs: number) => number): FakeOptions {
  return shop({
    expressions: { [shopCompared]: [{ labels: { namespace: 'shop', service: 'web' }, valueAt }] },
  });
}

test('collectMetrics does not take the edge of the window for the start', async () => {
  const { facts } = await collected(withOwn(() => 1));
  assert.equal(facts.own?.wasOverBefore, true);
  assert.equal(facts.own?.overSinceMs, facts.window.fromMs);
  const began = firedAt - 3_600_000;
  const young = await collected(withOwn((at) => (at < began ? Number.NaN : 1)));
  assert.equal(young.facts.own?.wasOverBefore, false);
  assert.ok(Math.abs((young.facts.own?.overSinceMs ?? 0) - began) <= 60_000);
});

test('collectMetrics has no start of the problem without the course of the series', async () => {
  let asked = 0;
  const moments = 4;
  const { facts } = await collected(shop({
    fault: (question) => (question === shopCompared && (asked += 1) > moments ? 'timeout' : null),
  }));
  assert.ok((facts.own?.valueNow ?? 0) > 0.9);
  assert.equal(facts.own?.overSinceMs, null);
});

test('collectMetrics tells a series that disappeared from one that recovered', async () => {
  const endsAt = firedAt + 180_000;
  const alert = { status: 'resolved', endsAt: new Date(endsAt).toISOString() } as const;
  const lost = (last: number): FakeOptions =>
    withOwn((at) => (at > endsAt - 30_000 ? Number.NaN : at > endsAt - 90_000 ? last : 1));
  const gone = await collected(lost(0.9), { alert });
  assert.equal(gone.facts.own?.cutOffValue, 0.9);
  assert.equal(gone.facts.own?.recoveredMs, null);
  const healthy = await collected(lost(0.2), { alert });
  assert.equal(healthy.facts.own?.cutOffValue, null);
  const longer = await collected(withOwn(() => 1), { alert });
  assert.equal(longer.facts.own?.cutOffValue, null, 'it goes on after the alert');
  const later = await collected(
    withOwn((at) => (at > endsAt + 1_200_000 ? Number.NaN : 1)),
    { alert, context: { now: endsAt + 2_400_000 } },
  );
  assert.equal(later.facts.own?.cutOffValue, null, 'it disappeared long after the alert');
  const unevenEnd = endsAt + 7000;
  const within = await collected(
    withOwn((at) => (at > unevenEnd ? Number.NaN : at === unevenEnd ? 0.2 : 1)),
    { alert: { status: 'resolved', endsAt: new Date(unevenEnd).toISOString() } },
  );
  assert.equal(within.facts.own?.valueAtEnd, 0.2);
  assert.equal(within.facts.own?.cutOffValue, null, 'it was within its threshold at the end');
});

test('collectMetrics finds the trend since the alert fired', async () => {
  const climbing = withOwn((at) => (at < firedAt ? 0.2 : 1 + (at - firedAt) / 60_000));
  assert.equal((await collected(climbing)).facts.own?.trend, 'rising');
  const steady = withOwn((at) => (at < firedAt ? 0.2 : 1 + noise(1, at)));
  assert.equal((await collected(steady)).facts.own?.trend, null);
});

test('collectMetrics prefers the times of the rule to those of a coarse grid', async () => {
  const second = 1000;
  const fired = firedAt + 7 * second;
  const active = fired - 300 * second;
  const series = [...shopSeries(), ...alertsSeries([[fired, present]])];
  const began = await collected(
    { ...withOwn((at) => (at >= active - 2 * second ? 1 : 0.2)), series },
    { alert: { startsAt: new Date(fired).toISOString() } },
  );
  assert.equal(began.facts.window.onMs, active);
  assert.equal(began.facts.own?.overSinceMs, active);
  const endsAt = firedAt + 187 * second;
  const ended = await collected(withOwn((at) => (at >= endsAt - 3 * second ? 0.2 : 1)), {
    alert: { status: 'resolved', endsAt: new Date(endsAt).toISOString() },
  });
  assert.equal(ended.facts.own?.recoveredMs, endsAt);
});

test('collectMetrics compares no process that only measures, and no monitoring', async () => {
  const targets = [
    ['mysql', 'mysqld_exporter_build_info'], ['prometheus', 'prometheus_build_info'],
    ['app', 'app_build_info'], ['analyst', 'service_journal_torn_tails_total'],
  ] as const;
  // Federated from the Prometheus that scrapes `far`, as the job `app`.
  const far = fakeSeries('prometheus_build_info',
    { job: 'app', instance: 'app:80', exported_job: 'far' }, () => 1);
  const series = [far, ...targets.flatMap(([job, info]) => {
    const labels = { job, instance: `${job}:80` };
    const jump = (at: number): number => 7 + 0.1 * noise(5, at) + (at >= troubleAt ? 9 : 0);
    return [
      fakeSeries(info, labels, () => 1),
      fakeSeries('prometheus_tsdb_head_series', labels, () => 100),
      fakeSeries('go_threads', labels, jump),
      fakeSeries('snapshot_size', labels, jump),
    ];
  })];
  const alert = { alertname: 'HighLatency', job: 'mysql', instance: 'mysql:80', severity: 'page' };
  const components = async (
    metric: string, query: string, labels: LabelSet = alert,
  ): Promise<string[]> => {
    const { facts } = await collected(
      shop({ series, rules: [aRule({ query })] }), { alert: { labels } },
    );
    return (facts.ranking?.ranking.series ?? []).map(({ candidate }) => candidate)
      .filter((each) => each.metric === metric).map(({ component }) => component).sort();
  };
  assert.deepEqual(await components('go_threads', 'mysql_threads > 5'), ['app']);
  assert.deepEqual(await components('snapshot_size', 'mysql_threads > 5'), ['app', 'mysql']);
  const all = ['analyst', 'app', 'mysql', 'prometheus'];
  assert.deepEqual(await components('go_threads', 'prometheus_notifications > 5'),
    ['app', 'prometheus']);
  assert.deepEqual(await components('snapshot_size', 'prometheus_notifications > 5'), all);
  assert.deepEqual(await components('go_threads', 'process_open_fds > 5'), ['app', 'mysql']);
  const ofMonitoring = { alertname: 'Down', job: 'prometheus', severity: 'page' };
  const named = await components('snapshot_size', 'up == 0', ofMonitoring);
  assert.equal(named.length, all.length);
});

test('collectMetrics compares no commands that the exporter of Redis sends', async () => {
  const series = ['slowlog|get', 'config|get', 'get'].map((cmd) => {
    const labels = { namespace: 'shop', job: 'redis', cmd };
    return fakeSeries('redis_latency_percentiles_usec', { ...labels, quantile: '99' },
      (at) => 7 + 0.1 * noise(5, at) + (at >= troubleAt ? 9 : 0));
  });
  const { facts } = await collected(shop({ series: [...shopSeries(), ...series] }));
  const compared = (facts.ranking?.ranking.series ?? [])
    .flatMap(({ candidate }) => candidate.labels['cmd'] ?? []);
  assert.deepEqual(compared, ['get']);
});

test('collectMetrics looks first at the instance of an alert that also names its job', async () => {
  const labels = { job: 'db', instance: 'db-1:80' };
  const own = fakeSeries('prometheus_tsdb_head_series', { job: 'p', instance: 'p' }, () => 100);
  const { prometheus, facts } = await collected(
    shop({ series: [own, fakeSeries('db_rows', labels, () => 1)] }),
    { alert: { labels: { alertname: 'HighLatency', ...labels } } },
  );
  const counts = prometheus.questions.filter((text) => text.startsWith('count by (__name__) ('));
  assert.deepEqual(counts, [
    'count by (__name__) ({instance="db-1:80"})',
    'count by (__name__) ({job="db",instance!="db-1:80"})',
    'count by (__name__) ({__name__!="",instance!="db-1:80",job!="db"})',
  ]);
  assert.equal(facts.ranking?.searched, 'the whole server');
});

test('collectMetrics looks first at the job that a rule reads if the alert has none', async () => {
  const labels = { job: 'mq', instance: 'mq-1:80' };
  const size = fakeSeries('prometheus_tsdb_head_series', { job: 'p', instance: 'p' }, () => 100);
  const { prometheus } = await collected(
    shop({ series: [size, fakeSeries('http_seconds_bucket', labels, () => 1),
      fakeSeries('http_seconds_bucket', { ...labels, instance: 'mq-2:80' }, () => 1)] }),
    { alert: { labels: { alertname: 'HighLatency', mq: 'orders' } } },
  );
  const counts = prometheus.questions.filter((text) => text.startsWith('count by (__name__) ('));
  assert.deepEqual(counts, [
    'count by (__name__) ({job="mq"})', 'count by (__name__) ({__name__!="",job!="mq"})',
  ]);
});
