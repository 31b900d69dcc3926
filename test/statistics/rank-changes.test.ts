import assert from 'node:assert/strict';
import test from 'node:test';
import type { ChangeCandidate } from '../../src/statistics/change-candidate.ts';
import { classifyMetric } from '../../src/statistics/names/metric-class.ts';
import { listedMax, rankChanges, type ChangeRanking } from '../../src/statistics/rank-changes.ts';
import { scoreOf } from '../../src/statistics/series-score.ts';
import type { EarlierTrouble } from '../../src/statistics/without-earlier.ts';
import { seededRandom } from '../support/random.ts';

const length = 120;
const split = 90;
const { NaN } = Number;
const random = seededRandom(29);

function candidate(
  component: string,
  metric: string,
  options: {
    readonly to?: number;
    readonly from?: number;
    readonly labels?: Record<string, string>;
    readonly values?: (index: number) => number;
    readonly weight?: number;
  } = {},
): ChangeCandidate {
  const { signal, side, kind, unit } = classifyMetric(metric);
  const { to = 100, from = split, labels = {}, weight = 1 } = options;
  const valueAt = options.values ??
    ((index: number) => (index >= from ? to : 100) + (random() % 100) / 100);
  return {
    id: `${component}/${metric}/${Object.values(labels).join()}`, component, metric, signal, side,
    kind, unit, labels, weight, named: null, valueless: null,
    values: Float64Array.from({ length }, (_, index) => valueAt(index)),
  };
}

function names(ranking: ChangeRanking): string[] {
  return ranking.components.map(({ component }) => component);
}

test('rankChanges puts what moved most and with the alert first', () => {
  const own = candidate('shop', 'latency', { to: 400 });
  const ranking = rankChanges([
    own, candidate('cart', 'cart_cpu', { to: 300 }), candidate('ads', 'ads_cpu', { to: 103 }),
    candidate('mail', 'mail_cpu'),
  ], { split, own: own.values, ownIds: new Set([own.id]) });
  assert.deepEqual(names(ranking), ['cart', 'ads', 'mail']);
  const [first] = ranking.series;
  assert.ok(first !== undefined);
  assert.equal(first.strength, 'strong');
  assert.equal(first.onsetIndex, split);
  assert.ok((first.agreement ?? 0) > 0.99);
  assert.ok(Math.abs(first.before - 100.5) < 0.3 && Math.abs(first.after - 300.5) < 1);
  assert.deepEqual([ranking.compared, ranking.moved, ranking.expectedByChance], [3, 1, 0.03]);
});

test('what has stood still since it moved has no agreement, rather than none', () => {
  const points = 240;
  const series = (metric: string, valueAt: (index: number) => number): ChangeCandidate => ({
    ...candidate('mail', metric), values: Float64Array.from({ length: points }, (_, at) =>
      valueAt(at)),
  });
  const own = Float64Array.from({ length: points }, (_, at) => Math.max(0, at - 150));
  const { series: lines } = rankChanges([
    series('queue_consumers', (at) => (at < 155 ? 4 : 0)),
    series('queue_ready', () => 7),
  ], { split: 200, own });
  assert.deepEqual(lines.map(({ agreement }) => agreement), [null, 0]);
  assert.equal(lines[0]?.onsetIndex, 155);
});

for (const [metric, isVictim] of [
  ['redis_client_command_duration_seconds', true], ['redis_client_errors_total', true],
  ['db_client_queries_duration_seconds', true], ['http_client_errors_total', false],
] as const) {
  test(`${metric} is ${isVictim ? '' : 'not '}of what its component calls`, () => {
    const { series: [line] } = rankChanges([candidate('cart', metric, { to: 500 })], { split });
    assert.equal(line?.isVictim, isVictim);
  });
}

test('work in flight is a victim even of a component of which nothing else is known', () => {
  const { series: [line] } = rankChanges([
    candidate('edge', 'nginx_connections_active', { to: 900 }),
  ], { split });
  assert.deepEqual([line?.isVictim, line?.strength], [true, 'strong']);
});

test('rankChanges expects more by chance where little is known of the time before', () => {
  const young = candidate('cart', 'cart_cpu');
  const values = young.values.map((value, index) => (index < split - 14 ? NaN : value));
  const { expectedByChance } = rankChanges([{ ...young, values }], { split });
  assert.equal(expectedByChance, 0.03);
});

test('rankChanges expects as many by chance as moved at moments of no meaning before', () => {
  const rankAfter = (bursts: number, ...shares: readonly number[]): ChangeRanking => {
    const begin = shares.map((share) => Math.floor(share * split));
    const restless = Array.from({ length: 6 }, (_, place) => {
      const quiet = candidate('cart', `cart_cpu_${place}`);
      const hasBurst = (at: number): boolean => begin.some((from) => at >= from && at < from + 10);
      const values = quiet.values.map((value, at) =>
        place < bursts && hasBurst(at) ? value + 300 : value);
      return { ...quiet, values };
    });
    return rankChanges(restless, { split });
  };
  const { moved, expectedByChance } = rankAfter(2, 1 / 2, 3 / 4);
  assert.deepEqual([moved, expectedByChance], [0, 2]);
  // All of them at one moment is what happened then, and no chance.
  for (const moment of [1 / 2, 3 / 4]) assert.ok(rankAfter(6, moment).expectedByChance < 1);
});

test('a lag far below a millisecond has not moved, however steady it was', () => {
  const lag = (after: number): ChangeCandidate => candidate('web', 'nodejs_eventloop_lag_seconds', {
    values: (index) => (index < split ? 22e-6 + (random() % 10) / 1e7 : after),
  });
  const strengths = [290e-6, 0.3].map((after) =>
    rankChanges([lag(after)], { split }).series[0]?.strength);
  assert.deepEqual(strengths, ['weak', 'strong']);
});

test('what moves with the alert comes before what moved farther without it', () => {
  const beating = (height: number) => (index: number): number =>
    100 + (index >= split && index % 2 === 0 ? height : 0) + (random() % 100) / 100;
  const own = candidate('shop', 'latency', { values: beating(300) });
  const ranking = rankChanges([
    candidate('ads', 'ads_cpu', { to: 300 }),
    candidate('cart', 'cart_cpu', { values: beating(80) }),
  ], { split, own: own.values });
  assert.deepEqual(names(ranking), ['cart', 'ads']);
});

test('what moves with the alert comes first only if it moved about as far', () => {
  const own = candidate('shop', 'latency', { to: 400, from: 95 });
  const rank = (far: number): string[] => names(rankChanges([
    candidate('ads', 'ads_cpu', { to: far }), candidate('cart', 'cart_cpu', { to: 150, from: 95 }),
  ], { split, own: own.values }));
  assert.deepEqual(rank(160), ['cart', 'ads']);
  assert.deepEqual(rank(90_000), ['ads', 'cart']);
});

test('what shows in latency alone is no victim, however quiet its inside', () => {
  const slow = candidate('cart', 'cart_latency_seconds', { to: 500 });
  const { components } = rankChanges([
    slow, candidate('cart', 'cart_cpu'), candidate('front', 'front_cpu', { to: 130 }),
  ], { split });
  assert.deepEqual(components.map(({ component, best }) => [component, best?.isVictim]),
    [['cart', false], ['front', false]]);
});

test('of two as unusual, a multiple comes before a tenth more', () => {
  const steady = candidate('db', 'db_memory_bytes', {
    values: (at) => (at >= split ? 8800 : 8000) + (random() % 100) / 5,
  });
  const busy = candidate('cart', 'cart_cpu', {
    values: (at) => (at >= split ? 90 : 1) + (random() % 100) / 50,
  });
  const { series } = rankChanges([steady, busy], { split });
  assert.ok(series.every(({ z }) => Math.abs(z) > 8));
  assert.deepEqual(series.map((line) => line.candidate.component), ['cart', 'db']);
});

test('traffic counts for half, and calls that a component makes for a third', () => {
  const scores = ['cart_cpu', 'requests_total', 'http_client_request_seconds'].map((metric) =>
    rankChanges([candidate('cart', metric, {
      values: (at) => (at >= split ? 900 : 100) + at % 2,
    })], { split }).series[0]?.score ?? 0);
  const [inside = 0, traffic = 0, calls = 0] = scores;
  assert.ok(Math.abs(traffic / inside - 1 / 2) < 1e-9 && Math.abs(calls / inside - 1 / 3) < 1e-9);
});

test('who jumped as far an hour ago is no news, unless it was the other way', () => {
  const burst = (earlier: number): number | undefined => rankChanges([candidate('ads', 'ads_cpu', {
    values: (at) => (at >= split ? 300 : at >= 20 && at < 32 ? earlier : 100) + at % 2,
  })], { split }).series[0]?.grounds.burst;
  // A share of the older three quarters of 90 points.
  assert.equal(burst(300), 12 / 67);
  assert.equal(burst(20), 0);
  const grounds = {
    deviation: 9, effect: 2, follows: 1, isTraffic: false, isWaiting: false, weight: 1,
  };
  assert.equal(scoreOf({ ...grounds, burst: 1 / 5 }), scoreOf({ ...grounds, burst: 0 }) / 2);
});

test('a latency of zero is that of no requests', () => {
  const idle = candidate('cart', 'cart_latency_seconds', {
    values: (at) => (at % 2 === 0 ? 0 : (at >= split ? 3 : 1) + (random() % 100) / 1000),
  });
  const { series: [line] } = rankChanges([idle], { split });
  assert.ok((line?.before ?? 0) > 0.9 && line?.strength === 'strong');
});

test('a series that did not move has no onset', () => {
  const { series } = rankChanges([
    candidate('cart', 'cart_cpu', { to: 300 }), candidate('ads', 'ads_cpu', { to: 102 }),
  ], { split });
  assert.deepEqual(series.map(({ onsetIndex }) => onsetIndex), [split, null]);
});

for (const [to, isVictim] of [[400, true], [1600, false]] as const) {
  test(`${to} open files after 100 are ${isVictim ? 'connections in use' : 'a leak'}`, () => {
    const files = candidate('cart', 'process_open_fds', { to });
    const { series: [line] } = rankChanges([files], { split });
    assert.deepEqual([line?.isVictim, line?.strength], [isVictim, 'strong']);
  });
}

test('a component is gone of which half the series ended', () => {
  const ended = (index: number): number => (index < split + 5 ? 100 : NaN);
  const { components } = rankChanges([
    candidate('cart', 'cart_cpu', { values: ended }), candidate('cart', 'cart_memory_bytes'),
    candidate('ads', 'ads_cpu', { values: ended }), candidate('ads', 'ads_memory_bytes'),
    candidate('ads', 'ads_threads'),
  ], { split });
  const gone = components.filter(({ isGone }) => isGone).map(({ component }) => component);
  assert.deepEqual(gone, ['cart']);
});

test('a component is not gone while new pods report what the old ones did', () => {
  for (const at of [split - 20, split - 2, split + 3]) {
    const pods = ['cpu', 'memory_bytes'].flatMap((metric) => [0, 1].flatMap((pod) => [
      candidate('cart', `cart_${metric}`, {
        labels: { pod: `old-${pod}` }, values: (index) => (index < at ? 100 : NaN),
      }),
      candidate('cart', `cart_${metric}`, {
        labels: { pod: `new-${pod}` }, values: (index) => (index < at ? NaN : 100),
      }),
    ]));
    const { components, vanished } = rankChanges(pods, { split });
    assert.deepEqual(components.filter(({ isGone }) => isGone), [], `replaced at ${at}`);
    assert.equal(vanished.length, 4);
  }
});

test('an earlier stretch of the same trouble is not what is usual', () => {
  const isEarlier = (index: number): boolean => index >= 62 && index < 72;
  const ill = (index: number): number => (isEarlier(index) || index >= split ? 400 : 100);
  const noise = (): number => (random() % 100) / 100;
  const replica = (pod: string, isIllBefore: boolean): ChangeCandidate => candidate('shop', 'cpu', {
    labels: { pod },
    values: (index) => (isIllBefore || !isEarlier(index) ? ill(index) : 100) + noise(),
  });
  const replicas = [replica('a', true), replica('b', false)];
  const own = Float64Array.from({ length }, (_, index) =>
    (isEarlier(index) ? 900 : ill(index)) + noise());
  const marked = Uint8Array.from({ length }, (_, index) => (isEarlier(index) ? 1 : 0));
  const rank = (earlier: EarlierTrouble | null): ChangeRanking['series'][number] | undefined =>
    rankChanges(replicas, { split, own, earlier }).series[0];
  const all = rank({ marked, isUsualLeft: true });
  assert.deepEqual([all?.replicas, all?.replicasMoved, all?.onsetIndex], [2, 2, split]);
  assert.ok((all?.agreement ?? 0) > 0.9, 'it moves with the alert now');
  assert.ok((rank(null)?.agreement ?? 1) < 0.9);
  const few = rank({ marked, isUsualLeft: false });
  assert.equal(few?.z, rank(null)?.z, 'too little is left to compare with');
  assert.ok((few?.agreement ?? 0) > 0.9);
});

test('the order depends on nothing but the series', () => {
  const all = Array.from({ length: 40 }, (_, index) =>
    candidate(`c${index % 8}`, 'errors_total', {
      labels: { route: `/${index}` }, values: (at) => (at >= 95 ? 1 : 0),
    }));
  const shape = (ranking: ChangeRanking): unknown =>
    [ranking.series.map((line) => line.candidate.id), names(ranking)];
  const expected = shape(rankChanges(all, { split }));
  for (let round = 0; round < 5; round += 1) {
    const shuffled = all.map((each) => ({ each, at: random() })).sort((a, b) => a.at - b.at);
    assert.deepEqual(shape(rankChanges(shuffled.map(({ each }) => each), { split })), expected);
  }
});

test('equal changes are ordered by when they began', () => {
  const late = candidate('a', 'errors_total', { values: (at) => (at >= 97 ? 1 : 0) });
  const early = candidate('b', 'errors_total', { values: (at) => (at >= 91 ? 1 : 0) });
  assert.deepEqual(names(rankChanges([late, early], { split })), ['b', 'a']);
});

test('at most 30 lines are listed, the best of five components always among them', () => {
  const loud = Array.from({ length: 60 }, (_, index) =>
    candidate('loud', 'loud_cpu', { to: 300 + index, labels: { core: String(index) } }));
  const others = ['a', 'b', 'c', 'd', 'e', 'f'].map((component, index) =>
    candidate(component, `${component}_cpu`, { to: 120 - index }));
  const { series, components, compared } = rankChanges([...others, ...loud], { split });
  assert.equal(series.length, listedMax);
  assert.equal(compared, 66);
  for (const { component } of components.slice(0, 5)) {
    assert.ok(series.some((line) => line.candidate.component === component), component);
  }
  assert.ok(!series.some((line) => line.candidate.component === 'f'));
  const scores = series.map(({ score }) => score);
  assert.deepEqual(scores, scores.toSorted((a, b) => b - a));
});

test('a component that is gone takes no place in the list', () => {
  const loud = Array.from({ length: 40 }, (_, index) =>
    candidate('loud', 'loud_cpu', { to: 300 + index, labels: { core: String(index) } }));
  const gone = candidate('gone', 'gone_cpu', { values: (at) => (at < 70 ? 5 : NaN) });
  const { series, components } = rankChanges([...loud, gone], { split });
  assert.deepEqual(components.map(({ isGone }) => isGone), [false, true]);
  assert.equal(series.length, listedMax);
});

test('replicas that moved alike are one line, one that moved alone is not averaged away', () => {
  const pods = (to: (pod: number) => number): ChangeCandidate[] =>
    Array.from({ length: 12 }, (_, pod) =>
      candidate('cart', 'cart_cpu', { to: to(pod), labels: { pod: `cart-${pod}`, mode: 'user' } }));
  const together = rankChanges(pods(() => 200), { split }).series;
  assert.deepEqual(together.map((line) => [line.replicasMoved, line.replicas]), [[12, 12]]);
  const alone = rankChanges(pods((pod) => (pod === 7 ? 200 : 100)), { split }).series;
  assert.deepEqual(alone.map((line) => [line.replicasMoved, line.replicas]), [[1, 12]]);
  assert.equal(alone[0]?.candidate.labels['pod'], 'cart-7');
  assert.equal(alone[0]?.strength, 'strong');
});

test('a state counts by how long it holds, not by how far one is from zero', () => {
  const down = candidate('db', 'up', { values: (at) => (at >= 92 ? 0 : 1) });
  const flapping = candidate('ads', 'up', { values: (at) => (at % 4 === 0 ? 0 : 1) });
  const [first, second] = rankChanges([flapping, down], { split }).series;
  assert.deepEqual([first?.candidate.component, first?.isState, first?.z], ['db', true, -10]);
  assert.equal(second?.strength, 'weak');
});

test('settings that stand still or take no step, names and times are not compared', () => {
  const ranking = rankChanges([
    candidate('a', 'db_pool_max', { values: () => 20 }),
    candidate('a', 'db_memory_limit', { to: 300 }),
    candidate('a', 'process_start_time_seconds', { to: 300 }),
    candidate('a', 'kube_pod_info', { to: 300 }), candidate('a', 'ALERTS', { to: 300 }),
  ], { split });
  assert.deepEqual([ranking.compared, names(ranking)], [0, []]);
});

test('one step of what stands still otherwise is no chance, however small in deviations', () => {
  const step = (metric: string, before: number, after: number): ChangeCandidate =>
    candidate('mail', metric, { values: (at) => (at >= split - 2 ? after : before) });
  const noisy = Array.from({ length: 40 }, (_, index) => candidate(`n${index}`, 'n_cpu'));
  for (const [metric, before, after] of [
    ['worker_pool_size', 8, 1], ['queue_consumers', 2, 1], ['db_pool_max', 20, 4],
    ['access_exclusive_locks', 0, 1],
  ] as const) {
    const { series: [first] } = rankChanges([...noisy, step(metric, before, after)], { split });
    assert.deepEqual([first?.candidate.metric, first?.isStep, first?.strength, first?.before,
      first?.after, first?.onsetIndex], [metric, true, 'strong', before, after, split - 2]);
  }
});

test('what alternates, goes on moving, is corrected by little or moved long ago is no step', () => {
  const shapes: readonly ((at: number) => number)[] = [
    (at) => (at >= split || at % 30 === 5 ? 1 : 8), (at) => (at >= split ? at : 8),
    (at) => (at >= split ? 9 : 8), (at) => (at >= 40 ? 1 : 8), (at) => (at === split ? 1 : 8),
  ];
  for (const values of shapes) {
    const { series } = rankChanges([candidate('mail', 'worker_pool_size', { values })], { split });
    assert.equal(series[0]?.isStep, false, String(values));
  }
});

test('what begins and ends is told apart from what moves', () => {
  const fresh = candidate('new', 'new_cpu', { values: (at) => (at >= 95 ? 5 : NaN) });
  const idle = candidate('idle', 'idle_latency', { values: (at) => (at < 94 ? 5 : NaN) });
  const gone = ['cpu', 'mem', 'latency'].map((metric) =>
    candidate('lost', `lost_${metric}`, { values: (at) => (at < 88 ? 5 : NaN) }));
  const old = candidate('old', 'old_cpu', { values: (at) => (at < 40 ? 5 : NaN) });
  const calm = candidate('calm', 'calm_cpu');
  const ranking = rankChanges([fresh, idle, ...gone, old, calm], { split });
  assert.deepEqual(ranking.appeared.map(({ candidate: { id }, index }) => [id, index]),
    [['new/new_cpu/', 95]]);
  assert.deepEqual(ranking.vanished.map(({ candidate: { component }, index }) =>
    [component, index]), [['lost', 88], ['lost', 88], ['lost', 88], ['idle', 94]]);
  assert.deepEqual(names(ranking).slice(0, 1), ['lost']);
  assert.deepEqual(ranking.components.filter(({ isGone }) => isGone).length, 1);
  assert.equal(ranking.components[0]?.best, null);
});

test('a quantile of a few requests counts by its weight', () => {
  const busy = candidate('busy', 'busy_latency', { to: 200 });
  const few = candidate('few', 'few_latency', { to: 300, weight: 0.5 });
  assert.deepEqual(names(rankChanges([few, busy], { split })), ['busy', 'few']);
});

test('rankChanges answers for nothing, and for nothing but gaps', () => {
  const empty = rankChanges([], { split: 0 });
  assert.deepEqual([empty.series, empty.components, empty.compared], [[], [], 0]);
  const gaps = candidate('a', 'a_cpu', { values: () => NaN });
  assert.deepEqual(rankChanges([gaps], { split, own: gaps.values }).components, []);
});

test('rankChanges does not say that everything appeared where the history begins', () => {
  const since = (first: number) => (index: number): number => (index < first ? NaN : 100);
  const young = [88, 89, 90].map((first) =>
    candidate('cart', `cart_cpu_${first}`, { values: since(first) }));
  const late = candidate('ads', 'ads_cpu', { values: since(100) });
  const ranking = rankChanges([...young, late], { split });
  assert.deepEqual(ranking.appeared.map(({ index }) => index), [100]);
});
