import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historyQuery } from '../../src/evidence/metrics/ask-moments.ts';
import { conditionsOf, readExpression } from '../../src/evidence/rule/rule-expression.ts';
import type { SeriesData, SeriesStretch } from '../../src/report/series-data.ts';
import {
  activeAt, alertsSeries, aRule, collected, firedAt, ownShopSeries, present, shop, shopCompared,
  shopExpression, shopLabels, shopSeries, troubleAt,
} from '../support/samples/shop-scenario.ts';

test("collectMetrics finds that another service's CPU explains a latency", async () => {
  const { facts, ledger, prometheus } = await collected(shop());
  assert.equal(facts.source.state, 'ok');
  assert.deepEqual(facts.source.failures, []);
  assert.equal(facts.rule?.forSeconds, 300);
  assert.equal(facts.window.onMs, activeAt);
  assert.ok((facts.own?.valueAtFire ?? 0) > 0.9);
  assert.ok((facts.own?.yesterday ?? 1) < 0.3);
  assert.deepEqual(facts.own?.labels, { namespace: 'shop', service: 'web' });
  assert.equal(facts.own?.crossedMs.length, 1);
  assert.ok(Math.abs((facts.own?.overSinceMs ?? 0) - activeAt) <= 3 * 60_000);
  assert.deepEqual(facts.peers && [facts.peers.total, facts.peers.beyond], [3, 1]);
  assert.deepEqual(facts.scrape && [facts.scrape.up, facts.scrape.total], [4, 4]);
  assert.equal(facts.ranking?.ownComponent, 'web');
  const { grid, ownOnsetIndex } = facts.ranking;
  const movedAt = grid.startMs + (ownOnsetIndex ?? 0) * grid.stepMs;
  assert.ok(Math.abs(movedAt - troubleAt) <= 60_000);
  const [best] = facts.ranking?.ranking.components.filter(({ component }) => component !== 'web') ??
    [];
  assert.equal(best?.component, 'db');
  assert.deepEqual(best?.best?.candidate.named, { label: 'service', value: 'db' });
  assert.equal(best?.best?.candidate.metric, 'process_cpu_seconds_total');
  assert.equal(facts.ranking?.searched, 'namespace shop');
  assert.ok(prometheus.questions.length < 40, prometheus.questions.join('\n'));
  const item = ledger.items.find(({ id }) =>
    id === facts.ranking?.evidenceOf.get(best?.best?.candidate.id ?? ''));
  const { values, split } = item?.data as { values: unknown[]; split: number };
  assert.ok(values.length > 150 && values.length <= 361 && split > 100);
  assert.equal(item?.truncated, false);
});

test('collectMetrics looks closely at the little that a young server has', async () => {
  const hours = { labels: {}, valueAt: () => 1 };
  const { facts } = await collected({ ...shop(), expressions: { [historyQuery]: [hours] } });
  assert.equal(facts.ranking?.grid.stepMs, 15_000);
  const { facts: usual } = await collected(shop());
  assert.equal(usual.ranking?.grid.stepMs, 60_000);
});

test('collectMetrics keeps the course after the window and on earlier days', async () => {
  const now = firedAt + 5 * 3_600_000;
  const { facts, ledger, prometheus } = await collected(shop(), { context: { now } });
  const course = ledger.items.find(({ title }) => title === "Course of the alert's own series");
  assert.ok(course !== undefined && facts.own?.evidence.includes(course.id));
  const { later, yesterday, last_week: lastWeek } = course.data as SeriesData;
  assert.ok(later && yesterday && lastWeek);
  assert.equal(Date.parse(lastWeek.start), Date.parse(course.from ?? '') - 7 * 86_400_000);
  assert.ok(lastWeek.values.length <= 61);
  const lastOf = (each: SeriesStretch): number =>
    Date.parse(each.start) + (each.values.length - 1) * each.step_seconds * 1000;
  assert.ok(now - lastOf(later) <= later.step_seconds * 1000);
  assert.ok(later.values.length <= 240 && (later.values.at(-1) ?? 0) > 0.9);
  assert.equal(Date.parse(yesterday.start), Date.parse(course.from ?? '') - 86_400_000);
  assert.ok(yesterday.values.length <= 121);
  assert.ok(yesterday.values.every((value) => (value ?? 1) < 0.3));
  assert.ok(prometheus.questions.length < 40, prometheus.questions.join('\n'));
});

test('collectMetrics does not ask for earlier days without the series', async () => {
  const began = firedAt - 3_600_000;
  const expressions = Object.fromEntries(Object.entries(ownShopSeries()).map(([query, series]) =>
    [query, series.map(({ labels, valueAt }) => ({
      labels, valueAt: (atMs: number) => (atMs < began ? Number.NaN : valueAt(atMs)),
    }))]));
  const { ledger } = await collected(shop({ expressions }));
  const course = ledger.items.find(({ title }) => title === "Course of the alert's own series");
  const { later, yesterday, last_week: lastWeek } = course?.data as SeriesData;
  assert.deepEqual([later, yesterday, lastWeek], [null, null, null]);
});

test('collectMetrics gives the same items whatever order the answers come in', async () => {
  const one = await collected(shop());
  const other = await collected(shop({ delayOf: (question) => (question.length * 7) % 40 }));
  assert.deepEqual(other.ledger.items, one.ledger.items);
  assert.deepEqual(other.facts, one.facts);
});

test('collectMetrics drops external labels that the server does not know', async () => {
  const labels = { ...shopLabels, cluster: 'eu1', prometheus: 'monitoring/k8s' };
  const { facts, prometheus } = await collected(shop(), { alert: { labels } });
  assert.equal(facts.fired?.intervals.length, 1);
  assert.notEqual(facts.own, null);
  assert.ok((facts.ranking?.ranking.compared ?? 0) > 10);
  assert.deepEqual(facts.place?.labels['cluster'], undefined);
  const searching = prometheus.questions.filter((question) => question.includes('(__name__)'));
  assert.ok(searching.length > 0 && searching.every((question) => !question.includes('eu1')));
});

test('collectMetrics knows an alert on the server that fired a moment ago', async () => {
  const now = firedAt + 23_000;
  const labels = { ...shopLabels, tier: 'gold' };
  const series = [...shopSeries(), ...alertsSeries([[firedAt, now]])];
  const { facts, prometheus } = await collected(shop({ series }), {
    alert: { labels }, context: { now },
  });
  assert.deepEqual(facts.fired?.intervals, [{ fromMs: firedAt, toMs: now }]);
  assert.ok(!prometheus.questions.some((question) => question.includes('tier="gold"')));
});

test('collectMetrics searches the whole of a small server for an alert without place', async () => {
  const series = [...shopSeries(), ...alertsSeries([[firedAt, present]])].map((each) => {
    const { namespace: _, ...labels } = each.labels;
    return { ...each, labels };
  });
  const size = { labels: { __name__: 'prometheus_tsdb_head_series' }, valueAt: () => 900 };
  const labels = { alertname: 'HighLatency', service: 'web' };
  const whole = await collected(shop({ series: [...series, size] }), { alert: { labels } });
  assert.equal(whole.facts.ranking?.searched, 'the whole server');
  assert.ok(whole.facts.ranking?.ranking.components.some(({ component }) => component === 'db'));
  const large = { ...size, valueAt: () => 1e6 };
  const none = await collected(shop({ series: [...series, large] }), { alert: { labels } });
  assert.equal(none.facts.ranking, null);
  assert.ok(none.ledger.items.some(({ summary }) => /No label .* where to search/.test(summary)));
});

test('collectMetrics keeps to its job where there is no namespace and much else', async () => {
  const series = shopSeries().map((each) => {
    const { namespace: _, ...labels } = each.labels;
    return { ...each, labels: { ...labels, job: 'api' } };
  });
  const labels = { alertname: 'HighLatency', service: 'web', job: 'api' };
  const { facts, prometheus } = await collected(shop({ series }), { alert: { labels } });
  assert.equal(facts.ranking?.searched, 'job api');
  assert.ok(prometheus.questions.includes('count by (__name__) ({job="api"})'));
});

test('collectMetrics tells a pod that vanished, and one that restarted', async () => {
  const series = shopSeries().map((each) => {
    const { labels, valueAt } = each;
    if (labels['service'] === 'mail') {
      const isGone = (at: number): boolean => at > firedAt - 480_000;
      return { labels, valueAt: (at: number) => (isGone(at) ? Number.NaN : valueAt(at)) };
    }
    if (labels['service'] === 'cart' && labels['__name__'] === 'process_start_time_seconds') {
      return { labels, valueAt: (at: number) => (at > firedAt - 540_000 ? 2e9 : 1e9) };
    }
    return each;
  });
  const { facts } = await collected(shop({ series }));
  const gone = facts.ranking?.ranking.vanished.map(({ candidate }) => candidate.component) ?? [];
  assert.ok(gone.length >= 3 && gone.every((component) => component === 'mail'));
  assert.deepEqual(facts.events.map(({ kind, text }) => [kind, text]),
    [['restart', 'cart restarted']]);
  assert.ok(Math.abs((facts.events[0]?.atMs ?? 0) - (firedAt - 540_000)) <= 60_000);
});

test('collectMetrics counts what fired in the last week', async () => {
  const hour = 3_600_000;
  const earlier = [30, 20, 10, 2].map((hours) =>
    [firedAt - hours * hour, firedAt - hours * hour + 120_000] as const);
  const pending = alertsSeries([[firedAt - 6 * hour, firedAt - 6 * hour + 60_000]],
    { state: 'pending' });
  const series = [...shopSeries(), ...alertsSeries([...earlier, [firedAt, present]]), ...pending];
  const { facts } = await collected(shop({ series }));
  assert.equal(facts.fired?.intervals.length, 5);
  assert.equal(facts.fired?.pendingOnly, 1);
  const [first] = facts.fired?.intervals ?? [];
  assert.ok(first !== undefined && Math.abs(first.toMs - first.fromMs - 120_000) <= 30_000);
  assert.deepEqual(facts.fired?.intervals.at(-1), { fromMs: firedAt, toMs: present });
});

test('collectMetrics keeps a firing that began before the alert says it did', async () => {
  const began = firedAt - 3_600_000;
  const series = [...shopSeries(), ...alertsSeries([[began, present]])];
  const { facts } = await collected(shop({ series }));
  const [first, ...others] = facts.fired?.intervals ?? [];
  assert.deepEqual(others, []);
  assert.ok(first !== undefined && Math.abs(first.fromMs - began) <= 30_000);
});

test('collectMetrics tells an ended firing from one that followed it', async () => {
  const endsAt = firedAt + 120_000;
  const again = firedAt + 21 * 60_000;
  const now = again + 20_000;
  const series = [...shopSeries(), ...alertsSeries([[firedAt, endsAt], [again, now]])];
  const { facts } = await collected(shop({ series }), {
    alert: { status: 'resolved', endsAt: new Date(endsAt).toISOString() }, context: { now },
  });
  const [ended, next, ...others] = facts.fired?.intervals ?? [];
  assert.deepEqual([ended, others], [{ fromMs: firedAt, toMs: endsAt }, []]);
  assert.ok(next !== undefined && Math.abs(next.fromMs - again) <= 30_000);
});

test('collectMetrics finds when the value of an ended alert recovered', async () => {
  const endsAt = firedAt + 180_000;
  const options = shop();
  const expressions = Object.fromEntries(Object.entries(options.expressions ?? {}).map(
    ([text, all]) => [text, all.map(({ labels, valueAt }) => ({
      labels, valueAt: (at: number) => (at >= endsAt - 60_000 ? 0.2 : valueAt(at)),
    }))]));
  const { facts } = await collected({ ...options, expressions }, {
    alert: { status: 'resolved', endsAt: new Date(endsAt).toISOString() },
  });
  assert.equal(facts.own?.overSinceMs, null);
  assert.equal(facts.own?.valueAtEnd, 0.2);
  assert.ok(Math.abs((facts.own?.recoveredMs ?? 0) - (endsAt - 60_000)) <= 60_000);
  assert.ok((facts.own?.worst ?? 0) > 0.9);
});

test('collectMetrics looks at the present for an alert said to end in the future', async () => {
  const endsAt = new Date(present + 2 * 3_600_000).toISOString();
  const { facts } = await collected(shop(), { alert: { status: 'resolved', endsAt } });
  const states = [...facts.recovery?.states.values() ?? []].map(({ state }) => state);
  assert.deepEqual(new Set(states), new Set(['unsettled']));
});

test('collectMetrics takes no value for the worst that is less than at the start', async () => {
  const options = shop();
  const expressions = Object.fromEntries(Object.entries(options.expressions ?? {}).map(
    ([text, all]) => [text, all.map(({ labels, valueAt }) => ({
      labels, valueAt: (at: number) => (at === firedAt + 7000 ? 7 : valueAt(at)),
    }))]));
  // The points of the window need not meet the start, of which the value is asked by itself.
  const { facts } = await collected({ ...options, expressions }, {
    alert: { startsAt: new Date(firedAt + 7000).toISOString() },
  });
  assert.equal(facts.own?.valueAtFire, 7);
  assert.equal(facts.own?.worst, 7);
});

test('collectMetrics tells when what runs out at a steady pace will be gone', async () => {
  const query = 'disk_free_bytes < 5000';
  const labels = { namespace: 'shop', service: 'web' };
  const exhaustionWith = async (bytesPerMinute: number): Promise<unknown> => {
    const own = {
      labels, valueAt: (atMs: number) => 1000 - bytesPerMinute * (atMs - present) / 60_000,
    };
    const { facts } = await collected(shop({
      expressions: { disk_free_bytes: [own] }, rules: [aRule({ query })],
    }), { context: { rule: readExpression(query) } });
    return facts.own?.exhaustion ?? null;
  };
  const stretchMs = 3_600_000;
  assert.deepEqual(await exhaustionWith(10), { level: 0, atMs: present + 6_000_000, stretchMs });
  assert.equal(await exhaustionWith(-10), null, 'it grows');
});

test('collectMetrics finds which of several conditions held', async () => {
  const either = `vector(0) > 1 or (${shopExpression} and vector(1) > 0)`;
  const [web] = ownShopSeries()[shopCompared] ?? [];
  assert.ok(web !== undefined);
  const [first, held] = conditionsOf(readExpression(either)).map(({ query }) => query);
  const expressions = {
    ...ownShopSeries(), [either]: [web], [first ?? '']: [], [held ?? '']: [web],
  };
  const { facts } = await collected(
    shop({ expressions, rules: [aRule({ query: either })] }),
    { context: { rule: readExpression(either) } },
  );
  assert.equal(facts.holding?.comparison?.compared, shopCompared);
  assert.equal(facts.holding?.expression, either);
  assert.equal(facts.holding?.comparison?.hasMoreConditions, true);
  assert.ok((facts.own?.overSinceMs ?? null) !== null);
  const unanswered = await collected(
    shop({ expressions: { [either]: [web] }, rules: [aRule({ query: either })] }),
    { context: { rule: readExpression(either) } },
  );
  assert.equal(unanswered.facts.holding, null);
  const unsure = await collected(
    shop({
      expressions, rules: [aRule({ query: either })],
      fault: (question) => (question === first ? 'server_error' : null),
    }),
    { context: { rule: readExpression(either) } },
  );
  assert.equal(unsure.facts.holding, null, 'the first condition may have held');
});

test('collectMetrics compares nothing with a series that exists only while it fires', async () => {
  const either = `${shopExpression} or vector(0) > 1`;
  const rule = readExpression(either);
  assert.equal(rule.comparison, null);
  const [web] = ownShopSeries()[shopCompared] ?? [];
  const firing = { labels: web?.labels ?? {}, valueAt: (at: number) => {
    const value = web?.valueAt(at) ?? 0;
    return value > 0.5 ? value : Number.NaN;
  } };
  const { facts } = await collected(
    shop({ expressions: { [either]: [firing] }, rules: [aRule({ query: either })] }),
    { context: { rule } },
  );
  assert.notEqual(facts.own?.valueAtFire, null);
  const agreements = facts.ranking?.ranking.series.map(({ agreement }) => agreement) ?? [];
  assert.ok(agreements.length > 0 && agreements.every((each) => each === null));
});

/** Series of other services, which are answered before the alert's own. */
const crowd = Array.from({ length: 40 }, (_, index) => ({
  labels: { namespace: 'shop', service: `s${index}` }, valueAt: () => 0.1,
}));
const [ownWeb] = Object.values(ownShopSeries()).flat();

test("collectMetrics finds the alert's own series beyond what one answer holds", async () => {
  assert.ok(ownWeb !== undefined);
  const { facts, ledger } = await collected(shop({
    samplesMax: 30,
    expressions: {
      [shopCompared]: [...crowd, ownWeb], [shopExpression]: [ownWeb],
      [`count(${shopCompared})`]: [{ labels: {}, valueAt: () => 41 }],
      [`count((${shopCompared}) > 0.5)`]: [{ labels: {}, valueAt: () => 1 }],
    },
  }));
  assert.deepEqual(facts.source.failures, []);
  assert.deepEqual(facts.own?.labels, { namespace: 'shop', service: 'web' });
  assert.ok((facts.own?.valueAtFire ?? 0) > 0.9 && (facts.own?.yesterday ?? 1) < 0.3);
  assert.equal(facts.scrape?.isStale, false);
  assert.deepEqual(facts.peers && [facts.peers.total, facts.peers.beyond], [41, 1]);
  const item = ledger.items.find(({ id }) => id === facts.peers?.evidence);
  assert.deepEqual([item?.query, item?.truncated], [shopCompared, true]);
});

test('collectMetrics does not count peers if only some were read', async () => {
  assert.ok(ownWeb !== undefined);
  const { facts, ledger } = await collected(shop({
    samplesMax: 30, expressions: { [shopCompared]: [...crowd, ownWeb], [shopExpression]: crowd },
  }));
  assert.equal(facts.own, null);
  assert.equal(facts.peers, null);
  const said = ledger.items.map(({ summary }) => summary).join('\n');
  assert.match(said, /too many series to find the alert's own among them/);
  assert.match(said, /0 of 30 series are beyond the threshold now; there are more/);
});
