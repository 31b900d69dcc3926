import type { By, Counter, Gauge, Histogram, NoLabels, Registry } from './metrics.ts';
import { createModelMetrics, type MeasuredModel, type ModelMetrics } from './model-metrics.ts';

const webhookCodes = [
  '200', '400', '401', '403', '405', '408', '413', '415', '417', '429', '500', '503', 'other',
] as const;

const webhookErrorReasons = [
  'invalid_format', 'unauthorized', 'rate_limited', 'forbidden', 'not_initialised',
  'payload_too_large', 'unsupported_encoding', 'expectation_failed', 'queue_full',
  'storage_unavailable', 'method_not_allowed', 'bad_request', 'internal', 'aborted',
  'other',
] as const;

const alertOutcomes = [
  'queued', 'refreshed', 'resolved', 'duplicate', 'late', 'rejected',
] as const;
const analysisOutcomes = ['ready', 'final', 'failed', 'quarantined'] as const;
const feedbackVerdicts = ['right', 'partly', 'wrong'] as const;
const restartReasons = ['memory', 'deadline', 'crash'] as const;
const workerWork = ['analysis', 'narration'] as const;
const evidenceSources = ['prometheus', 'alertmanager', 'loki', 'kubernetes'] as const;
/** `ok`, or the reason why there was no usable answer. */
const evidenceOutcomes = [
  'ok', 'timeout', 'connection', 'tls', 'unauthorized', 'not_found', 'rate_limited', 'bad_query',
  'server_error', 'too_large', 'not_json', 'unexpected', 'cancelled', 'other',
] as const;
const receivers = ['webhook', 'slack'] as const;
const deliveryOutcomes = ['delivered', 'failed', 'dropped'] as const;
const payloadVersions = ['4', '1', 'absent', 'other'] as const;
const routes = [
  'list', 'report', 'incident', 'events', 'writing', 'health', 'metrics', 'other',
] as const;
const codeClasses = ['2xx', '3xx', '4xx', '5xx', 'other'] as const;

/** Every metric of the service. Gauges are set by their owners or right before a scrape. */
export interface ServiceMetrics extends ModelMetrics {
  readonly webhookRequests: Counter<By<'code', typeof webhookCodes>>;
  readonly webhookDuration: Histogram<NoLabels>;
  readonly webhookErrors: Counter<By<'reason', typeof webhookErrorReasons>>;
  readonly alerts: Counter<By<'outcome', typeof alertOutcomes>>;
  readonly alertsTruncated: Counter<NoLabels>;
  readonly notifications: Counter<By<'version', typeof payloadVersions>>;
  readonly httpRequests: Counter<
    By<'route', typeof routes> & By<'code_class', typeof codeClasses>
  >;
  readonly connections: Gauge<NoLabels>;
  readonly connectionsCut: Counter<NoLabels>;
  readonly listeners: Gauge<NoLabels>;
  readonly queueSize: Gauge<NoLabels>;
  readonly queueOldestAge: Gauge<NoLabels>;
  readonly analyses: Counter<By<'outcome', typeof analysisOutcomes>>;
  readonly analysisDuration: Histogram<NoLabels>;
  readonly analysisAttempts: Counter<NoLabels>;
  readonly feedback: Counter<By<'verdict', typeof feedbackVerdicts>>;
  readonly workerRestarts: Counter<By<'reason', typeof restartReasons>>;
  readonly workerMemory: Gauge<By<'work', typeof workerWork>>;
  readonly evidenceRequests: Counter<
    By<'source', typeof evidenceSources> & By<'outcome', typeof evidenceOutcomes>
  >;
  readonly evidenceDuration: Histogram<By<'source', typeof evidenceSources>>;
  readonly deliveries: Counter<
    By<'to', typeof receivers> & By<'outcome', typeof deliveryOutcomes>
  >;
  readonly deliveriesWaiting: Gauge<By<'to', typeof receivers>>;
  readonly journalSyncDuration: Histogram<NoLabels>;
  readonly journalAvailable: Gauge<NoLabels>;
  readonly journalDamagedRegions: Counter<NoLabels>;
  readonly journalTornTails: Counter<NoLabels>;
  readonly journalMissingRecords: Counter<NoLabels>;
  readonly damagedReports: Counter<NoLabels>;
  readonly reports: Gauge<NoLabels>;
  readonly episodesOpen: Gauge<NoLabels>;
  readonly secretFileFailures: Counter<NoLabels>;
  readonly ready: Gauge<NoLabels>;
}

interface Build {
  readonly version: string;
  /** `process.versions.node`. */
  readonly nodeVersion: string;
  /** Null when no model is configured. */
  readonly model: MeasuredModel | null;
}

/** Declares them all, so that each series exists with 0 before its first event. */
export function createServiceMetrics(registry: Registry, build: Build): ServiceMetrics {
  declareBuild(registry, build);
  return {
    ...createWebhookMetrics(registry),
    ...createAnalysisMetrics(registry),
    ...createEvidenceMetrics(registry),
    ...createDeliveryMetrics(registry),
    ...createStorageMetrics(registry),
    ...createModelMetrics(registry, build.model),
  };
}

/** 1 ms to 10 s: most answers wait for one write to the disk. */
const webhookBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const syncBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
/** Up to the longest deadline of a source. */
const evidenceBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];
const analysisBuckets = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 240, 300];

type WebhookMetrics = Pick<
  ServiceMetrics,
  | 'webhookRequests' | 'webhookDuration' | 'webhookErrors' | 'alerts' | 'alertsTruncated'
  | 'notifications' | 'httpRequests' | 'connections' | 'connectionsCut' | 'listeners'
>;

function createWebhookMetrics(registry: Registry): WebhookMetrics {
  return {
    webhookRequests: registry.counter(
      'service_webhook_requests_total',
      'Webhook requests answered, by status code.',
      { labels: { code: webhookCodes } },
    ),
    webhookDuration: registry.histogram(
      'service_webhook_duration_seconds',
      'Time from the headers of a webhook request to its answer.',
      { buckets: webhookBuckets },
    ),
    webhookErrors: registry.counter(
      'service_webhook_errors_total',
      'Webhook requests that were not accepted, by reason.',
      { labels: { reason: webhookErrorReasons } },
    ),
    alerts: registry.counter('service_alerts_total', 'Alerts received, by outcome.', {
      labels: { outcome: alertOutcomes },
    }),
    alertsTruncated: registry.counter(
      'service_alerts_truncated_total',
      'Alerts that senders left out of their notifications.',
    ),
    notifications: registry.counter(
      'service_notifications_total',
      'Notifications that could be parsed, by the payload version they state.',
      { labels: { version: payloadVersions } },
    ),
    httpRequests: registry.counter(
      'service_http_requests_total',
      'Requests other than to the webhook, by route and status code class.',
      { labels: { route: routes, code_class: codeClasses } },
    ),
    connections: registry.gauge('service_connections', 'Open client connections.'),
    connectionsCut: registry.counter(
      'service_connections_cut_total',
      'Connections closed because there were too many.',
    ),
    listeners: registry.gauge('service_listeners', 'Open pages that receive live updates.'),
  };
}

type AnalysisMetrics = Pick<
  ServiceMetrics,
  | 'queueSize' | 'queueOldestAge' | 'analyses' | 'analysisDuration' | 'analysisAttempts'
  | 'workerRestarts' | 'workerMemory' | 'feedback'
>;

function createAnalysisMetrics(registry: Registry): AnalysisMetrics {
  return {
    queueSize: registry.gauge('service_queue_size', 'Jobs waiting and running.'),
    queueOldestAge: registry.gauge(
      'service_queue_oldest_age_seconds',
      'Age of the oldest job waiting for a worker; 0 if there is none.',
    ),
    analyses: registry.counter('service_analyses_total', 'Analyses ended, by outcome.', {
      labels: { outcome: analysisOutcomes },
    }),
    analysisDuration: registry.histogram(
      'service_analysis_duration_seconds',
      'Duration of an analysis, without its time in the queue.',
      { buckets: analysisBuckets },
    ),
    analysisAttempts: registry.counter(
      'service_analysis_attempts_total',
      'Attempts at an analysis, including first attempts.',
    ),
    feedback: registry.counter(
      'service_feedback_total',
      'Feedback on reports, by its verdict on their conclusion.',
      { labels: { verdict: feedbackVerdicts } },
    ),
    workerRestarts: registry.counter(
      'service_worker_restarts_total',
      'Worker threads replaced, by reason.',
      { labels: { reason: restartReasons } },
    ),
    workerMemory: registry.gauge(
      'service_worker_memory_bytes',
      'Heap and external memory of all worker threads, by kind of work.',
      { labels: { work: workerWork } },
    ),
  };
}

type EvidenceMetrics = Pick<ServiceMetrics, 'evidenceRequests' | 'evidenceDuration'>;

function createEvidenceMetrics(registry: Registry): EvidenceMetrics {
  return {
    evidenceRequests: registry.counter(
      'service_evidence_requests_total',
      'Requests to sources of evidence, by source and outcome.',
      { labels: { source: evidenceSources, outcome: evidenceOutcomes } },
    ),
    evidenceDuration: registry.histogram(
      'service_evidence_request_duration_seconds',
      'Duration of a request to a source of evidence, including a retry.',
      { labels: { source: evidenceSources }, buckets: evidenceBuckets },
    ),
  };
}

type DeliveryMetrics = Pick<ServiceMetrics, 'deliveries' | 'deliveriesWaiting'>;

function createDeliveryMetrics(registry: Registry): DeliveryMetrics {
  return {
    deliveries: registry.counter(
      'service_deliveries_total',
      'Deliveries of reports, by receiver and outcome.',
      { labels: { to: receivers, outcome: deliveryOutcomes } },
    ),
    deliveriesWaiting: registry.gauge(
      'service_deliveries_waiting',
      'Reports waiting to be delivered, by receiver.',
      { labels: { to: receivers } },
    ),
  };
}

type StorageMetrics = Pick<
  ServiceMetrics,
  | 'journalSyncDuration' | 'journalAvailable' | 'journalDamagedRegions' | 'journalTornTails'
  | 'journalMissingRecords' | 'damagedReports' | 'reports' | 'episodesOpen'
  | 'secretFileFailures' | 'ready'
>;

function createStorageMetrics(registry: Registry): StorageMetrics {
  return {
    journalSyncDuration: registry.histogram(
      'service_journal_sync_duration_seconds',
      'Duration of flushing the journal to disk (fsync).',
      { buckets: syncBuckets },
    ),
    journalAvailable: registry.gauge(
      'service_journal_available',
      'Whether the journal can be written: 1 or 0.',
    ),
    journalDamagedRegions: registry.counter(
      'service_journal_damaged_regions_total',
      'Damaged regions of the journal that were skipped at start.',
    ),
    journalTornTails: registry.counter(
      'service_journal_torn_tails_total',
      'Journal segments found with a torn tail at start, as a crash leaves it.',
    ),
    journalMissingRecords: registry.counter(
      'service_journal_missing_records_total',
      'Records of the journal found missing at start.',
    ),
    damagedReports: registry.counter(
      'service_damaged_reports_total',
      'Stored reports found damaged, and set aside.',
    ),
    reports: registry.gauge('service_reports', 'Stored reports.'),
    episodesOpen: registry.gauge('service_episodes_open', 'Episodes whose alert is firing.'),
    secretFileFailures: registry.counter(
      'service_secret_file_failures_total',
      'Failed attempts to reload a secret file; the old value stays in use.',
    ),
    ready: registry.gauge('service_ready', 'Whether the start has finished: 1 or 0.'),
  };
}

function declareBuild(registry: Registry, { version, nodeVersion }: Build): void {
  const labels = { version: [version], node_version: [nodeVersion] };
  registry
    .gauge('service_build_info', 'Always 1; the labels carry the versions.', { labels })
    .set(1, { version, node_version: nodeVersion });
}
