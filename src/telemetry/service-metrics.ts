import type { MetricsOf, Registry } from './metrics.ts';
import { createModelMetrics, type MeasuredModel, type ModelMetrics } from './model-metrics.ts';

/** Each use asserts its own type, without which the types of declarations cannot be inferred. */
const sourceNames = ['prometheus', 'alertmanager', 'loki', 'kubernetes'] as const;
const queryOutcomes = [
  'ok', 'timeout', 'connection', 'tls', 'unauthorized', 'not_found', 'rate_limited', 'bad_query',
  'server_error', 'too_large', 'not_json', 'unexpected', 'cancelled', 'other',
] as const;

type SourceName = (typeof sourceNames)[number];

/** The metrics that exist whatever is configured. Set by their owners or right before a scrape. */
const declarations = {
  webhookRequests: {
    type: 'counter', name: 'service_webhook_requests_total',
    help: 'Webhook requests answered, by status code.',
    labels: { code: [
      '200', '400', '401', '403', '405', '408', '413', '415', '417', '429', '500', '503', 'other',
    ] },
  },
  webhookDuration: {
    type: 'histogram', name: 'service_webhook_duration_seconds',
    help: 'Time from the headers of a webhook request to its answer.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  webhookErrors: {
    type: 'counter', name: 'service_webhook_errors_total',
    help: 'Notifications that were not accepted, by reason.',
    labels: { reason: [
      'invalid_format', 'unauthorized', 'rate_limited', 'forbidden', 'not_initialised',
      'payload_too_large', 'unsupported_encoding', 'expectation_failed', 'queue_full',
      'storage_unavailable', 'method_not_allowed', 'bad_request', 'internal', 'aborted',
      'wrong_path', 'other',
    ] },
  },
  alerts: {
    type: 'counter', name: 'service_alerts_total',
    help: 'Alerts received, by outcome.',
    labels: { outcome: ['queued', 'refreshed', 'resolved', 'duplicate', 'late', 'rejected'] },
  },
  alertsTruncated: {
    type: 'counter', name: 'service_alerts_truncated_total',
    help: 'Alerts that senders left out of their notifications.',
  },
  notifications: {
    type: 'counter', name: 'service_notifications_total',
    help: 'Notifications that could be parsed, by the payload version they state.',
    labels: { version: ['4', '1', 'absent', 'other'] },
  },
  httpRequests: {
    type: 'counter', name: 'service_http_requests_total',
    help: 'Requests other than to the webhook, by route and status code class.',
    labels: {
      route: ['list', 'report', 'incident', 'events', 'writing', 'health', 'metrics', 'other'],
      code_class: ['2xx', '3xx', '4xx', '5xx', 'other'],
    },
  },
  connections: { type: 'gauge', name: 'service_connections', help: 'Open client connections.' },
  connectionsCut: {
    type: 'counter', name: 'service_connections_cut_total',
    help: 'Connections closed because there were too many.',
  },
  listeners: {
    type: 'gauge', name: 'service_listeners',
    help: 'Open pages that receive live updates.',
  },
  queueSize: { type: 'gauge', name: 'service_queue_size', help: 'Jobs waiting and running.' },
  queueOldestAge: {
    type: 'gauge', name: 'service_queue_oldest_age_seconds',
    help: 'Age of the oldest job waiting for a worker; 0 if there is none.',
  },
  analyses: {
    type: 'counter', name: 'service_analyses_total',
    help: 'Analyses ended, by outcome.',
    labels: { outcome: ['ready', 'final', 'failed', 'quarantined'] },
  },
  analysisDuration: {
    type: 'histogram', name: 'service_analysis_duration_seconds',
    help: 'Duration of an analysis, without its time in the queue.',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 240, 300],
  },
  analysisAttempts: {
    type: 'counter', name: 'service_analysis_attempts_total',
    help: 'Attempts at an analysis, including first attempts.',
  },
  feedback: {
    type: 'counter', name: 'service_feedback_total',
    help: 'Feedback on reports, by its verdict on their conclusion.',
    labels: { verdict: ['right', 'partly', 'wrong'] },
  },
  workerRestarts: {
    type: 'counter', name: 'service_worker_restarts_total',
    help: 'Worker threads replaced, by reason; start: before they could begin any work.',
    labels: { reason: ['memory', 'deadline', 'crash', 'start'] },
  },
  workerMemory: {
    type: 'gauge', name: 'service_worker_memory_bytes',
    help: 'Heap and external memory of all worker threads, by kind of work.',
    labels: { work: ['analysis', 'narration'] },
  },
  evidenceRequests: {
    type: 'counter', name: 'service_evidence_requests_total',
    help: 'Requests to sources of evidence, by source and outcome.',
    labels: {
      source: sourceNames as typeof sourceNames, outcome: queryOutcomes as typeof queryOutcomes,
    },
  },
  evidenceDuration: {
    type: 'histogram', name: 'service_evidence_request_duration_seconds',
    help: 'Duration of a request to a source of evidence, including a retry.',
    labels: { source: sourceNames as typeof sourceNames },
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30],
  },
  deliveries: {
    type: 'counter', name: 'service_deliveries_total',
    help: 'Deliveries of reports, by receiver and outcome.',
    labels: { to: ['webhook', 'slack'], outcome: ['delivered', 'failed', 'dropped'] },
  },
  deliveriesWaiting: {
    type: 'gauge', name: 'service_deliveries_waiting',
    help: 'Reports waiting to be delivered, by receiver.',
    labels: { to: ['webhook', 'slack'] },
  },
  journalSyncDuration: {
    type: 'histogram', name: 'service_journal_sync_duration_seconds',
    help: 'Duration of flushing the journal to disk (fsync).',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  },
  journalAvailable: {
    type: 'gauge', name: 'service_journal_available',
    help: 'Whether the journal can be written: 1 or 0.',
  },
  storedBytes: {
    type: 'gauge', name: 'service_stored_bytes',
    help: 'Size of the journal, of all reports and of all recordings on disk.',
    labels: { part: ['journal', 'reports', 'recordings'] },
  },
  reportsStorable: {
    type: 'gauge', name: 'service_reports_storable',
    help: 'Whether the last report could be stored: 1 or 0.',
  },
  journalDamagedRegions: {
    type: 'counter', name: 'service_journal_damaged_regions_total',
    help: 'Damaged regions of the journal that were skipped at start.',
  },
  journalTornTails: {
    type: 'counter', name: 'service_journal_torn_tails_total',
    help: 'Journal segments found with a torn tail at start, as a crash leaves it.',
  },
  journalMissingRecords: {
    type: 'counter', name: 'service_journal_missing_records_total',
    help: 'Records of the journal found missing at start.',
  },
  damagedReports: {
    type: 'counter', name: 'service_damaged_reports_total',
    help: 'Stored reports found damaged, and set aside.',
  },
  reports: { type: 'gauge', name: 'service_reports', help: 'Stored reports.' },
  episodesOpen: {
    type: 'gauge', name: 'service_episodes_open',
    help: 'Episodes whose alert is firing.',
  },
  secretFileFailures: {
    type: 'counter', name: 'service_secret_file_failures_total',
    help: 'Failed attempts to reload a secret file; the old value stays in use.',
  },
  ready: { type: 'gauge', name: 'service_ready', help: 'Whether the start has finished: 1 or 0.' },
} as const;

export interface ServiceMetrics extends MetricsOf<typeof declarations>, ModelMetrics {
  /** Counts for a server that is one of several of its source. */
  readonly serverAsked: (server: string, outcome: string) => void;
}

export type QueryMetrics =
  Pick<ServiceMetrics, 'evidenceRequests' | 'evidenceDuration' | 'serverAsked'>;

interface Build {
  readonly version: string;
  /** `process.versions.node`. */
  readonly nodeVersion: string;
  /** Null when no model is configured. */
  readonly model: MeasuredModel | null;
  /** The servers of each source by their base URLs; null: not configured. */
  readonly sources?: {
    readonly [Name in SourceName]?: { readonly urls: readonly string[] } | null;
  };
}

/** A query to a source of evidence has ended; `left` is a server that was given up for `server`. */
export function countQuery(
  { evidenceRequests, evidenceDuration, serverAsked }: QueryMetrics,
  { source, result, durationMs, server, left }: {
    readonly source: SourceName;
    readonly result: string;
    readonly durationMs: number;
    readonly server: string;
    readonly left: { readonly server: string; readonly reason: string } | null;
  },
): void {
  evidenceRequests.inc({ source, outcome: result });
  evidenceDuration.observe(durationMs / 1000, { source });
  if (left !== null) serverAsked(left.server, left.reason);
  if (left?.server !== server) serverAsked(server, result);
}

/** Declares them all, so that each series exists with 0 before its first event. */
export function createServiceMetrics(
  registry: Registry,
  { version, nodeVersion, model, sources = {} }: Build,
): ServiceMetrics {
  registry.declare({
    type: 'gauge', name: 'service_build_info', help: 'Always 1; the labels carry the versions.',
    labels: { version: [version], node_version: [nodeVersion] },
  }).set(1, { version, node_version: nodeVersion });
  const servers = Object.values(sources)
    .flatMap((source) => source !== null && source.urls.length > 1 ? source.urls : []);
  const serverRequests = registry.declare({
    type: 'counter', name: 'service_evidence_server_requests_total',
    help: 'Requests to each server of sources that have several, by outcome.',
    labels: { server: servers, outcome: queryOutcomes },
  });
  return {
    ...registry.declareAll(declarations), ...createModelMetrics(registry, model),
    serverAsked(server, outcome) {
      if (servers.includes(server)) serverRequests.inc({ server, outcome });
    },
  };
}
