import { ifNone, metrics, names, promql, type Family } from '../family.ts';
import { listPods, ofJob, ofTarget, pending, readLog, twiceBefore } from '../usual-checks.ts';


/** One rate each for traces, metrics and logs, as their counters have different names. */
function perSignal(counter: string): string {
  return ['spans', 'metric_points', 'log_records'].map((signal) =>
    `label_replace(sum(rate({__name__=~"otelcol_${counter}_${signal}(_total)?",` +
    `${ofTarget}}[5m])),` +
    `"signal","${signal}","","")`).join(' or ');
}

const collector: Family = {
  id: 'otel-collector',
  names: names(`(?!\\w*(?:down|absent|operator|restart))(?:otelcol|(?:opentelemetry|otel)
    (?:collector|receiver|exporter|processor))\\w+`),
  metrics: metrics('otelcol_\\w+'),
  meaning: 'An OpenTelemetry collector rejects or loses telemetry, or is about to.',
  impact: 'Traces, metrics and logs have gaps, and alerts that rest on them are blind.',
  causes: [
    {
      id: 'backend-fails', cause: 'Its backend is down or rejects data',
      mechanism: 'Timeouts, an expired token or a limit: what cannot be sent is retried.',
      test: promql(`max(${perSignal('exporter_send_failed')})`, { atLeast: 0.05, notUpTo: 0 }),
    },
    {
      id: 'queue-full', cause: 'It sends more slowly than it receives',
      mechanism: 'The queue fills, and when it is full what arrives is dropped.',
      test: promql(`max(otelcol_exporter_queue_size{${ofTarget}}
        / otelcol_exporter_queue_capacity{${ofTarget}})`, { atLeast: 0.8, notUpTo: 0.2 }),
    },
    {
      id: 'memory-limit', cause: 'Its memory limiter rejects data',
      mechanism: 'Near its limit it rejects data until memory is free.',
      test: promql(`max(${perSignal('processor(_memory_limiter)?_refused')})`,
        { atLeast: 0.05, notUpTo: 0 }),
    },
    {
      id: 'more-data', cause: 'Far more data arrives than usual',
      mechanism: 'A new sender, a debug log or a loop.',
      test: twiceBefore(`{__name__=~"otelcol_receiver_accepted_spans(_total)?",${ofTarget}}`),
    },
  ],
  steps: [
    readLog,
    listPods,
  ],
};

const runners: Family = {
  id: 'ci-runners',
  names: names(`(?:github(?:actions?)?|gha|arc|gitlab(?:ci)?|jenkins|ci)?runners?(?:jobs?queued?\\w*
    |offline|noneonline|saturat\\w*|exhausted)
    |gitlab(?:ci|high)*(?:runnerauth\\w*|jobregistrationfail\\w*)
    |jenkins(?:nodes?offline|nonodes?online|(?:build)?queue\\w*|\\w*executors?\\w*)`),
  metrics: metrics(`gha_(?!controller)\\w+|gitlab_runner_\\w+|gitlab_ci_runner_authentication_\\w+
    |job_register_attempts_\\w+
    |jenkins_(?:node_(?:offline|online)|queue_\\w+|executor_\\w+)_value`),
  meaning: 'Builds wait, because no runner takes them.',
  impact: 'Nothing is tested, built or deployed, not even a fix.',
  causes: [
    {
      id: 'all-busy', cause: 'All runners are busy',
      mechanism: 'There are more builds than they can take, or some builds hang.',
      test: promql(`max(gha_busy_runners{${ofJob}} / gha_max_runners{${ofJob}}
        or jenkins_executor_in_use_value{${ofJob}} / jenkins_executor_count_value{${ofJob}}
        or sum by (instance) (gitlab_runner_jobs{${ofJob}})
        / sum by (instance) (gitlab_runner_concurrent{${ofJob}}))`,
        { atLeast: 0.95, notUpTo: 0.7 }),
    },
    {
      id: 'none-online', cause: 'No runner is connected',
      mechanism: 'They are down, were removed, or cannot reach the server.',
      // A scale set without jobs may have no runner on purpose.
      test: ifNone(`min(gha_registered_runners{${ofJob}} and on (namespace, name)
        gha_assigned_jobs{${ofJob}} > 0 or jenkins_node_online_value{${ofJob}})`),
    },
    {
      id: 'pods-pending', cause: 'The pods of new runners are not started',
      mechanism: 'The cluster has no room, a quota is used up, or an image cannot be pulled.',
      test: pending,
    },
    {
      id: 'token', cause: 'Their token is no longer accepted',
      mechanism: 'It expired or was reset, and each request for work is refused.',
      test: promql(`sum(rate(gitlab_ci_runner_authentication_failure_total{${ofJob}}[15m])
        or rate(gitlab_runner_api_request_statuses_total{${ofJob},status=~"40[13]"}[15m]))`,
        { atLeast: 0.001, notUpTo: 0 }),
    },
  ],
  steps: [
    {
      ...listPods,
      why: 'Pending, crashing and missing runners each lead to another cause.',
      expected: 'As many runners as builds, all Running.',
    },
    {
      action: 'On the runners page of the server, look for those that are offline or ' +
        'paused, and for the tags that waiting builds ask for.',
      why: 'A build whose tag no runner has waits forever.',
      expected: 'An online runner with the tags of the build.',
    },
    readLog,
  ],
};

export const telemetryAndBuildFamilies: readonly Family[] = [collector, runners];
