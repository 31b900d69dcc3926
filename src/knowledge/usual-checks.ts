/** Tests and steps that many families share. */
import {
  ifNone, ifSome, promql, shell, ssh, type Bounds, type Cause, type Command, type Step,
  type TestQuery,
} from './family.ts';

/** What ties a query to the alert: the target that it is about, or all of its job. */
export const ofTarget = 'job="{job}",instance="{instance}"';
export const ofJob = 'job="{job}"';

/** For exporters whose job has any name. */
export const ofInstance = 'instance="{instance}"';

export const ofPod = 'namespace="{namespace}",pod="{pod}"';

/** Everything on the host of the alert, whatever its port: exporters listen beside each other. */
export const onHost = 'instance=~"{instance.host}(:.*)?"';

/** To the server that an exporter names, which seldom listens at the exporter's own port. */
export const psql = 'psql -h {server.remote|instance.host} -p {server.port|5432} -d postgres';

/** A target that answers need not do its work, so no answer rules anything out. */
export const jobDown: TestQuery = promql('min(up{job="{job}"})', { atMost: 0 });

/** The labels that name the workload of the alert. */
const workload = 'deployment|statefulset|daemonset|horizontalpodautoscaler|hpa|cronjob|job_name' +
  '|pod.workload';
const ofDeployment = `namespace="{namespace}",deployment=~"{${workload}|service|job}(-.*)?"`;

/**
 * Within the last hour. Another deployment of the namespace is somebody else's, and a change that
 * only scales is no rollout.
 */
export const rolledOut: TestQuery = ifSome(`
  changes(kube_deployment_status_observed_generation{${ofDeployment}}[1h])
  - changes(kube_deployment_spec_replicas{${ofDeployment}}[1h])`);

/** The pods of the alert's workload, or else of its namespace. */
const itsPods = `namespace="{namespace}",pod=~"{${workload}}(-.*)?"`;

/** Containers of its pods wait for this reason. Those that do not wait have no such series. */
export function waitingFor(reason: string): TestQuery {
  return ifSome(`sum(kube_pod_container_status_waiting_reason{${itsPods},reason=~"${reason}"}
    or kube_pod_info{${itsPods}} * 0)`);
}

/** Readiness probes of its pods fail. */
export const readinessFails: TestQuery = ifSome(`max(increase(prober_probe_total{${itsPods},
  probe_type="Readiness",result="failed"}[15m]))`);

export const unschedulable: TestQuery = ifSome(`
  sum(kube_pod_status_unschedulable{${itsPods}} or kube_pod_info{${itsPods}} * 0)`);

export const pending: TestQuery = ifSome(`sum(kube_pod_status_phase{${itsPods},phase="Pending"})`);

/** A pod that has completed is not ready either, for good. */
export const notReady: TestQuery = ifSome(`
  sum(kube_pod_status_ready{namespace="{namespace}",condition="false"}
  unless on (namespace,pod)
    kube_pod_status_phase{namespace="{namespace}",phase="Succeeded"} == 1)`);

/** How much is left of the filesystem that has least, as a ratio. */
export function leastFree(matchers: string, bounds: Bounds): TestQuery {
  return promql(`min(node_filesystem_avail_bytes{${matchers}}
    / node_filesystem_size_bytes{${matchers}})`, bounds);
}

/** A disk is busy nearly all the time. */
export function busyDisk(matchers: string): TestQuery {
  return promql(`max(rate(node_disk_io_time_seconds_total{${matchers}}[5m]))`,
    { atLeast: 0.9, notUpTo: 0.3 });
}

/**
 * The least within an hour is more than three hours ago: what is taken is not given back. A leak of
 * minutes is too young to be seen, so unless `bounds` say so no answer rules one out.
 */
export function leak(gauge: string, bounds: Bounds = { atLeast: 1.15 }): TestQuery {
  return promql(`max(min_over_time(${gauge}[1h]) / min_over_time(${gauge}[1h] offset 3h))`, bounds);
}

/**
 * A counter rises at least twice as fast as half an hour ago, before the problem. That it does not
 * excludes nothing where it rises faster than at this time yesterday: it may have grown for hours.
 * Where nothing is known of half an hour ago, yesterday stands in for it.
 */
export function twiceBefore(counter: string): TestQuery {
  const now = `sum(rate(${counter}[5m]))`;
  const was = (ago: string): string => `sum(rate(${counter}[5m] offset ${ago}))`;
  return promql(`${now} / (${was('30m')} or ${was('1d')})
    unless on () (${now} / ${was('1d')} > 1.5 and on () ${now} / ${was('30m')} < 1.5)`,
  { atLeast: 2, notUpTo: 1.2 });
}

/** One of several, by a label, has most of what is wrong; of one alone it says nothing. */
export function oneHasMost(label: string, wrong: string, all: string): TestQuery {
  return promql(`sum by (${label}) (${wrong}) / on () group_left () sum(${wrong})
    and on () count(count by (${label}) (${all})) > 1`, { atLeast: 0.8, notUpTo: 0.6 });
}

/** Requests that came on top of those of half an hour ago, for each that is refused now. */
export function onTopOfUsual(counter: string, refused: string): TestQuery {
  return promql(`(sum(rate(${counter}[5m])) - sum(rate(${counter}[5m] offset 30m)))
    / ${refused}`, { atLeast: 0.7, notUpTo: 0.2 });
}

/** The test tells that refused requests came on top of the usual, rather than in place of some. */
export function wrongRequests(test: TestQuery): Cause {
  return {
    id: 'on-top', cause: 'A client sends wrong requests in addition to the usual ones',
    mechanism: 'A crawler, a scan, an attack on logins or a client that tries again forever.',
    isDirect: true,
    test,
  };
}

/** On the database of the alert, or else on its server. */
export const oldTransaction: TestQuery = promql(
  'max(pg_stat_activity_max_tx_duration{job="{job}",instance="{instance}",datname="{datname}"})',
  { atLeast: 300, notUpTo: 30 });

/** How long it has been so, unless there was such a session half an hour ago as well. */
export function idleInTransaction(matchers: string): TestQuery {
  const idle = `pg_stat_activity_max_tx_duration{${matchers},state=~"idle in transaction.*"}`;
  return promql(`max(${idle}) unless max(${idle} offset 30m) >= 30`, { atLeast: 30, notUpTo: 5 });
}

/** The database of the alert, or else its server. */
export const ofDatabase = 'job="{job}",instance="{instance}",datname="{datname}"';

/** How much waits in the queue, by whichever exporter counts it. */
export const waiting = `max(redis_key_size{key="{queue|key}"}
  or {__name__=~".*queue_(messages_ready|length|size|depth|backlog)",queue="{queue|key}"})`;
export const ofWork = '(jobs?|tasks?|messages?|events?|orders?|records?)';
/** What the consumers themselves have counted as done. */
const itsWork = `{__name__=~".*${ofWork}_(processed|completed|consumed|handled|done|succeeded)` +
  '(_total)?",queue="{queue|key}"}';
export const stalled: Cause = {
  id: 'stalled', cause: 'What takes work from the queue runs, but takes none',
  mechanism: 'It hangs, is paused, or has lost its connection without noticing.',
  // Sums are subtracted, as a rate over counters of two names with the same labels is refused.
  test: promql(`${waiting} and on () sum(${itsWork}) - sum(${itsWork} offset 2m) == 0`,
    { atLeast: 20, notUpTo: 0 }),
  note: 'It is how much waits while nothing is done.',
  isDirect: true,
};

/** Requests that programs count, by the conventions of most of them. */
export const takenRequests =
  'http_requests_total|http_server_requests_seconds_count|grpc_server_handled_total';

/** For stores whose connections are used up. */
export const moreReplicas: Cause = {
  id: 'more-replicas', cause: 'More replicas open more connection pools',
  mechanism: 'Pool size times replicas exceeds what the store allows.',
  test: ifSome('delta(sum(kube_deployment_status_replicas{namespace="{namespace}"})[1h:5m])'),
};

/** For anything on a host that cannot be reached. */
export const hostDown: Cause = {
  id: 'host-down', cause: 'The whole host is down or cut off',
  mechanism: 'Every target on the host fails at the same moment.',
  // The alert's own target may be down either way.
  test: ifNone(`max(up{${onHost},instance!="{instance}"})`),
};

export const hostAnswers: Step = {
  action: 'Check that the host answers at all.',
  why: 'A dead host needs a different response from a dead process.',
  command: ssh('uptime'),
  expected: 'The host answers and has not just booted.',
};

export const memoryHogs: Step = {
  action: 'List the processes that hold most memory.',
  why: 'One large process is a leak or a job; many equal ones are load.',
  command: ssh('ps -eo pid,rss,etime,args --sort=-rss | head -n 15'),
};

export const allPods: Command = shell('kubectl get pods --namespace={namespace} -o wide');

export const listPods: Step = {
  action: 'List the pods, their restarts and their age.',
  why: 'A pod that is gone, new or restarting is the place to look.',
  command: allPods,
};

export const describePod: Step = {
  action: 'Describe the pod.',
  why: 'It shows state, last state, exit code and events.',
  command: shell('kubectl describe --namespace={namespace} pod/{pod}'),
  expected: 'A reason under State or Last State, and the event that goes with it.',
};

export const podLog: Command = shell('kubectl logs --namespace={namespace} --since=30m ' +
  '--tail=200 --all-containers pod/{pod}');

/** The log of containers that ended; those that never did are passed over. */
export const previousLog: Command = shell('kubectl logs --namespace={namespace} --previous ' +
  '--tail=100 --all-containers --ignore-errors pod/{pod}');

export const readLog: Step = {
  action: 'Read the log of the pod.',
  why: 'What fails is logged with the reason.',
  command: podLog,
};

export const clusterWarnings: Command = shell('kubectl get events --all-namespaces ' +
  '--field-selector=type=Warning --sort-by=.lastTimestamp');

export const readWarnings: Step = {
  action: 'List recent warnings of the cluster.',
  why: 'Operators report there what they cannot do.',
  command: clusterWarnings,
};

export const warnings: Command = shell('kubectl get events --namespace={namespace} ' +
  '--field-selector=type=Warning --sort-by=.lastTimestamp');

export const rollBack: Step = {
  action: 'Roll back when the new release is the cause.',
  why: 'It restores service now; the fault can be read later from the logs.',
  command: shell('kubectl rollout undo --namespace={namespace} deployment/{deployment}'),
  expected: 'kubectl rollout status ends with "successfully rolled out".',
  risk: 'medium: data migrations of the new release stay applied',
  undo: 'Run rollout undo once more.',
};

export const endpoints: Command =
  shell('kubectl get --namespace={namespace} service,ingress,endpointslices');

export const checkEndpoints: Step = {
  action: 'Check services and endpoints.',
  why: 'A service without endpoints explains everything.',
  command: endpoints,
};
