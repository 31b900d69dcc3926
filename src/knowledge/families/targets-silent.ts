import { ifNone, ifSome, metrics, names, promql, ssh, type Family } from '../family.ts';
import {
  hostAnswers, hostDown, listPods, ofTarget, onHost, podLog, previousLog, readLog, rolledOut,
} from '../usual-checks.ts';

export const targetsAbsent: Family = {
  id: 'targets-absent',
  names: names('prometheusjobmissing'),
  // With `up == 1`, what is absent may be one that answers.
  metrics: /^\s*absent(?:_over_time)?\s*\(\s*up\s*(?:\{[^}]*\})?\s*(?:\[[^\]]*\])?\s*\)/u,
  meaning: 'Prometheus does not list the targets that the rule asks for.',
  impact: 'They are not monitored: no other alert on them can be trusted.',
  causes: [
    {
      id: 'none-listed', cause: 'Discovery finds no target of the job',
      mechanism: 'What it looks for was removed, renamed or scaled to zero.',
      test: ifNone('count(up{job="{job}"}) or vector(0)'),
      isDirect: true,
    },
    {
      id: 'discovery', cause: 'Discovery itself fails',
      mechanism: 'Its API, file or DNS record cannot be read, so nothing is found.',
      test: promql('max(increase(prometheus_sd_refresh_failures_total[1h])) ' +
        'or max(prometheus_sd_failed_configs)', { atLeast: 1 }),
      note: 'The log of Prometheus says why.',
    },
    {
      id: 'renamed', cause: 'The job has another name now',
      mechanism: 'The scrape configuration was changed, and the rule asks for the old name.',
      test: promql('max(time() - prometheus_config_last_reload_success_timestamp_seconds ' +
        '< bool 7200)', { atLeast: 1 }),
      note: 'The configuration that was loaded may still have the job.',
    },
  ],
  steps: [
    {
      action: 'Count the targets of each job.',
      why: 'The job is missing, has another name, or has fewer targets than it should.',
      command: promql('count by (job) (up)'),
    },
    listPods,
  ],
};

/** Tried first: in a rule on absence, a metric means the opposite of what it does elsewhere. */
export const seriesAbsent: Family = {
  id: 'series-absent',
  // Grafana sends the second one when a rule's query returns nothing.
  names: names('nodata|datasourcenodata'),
  // The absence of `up` is that of a target, which is another family.
  metrics: /^\s*absent(?:_over_time)?\s*\(\s*(?!up(?![\w:])|(?:sum|max|min|count|avg)\W)\w/u,
  meaning: 'A series that the rule asks for does not exist.',
  impact: 'What it measured is gone, or it is there but unmonitored.',
  causes: [
    {
      id: 'target-down', cause: 'What exposes it is down, or is not scraped',
      mechanism: 'Its series end with the first scrape that fails.',
      test: ifNone('min(up{job="{job}",namespace="{namespace}",pod="{pod}"})'),
    },
    {
      id: 'thing-gone', cause: 'What it measures is gone',
      mechanism: 'A container, a queue or a certificate that is removed takes its series along.',
      // Others of the namespace may still be there.
      test: promql('sum(kube_pod_status_ready{namespace="{namespace}",condition="true"})',
        { atMost: 0 }),
    },
    {
      id: 'renamed', cause: 'The metric or one of its labels has another name now',
      mechanism: 'A release renamed it, or the rule never matched.',
      test: rolledOut,
    },
  ],
  steps: [
    {
      action: 'Ask Prometheus for the metric without its matchers.',
      why: 'With results, the metric exists and a label differs; without, its target is gone.',
      expected: 'Series whose labels show which matcher no longer fits, or none.',
    },
    listPods,
  ],
};

/** Tried after the families that know what their exporter watches. */
export const reportedDown: Family = {
  id: 'reported-down',
  metrics: /(?<![\w:])[a-z]\w*_up\s*(?:\{[^{}]*\}\s*)?(?:==\s*0|!=\s*1|<\s*1)(?![.\d])/u,
  meaning: 'An exporter answers, but reports that what it watches does not.',
  impact: 'What it watches is down, or runs unmonitored: its other metrics are missing as well.',
  unit: 'state',
  causes: [
    {
      id: 'down', cause: 'What the exporter watches is down or restarts',
      mechanism: 'Nothing answers at its address.',
      test: ssh('systemctl --failed --no-pager'),
      confirms: 'Its unit is listed, or its process does not run.',
      refutes: 'It runs, and answers when it is asked directly.',
    },
    {
      id: 'refused', cause: 'The exporter is denied access',
      mechanism: 'A password, a token, a certificate or a permission changed.',
      test: podLog,
      confirms: 'The log of the exporter speaks of a login, a certificate or a permission.',
      refutes: 'It speaks of a connection that is refused or times out.',
    },
    hostDown,
  ],
  steps: [
    readLog,
    listPods,
    hostAnswers,
  ],
};

const versions = `{__name__=~".+_build_info|pg_static",${ofTarget}}`;

export const exporterErrors: Family = {
  id: 'exporter-errors',
  names: names(`postgres(?:ql)?(?:has)?exportererrors?|windowsservercollectorerror
    |node(?:textfile)?collector(?:scrape)?(?:error|failed)`),
  metrics: metrics(`\\w+_exporter_last_scrape_error|windows_exporter_collector_success
    |node_textfile_scrape_error|node_scrape_collector_success`),
  meaning: 'An exporter answers, but part of what it should measure fails.',
  impact: 'Some of its metrics are missing or stale, and the alerts on them are blind.',
  unit: 'state',
  causes: [
    {
      id: 'permission', cause: 'It is not allowed to read something',
      mechanism: 'A user, a grant or a file mode changed, or a new version asks for more.',
      test: podLog,
      confirms: 'Its log speaks of a permission.',
    },
    {
      id: 'version', cause: 'It was updated, or what it watches was',
      mechanism: 'A query, a counter or a file that it reads has a new format.',
      // A restart alone is no update.
      test: promql(
        `count(group by (version, short_version) (${versions} or ${versions} offset 1h))`,
        { atLeast: 2 }),
      note: 'It is the number of versions that reported within the last hour.',
    },
    {
      id: 'slow', cause: 'What it queries does not answer in time',
      mechanism: 'A busy database or a hung disk lets one collector run into its timeout.',
      test: promql(`max(scrape_duration_seconds{${ofTarget}})`, { atLeast: 9, notUpTo: 1 }),
    },
  ],
  steps: [
    readLog,
    {
      action: 'List its collectors that fail.',
      why: 'One that fails means a permission or a format, all of them mean the other side.',
      command: promql(`{__name__=~"(node|pg)_scrape_collector_success",${ofTarget}} == 0
        or windows_exporter_collector_success{${ofTarget}} == 0`),
    },
  ],
};

export const restarted: Family = {
  id: 'restarted',
  names: names(`\\w*(?:process|server|instance|node|host|service|postgres(?:ql)?|mysql|mariadb|redis
    |mongodb|rabbitmq|prometheus|alertmanager|loki|mimir|cortex|ingester|apache|nginx|haproxy)
    (?:has)?(?:just|recently)?(?:been)?(?:toomany)?(?:restart(?:s|ed)?|reboot(?:s|ed)?)`),
  metrics: metrics(`(?:changes|resets)\\(\\s*process_start_time_seconds|mysql_global_status_uptime
    |time\\(\\)\\s*-\\s*(?:pg_postmaster_start_time_seconds|node_boot_time_seconds)`),
  meaning: 'A process or a host has just restarted.',
  impact: 'Connections broke; caches are cold, and what was in memory only is lost.',
  causes: [
    {
      id: 'host-rebooted', cause: 'The whole host restarted',
      mechanism: 'An update, a crash of the kernel, or the machine beneath it.',
      // A young machine says nothing of what restarted long after it had booted.
      test: promql(`max({__name__=~"(process|pg_postmaster|redis)_start_time_seconds",${ofTarget}})
        - on () group_left () max(node_boot_time_seconds{${onHost}})`,
        { atMost: 600, notFrom: 1800 }),
      note: 'It is the time from the start of the host to that of the process.',
    },
    {
      id: 'out-of-memory', cause: 'It was killed for lack of memory',
      mechanism: 'The kernel ends it at its limit.',
      test: ifSome('max(kube_pod_container_status_last_terminated_reason{' +
        'namespace="{namespace}",pod="{pod}",reason="OOMKilled"})'),
    },
    {
      id: 'host-out-of-memory', cause: 'Its host ran out of memory',
      mechanism: 'The kernel ends whatever is largest.',
      test: ifSome(`max(increase(node_vmstat_oom_kill{${onHost}}[1h]))`),
    },
    {
      id: 'rollout', cause: 'A rollout or a person restarted it',
      mechanism: 'A new version, a new configuration or a drained node.',
      test: rolledOut,
    },
    {
      id: 'crash', cause: 'It crashed, and was started again',
      mechanism: 'It keeps crashing until the cause is fixed.',
      test: promql(`changes(process_start_time_seconds{${ofTarget}}[6h])`, { atLeast: 3 }),
    },
  ],
  steps: [
    {
      action: 'Read the log of the container that ended.',
      why: 'Its last lines name the error, or show an orderly stop.',
      command: previousLog,
      expected: 'An error, or a line that says it was told to stop.',
    },
    {
      action: 'Read when the host started, and what it said before.',
      why: 'An orderly reboot, a crash and a loss of power look different there.',
      command: ssh('uptime -s; last -x -n 5 reboot shutdown'),
      expected: 'An uptime of days, or a shutdown before the reboot.',
    },
    listPods,
  ],
};
