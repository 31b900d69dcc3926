import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOfOtherServer } from '../../src/evidence/source-report.ts';
import {
  alertsSeries, aRule, collected, firedAt, present, shop, shopCompared, shopExpression, shopLabels,
  shopSeries, type Collected,
} from '../support/samples/shop-scenario.ts';
import type { FakeOptions, FakeSeries } from '../support/sources/fake-prometheus.ts';
import { fakeSeries } from '../support/sources/fake-prometheus.ts';

/** The latency of `web`: 0.2 s, and after the given time 1 s. */
function latency(slowFromMs = Infinity): Record<string, readonly FakeSeries[]> {
  const labels = { namespace: 'shop', service: 'web' };
  return { [shopCompared]: [{ labels, valueAt: (at) => (at >= slowFromMs ? 1 : 0.2) }] };
}

/** A server that has the same objects as the alert, but never had the alert. */
function stranger(over: Partial<FakeOptions> = {}): FakeOptions {
  return shop({ series: shopSeries(), expressions: latency(), ...over });
}

const anyOfB = 'count(up{cluster="b"} or ALERTS{cluster="b"})';
const ofB = { labels: { ...shopLabels, cluster: 'b' } };

function assertUnused({ facts, ledger }: Collected, why: RegExp): void {
  const [fault, ...others] = facts.source.failures;
  assert.deepEqual(others, []);
  assert.equal(fault?.what, 'The value now, its past, and what else moved before the alert');
  assert.match(fault.why, why);
  assert.match(fault.hint, /^Set PROMETHEUS_URL to/);
  assert.deepEqual([facts.own, facts.scrape, facts.ranking, facts.rule], [null, null, null, null]);
  assert.deepEqual(ledger.items.map(({ kind }) => kind), ['source']);
  assert.match(ledger.items[0]?.error ?? '', why);
  assert.equal(facts.source.state, 'failed');
  assert.ok(isOfOtherServer({ evidence: ledger.items }, 'prometheus'));
}

function assertUsed({ facts, ledger }: Collected): void {
  assert.ok(!isOfOtherServer({ evidence: ledger.items }, 'prometheus'));
  assert.notEqual(facts.own, null);
  assert.deepEqual(facts.source.failures, []);
}

test('collectMetrics uses nothing of a server with other external labels', async () => {
  const externalLabels = { cluster: 'a', replica: '0' };
  // Even though its own cluster has the same alert.
  const expressions = { ...shop().expressions, [anyOfB]: [] };
  const found = await collected(shop({ externalLabels, expressions }), { alert: ofB });
  assertUnused(found, /The Prometheus that was asked is of cluster a, but the alert is of b\.$/);
  assert.equal(found.facts.source.mayAnswerLater, false);
  assert.ok(found.prometheus.questions.length < 8, 'it asks for nothing more');
});

test('collectMetrics uses a server whose external labels the alert has or lacks', async () => {
  assertUsed(await collected(shop({ externalLabels: { replica: '0' } })));
  assertUsed(await collected(shop({ externalLabels: { cluster: 'b' } }), { alert: ofB }));
});

test('collectMetrics uses a server that collects the series of others', async () => {
  const externalLabels = { cluster: 'global' };
  const alerts = alertsSeries([[firedAt, present]], { alert: ofB.labels });
  const up = fakeSeries('count(up)', { cluster: 'b' }, () => 3);
  assertUsed(await collected(shop({
    externalLabels, series: [...shopSeries(), ...alerts],
  }), { alert: ofB }));
  assertUsed(await collected(shop({
    externalLabels,
    expressions: { ...shop().expressions, [anyOfB]: [up] },
  }), { alert: ofB }));
});

test('collectMetrics uses nothing of a server where the value was fine all the time', async () => {
  const found = await collected(stranger(), { alert: ofB });
  assertUnused(found, /neither had this alert nor seen its value beyond the threshold/);
  assert.equal(found.facts.source.mayAnswerLater, false);
});

test('collectMetrics asks again soon where the server may only be behind', async () => {
  const now = firedAt + 20_000;
  const { facts } = await collected(stranger(), { context: { now } });
  assert.equal(facts.own, null);
  assert.equal(facts.source.mayAnswerLater, true);
});

test('collectMetrics uses a server that shows anything of the alert', async () => {
  const pending = {
    labels: shopLabels, state: 'pending' as const, activeAtMs: firedAt, value: 1,
  };
  const before = alertsSeries([[firedAt - 60_000, firedAt]], { state: 'pending' });
  const cases: Readonly<Record<string, FakeOptions>> = {
    'it is pending': stranger({ rules: [aRule({ alerts: [pending] })] }),
    'it was pending': stranger({ series: [...shopSeries(), ...before] }),
    'its value is beyond the threshold now': stranger({ expressions: latency(present - 30_000) }),
    'no answer on when it fired': stranger({
      fault: (question) => (question.includes('count_over_time(ALERTS') ? 'bad_query' : null),
    }),
    'a rule of several conditions': stranger({
      rules: [aRule({ query: `${shopExpression} or vector(0) > 1` })],
    }),
  };
  for (const [name, options] of Object.entries(cases)) {
    const { facts } = await collected(options);
    assert.ok(facts.source.failures.every(({ hint }) => !hint.startsWith('Set PROM')), name);
    assert.notEqual(facts.rule, null, name);
  }
});
