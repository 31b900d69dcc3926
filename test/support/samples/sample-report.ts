import type { Path } from '../../../src/report/path.ts';
import type { Change, EvidenceItem, Report } from '../../../src/report/report.ts';

/** The time at which the samples are looked at: twelve minutes into the episode. */
export const sampleNow: number = Date.parse('2026-11-20T01:26:30Z');

const base = 'https://alerts.example/report/3b1c2d4e5f60718a';

/** A report on a firing alert with something in every member. */
export function sampleReport(overrides: Partial<Report> = {}): Report {
  return {
    schema: 1,
    fingerprint: '3b1c2d4e5f60718a',
    report_url: `${base}/3`,
    status: 'ready',
    updated_at: '2026-11-20T01:14:31Z',
    progress: null,
    episode: {
      number: 3, of: 3, starts_at: '2026-11-20T01:14:10Z', ends_at: null, end_unknown: false,
      suppressed: null,
      state: 'firing', notifications: 2,
    },
    alert: sampleAlert(),
    verdict: {
      classification: 'actionable',
      headline: 'p95 latency is 1.9 s, 3.8 times its threshold of 500 ms, and still rising.',
      place: 'checkout in payments, eu1',
      gist: 'P95 latency is 1.9 s, 3.8 times its threshold of 500 ms, and still rising.',
      subject: 'checkout-api',
      most_likely: 'database connections are exhausted on orders-db since 01:09 UTC',
      certainty: 'likely',
      reasons: [
        { text: 'connections rose 5 min before the alert', effect: 'raises', evidence: ['E3'] },
        { text: 'the same target is affected', effect: 'raises', evidence: ['E2', 'E3'] },
        { text: 'no log source is configured', effect: 'lowers', evidence: ['E5'] },
        { text: 'it ended the same way last week', effect: 'raises', evidence: ['E4'] },
      ],
      do_first: 'See who holds the connections of orders-db.', first_step: 'known-1',
    },
    reality: {
      value_at_fire: 1.62, value_now: 1.93, threshold: 0.5, threshold_series: null,
      operator: '>', unit: 'seconds', yesterday: 0.21, last_week: 0.19, flaps: 1, scrape_ok: true,
      evidence: ['E2'],
    },
    impact: {
      scope: 'few', firing_same: 2, targets_up: 11, targets_total: 12,
      leads_to: { text: 'Whoever asked for them waits.', is_usual: true },
      affected: ['service=checkout', 'service=payment'], evidence: ['E2'],
    },
    changes: [
      sampleChange(1, 'Connections of orders-db rose from 40 to 198', 'strong'),
      sampleChange(2, 'Queue of payment workers grew', 'notable'),
      sampleChange(3, 'CPU of checkout fell', 'weak'),
      sampleChange(4, 'Garbage collection of checkout', 'weak'),
    ],
    ...sampleExplanation(),
    evidence: sampleEvidence(),
    related: [
      {
        fingerprint: 'aa11', name: 'PgConnectionsHigh', why: 'same database, began 2 min before',
        similarity: 0.82, report_url: 'https://alerts.example/report/aa11',
      },
    ],
    incident: {
      id: 'i7', url: 'https://alerts.example/incident/i7', members: ['aa11', '3b1c2d4e5f60718a'],
      likely_origin: 'PgConnectionsHigh',
    },
    path: samplePath(),
    history: {
      episodes: [
        {
          number: 3, starts_at: '2026-11-20T01:14:10Z', ends_at: null,
          classification: 'actionable', report_url: `${base}/3`,
        },
        {
          number: 2, starts_at: '2026-11-13T01:20:00Z', ends_at: '2026-11-13T01:44:00Z',
          classification: 'actionable', report_url: `${base}/2`,
        },
      ],
      last_24h: 1, last_7d: 2, last_30d: 3, median_duration_seconds: 1440,
      self_resolved_share: 0.5, flapping: false, rhythm: 'usually around 01:00 UTC',
      last_said: {
        number: 2, starts_at: '2026-11-13T01:20:00Z', ends_at: '2026-11-13T01:44:00Z',
        cause: 'orders-db had a bad disk', note: 'Replaced it, see INC-77',
        report_url: `${base}/2`,
      },
    },
    unknowns: [
      {
        what: 'What the logs say', why: 'Loki is not configured.',
        how_to_get: 'Set LOKI_URL, or look at the logs of checkout.',
      },
    ],
    narrative: {
      state: 'present',
      text: 'Connections to orders-db reached 198 of 200 [E3].\nCheckout waits for one [E2].',
      claims: [
        { text: 'connections reached 198', evidence: ['E3'], verified: true },
        { text: 'a deploy began at 01:05', evidence: ['E9'], verified: false },
      ],
      suspicious_content: false, model: 'some-model-1', tokens: 12_340, cost: 0.03,
      duration_ms: 4200, written_at: '2026-11-20T10:05:00.000Z',
    },
    resolution: null,
    feedback: [
      {
        at: '2026-11-20T01:25:00Z', verdict: 'partly', cause: 'pool too small',
        note: 'Raised to 400.', noisy: false,
      },
    ],
    provenance: sampleProvenance(),
    ...overrides,
  };
}

/** The report on the same episode after it was resolved. */
export function resolvedReport(): Report {
  const { episode, verdict } = sampleReport();
  return sampleReport({
    status: 'final',
    verdict: { ...verdict, classification: 'recovered' },
    episode: { ...episode, state: 'resolved', ends_at: '2026-11-20T01:24:10Z' },
    resolution: {
      ended_at: '2026-11-20T01:24:10Z', duration_seconds: 600, value_at_end: 0.22,
      changes: [{ text: 'connections fell from 198 to 35', evidence: ['E3'] }],
      hypothesis_held: true,
    },
  });
}

/** The report right after an alert with only a name was accepted. */
export function emptyReport(status: Report['status'] = 'queued'): Report {
  const sample = sampleReport();
  return sampleReport({
    status,
    progress: status === 'analysing' ? { step: 'Ranking 412 series', done: 3, of: 7 } : null,
    episode: { ...sample.episode, number: 1, of: 1, notifications: 1 },
    alert: {
      ...sample.alert, severity: null, namespace: null, labels: { alertname: 'Test' },
      annotations: {}, generatorURL: '', receiver: '', group_key: '', links: [],
      group: { listed: 0, truncated: 0 }, name: 'Test',
    },
    verdict: {
      classification: 'inconclusive', headline: 'Test is firing.', gist: '', most_likely: null,
      certainty: 'inconclusive', reasons: [], do_first: null,
    },
    reality: {
      value_at_fire: null, value_now: null, threshold: null, threshold_series: null, operator: null,
      unit: null, yesterday: null, last_week: null, flaps: null, scrape_ok: null, evidence: [],
    },
    impact: {
      scope: null, firing_same: null, targets_up: null, targets_total: null, affected: [],
      evidence: [],
    },
    changes: [], findings: [], hypotheses: [], ruled_out: [], next_steps: [], timeline: [],
    evidence: [], related: [], incident: null, unknowns: [], feedback: [],
    history: {
      episodes: [], last_24h: 0, last_7d: 0, last_30d: 0, median_duration_seconds: null,
      self_resolved_share: null, flapping: false, rhythm: null, last_said: null,
    },
    narrative: { state: 'absent', reason: 'not_configured', detail: 'No model is configured.' },
    provenance: {
      version: '0.1.0', family: null, sources: [], checks: [], redactions: 0, attempts: 0,
      started_at: null, finished_at: null, recording_url: null, looks_again_at: null,
    },
  });
}

function sampleAlert(): Report['alert'] {
  return {
    name: 'CheckoutLatencyHigh', severity: 'critical', namespace: 'payments',
    labels: {
      alertname: 'CheckoutLatencyHigh', severity: 'critical', namespace: 'payments',
      service: 'checkout', cluster: 'eu1', instance: '10.2.0.7:8080',
    },
    annotations: {
      summary: 'Checkout is slow', description: 'p95 is above 500 ms.\nCustomers notice.',
      runbook_url: 'https://runbooks.example/checkout?a=1&b=2',
    },
    startsAt: '2026-11-20T02:14:10+01:00', endsAt: null,
    generatorURL: 'https://prometheus.example/graph?g0.expr=latency+%3E+0.5',
    receiver: 'analyst', group_key: '{}:{alertname="CheckoutLatencyHigh"}',
    group: { listed: 2, truncated: 0 },
    links: [
      {
        title: 'Prometheus', kind: 'prometheus',
        url: 'https://prometheus.example/graph?g0.expr=latency+%3E+0.5',
      },
      {
        title: 'Runbook', kind: 'runbook', url: 'https://runbooks.example/checkout?a=1&b=2',
      },
      { title: 'Dashboard', kind: 'dashboard', url: 'https://grafana.example/d/abc' },
    ],
  };
}

function sampleChange(rank: number, title: string, strength: Change['strength']): Change {
  return {
    rank, kind: 'series', title, verb: title.includes(' from ') ? 'rose' : 'appeared',
    component: { label: 'service', value: 'orders-db' },
    labels: { __name__: 'pg_stat_activity_count', service: 'orders-db' },
    before: 40, after: 198, unit: 'count', z: 11.2, strength, effect: 3.95,
    onset_seconds: -300, agreement: 0.9, evidence: ['E3'],
  };
}

function sampleExplanation(): Pick<
  Report, 'findings' | 'hypotheses' | 'ruled_out' | 'next_steps' | 'timeline'
> {
  return {
    findings: [
      { text: 'Latency is above its threshold on every instance of checkout.', evidence: ['E2'] },
      { text: 'Connections of orders-db reached 198 of 200.', evidence: ['E3'] },
    ],
    hypotheses: [
      {
        kind: 'family', family_cause: 'connections', about: ['orders-db'],
        cause: 'Connections exhausted on orders-db', mechanism: 'Requests wait for a connection.',
        for: [{ text: 'connections rose first', evidence: ['E3'] }],
        against: [{ text: 'no error was logged', evidence: ['E5'] }],
        test: 'max(pg_stat_activity_count{service="orders-db"})', certainty: 'likely',
      },
    ],
    ruled_out: [{ cause: 'A new version', why: 'none was rolled out today', evidence: ['E4'] }],
    next_steps: [
      {
        kind: 'known', id: 'known-1',
        action: 'See who holds the connections of orders-db.',
        why: 'One client usually holds most of them.',
        command: 'kubectl -n payments exec deploy/orders-db -- psql -c "select usename, count(*) '
          + 'from pg_stat_activity group by 1"',
        expected: 'one user with more than 100', risk: 'none, it only reads', undo: null,
      },
      {
        kind: 'known', id: 'known-2',
        action: 'Restart the payment workers.', why: null,
        command: 'kubectl -n payments rollout restart deploy/payment-worker', expected: null,
        risk: 'payments wait for a minute',
        undo: 'kubectl -n payments rollout undo deploy/payment-worker',
      },
    ],
    timeline: [
      {
        at: '2026-11-20T01:09:10Z', offset_seconds: -300, kind: 'change',
        change: 1, text: 'connections of orders-db rise', evidence: ['E3'],
      },
      {
        at: '2026-11-20T01:14:10Z', offset_seconds: 0, kind: 'started', text: 'the alert fires',
        evidence: ['E1'],
      },
      {
        at: '2026-11-20T01:14:30Z', offset_seconds: 20, kind: 'received',
        text: 'the notification arrives', evidence: [],
      },
    ],
  };
}

function sampleEvidence(): EvidenceItem[] {
  const item = (id: string, members: Partial<EvidenceItem>): EvidenceItem => ({
    id, kind: 'alert', source: 'alert', title: 'The alert', query: null, from: null, to: null,
    step_seconds: null, summary: 'It says what it watches.', data: null, link: null,
    fetched_at: '2026-11-20T01:14:30Z', truncated: false, warnings: [], redactions: 0, state: 'ok',
    error: null, ...members,
  });
  return [
    item('E1', { data: { labels: 6, annotations: 3 } }),
    item('E2', {
      kind: 'series', source: 'prometheus', title: 'The alert’s own expression',
      query: 'histogram_quantile(0.95, rate(http_request_seconds_bucket{service="checkout"}[5m]))',
      from: '2026-11-20T00:14:10Z', to: '2026-11-20T01:14:30Z', step_seconds: 15,
      summary: 'Median 210 ms, 1.62 s when it fired, 1.93 s now.',
      link: 'https://prometheus.example/graph?g0.expr=latency', truncated: true, redactions: 2,
      warnings: ['one series was left out'],
    }),
    item('E3', { kind: 'series', source: 'prometheus', title: 'Connections of orders-db' }),
    item('E4', { kind: 'history', source: 'store', title: 'Earlier episodes', state: 'empty' }),
    item('E5', {
      kind: 'source', source: 'loki', title: 'Logs', state: 'not_configured',
      summary: 'No log source is configured.', error: 'LOKI_URL is not set',
    }),
  ];
}

function sampleProvenance(): Report['provenance'] {
  return {
    version: '0.1.0',
    sources: [
      { name: 'prometheus', state: 'ok', duration_ms: 840, queries: 14 },
      { name: 'loki', state: 'not_configured', duration_ms: 0, queries: 0 },
    ],
    checks: [
      { name: 'the rule', state: 'done', why: null },
      { name: 'log patterns', state: 'skipped', why: 'LOKI_URL is not set' },
    ],
    redactions: 2, attempts: 1, started_at: '2026-11-20T01:14:30Z',
    finished_at: '2026-11-20T01:14:31Z', recording_url: null, looks_again_at: null,
  };
}

function samplePath(): Path {
  const unknown = {
    labels: {}, relation: null, state: 'unknown', faults: [], works: null, since: null,
    evidence: [],
  } as const;
  const fault = {
    kind: 'full', seen_by: 'itself', what: 'connections', metric: 'pg_stat_activity_count',
    labels: {}, value: 198, before: 40, limit: 200, since: '2026-11-20T01:09:00Z', until: null,
  } as const;
  return {
    hops: [
      { ...unknown, component: 'checkout' },
      {
        ...unknown, component: 'orders-cache', relation: 'called', state: 'innocent',
        works: {
          targets: { up: 1, total: 1 }, answers_probe: true, is_reached: true, successes: 40,
        },
      },
      {
        ...unknown, component: 'orders-db', labels: { job: 'postgres' }, relation: 'called',
        state: 'failing', faults: [fault], since: fault.since, evidence: ['E3'],
      },
    ],
    origin: 2,
    beside: [{
      component: 'mails', labels: { job: 'mails' }, since: '2026-11-20T01:09:15Z', evidence: ['E3'],
      faults: [{ ...fault, kind: 'waiting', metric: 'mails_waiting', limit: null }],
    }],
  };
}
