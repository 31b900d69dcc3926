import {
  ifNone, ifSome, labelMatches, metrics, names, promql, shell, type Family, type Step,
} from '../family.ts';
import { twiceBefore } from '../usual-checks.ts';

const slowSync = {
  test: promql(`histogram_quantile(0.99, sum by (instance, le) (
    rate(etcd_disk_wal_fsync_duration_seconds_bucket[5m])))`, { atLeast: 0.1, notUpTo: 0.02 }),
} as const;
const readyz: Step = {
  action: 'Ask the API server for its own checks.',
  why: 'It names the part that fails: etcd, a hook or an informer.',
  command: shell("kubectl get --raw='/readyz?verbose'"),
};

const apiServer: Family = {
  id: 'api-server',
  names: names(`kubeapi(?:down|errorbudgetburn|terminatedrequests|serverdown|errorshigh|latencyhigh
    |errors\\w*|server\\w*)|kubeaggregatedapi\\w+|kubeclienterrors
    |kubernetesapi(?:servererrors|clienterrors|serverlatency)|apiserver\\w*`),
  metrics: metrics('apiserver_\\w+|aggregator_unavailable_\\w+|rest_client_requests_total'),
  meaning: 'The Kubernetes API does not answer, answers too slowly or with errors.',
  impact: 'Running pods keep running; deploys, scaling, self-healing and kubectl do not work.',
  causes: [
    {
      id: 'etcd-slow', cause: 'etcd is slow',
      mechanism: 'Every write, and many reads, wait for its disk.',
      ...slowSync,
    },
    {
      id: 'webhook', cause: 'An admission webhook is slow or down',
      mechanism: 'Each create or update waits for it, up to its timeout.',
      test: promql(`histogram_quantile(0.99, sum by (name, le) (
        rate(apiserver_admission_webhook_admission_duration_seconds_bucket[5m])))`,
        { atLeast: 1, notUpTo: 0.2 }),
    },
    {
      id: 'overload', cause: 'The API server is overloaded',
      mechanism: 'Priority and fairness rejects the excess requests.',
      test: promql('sum(rate(apiserver_flowcontrol_rejected_requests_total[5m]))',
        { atLeast: 0.1, notUpTo: 0 }),
    },
    {
      id: 'aggregated', cause: 'The service behind an aggregated API is down',
      mechanism: 'The API server forwards to pods that do not answer.',
      test: ifSome('sum by (name) (aggregator_unavailable_apiservice)'),
    },
  ],
  steps: [
    readyz,
    {
      action: 'Ask which requests it gets most.',
      why: 'Full lists of large resources use up memory and in-flight slots.',
      command: promql('topk(5, sum by (resource, verb) (rate(apiserver_request_total{' +
        'verb=~"LIST|POST|PUT|PATCH|APPLY"}[5m])))'),
    },
    {
      action: 'List aggregated APIs and whether they answer.',
      why: 'One broken metrics server can make all of kubectl slow.',
      command: shell('kubectl get apiservices'),
    },
    {
      action: 'List admission webhooks.',
      why: 'A webhook whose pods are down blocks what it guards.',
      command: shell('kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations'),
    },
  ],
};

const members = 'job=~".*etcd.*"';

const etcd: Family = {
  id: 'etcd',
  names: names('etcd\\w+'),
  metrics: metrics('etcd_\\w+'),
  meaning: 'etcd has lost members or its leader, is slow, or refuses requests.',
  impact: 'Without a majority of its members it takes no writes; a Kubernetes cluster that it ' +
    'stores then cannot be changed.',
  causes: [
    {
      id: 'slow-disk', cause: 'Its disk is slow',
      mechanism: 'Heartbeats wait for fsync, so members elect a new leader.',
      ...slowSync,
    },
    {
      id: 'no-majority', cause: 'Half of the members or more are down',
      mechanism: 'Those that are left cannot elect a leader, and take no writes.',
      test: promql(`min(sum by (job) (up{${members}}) / count by (job) (up{${members}}))`,
        { atMost: 0.5, notFrom: 0.51 }),
      isDirect: true,
    },
    {
      id: 'member-down', cause: 'A member is down',
      mechanism: 'The others keep working as long as a majority is left.',
      test: ifNone(`min(up{${members}})`),
      when: labelMatches(['alertname'], /members?down|insufficientmembers/iu),
    },
    {
      id: 'peer-network', cause: 'The network between members is slow or lossy',
      mechanism: 'Round trips longer than the heartbeat look like a dead leader.',
      test: promql(`histogram_quantile(0.99, sum by (instance, le) (
        rate(etcd_network_peer_round_trip_time_seconds_bucket[5m])))`,
        { atLeast: 0.15, notUpTo: 0.05 }),
    },
    {
      id: 'database-full', cause: 'The database reaches its size quota',
      mechanism: 'At the quota it takes no more writes until it is compacted and defragmented.',
      test: promql('max(etcd_mvcc_db_total_size_in_bytes / etcd_server_quota_backend_bytes)',
        { atLeast: 0.9, notUpTo: 0.6 }),
      when: labelMatches(['alertname'], /quota|databasegrowth/iu),
    },
  ],
  steps: [
    {
      action: 'Read the state of each member, on one of them.',
      why: 'Leader, size and errors side by side show the odd one out; one that is down fails.',
      command: shell('etcdctl endpoint status --cluster -w table'),
      expected: 'One leader, equal terms, sizes alike and no errors.',
    },
    {
      action: 'Count the members that answer.',
      why: 'More than half of them are needed.',
      command: promql(`sum by (job) (up{${members}}) / count by (job) (up{${members}})`),
      expected: '1; at 0.5 or below there is no leader.',
    },
    {
      ...readyz, action: 'Ask the API server for its own checks, if it is the store of Kubernetes.',
    },
  ],
};

const readLeases = shell('kubectl get leases --namespace=kube-system ' +
  '-o custom-columns=NAME:.metadata.name,RENEWED:.spec.renewTime');

const component: Family = {
  id: 'control-plane-component',
  names: names(`kube(?:scheduler|controllermanager|cloudcontrollermanager|proxy|dns)down
    |coredns(?:down|absent|missing)|controllermanagerdown`),
  metrics: /absent\(\s*up\{[^{}]*kube[-_]?(?:scheduler|controller[-_]?manager|proxy)/u,
  meaning: 'A component of the control plane is gone from monitoring, or works badly.',
  impact: 'Without it, pods are not scheduled, replicas not replaced or names not resolved.',
  unit: 'state',
  causes: [
    {
      id: 'managed', cause: 'The provider runs it and does not expose its metrics',
      mechanism: 'On managed clusters the target never existed, so the alert is always true.',
      test: promql('count_over_time(up{job=~"kube-(scheduler|controller-manager)"}[7d])',
        { notFrom: 1 }),
    },
    {
      id: 'bind-address', cause: 'It listens on the loopback address only',
      mechanism: 'It works, but its metrics cannot be scraped from another host.',
      test: ifSome('sum(kube_pod_status_phase{namespace="kube-system",phase="Running",' +
        'pod=~"kube-(scheduler|controller-manager).*"})'),
    },
    {
      id: 'crashed', cause: 'It is down',
      mechanism: 'Its work is not done: pods stay Pending, or changes are not rolled out.',
      test: readLeases,
      confirms: 'The lease of a component was last renewed minutes ago.',
      refutes: 'Both leases were renewed within seconds.',
    },
  ],
  steps: [
    {
      action: 'List the pods of the control plane.',
      why: 'It tells a component that is down from one that cannot be scraped.',
      command: shell('kubectl get pods --namespace=kube-system -o wide'),
      expected: 'The component is Running, or not listed at all (managed cluster).',
    },
    {
      action: 'Read when the leases were renewed.',
      why: 'A lease renewed seconds ago proves that the component works.',
      command: readLeases,
      expected: 'Those of kube-scheduler and kube-controller-manager are seconds old.',
    },
  ],
};

const coreDns: Family = {
  id: 'cluster-dns',
  names: names('(?:coredns|kubedns|nodelocaldns)(?!down|absent|missing)\\w+'),
  metrics: metrics('coredns_\\w+'),
  meaning: 'The DNS of the cluster is slow or fails.',
  impact: 'Calls between services fail at random, as each begins with a lookup.',
  causes: [
    {
      id: 'upstream', cause: 'Its upstream servers are slow or down',
      mechanism: 'Lookups of names outside the cluster wait for them.',
      test: promql('sum by (to) (rate(coredns_forward_healthcheck_failures_total[5m])) ' +
        'or sum by (to) (rate(coredns_proxy_healthcheck_failures_total{proxy_name="forward"}[5m]))',
        { atLeast: 0.01, notUpTo: 0 }),
    },
    {
      id: 'load', cause: 'Far more lookups arrive than usual',
      mechanism: 'A loop, a new client, or five lookups for each name (ndots).',
      test: twiceBefore('coredns_dns_requests_total'),
    },
    {
      id: 'throttled', cause: 'Its CPU limit throttles it',
      mechanism: 'Answers wait for the next period.',
      test: promql('max(rate(container_cpu_cfs_throttled_periods_total{namespace="kube-system",' +
        'pod=~"coredns.*"}[5m]) / rate(container_cpu_cfs_periods_total{namespace="kube-system",' +
        'pod=~"coredns.*"}[5m]))', { atLeast: 0.5, notUpTo: 0.05 }),
    },
    {
      id: 'config', cause: 'Its configuration was changed, or forwards to itself',
      mechanism: 'A loop or a wrong zone makes lookups fail with SERVFAIL.',
      test: shell('kubectl get configmap coredns --namespace=kube-system -o yaml'),
      confirms: 'The Corefile contains changes that nobody can explain.',
    },
  ],
  steps: [
    {
      action: 'List its pods.',
      why: 'Restarts and pods on one node explain failures at random.',
      command: shell(
        'kubectl get pods --namespace=kube-system --selector=k8s-app=kube-dns -o wide',
      ),
    },
    {
      action: 'Read its log.',
      why: 'Timeouts name the server that does not answer; a panic its plugin.',
      command: shell('kubectl logs --namespace=kube-system --selector=k8s-app=kube-dns ' +
        '--since=30m --tail=100 --prefix'),
      expected: 'No errors, or "i/o timeout" with an address.',
    },
  ],
};

export const controlPlaneFamilies: readonly Family[] = [coreDns, component, etcd, apiServer];
