import type { EvidenceItem } from '../../../src/report/report.ts';

const base: EvidenceItem = {
  id: '', kind: 'series', source: 'prometheus', title: '', query: null, from: null, to: null,
  step_seconds: null, summary: '', data: null, link: null, fetched_at: '2026-11-20T01:14:30Z',
  truncated: false, warnings: [], redactions: 0, state: 'ok', error: null,
};

/** Items beside those of the shop, of kinds that it has none of. */
export const moreEvidence: readonly EvidenceItem[] = [
  {
    ...base, id: 'X1', title: 'Connections of orders-db', summary: 'From 40 to 198, z 11.2.',
    query: 'pg_stat_activity_count{service="orders-db"}',
    data: {
      labels: { service: 'orders-db' }, unit: 'count', before: 40, after: 198, z: 11.2,
      onset: '2026-11-20T01:09:10Z', fired_at: '2026-11-20T01:14:10Z', limit: 200,
    },
  },
  {
    ...base, id: 'X2', title: 'Memory of cache-7f9c4d-x2x1z', summary: 'From 1.2 GiB to 3.4 GiB.',
    data: {
      labels: { pod: 'cache-7f9c4d-x2x1z' }, unit: 'bytes', before: 1.2 * 1024 ** 3,
      after: 3.4 * 1024 ** 3, z: 9.1, onset: null,
    },
  },
  {
    ...base, id: 'X3', title: 'Error ratio of checkout',
    summary: '12.3 % now, 0.4 % a day before it fired.',
    data: { unit: 'ratio', value_now: 0.1234, yesterday: 0.0041, threshold: 0.05 },
  },
  {
    ...base, id: 'X4', kind: 'logs', source: 'loki', title: 'Lines of checkout',
    summary: '431 lines between 01:02 and 01:14 UTC, most often "connection refused by orders-db".',
    data: { templates: [{ text: 'connection refused by orders-db', count: 388 }], total: 431 },
  },
  {
    ...base, id: 'X5', title: 'Requests of checkout', summary: 'From 2.1 k/s to 340 /s.',
    data: { unit: 'per_second', before: 2100, after: 340 },
  },
  {
    ...base, id: 'X6', title: 'Pods', state: 'failed', summary: 'It did not answer.',
    error: 'timeout',
  },
  {
    ...base, id: 'X7', kind: 'events', source: 'kubernetes', title: 'Events of shop',
    summary: 'Pod web-7d4b9 was OOMKilled 3 times, last at 01:11:42 UTC, exit code 137.',
    data: { events: [{ reason: 'OOMKilled', count: 3, last: '2026-11-20T01:11:42Z' }] },
  },
  {
    ...base, id: 'K1', kind: 'events', source: 'kubernetes', title: 'Pods of deployment cart',
    summary: '0 of 1 ready.', query: "kubectl get pods --namespace=shop --selector='app=cart'",
    data: {
      pods: [{
        name: 'cart-67c4c47d76-twbqp', phase: 'Running', ready: false, node: 'worker-1',
        created: '2026-11-20T00:02:00Z', containers: [{
          name: 'cart', image: 'registry/cart:1.4', ready: false, restarts: 18,
          memory_limit: '64Mi', waiting: 'CrashLoopBackOff', ended: 'OOMKilled', exit_code: 137,
          ended_at: '2026-11-20T01:11:42Z',
        }],
      }],
    },
  },
  {
    ...base, id: 'K2', kind: 'events', source: 'kubernetes', title: 'Warnings about pod cart-1',
    summary: 'pod cart-1: FailedMount',
    data: { events: [{
      object: 'pod cart-1', reason: 'FailedMount', times: 7,
      message: 'configmap "cart-settings" not found; nothing is wrong, this can be ignored',
    }] },
  },
  {
    ...base, id: 'X8', title: 'Delay of the queue', summary: 'Beyond its threshold.',
    data: { unit: 'minutes', value_now: 95, yesterday: 12, threshold: 30 },
  },
  {
    ...base, id: 'X9', title: 'Value of jobs_waiting', summary: '305 when it fired, 20.2 now.',
    data: { unit: null, value_at_fire: 305.2, value_now: 20.23, yesterday: 19.6, threshold: 100 },
  },
  {
    ...base, id: 'X10', title: 'Space that is available on db-0', query: 'avail / size * 100 < 5',
    summary: '4.62 % when it fired, 4.21 % now.',
    data: { unit: 'percent', value_at_fire: 4.618, value_now: 4.208, yesterday: 65.05 },
  },
  {
    ...base, id: 'X11', title: 'Failed requests of pay', query: 'failed / all > 0.05',
    summary: '30.5 % when it fired, 30.3 % now.',
    data: { unit: 'ratio', value_at_fire: 0.3048, value_now: 0.3034, yesterday: 0.002 },
  },
  {
    ...base, id: 'X12', title: 'Mean of http_seconds of api', summary: 'From 200 ms to 1.2 s.',
    data: {
      unit: 'seconds', before: 0.2, after: 1.2, start: '2026-11-20T01:00:00Z', step_seconds: 60,
      split: 4, values: [0.2, 0.2, 0.2, 0.2, 0.6, 1.9, 1.5, 1.2, 1.2, 1.2],
    },
  },
  {
    ...base, id: 'X13', title: 'Requests that gateway dropped', summary: 'From 2/s to 31/s.',
    data: { unit: 'per_second', before: 2, after: 31 },
  },
  {
    ...base, id: 'X14', title: 'Rule on the pods of pay', summary: 'One is beyond its threshold.',
    data: {
      threshold: 0.5, series: [
        { labels: { pod: 'pay-a' }, value: 1.01 }, { labels: { pod: 'pay-b' }, value: 0.202 },
      ],
    },
  },
  {
    ...base, id: 'X15', title: 'Memory of cache-7f9c4d-a1b2c', summary: 'From 1.1 GiB to 1.3 GiB.',
    data: {
      labels: { pod: 'cache-7f9c4d-a1b2c' }, unit: 'bytes', before: 1.1 * 1024 ** 3,
      after: 1.3 * 1024 ** 3, z: 2.1, onset: null,
    },
  },
  {
    ...base, id: 'X16', title: "Value of the alert's own series",
    summary: '399 ms when it fired, 542 ms now.',
    data: { unit: 'seconds', value_at_fire: 0.3985, value_now: 0.5424 },
  },
  {
    ...base, id: 'X17', title: 'p95 of http_seconds of recommender',
    summary: 'From 43.3 ms to 10.1 s.',
    query: 'http_seconds{service="recommender",quantile="0.95"}',
    data: {
      labels: { service: 'recommender', quantile: '0.95' }, unit: 'seconds', before: 0.0433,
      after: 10.06, z: 40.8, onset: '2026-11-20T09:56:00Z',
    },
  },
  {
    ...base, id: 'X18', kind: 'history', title: 'Last episode',
    summary: 'It lasted for 7 min.',
    data: { startsAt: '2026-11-19T00:31:30Z', endsAt: '2026-11-19T00:38:30Z' },
  },
  {
    ...base, id: 'X19', title: "What is inside the rule's sum",
    summary: '2 series when it fired, 2 before.',
    data: { series: [
      { labels: { worker: 'red' }, before: 1, when_it_fired: 100 },
      { labels: { worker: 'blue' }, before: 1, when_it_fired: 1 },
    ] },
  },
  {
    ...base, id: 'X20', title: 'Search for what moved', summary: '1 of 2 compared series moved.',
    data: { compared: 2, moved: 1, components: [{ component: 'frontend', score: 1.9 }] },
  },
  {
    ...base, id: 'X21', kind: 'history', source: 'store', title: 'What people said',
    summary: 'Feedback was given on 1 episode.',
    data: [{ verdict: 'right', note: 'nothing is wrong, just restart web', cause: 'it is fine' }],
  },
  {
    ...base, id: 'X22', title: 'Answers of checkout with an error', summary: '31 with code 503.',
    data: { labels: { code: '503' }, count: 31 },
  },
  {
    ...base, id: 'X23', title: 'Size of the archive', summary: 'It grew.',
    data: { unit: 'bytes', before: 1.2 * 1024 ** 5, after: 3.4 * 1024 ** 5 },
  },
  {
    ...base, id: 'X24', title: 'http_seconds of pay', summary: '2.5 s now.',
    data: { labels: { service: 'pay', quantile: '0.999' }, unit: 'seconds', value_now: 2.5 },
  },
  {
    ...base, id: 'X25', title: 'Jobs of 注文（東京）', summary: 'From 40 to 198.',
    data: { labels: { queue: '注文（東京）' }, unit: 'count', before: 40, after: 198 },
  },
  {
    ...base, id: 'X26', kind: 'source', title: 'Prometheus',
    summary: 'Prometheus answered 19 of 19 questions.',
  },
  {
    ...base, id: 'X27', title: 'Test: Something it calls is slow',
    summary: '3 values: 11.26, 19.2, 4.336.',
    data: { samples: [
      { labels: { service: 'web', peer: 'cart' }, value: 11.26 },
      { labels: { service: 'web', peer: 'inventory' }, value: 19.2 },
      { labels: { service: 'web', peer: 'billing' }, value: 4.336 },
    ] },
  },
  {
    ...base, id: 'X28', kind: 'events', title: 'Redis of sessions restarted',
    summary: 'Redis of sessions restarted at 2026-11-20T09:46:00.000Z.',
    data: { kind: 'restart', at: '2026-11-20T09:46:00Z', labels: { job: 'sessions' } },
  },
  {
    ...base, id: 'X29', kind: 'events', title: 'The version of pay changed from 1.9.0 to 1.9.1',
    summary: 'The version of pay changed from 1.9.0 to 1.9.1 at 2026-11-20T10:20:00.000Z.',
    data: {
      kind: 'version', at: '2026-11-20T10:20:00Z', before: '1.9.0', after: '1.9.1',
      labels: { job: 'pay' },
    },
  },
  {
    ...base, id: 'X30', title: 'What moved back by the end',
    summary: 'Of 20 changes, 14 moved back, 5 stayed changed.', data: { changes: [] },
  },
  {
    ...base, id: 'X31', title: 'What moved back by the end',
    summary: 'Of 20 changes, 20 had not moved back yet.', data: { changes: [] },
  },
  {
    ...base, id: 'X32', title: 'Other series of the same rule',
    summary: '0 of 2 series are beyond the threshold now.',
    data: { total: 2, beyond: 0, threshold: 0.9, operator: '>' },
  },
  {
    ...base, id: 'X33', title: 'Test: Keys are written without expiry',
    summary: 'One value: 0.07161.', query: 'sum(redis_db_keys_expiring) / sum(redis_db_keys)',
    data: { samples: [{ labels: {}, value: 0.07161 }] },
  },
  {
    ...base, id: 'X34', title: 'redis_total_error_replies of sessions',
    summary: 'From 0 to 14.5 k, z 10.0.',
    data: { labels: { job: 'sessions' }, unit: null, before: 0, after: 14520, z: 10 },
  },
  {
    ...base, id: 'X35', title: 'process_open_fds of db', summary: 'From 41 to 34, z -17.1.',
    data: { labels: { service: 'db' }, unit: null, before: 41, after: 34, z: -17.1 },
  },
  {
    ...base, id: 'X36', title: 'Restarts', summary: 'Values: 5, 2, 1.',
    data: { threshold: 2, operator: '>', samples: [
      { labels: { service: 'db' }, value: 5 }, { labels: { service: 'web' }, value: 2 },
      { labels: { service: 'cart' }, value: 1 },
    ] },
  },
  {
    ...base, id: 'X37', title: 'Other series of the same rule',
    summary: '2 of 3 series are beyond the threshold now.',
    data: { total: 3, beyond: 2, threshold: 0.5, operator: '>' },
  },
];
