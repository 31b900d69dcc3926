import { ifSome, metrics, names, promql, shell, ssh, type Family, type Step } from '../family.ts';
import {
  clusterWarnings, jobDown, listPods, notReady, readLog, readWarnings, warnings,
} from '../usual-checks.ts';
import { lateCauses } from './scheduled-jobs.ts';

const controllerDown = {
  id: 'controller', cause: 'The controller itself does not work',
  mechanism: 'It is down, out of memory, or cannot reach the cluster.',
  test: jobDown,
} as const;

const gitops: Family = {
  id: 'gitops-sync',
  names: names(`argo(?:cd)?(?:app|application|service)?s?(?:notsynced|outofsync|unhealthy|nothealthy
    |sync(?:failed|error|status)?\\w*|degraded|unknown|missing)\\w*
    |flux(?:cd)?(?:kustomization|helmrelease|source|gitrepository|reconcil)\\w*
    |(?:helmrelease|kustomization|gitrepository|reconciliation)(?:fail\\w*|notready|stalled)`),
  metrics: metrics('argocd_app_(?:info(?!\\{[^}]*autosync)|sync_total|\\w*status)|gotk_\\w+'),
  meaning: 'What runs in the cluster is not what the repository says, or is not healthy.',
  impact: 'The last change was not applied, or only in part; what ran before mostly goes on.',
  unit: 'state',
  causes: [
    {
      id: 'bad-manifest', cause: 'The last commit cannot be applied',
      mechanism: 'A template does not render, or the API server refuses the result.',
      test: warnings,
      confirms: 'An event or a condition quotes the error of the manifest.',
    },
    {
      id: 'unhealthy', cause: 'It was applied, and the new pods do not become ready',
      mechanism: 'A crash, a missing image or a failed probe holds the rollout.',
      test: notReady,
    },
    {
      id: 'source', cause: 'The repository or the registry cannot be read',
      mechanism: 'A token expired, or the network or the host behind it is down.',
      test: clusterWarnings,
      confirms: 'Events say that fetching failed.',
    },
    controllerDown,
  ],
  steps: [
    {
      action: 'List the applications and their state (Argo CD).',
      why: 'OutOfSync is a change that was not applied, Degraded one that does not work.',
      command: shell('kubectl get applications.argoproj.io --all-namespaces'),
      store: 'argocd',
    },
    {
      action: 'List what is not ready, with the reason (Flux).',
      why: 'The message quotes the error; the first in the chain blocks the others.',
      command: shell('flux get all --all-namespaces --status-selector ready=false'),
      store: 'flux',
    },
    {
      action: 'List recent warnings of the namespace.',
      why: 'They show what the API server rejected and what does not start.',
      command: warnings,
    },
  ],
};

const notStarted = {
  id: 'not-started', cause: 'The job was not started',
  mechanism: 'Its schedule is suspended, or the host or the controller was down then.',
  test: ifSome('max(kube_cronjob_spec_suspend{namespace="{namespace}"})'),
} as const;

const tooSlow = {
  id: 'too-slow', cause: 'It still runs, or was cut off at its time limit',
  mechanism: 'The data grew, or a disk, a lock or the network slows it.',
  test: promql('max(time() - kube_job_status_start_time{namespace="{namespace}"} ' +
    'and kube_job_status_active{namespace="{namespace}"} == 1)',
    { atLeast: 14_400 }),
} as const;

const schedules: Step = {
  action: 'List the schedules and their jobs.',
  why: 'It tells a job that failed from one that was never started.',
  command: shell('kubectl get cronjobs,jobs --namespace={namespace}'),
  expected: 'The last run is recent and complete.',
};

const backup: Family = {
  id: 'backup',
  isGradual: true,
  names: names(`(?:velero|restic|borg|borgmatic|pgbackrest|barman|walg(?!row|en)|k8up|mgob)
    (?!\\w*(?:down|absent|podnot|podcrash|restart|cpu|memory))\\w+
    |(?:redis|postgres(?:ql)?|mysql|mongodb|etcd|elasticsearch)(?:missing|no)?(?:recent)?backup
    (?:missing|tooold|old|stale|failed|failure)?
    |redis(?:rdb|aof)(?:lastsave\\w*|bgsave\\w*|rewrite\\w*)
    |backups?(?:is)?(?:failed|failure|missing|tooold|old|stale|overdue)`),
  // That of a Kubernetes job is known better by its job.
  reads: /^(?![^]*kube_(?:job|cronjob)_)/u,
  metrics: metrics('(?:velero|restic|borg\\w*|pgbackrest|barman|walg|k8up|mgob)_\\w+|' +
    'redis_(?:rdb|aof)_last_\\w+|' +
    '(?=\\w*backup)\\w*_last_success\\w*'),
  meaning: 'The last good backup is too old, or the last attempt failed.',
  impact: 'Nothing fails now, but a loss of data would cost everything since the last good backup.',
  causes: [
    {
      id: 'target', cause: 'The backup storage is full or rejects backups',
      mechanism: 'A quota, an expired key or a changed policy ends each attempt.',
      test: warnings,
      confirms: 'The log or an event quotes the error of the storage.',
      refutes: 'The storage accepts writes.',
    },
    {
      id: 'disk-full', cause: 'A disk of the host that takes the backups is full',
      mechanism: 'Old backups are not removed, or the new one is larger.',
      test: promql('min(node_filesystem_avail_bytes{instance=~"{instance.host}(:.*)?",' +
        'fstype!~"tmpfs|ramfs|squashfs|overlay|iso9660"} / node_filesystem_size_bytes)',
        { atMost: 0.03, notFrom: 0.2 }),
    },
    notStarted, tooSlow,
    {
      id: 'only-metric', cause: 'The backup was made, but was not reported',
      mechanism: 'The metric is written by the job itself, or its exporter is down.',
      test: jobDown,
    },
  ],
  steps: [
    {
      action: 'List the last backups and their errors (Velero).',
      why: 'PartiallyFailed means that a volume or a resource is missing from it.',
      command: shell('kubectl get backups.velero.io --all-namespaces ' +
        '--sort-by=.metadata.creationTimestamp ' +
        '-o custom-columns=NAME:.metadata.name,PHASE:.status.phase,' +
        'ERRORS:.status.errors,DONE:.status.completionTimestamp'),
      expected: 'The newest is Completed, without errors.',
      onlyFor: 'velero',
    },
    {
      action: 'List the newest snapshots (restic).',
      why: 'It shows what can be restored, whatever the metric says.',
      command: shell('restic snapshots --no-lock --latest 1'),
      expected: 'One from today for each host and path.',
      onlyFor: 'restic',
    },
    {
      action: 'Read the state of the backups (pgBackRest).',
      why: 'It shows what can be restored, and whether the WAL archive is complete.',
      command: shell('pgbackrest info'),
      expected: 'status: ok, and a backup from today.',
      onlyFor: 'pgbackrest',
    },
    {
      action: 'Read the state of the last save (Redis).',
      why: 'It tells a save that failed from one that was not due.',
      command: shell('redis-cli -u redis://{instance.address} info persistence'),
      expected: 'rdb_last_bgsave_status is ok.',
      onlyFor: 'redis',
    },
    schedules,
  ],
};

const compaction: Family = {
  id: 'metric-blocks',
  names: names(`(?:thanos|mimir|cortex|loki|tempo(?!r))
    (?!\\w*(?:down|absent|headcompaction|noconnection))
    \\w*(?:compact\\w*|bucket\\w*|objstore\\w*|sidecar\\w*|uploads?\\w*)`),
  metrics: metrics(`
    thanos_(?:compact|objstore|sidecar|shipper)_\\w+|cortex_(?:compactor|bucket)_\\w+
    |loki_boltdb_shipper_compactor_\\w+|tempodb_compaction_\\w+`),
  meaning: 'Blocks in the object store are not compacted, uploaded or read.',
  impact: 'Queries become slow, retention is not applied, and blocks may be lost in the end.',
  causes: [
    {
      id: 'bucket', cause: 'The object store refuses or fails requests',
      mechanism: 'Expired keys, rate limits, a full bucket or the network.',
      test: promql(`sum by (operation) (rate(thanos_objstore_bucket_operation_failures_total{
        job="{job}"}[15m]))`, { atLeast: 0.01, notUpTo: 0 }),
    },
    {
      id: 'halted', cause: 'The compactor has halted',
      mechanism: 'Blocks that overlap or are damaged stop it until somebody removes them.',
      test: ifSome('max(thanos_compact_halted{job="{job}"})'),
      note: 'Its log names the block.',
    },
    {
      id: 'resources', cause: 'It is short of disk or memory',
      mechanism: 'A compaction needs room for all blocks that it merges.',
      test: promql('min(kubelet_volume_stats_available_bytes{namespace="{namespace}"} ' +
        '/ kubelet_volume_stats_capacity_bytes{namespace="{namespace}"})',
        { atMost: 0.03, notFrom: 0.2 }),
    },
  ],
  steps: [
    {
      action: 'Read the log of the pod.',
      why: 'It names the block, the tenant and the error.',
      command: shell('kubectl logs --namespace={namespace} --since=6h --tail=300 ' +
        '--all-containers pod/{pod}'),
    },
    { ...listPods, why: 'A compactor that is killed starts over each time.' },
  ],
};

const reconcile: Family = {
  id: 'operator-reconcile',
  names: names('(?:cnpg|controller(?:runtime)?)reconcileerrors\\w*'),
  metrics: metrics('controller_runtime_reconcile_errors_total'),
  meaning: 'An operator fails to bring its objects into their desired state.',
  impact: 'What runs keeps running; changes, repairs and failovers may not happen.',
  causes: [
    {
      id: 'one-object', cause: 'One object cannot be reconciled',
      mechanism: 'It is not valid, or asks for something that does not exist; it is tried again.',
      test: clusterWarnings,
      confirms: 'Warnings repeat for one object.',
      refutes: 'They name many objects, or none.',
    },
    {
      id: 'api', cause: 'The Kubernetes API is slow or rejects it',
      mechanism: 'A webhook that is down, a permission that is gone, or an overloaded API.',
      test: promql(
        'sum(rate(rest_client_requests_total{job="{job}",code=~"[45]..",code!="409"}[5m])) ' +
        '/ sum(rate(rest_client_requests_total{job="{job}"}[5m]))',
        { atLeast: 0.1, notUpTo: 0.01 },
      ),
    },
    controllerDown,
  ],
  steps: [
    readLog,
    readWarnings,
  ],
};

const lateJob: Family = {
  id: 'late-job',
  isGradual: true,
  names: names('(?:batch|etl|nightly|scheduled)(?:job|run|import|export|sync)(?:is)?' +
    '(?:late|stale|overdue|missing|notrun\\w*|tooold)'),
  metrics: metrics('(?!kube_)\\w+_last_(?:success(?:ful)?|completed?|completion)' +
    '(?:_run|_sync|_import|_export)?_(?:timestamp|time)(?:_seconds)?|' +
    'push_(?:failure_)?time_seconds'),
  meaning: 'A job that should succeed regularly has not for too long.',
  impact: 'What depends on its results works with old ones.',
  causes: [
    ...lateCauses,
    {
      id: 'push-refused', cause: 'What it pushed was refused',
      mechanism: 'The Pushgateway keeps what it had when a push is not valid or not consistent.',
      test: ifSome('max(push_failure_time_seconds{job="{job}"}) > bool ' +
        'max(push_time_seconds{job="{job}"})'),
    },
  ],
  steps: [
    schedules,
    {
      action: 'Read what its schedule on the host did last.',
      why: 'It tells a run that failed from one that was never started.',
      command: ssh('systemctl list-timers --all --no-pager; ' +
        'sudo journalctl --no-pager -n 20 --identifier=CRON'),
      expected: 'It ran when it was due, and what it said names the error.',
    },
  ],
};

export const deliveryFamilies: readonly Family[] = [
  gitops, backup, compaction, reconcile, lateJob,
];
