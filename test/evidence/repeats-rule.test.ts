import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repeatsRule } from '../../src/evidence/rule/repeats-rule.ts';

const labels = { alertname: 'A', job: 'redis', instance: '10.0.0.1:9121', queue: 'orders' };
const own = 'job="redis",instance="10.0.0.1:9121"';

for (const [rule, query] of [
  ['redis_master_link_up == 0', `min(redis_master_link_up{${own}})`],
  ['redis_master_link_up{job=~"redis|cache"} == 0', `min(redis_master_link_up{${own}})`],
  ['redis_master_link_up == 0', `min({__name__=~"a_up|redis_master_link_up",${own}})`],
  ['b_active == 0', `min(a_active{${own}} or b_active{${own}})`],
  [
    'sum by (queue) (consumers{job="redis"}) < 1',
    'max(max_over_time(consumers{queue="orders"}[5m]))',
  ],
  [
    'redis_clients / redis_max_clients > 0.9',
    `max(redis_clients{${own}}) / max(redis_max_clients{${own}})`,
  ],
  ['increase(failures_total[10m]) > 0', `sum(rate(failures_total{${own}}[5m]))`],
  ['time() - started_seconds < 60', `min(time() - started_seconds{${own}})`],
] as const) {
  test(`${query} says again what ${rule} says`, () => assert.ok(repeatsRule(query, rule, labels)));
}

for (const [what, rule, query] of [
  ['another metric', 'redis_connected_slaves < 1', `min(redis_master_link_up{${own}})`],
  [
    'one of its two sides', 'redis_clients > 100',
    `redis_clients{${own}} / redis_max_clients{${own}}`,
  ],
  ['a narrower choice', 'sessions > 9', `sum(sessions{${own},state=~"idle.*"})`],
  ['a wider choice', 'rate(requests{code=~"5.."}[5m]) > 1', `rate(requests{${own}}[5m])`],
  ['an earlier time', 'keys > 9', `keys{${own}} / (keys{${own}} offset 1h)`],
  ['how it went', 'memory > 9', `deriv(memory{${own}}[1h])`],
  ['how often it changed', 'state == 0', `changes(state{${own}}[1h])`],
  [
    'who has which share', 'rate(calls[5m]) > 9',
    `max(sum by (cmd) (rate(calls{${own}}[5m]))) / sum(rate(calls{${own}}[5m]))`,
  ],
  [
    'what of its own is to the whole', 'rate(errors[5m]) > 1',
    `sum by (instance) (rate(errors{${own}}[5m]))
      / on () group_left () sum(rate(errors{${own}}[5m]))`,
  ],
  [
    'others of the host', 'up == 0',
    'max(up{instance=~"10.0.0.1(:.*)?",instance!="10.0.0.1:9121"})',
  ],
  ['how all fare', 'probe_success == 0', 'avg(probe_success{job="redis"})'],
  ['what cannot be parsed', 'up == 0', 'min(up{'],
] as const) {
  test(`a query of ${what} says more than its rule`, () =>
    assert.ok(!repeatsRule(query, rule, labels)));
}
