import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InsideFacts } from '../../../src/evidence/inside-fact.ts';
import type { EventFact } from '../../../src/evidence/metric-facts.ts';
import type { CaseFile } from '../../../src/report/case-file.ts';
import type { Report } from '../../../src/report/report.ts';
import type { ChangeCandidate } from '../../../src/statistics/change-candidate.ts';
import { assertCompleteReport } from '../../support/complete-report.ts';
import { anAlert } from '../../support/samples/alerts.ts';
import { aCaseFile } from '../../support/samples/case-files.ts';
import {
  concluded, latencyCase, moving, onPoint, points, problemBegan, type FactsOver,
} from '../../support/samples/metric-facts.ts';

const quiet = ['cart', 'email'].map((name) => moving(name, 'memory_bytes'));

function reported(over: FactsOver, caseFile: CaseFile = latencyCase()): Report {
  const { report } = concluded(caseFile, over);
  assertCompleteReport(report);
  return report;
}

/** An alert on this rule that began with the problem. */
function caseOf(rule: string, labels: Readonly<Record<string, string>>): CaseFile {
  return aCaseFile({ alert: anAlert({
    labels: { severity: 'warning', ...labels },
    startsAt: new Date(problemBegan).toISOString(), annotations: {},
    generatorURL: `http://p/graph?g0.expr=${encodeURIComponent(rule)}`,
  }) });
}

/** Stands still at one level until the point, and at the other after it. */
function stepping(
  component: string,
  metric: string,
  { from, to, at = onPoint - 2, labels = {}, signal = 'saturation' }: {
    readonly from: number; readonly to: number; readonly at?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly signal?: ChangeCandidate['signal'];
  },
): ChangeCandidate {
  return {
    ...moving(component, metric), signal, unit: null, labels: { job: component, ...labels },
    values: Float64Array.from({ length: points }, (_, index) => (index < at ? from : to)),
  };
}

const waiting = caseOf('sum by (queue) (queue_messages_ready) > 50',
  { alertname: 'OrdersWaiting', queue: 'orders' });

test('one step of a setting of what serves the alert leads, and to a step that names it', () => {
  const pool = { from: 8, to: 1, labels: { pool: 'orders' } };
  const { hypotheses: [first], next_steps: [step] } = reported(
    { candidates: [...quiet, stepping('fulfilment', 'worker_pool_size', pool)] }, waiting);
  assert.deepEqual([first?.kind, first?.certainty, first?.about],
    ['component', 'likely', ['fulfilment']]);
  assert.equal(step?.kind, 'cause');
  assert.match(step.action, /fulfilment.*8.*1/u);
});

test('a step of a stranger, beside another one, of what was idle, or late is not likely', () => {
  const pool = { from: 8, to: 1, labels: { pool: 'orders' } };
  const cases: readonly (readonly [string, readonly ChangeCandidate[]])[] = [
    ['stranger', [stepping('billing', 'worker_pool_size', { from: 8, to: 1 })]],
    ['beside another', [
      stepping('fulfilment', 'worker_pool_size', pool),
      stepping('search', 'shard_slots', { from: 4, to: 1 }),
    ]],
    ['idle before', [stepping('fulfilment', 'worker_pool_busy', { ...pool, from: 0 })]],
    ['in use by requests', [{
      ...stepping('fulfilment', 'nginx_connections_writing', pool), side: 'external',
    }]],
    ['after the problem', [
      stepping('fulfilment', 'worker_pool_size', { ...pool, at: onPoint + 8 }),
    ]],
  ];
  for (const [name, candidates] of cases) {
    const { hypotheses } = reported({ candidates: [...quiet, ...candidates] }, waiting);
    assert.ok(hypotheses.every(({ certainty }) => certainty !== 'likely'), name);
  }
});

test('targets that are all down with their host are one host that is gone', () => {
  const down = caseOf('up == 0', { alertname: 'InstanceDown', job: 'exports', instance: 'a:80' });
  const scrape = {
    up: 0, total: 1, down: [{ job: 'exports', instance: 'a:80' }],
    shared: { label: 'host', value: 'app-3', isHost: true, targets: 11, jobs: 9 },
    failed: {
      scrapes: [{
        labels: { job: 'exports', instance: 'a:80' }, error: 'context deadline exceeded',
      }],
      evidence: 'E2',
    },
  };
  const { hypotheses: [first, second], next_steps: [step] } = reported({ scrape }, down);
  assert.deepEqual([first?.family_cause, first?.certainty, first?.about],
    ['host-down', 'likely', ['app-3']]);
  assert.equal(second?.kind, 'scrape');
  assert.match(step?.action ?? '', /app-3/u);
  const alone = reported({ scrape: { ...scrape, shared: null } }, down);
  assert.equal(alone.hypotheses[0]?.kind, 'scrape');
});

test('a clock that jumped is the cause of what is measured by it, on its host alone', () => {
  const lag = caseOf('pg_replication_lag_seconds > 30',
    { alertname: 'Lag', job: 'postgres', instance: 'db-2:9187' });
  const jumped = (instance: string): Partial<EventFact> => ({
    kind: 'event', verb: 'clock_moved', clockSeconds: 47, atMs: problemBegan - 5000,
    component: null, labels: { __name__: 'node_boot_time_seconds', job: 'node', instance },
  });
  const [first] = reported({ events: [jumped('db-2:9100')] }, lag).hypotheses;
  assert.deepEqual([first?.kind, first?.certainty, first?.about], ['event', 'likely', ['db-2']]);
  const others = reported({ events: [jumped('db-1:9100')] }, lag).hypotheses;
  assert.ok(others.every(({ kind }) => kind !== 'event'));
});

test('what grows is a cause by itself only where it runs out', () => {
  const growth = {
    foot: { atMs: problemBegan - 40_000, value: 320e6 },
    top: { atMs: problemBegan + 20_000, value: 740e6 },
  };
  const memory = reported({ own: { growth } }, caseOf('process_resident_memory_bytes > 600e6',
    { alertname: 'MemoryHigh', job: 'search', instance: 'a:80' }));
  assert.deepEqual([memory.hypotheses[0]?.kind, memory.hypotheses[0]?.certainty],
    ['growth', 'likely']);
  const queue = reported({ own: { growth } }, waiting);
  assert.ok(queue.hypotheses.every(({ kind }) => kind !== 'growth'));
});

test('a memory that is low again because its process restarted has not recovered', () => {
  const event: Partial<EventFact> = {
    kind: 'restart', verb: 'restarted', atMs: problemBegan + 30_000,
    labels: { job: 'search', instance: 'b:80' },
    memory: { fromBytes: 3e8, peakBytes: 9e8, afterBytes: 3e8, sinceMs: problemBegan - 60_000 },
  };
  const place = {
    labels: { job: 'search', instance: 'a:80' }, target: { job: 'search' }, added: [],
  };
  const over = {
    place, own: { overSinceMs: null, valueNow: 3e8, valueAtFire: 7e8, worst: 9e8 },
  };
  const rule = 'process_resident_memory_bytes > 600e6';
  const alert = caseOf(rule, { alertname: 'MemoryHigh', job: 'search', instance: 'a:80' });
  assert.equal(reported({ ...over, events: [event] }, alert).verdict.classification, 'actionable');
  assert.equal(reported(over, alert).verdict.classification, 'recovered');
  const growth = {
    foot: { atMs: problemBegan - 60_000, value: 2.9e8 }, top: { atMs: problemBegan, value: 9e8 },
  };
  const unseen = { ...over, own: { ...over.own, growth } };
  assert.equal(reported(unseen, alert).verdict.classification, 'actionable', 'not seen yet');
  const half = { ...over, own: { ...over.own, growth, valueNow: 5.5e8 } };
  assert.equal(reported(half, alert).verdict.classification, 'recovered', 'freed by and by');
});

test('a certificate replaced by one that expires earlier is told from one that aged', () => {
  const expires = caseOf('(probe_ssl_earliest_cert_expiry - time()) / 86400 < 14',
    { alertname: 'CertificateExpiresSoon', job: 'blackbox', instance: 'https://shop.example/' });
  const causeOf = (yesterday: number): string | undefined =>
    reported({ own: { valueAtFire: -1, valueNow: -1, yesterday } }, expires)
      .hypotheses.find(({ certainty }) => certainty === 'likely')?.family_cause;
  assert.equal(causeOf(59), 'replaced');
  assert.equal(causeOf(0), 'not-renewed');
  assert.equal(causeOf(-30), undefined);
});

test('series that a rule misses vanished from a target that is named', () => {
  const missing = caseOf('absent(job_last_success_time{cronjob="export"})',
    { alertname: 'ExportUnknown', cronjob: 'export' });
  const lastSeen = {
    metric: 'job_last_success_time', atMs: problemBegan - 20_000,
    target: { job: 'push', instance: 'app-1:9091' }, isUp: true, others: 3, evidence: 'E2',
  };
  const { hypotheses: [first], next_steps: [step] } = reported({ lastSeen }, missing);
  assert.deepEqual([first?.family_cause, first?.certainty, first?.about],
    ['vanished', 'likely', ['app-1:9091']]);
  assert.match(step?.command ?? '', /app-1:9091/u);
});

test('how a request ended is not who made the value rise', () => {
  const inside = (label: string): Omit<InsideFacts, 'evidence'> => ({
    isWhole: true, unit: 'per_second',
    finding: {
      kind: 'leaders', direction: 'rise', measured: 'amount', whole: { before: 0, after: 12 },
      leaders: [{ label, values: ['x'], of: 5, share: 1, before: 0, after: 12 }],
    },
  });
  const kindOf = (label: string): string | undefined =>
    reported({ inside: inside(label) }).hypotheses[0]?.kind;
  assert.equal(kindOf('tenant'), 'contributor');
  assert.ok(['code', 'status', 'outcome', 'error_type'].every((label) =>
    kindOf(label) !== 'contributor'));
});

test('what comes on top is named by who sends it, and by its retries', () => {
  const calls = (metric: string, after: number): ChangeCandidate => ({
    ...moving('storefront', metric, { side: 'external', before: 2, after, at: onPoint - 1 }),
    made: 'rate', unit: 'per_second', signal: 'traffic',
    labels: { job: 'storefront', peer: 'checkout' },
  });
  const answers = { 'traffic-peak': { samples: [5.9], query: 'sum(rate(x[5m]))' } };
  const { hypotheses, next_steps: steps } = reported({
    candidates: [...quiet, calls('http_client_requests_total', 12),
      calls('http_client_retries_total', 9)], answers,
  });
  const first = hypotheses.find(({ family_cause: id }) => id === 'traffic-peak');
  assert.deepEqual(first?.about, ['storefront']);
  assert.match(first.detail ?? '', /retries/u);
  assert.ok(steps.some(({ action }) => action.includes('storefront')));
});
