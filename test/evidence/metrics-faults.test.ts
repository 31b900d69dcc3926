import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ledger } from '../../src/evidence/ledger.ts';
import type { FailureReason } from '../../src/sources/source-failure.ts';
import { ManualClock } from '../support/manual-clock.ts';
import {
  collected, firedAt, present, shop, shopCompared, shopLabels, shopSeries,
} from '../support/samples/shop-scenario.ts';
import { fakeSeries } from '../support/sources/fake-prometheus.ts';

const fatal: FailureReason[] = [
  'connection', 'timeout', 'tls', 'unauthorized', 'not_json', 'unexpected', 'server_error',
  'rate_limited',
];

const passing: ReadonlySet<FailureReason> = new Set([
  'connection', 'timeout', 'server_error', 'rate_limited',
]);

for (const reason of fatal) {
  test(`collectMetrics asks no more when the first answers are ${reason}`, async () => {
    const { facts, ledger, prometheus } = await collected(shop({ fault: () => reason }));
    assert.equal(facts.source.state, 'failed');
    assert.equal(facts.own, null);
    assert.equal(facts.ranking, null);
    assert.ok(prometheus.questions.length <= 4);
    const item = ledger.items.find(({ id }) => id === facts.source.evidence);
    assert.equal(item?.state, 'failed');
    assert.match(item?.error ?? '', new RegExp(`test ${reason}`));
    assert.deepEqual(facts.source.failures.map(({ what }) => what),
      ['The value now, its past, and what else moved before the alert'], 'told once');
    assert.deepEqual(item?.warnings, []);
    assert.equal(facts.source.mayAnswerLater, passing.has(reason));
    for (const { hint } of facts.source.failures) assert.notEqual(hint, '');
  });
}

test('collectMetrics goes on without the rules that a server does not have', async () => {
  const { facts } = await collected(shop({
    fault: (question) => (question.startsWith('rules') ? 'not_found' : null),
  }));
  assert.equal(facts.source.state, 'ok');
  assert.equal(facts.rule, null);
  assert.notEqual(facts.own, null);
  assert.notEqual(facts.ranking, null);
  assert.deepEqual(facts.source.failures.map(({ what }) => what),
    ['The rule as the server has it']);
  assert.equal(facts.source.mayAnswerLater, false);
});

test('collectMetrics goes on where single queries are refused', async () => {
  const { facts, ledger } = await collected(shop({
    fault: (question) => (question === shopCompared ? 'bad_query' : null),
  }));
  assert.equal(facts.own, null);
  assert.equal(facts.peers, null);
  assert.notEqual(facts.ranking, null);
  const item = ledger.items.find(({ title }) => title === "The alert's own series");
  assert.equal(item?.state, 'failed');
});

test('collectMetrics uses answers that came in time and names the others', async () => {
  const clock = new ManualClock(present);
  const running = collected(
    shop({ fault: (question) => (question.includes('__name__=~') ? 'hang' : null) }),
    { context: { clock } },
  );
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  await clock.advance(2500);
  const { facts } = await running;
  assert.notEqual(facts.own, null);
  assert.equal(facts.ranking, null);
  assert.equal(facts.source.durationMs, 2500);
  const late = facts.source.failures.find(({ what }) => what.includes('Series around the alert'));
  assert.match(late?.why ?? '', /^Cannot read from Prometheus: no answer within 2.5 s\.$/);
  assert.equal(facts.source.mayAnswerLater, true);
});

test('collectMetrics rejects only with the reason of the signal', async () => {
  const ended = new AbortController();
  const reason = new Error('stopped');
  const running = collected(shop({ fault: () => 'hang' }), { context: { signal: ended.signal } });
  setImmediate(() => ended.abort(reason));
  await assert.rejects(running, reason);
  await assert.rejects(collected(shop(), { context: { signal: ended.signal } }), reason);
});

test('collectMetrics stays within its budget of queries', async () => {
  for (const budget of [1, 4, 10, 16]) {
    const { facts, prometheus } = await collected(shop({ budget }));
    assert.ok(prometheus.questions.length <= budget);
    assert.equal(facts.source.queries, prometheus.budget.used);
  }
});

test('collectMetrics stops asking a server that fails half-way', async () => {
  let asked = 0;
  const { facts, prometheus } = await collected(shop({
    fault: () => ((asked += 1) > 3 ? 'connection' : null),
  }));
  assert.ok(prometheus.questions.length <= 18);
  assert.equal(facts.own, null);
  assert.notEqual(facts.rule, null);
});

test('collectMetrics fetches no more of a huge namespace than there is room for', async () => {
  const wide = Array.from({ length: 1500 }, (_, index) =>
    fakeSeries('queue_depth', { namespace: 'shop', queue: `q${index}` }, () => 1));
  const many = Array.from({ length: 3000 }, (_, index) =>
    fakeSeries(`thing_${index}_errors_total`, { namespace: 'shop', service: 'web' }, (at) => at));
  const series = [...shopSeries(), ...wide, ...many];
  const { facts, prometheus } = await collected(shop({ series }));
  assert.equal(facts.ranking?.isTruncated, true);
  assert.ok((facts.ranking?.ranking.compared ?? 0) <= 1000);
  assert.ok(prometheus.questions.length < 60);
  assert.ok(prometheus.questions.every((question) => question.length < 5000));
  assert.ok(!prometheus.questions.some((question) => question.includes('queue_depth')));
});

test('collectMetrics keeps room in the ledger and never overflows it', async () => {
  const moving = Array.from({ length: 60 }, (_, index) => fakeSeries(
    `thing_${index}_depth`, { namespace: 'shop', service: `s${index}` },
    (at) => (at > firedAt - 400_000 ? 100 : 1)));
  const tests = Array.from({ length: 8 }, (_, index) =>
    ({ id: `c${index}`, cause: 'It is full', query: 'up', isSupported: () => false }));
  for (const taken of [0, 14, 40, 54]) {
    const ledger = new Ledger();
    for (let item = 0; item < taken; item += 1) {
      ledger.add({ kind: 'alert', source: 'alert', title: 'x', summary: 'x' });
    }
    const options = shop({ series: [...shopSeries(), ...moving] });
    const { facts } = await collected(options, { context: { ledger, testsFor: () => tests } });
    assert.ok(ledger.items.length <= 64);
    if (taken <= 14) assert.equal(facts.answers.size, 8);
    if (taken === 0) assert.ok((facts.ranking?.evidenceOf.size ?? 0) === 30);
  }
  const shared = new Ledger();
  shared.reserve(17); // As when other sources are asked as well.
  const { facts } = await collected(shop({ series: [...shopSeries(), ...moving] }), {
    context: { ledger: shared, testsFor: () => tests },
  });
  assert.equal(facts.answers.size, 8);
  assert.ok((facts.ranking?.evidenceOf.size ?? 0) >= 23, `${facts.ranking?.evidenceOf.size}`);
});

test('collectMetrics passes hostile labels on as text only', async () => {
  const hostile = 'a"} or {job=~".+"} # \n\\$1';
  const labels = { ...shopLabels, namespace: hostile, service: hostile };
  const { prometheus, facts } = await collected(shop(), { alert: { labels } });
  assert.equal(facts.own, null);
  for (const question of prometheus.questions) {
    const outside = question.replace(/"(?:[^"\\]|\\.)*"/gs, '""');
    assert.ok(!outside.includes('or {'), question);
  }
});

test('collectMetrics handles infinite values', async () => {
  const series = shopSeries().map(({ labels, valueAt }, index) => ({
    labels, valueAt: index % 3 === 0 ? () => Infinity : valueAt,
  }));
  const { facts } = await collected(shop({
    series, expressions: { [shopCompared]: [{
      labels: { namespace: 'shop', service: 'web' }, valueAt: () => Infinity,
    }] },
  }));
  assert.equal(facts.own?.valueNow, Infinity);
  assert.equal(facts.own?.valueAtFire, Infinity);
  assert.equal(facts.own?.overSinceMs, null, 'since when is not among the points');
  assert.equal(facts.peers?.beyond, 1);
  for (const { candidate } of facts.ranking?.ranking.series ?? []) {
    assert.ok(candidate.values.every((value) => value !== Infinity));
  }
});
