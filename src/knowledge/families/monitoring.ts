import {
  ifNone, ifSome, metrics, names, promql, shell, type Command, type Family, type Step,
} from '../family.ts';
import { ofTarget, readLog } from '../usual-checks.ts';

/** Causes of a reload that failed, distinguished by the program that checks configurations. */
function reloadCauses(check: Command): Family['causes'] {
  return [
    {
      id: 'bad-config', cause: 'The last configuration is not valid',
      mechanism: 'It was rejected as a whole, so the previous one stays in force.',
      test: ifNone(`min({__name__=~".+_config_last_reload_success(ful)?",${ofTarget}})`),
      isDirect: true,
    },
    {
      id: 'file-or-field', cause: 'A file that it names is missing, or a field of it is not known',
      mechanism: 'A file was not deployed along with it, or it is for a newer version.',
      test: check,
      confirms: 'It names a file that cannot be opened, or a field that is not found.',
      refutes: 'It finds fault with something else.',
    },
  ];
}

const oldConfig = {
  meaning: 'The last configuration was refused, so an older one stays in force.',
  impact: 'What was changed since does not apply, and a restart would fail.',
  unit: 'state',
} as const;

/** Where its configuration is, only Prometheus itself knows. */
const checkPrometheus = shell('promtool check config "$(curl -gsS -m 10 ' +
  '--url http://{instance}/api/v1/status/flags | sed \'s/.*"config.file":"\\([^"]*\\)".*/\\1/\')"');
const checkAlertmanager = shell('amtool check-config /etc/alertmanager/alertmanager.yml');

const readReload: Step = {
  ...readLog,
  why: 'The refused configuration is logged with its file and the reason.',
  expected: 'A line of level error about loading the configuration.',
};

const alertmanagerReload: Family = {
  ...oldConfig,
  id: 'alertmanager-reload',
  names: names(`(?:prometheus)?alertmanager(?:failedreload|config(?:uration)?reload
    (?:failed|failure))`),
  metrics: metrics('alertmanager_config_last_reload_success\\w*'),
  causes: reloadCauses(checkAlertmanager),
  steps: [
    {
      action: 'Check the configuration with amtool.',
      why: 'It names the line; nothing is loaded or changed.',
      command: checkAlertmanager,
    },
    readReload,
  ],
};

const configReload: Family = {
  ...oldConfig,
  id: 'config-reload',
  names: names(`prometheus(?:configurationreload(?:failed|failure)|badconfig|configreload\\w*)
    |configreload(?:sidecarerrors|er\\w*)|blackboxconfigurationreloadfailure
    |thanos\\w*configreloadfailure|(?:mimir|cortex)badruntimeconfig`),
  metrics: metrics('prometheus_config_last_reload_success\\w*|reloader_\\w+'),
  causes: reloadCauses(checkPrometheus),
  steps: [
    {
      action: 'Check the configuration and the rules with promtool.',
      why: 'It names the file and the line; nothing is loaded or changed.',
      command: checkPrometheus,
    },
    readReload,
  ],
};

const ruleFailures: Family = {
  id: 'rule-failures',
  names: names(`prometheus(?:rulefailures|missingruleevaluations|ruleevaluation(?:failures|slow)
    |highqueryload|engine\\w*|templatetext\\w*|operator\\w+|errorsending\\w*ruler)
    |thanos(?:norule|rule(?!isdown|queueis|senderis|alertmanager|configreload))\\w+
    |(?:mimir|cortex)inconsistent\\w*config\\w*|mimirruler\\w+|cortexruler\\w+`),
  // Who makes a ruler's objects does not evaluate its rules.
  reads: /^(?!.*_operator_\w*_creation_)/su,
  metrics: metrics(`(?:cortex_|loki_)?prometheus_rule_\\w+|prometheus_engine_\\w+`),
  meaning: 'Rules of the monitoring fail or come late, so they return nothing.',
  impact: 'Alerts that rest on these rules cannot fire.',
  causes: [
    {
      id: 'bad-rule', cause: 'A rule fails on the data it meets',
      mechanism: 'Many-to-many matching or duplicate results end the evaluation.',
      test: promql(`sum(rate(prometheus_rule_evaluation_failures_total{${ofTarget}}[5m]))`,
        { atLeast: 0.001, notUpTo: 0 }),
      note: 'The log of Prometheus names rule and error.',
    },
    {
      id: 'slow-rule', cause: 'A rule group takes longer than its interval',
      mechanism: 'The next evaluation is skipped.',
      test: promql(`max(prometheus_rule_group_last_duration_seconds{${ofTarget}}
        / prometheus_rule_group_interval_seconds{${ofTarget}})`, { atLeast: 1, notUpTo: 0.5 }),
    },
    {
      id: 'query-load', cause: 'Too many or too heavy queries run',
      mechanism: 'Dashboards and rules share the slots of the query engine.',
      test: promql(`max(prometheus_engine_queries{${ofTarget}}
        / prometheus_engine_queries_concurrent_max{${ofTarget}})`, { atLeast: 0.8, notUpTo: 0.3 }),
    },
  ],
  steps: [
    {
      action: 'Ask Prometheus why its rules fail.',
      why: 'It keeps the last error of each rule.',
      command: shell("curl -gsS -m 10 --url http://{instance}'/api/v1/rules' " +
        `| grep -oE '"lastError":"([^"\\\\]|\\\\.)+"' | sort | uniq -c`),
    },
    {
      ...readLog,
      why: 'Each rule that fails is logged with its error.',
      expected: 'A line of level warn that names the rule.',
    },
  ],
};

const ingestion: Family = {
  id: 'ingestion',
  names: names(`prometheus(?:notingestingsamples|duplicatetimestamps|outofordertimestamps|tsdb\\w+
    |labellimithit|targetlimithit|scrapebodysizelimithit|scrapesamplelimithit|targetsync
    \\w*|sdrefreshfailure|kuberneteslistwatchfailures|targetempty|storage\\w*|timeseries
    cardinality|largescrape|targetscrapingslow|targetscrapeduplicate|highmemory\\w*|oom\\w*)
    |(?:mimir|cortex|thanos)\\w*(?:ingest|wal|sample|outoforder)\\w*|(?:high)?cardinality\\w*
    |absentmetrics?|metric(?:s)?absent|kubestatemetrics(?:list|watch)errors
    |kubestatemetrics(?:sharding|shards)\\w*`),
  metrics: metrics(`prometheus_tsdb_\\w+|prometheus_target_\\w+|prometheus_sd_\\w+
    |scrape_samples_\\w+|kube_state_metrics_\\w+`),
  meaning: 'Samples are rejected, lost or not written.',
  impact: 'Graphs have gaps, and alerts on that data are blind.',
  causes: [
    {
      id: 'cardinality', cause: 'The number of series jumped',
      mechanism: 'A new label with many values fills memory and slows everything.',
      test: promql(`prometheus_tsdb_head_series{${ofTarget}}
        / prometheus_tsdb_head_series{${ofTarget}} offset 1d`, { atLeast: 1.5, notUpTo: 1.1 }),
    },
    {
      id: 'duplicate-targets', cause: 'Two sources write the same series',
      mechanism: 'The same target is scraped twice under the same labels.',
      test: promql(`
        rate(prometheus_target_scrapes_sample_duplicate_timestamp_total{${ofTarget}}[5m])
        + rate(prometheus_target_scrapes_sample_out_of_order_total{${ofTarget}}[5m])`,
        { atLeast: 0.1, notUpTo: 0 }),
    },
    {
      id: 'disk', cause: 'Its disk is full or fails',
      mechanism: 'The write-ahead log or a block cannot be written.',
      test: ifSome(`increase(prometheus_tsdb_wal_writes_failed_total{${ofTarget}}[1h])
        + increase(prometheus_tsdb_compactions_failed_total{${ofTarget}}[1h])`),
    },
    {
      id: 'discovery', cause: 'Discovery lost its targets',
      mechanism: 'The API that it queries does not answer, or permissions changed.',
      test: ifSome(`increase(prometheus_sd_refresh_failures_total{${ofTarget}}[1h])`),
    },
  ],
  steps: [
    {
      action: 'Read the statistics of the head block.',
      why: 'It lists the metric names and labels with most series.',
      command: shell("curl -gsS -m 10 --url http://{instance}'/api/v1/status/tsdb'"),
    },
    {
      ...readLog,
      why: 'Refused samples and failed writes are logged with their target.',
      expected: 'A line of level warn or error.',
    },
  ],
};

const remoteWrite: Family = {
  id: 'remote-write',
  names: names('prometheusremote(?:write\\w*|storage\\w*)|remotewrite\\w*'),
  metrics: metrics('prometheus_remote_(?:storage|write)_\\w+'),
  meaning: 'Samples reach the remote store late, or not at all.',
  impact: 'Dashboards and alerts there are stale; after about two hours samples are lost.',
  causes: [
    {
      id: 'remote-slow', cause: 'The remote store is slow or down',
      mechanism: 'Each batch waits for it, and the queue grows.',
      test: ifSome(`sum(rate(prometheus_remote_storage_samples_retried_total{${ofTarget}}[5m]))`),
      isDirect: true,
    },
    {
      id: 'rejected', cause: 'The remote store rejects the samples',
      mechanism: 'Credentials, limits or order: a 4xx answer drops the batch.',
      test: ifSome(`sum(rate(prometheus_remote_storage_samples_failed_total{${ofTarget}}[5m]))`),
    },
    {
      id: 'shards', cause: 'Its limit of shards is too low',
      mechanism: 'At max_shards it cannot send faster.',
      test: promql(`max(prometheus_remote_storage_shards_desired{${ofTarget}}
        / prometheus_remote_storage_shards_max{${ofTarget}})`, { atLeast: 1, notUpTo: 0.7 }),
    },
  ],
  steps: [
    {
      ...readLog,
      why: 'Each refused batch is logged with status and reason.',
      expected: 'Lines of remote write with an HTTP status, or timeouts.',
    },
  ],
};

const alertDelivery: Family = {
  id: 'alert-delivery',
  names: names(`alertmanager\\w+|thanosrule(?:queueis|senderis|alertmanager)\\w+
    |(?:cortex|mimir)not(?:connectedtoalertmanager|ificationarebeingdropped|ificationerror)
    |prometheus(?:errorsendingalerts\\w*|notconnectedtoalertmanagers?
    |alertmanagerjobmissing|notificationqueue\\w*|notificationsbacklog|alertmanager\\w*)`),
  metrics: metrics('alertmanager_\\w+|(?:cortex_)?prometheus_notifications_\\w+'),
  meaning: 'Alerts are lost or delayed between Prometheus, Alertmanager and a receiver.',
  impact: 'People may not be notified. Check other alerts by hand until it is fixed.',
  causes: [
    {
      id: 'receiver-down', cause: 'A receiver does not accept notifications',
      mechanism: 'Its address, token or service is broken; it may be this very service.',
      test: ifSome(`sum by (integration) (
        increase(alertmanager_notifications_failed_total{${ofTarget}}[15m]))`),
    },
    {
      id: 'cluster-split', cause: 'The members do not see each other',
      mechanism: 'A blocked port 9094 (TCP and UDP) or old addresses split the cluster.',
      // A member that is down is missing for another reason.
      test: promql('min(alertmanager_cluster_members{job="{job}"}) - sum(up{job="{job}"})',
        { atMost: -1, notFrom: 0 }),
    },
    {
      id: 'unreachable', cause: 'Prometheus cannot reach Alertmanager',
      mechanism: 'Its address or credentials are wrong, or it is down.',
      // Measured by Prometheus, whose job and instance the alert need not have.
      test: ifSome(`sum by (alertmanager) (
        increase(prometheus_notifications_errors_total[15m]))`),
    },
    {
      id: 'none-discovered', cause: 'Prometheus discovers no Alertmanager',
      mechanism: 'Its configuration lists none, or their discovery finds none.',
      test: ifNone('min(prometheus_notifications_alertmanagers_discovered)'),
    },
    {
      id: 'configs-differ', cause: 'Members run different configurations',
      mechanism: 'One of them failed to load the last one, so routing depends on chance.',
      test: promql('count(count_values("hash", alertmanager_config_hash{job="{job}"}))',
        { atLeast: 2, notUpTo: 1 }),
    },
  ],
  steps: [
    {
      ...readLog,
      why: 'Each failed notification is logged with receiver, status and reason.',
      expected: '"Notify for alerts failed" with the receiver that fails.',
    },
    {
      action: 'Read the alerts that fire now.',
      why: 'While delivery is broken this is the only list that is right.',
      command: promql('ALERTS{alertstate="firing",severity=~"critical|page"}'),
    },
  ],
};

/** Reloads and rule failures come first: they match single names, the others prefixes. */
export const monitoringFamilies: readonly Family[] = [
  alertmanagerReload, configReload, ruleFailures, remoteWrite, alertDelivery, ingestion,
];
