import { addedInCalls, addedInStores, failedInStores } from '../calls.ts';
import {
  metrics, names, promql, shell, type Family, type Step, type TestQuery,
} from '../family.ts';
import {
  checkEndpoints, endpoints, listPods, oneHasMost, onTopOfUsual, rolledOut, twiceBefore,
  wrongRequests,
} from '../usual-checks.ts';

const ns = 'namespace="{namespace}"';
const own = 'job="{job}",namespace="{namespace}",service="{service}"';
const errors = `sum(rate(http_requests_total{${own},code=~"5.."}[5m]))
  / sum(rate(http_requests_total{${own}}[5m]))`;
// Its own pods: a throttled one elsewhere in the namespace is somebody else's.
const ownPods = `${ns},pod=~"{pod|deployment|statefulset|service|job}(-.*)?",container!=""`;
const throttled = promql(
  `max(sum by (pod) (rate(container_cpu_cfs_throttled_periods_total{${ownPods}}[5m]))
    / sum by (pod) (rate(container_cpu_cfs_periods_total{${ownPods}}[5m])))`,
  { atLeast: 0.5, notUpTo: 0.05 });
const podsWide: Step = {
  ...listPods,
  why: 'Young pods mean a release, restarts mean crashes, one odd pod means its node.',
};
const rolloutHistory: Step = {
  action: 'Read the rollout history.',
  why: 'What changed just before is the first suspect.',
  command: shell('kubectl rollout history --namespace={namespace} ' +
    'deployment/{deployment|service}'),
  expected: 'The time of the last revision, to compare with the start of the alert.',
};
const recentErrors: Step = {
  action: 'Read recent errors in the log.',
  why: 'The message that repeats names the dependency or the fault.',
  command: shell('kubectl logs --namespace={namespace} --since=15m --tail=200 ' +
    'deployment/{deployment|service}'),
};
const causeRelease = {
  id: 'release', cause: 'A release broke it',
  mechanism: 'The new version fails or is slower; the old one was fine.',
  test: rolledOut,
} as const;

/** Requests that wait for any pool: `hikaricp_connections_pending`, `db_pool_pending_requests`. */
const waitingForPool = '.*(pool|connections)_.*(pending|waiting|waiters)' +
  '(_requests|_count|_connections)?';
const causePool = {
  id: 'pool-exhausted', cause: 'Requests wait for a free connection of a pool',
  mechanism: 'All connections of a pool are in use, often because one query is slow.',
  // Not all pools report who waits, so no answer rules it out.
  test: promql(`max by (instance) (avg_over_time({__name__=~"${waitingForPool}",${own}}[1m]))`,
    { atLeast: 1 }),
  isDirect: true,
} as const;

/** What is called is named by one of many labels: peer, target, server_address, client_name. */
const perCallTo =
  'sum without (pod, method, code, status, http_response_status_code, error_type)';
const perCallee = perCallTo.replace('(pod', '(instance, pod');
/** A call that is refused like this seldom belongs to a request that succeeds. */
const refusals = '|401|403|429';
/** What was not answered, by OpenTelemetry: only an answer has a status. */
const noStatus = 'http_response_status_code="",error_type!=""';
/** Requests that fail, by the conventions of OpenTelemetry, of Spring and of nobody. */
const failing = (side: string, others = ''): string =>
  `rate(${side}_requests_total{${own},code=~"5..|error${others}"}[5m])
    or rate(${side}_request_duration_seconds_count{${own},http_response_status_code=~"5.."}[5m])
    or rate(${side}_request_duration_seconds_count{${own},${noStatus}}[5m])
    or rate(${side}_requests_seconds_count{${own},status=~"5..|IO_ERROR"}[5m])`;

const failed = `on () group_left () sum(${failing('http_server')}
  or rate(http_requests_total{${own},code=~"5.."}[5m]))`;

/** With the label `callee`: `pay`, where one of these is `pay`, `pay:80` or `pay.shop.svc`. */
const withCallee = (query: string, ...labels: readonly string[]): string =>
  `label_replace(label_join(${query}, "callee", "", "${labels.join('", "')}"),
    "callee", "$1", "callee", "([^.:]+).*")`;
const spent = 'rate(http_request_duration_seconds';
/** Calls without an answer for each failed request, to what is up, rarely fails and is not slow. */
const unanswered = `${withCallee(`${perCallee} (
    rate(http_client_requests_total{${own},code=~"error|0"}[5m])
    or rate(http_client_request_duration_seconds_count{${own},${noStatus}}[5m]))`,
    'peer', 'target', 'server_address', 'client_name')} / ${failed}
  and on (callee) ${withCallee('min by (job) (up) == 1', 'job')}
  unless on (callee) ${withCallee(`sum by (job) (rate(http_requests_total{code=~"5.."}[5m]))
    / sum by (job) (rate(http_requests_total[5m])) > 0.05
    or sum by (job) (${spent}_sum[5m])) / sum by (job) (${spent}_count[5m])) > 1`, 'job')}`;

const errorRate: Family = {
  id: 'error-rate',
  names: names(`(?:high|elevated|too)?(?:many)?(?:http|grpc|api|request|ingress|server|service|app
    |application|nginx|istio|traefik|envoy|haproxy|kong|linkerd)*(?:high)?(?:request)?
    (?:[45]xx(?:request|server|response)?)?errors?(?:s|rate|ratio|percentage|budget)?
    (?:high|toohigh|elevated|increased|critical|warning)?|(?:high|too|many|http|nginx)*
    (?:5xx|4xx|http[45]\\d\\d)\\w*|istiohigh[45]xxerrorrate
    |\\w*errorrate(?:high|toohigh|service|backend)?
    |failedrequests\\w*`),
  // Country codes and exit codes are no HTTP status.
  metrics: new RegExp('(?<!(?:country|exit|zip|post)_?)(?:status|code|(?<!\\w)http_status\\w*)' +
    '\\s*=~?\\s*"(?:[^"]*[^\\d"])?4?5(?:\\d\\d)?\\D|(?<![\\w:])(?:grpc_server_handled_total|' +
    '(?!\\w*_rules?_)\\w*(?:errors|failures|failed)_total)(?![\\w:])', 'u'),
  meaning: 'More requests or operations than allowed end in an error.',
  impact: 'Whoever sent these requests sees a failure, or has to repeat them.',
  unit: 'ratio',
  causes: [
    causeRelease,
    {
      id: 'no-answer', cause: 'Its calls get no answer, though what it calls answers all it gets',
      mechanism: 'The network or name resolution between them fails.',
      test: promql(`sum by (callee) (${unanswered})`, { atLeast: 0.5 }),
      isDirect: true, isOnConnection: true,
    },
    {
      id: 'dependency', cause: 'Something it calls fails', isElsewhere: true,
      mechanism: 'Errors or timeouts of a database or service behind it are passed on.',
      // As many calls to one of them fail as requests do.
      test: promql(`${perCallee} (${failing('http_client', refusals)}) / ${failed}`,
        { atLeast: 0.8, notUpTo: 0.1 }),
      ofStores: {
        test: promql(`${failedInStores(own)} / ${failed}`, { atLeast: 0.8 }),
        note: 'It is the calls to one store that fail, other than those that also failed an hour ' +
          'ago, for each request that fails.',
      },
      note: 'It is the failed calls to one dependency for each request that fails.',
      isDirect: true, namesCallee: true,
    },
    {
      id: 'one-replica', cause: 'One replica of it fails while its others are healthy',
      mechanism: 'Its node, disk or connection is broken, and it keeps its share of traffic.',
      test: oneHasMost('instance', `rate(http_requests_total{${own},code=~"5.."}[5m])`,
        `http_requests_total{${own}}`),
      isDirect: true,
    },
    causePool,
    {
      id: 'traffic-peak', cause: 'Far more traffic arrives',
      mechanism: 'More requests arrive than the replicas can handle.',
      test: twiceBefore(`http_requests_total{${own}}`),
    },
  ],
  steps: [podsWide, recentErrors, rolloutHistory],
};

/** The time in requests to its own replicas, on average, by instance. */
const meanTime = `sum by (instance) (rate(http_request_duration_seconds_sum{${own}}[5m]))
  / sum by (instance) (rate(http_request_duration_seconds_count{${own}}[5m]))`;

/** The time of a call by what is called, as the quicker replicas see it. */
const callTime = (offset: string): string => `quantile without (instance) (0.25,
  ${perCallTo} (rate(http_client_request_duration_seconds_sum{${own}}[5m]${offset}))
  / ${perCallTo} (rate(http_client_request_duration_seconds_count{${own}}[5m]${offset})))`;

const refused = `sum(rate(http_requests_total{${own},code=~"4.."}[5m]))`;
const refusedWith = (codes: string): TestQuery => promql(
  `sum(rate(http_requests_total{${own},code=~"${codes}"}[5m])) / ${refused}`,
  { atLeast: 0.8, notUpTo: 0.1 });

const clientErrors: Family = {
  id: 'client-errors',
  names: names('(?!\\w*5xx)\\w*(?:4xx|http4\\d\\d)\\w*'),
  metrics: new RegExp('(?<!\\w)(?:http_)?(?:response_)?(?:status|code)\\w*\\s*=~?\\s*' +
    '"4(?:\\.\\.|xx|\\d\\d|\\[)(?![^"]*5(?:\\.\\.|xx|\\d\\d))', 'u'),
  meaning: 'Many requests are refused as not found, not allowed, malformed or too many.',
  impact: 'If they are requests that used to succeed, users fail; otherwise they are load.',
  unit: 'ratio',
  causes: [
    wrongRequests(onTopOfUsual(`http_requests_total{${own}}`, refused)),
    {
      id: 'one-replica', cause: 'One replica refuses what the others accept',
      mechanism: 'Its release, its configuration, its credentials or its clock differ.',
      test: oneHasMost('instance', `rate(http_requests_total{${own},code=~"4.."}[5m])`,
        `http_requests_total{${own}}`),
      isDirect: true,
    },
    {
      id: 'not-allowed', cause: 'Requests are refused for lack of rights (401 or 403)',
      mechanism: 'A credential expired or was changed, or somebody guesses passwords.',
      test: refusedWith('401|403'),
    },
    {
      id: 'rate-limit', cause: 'A client exceeds its rate limit (429)',
      mechanism: 'It sends more than it may, or the limit was lowered.',
      test: refusedWith('429'),
    },
    { ...causeRelease, cause: 'A release removed a route or checks requests differently' },
  ],
  steps: [
    {
      action: 'Ask which requests are refused, and with which status.',
      why: 'One route points to one client or one change; all of them to credentials or a proxy.',
      command: promql(`topk(10, sum without (instance, pod)
        (rate(http_requests_total{${own},code=~"4.."}[5m])))`),
    },
    {
      action: 'Count these requests by client in the access log.',
      why: 'One address or user agent can be blocked or asked; many share a cause on this side.',
    },
    rolloutHistory,
  ],
};

const latency: Family = {
  id: 'latency',
  names: names(`\\w*(?:latency|slowrequests?|slowresponses?|responsetime|responseslow
    |httpslowingdown)(?:is)?
    (?:high|toohigh|elevated|slow|critical|warning|p?\\d+|increased|degraded|slo|\\d*percentile)?
    |(?!\\w*(?:job|cron|backup|batch|etl|import|export|build|deploy)\\w*duration)
    (?:high|slow)(?:\\w*)(?:latency|duration|responsetime)\\w*|apdex\\w*`),
  metrics: metrics(`
    histogram_quantile\\s*\\([^]*?(?:second|duration|latency|time|milli|_ms)[\\w:]*
    |(?!\\w*(?:timestamp|scrape|job|cron|backup|batch|etl|build|deploy))
    (?=\\w*(?:request|response|call|rpc|latency|duration))\\w*_
    (?:seconds|milliseconds|ms)(?:_sum|_bucket)?`),
  meaning: 'Requests or operations take longer than they should.',
  impact: 'Whoever sent these requests waits; callers with short timeouts retry and add load.',
  unit: 'seconds',
  causes: [
    {
      id: 'dependency', cause: 'Something it calls is slow', isElsewhere: true,
      mechanism: 'It spends its time waiting for a database, cache or service.',
      // A replica whose own CPU or event loop is busy sees slow calls as well.
      // One that is slower, but takes hardly any of its time, is not why. Calls that are not
      // measured, as to a database, may be slow as well, so no answer rules it out.
      test: promql(`${callTime('')} / ${callTime(' offset 30m')}
        and (${callTime('')}) / on () group_left () (
          sum(rate(http_request_duration_seconds_sum{${own}}[5m]))
          / sum(rate(http_request_duration_seconds_count{${own}}[5m]))) > 0.2`, { atLeast: 3 }),
      ofStores: {
        test: promql(addedInStores(own), { atLeast: 0.5 }),
        note: 'It is the share of one store in the time that a request takes longer than half an ' +
          'hour ago.',
      },
      note: 'It counts how many times as long calls take as half an hour ago, where they take a ' +
        'fifth of its own time or more.',
      isDirectAlone: true, namesCallee: true,
    },
    {
      id: 'one-replica', cause: 'One replica of it is slow while its others are not',
      mechanism: 'Its node, disk or event loop is busy, and it keeps its share of traffic.',
      test: promql(`(${meanTime}) / on () group_left () quantile(0.25, ${meanTime})
        and on () count(count by (instance) (http_request_duration_seconds_count{${own}})) > 1`,
        { atLeast: 3, notUpTo: 1.5 }),
      isDirect: true,
    },
    causeRelease,
    {
      id: 'cpu-limit', cause: 'Its CPU limit throttles it',
      mechanism: 'Requests pause until the next period of 100 ms.',
      test: throttled,
    },
    {
      id: 'traffic-peak', cause: 'More traffic arrives and queues build up',
      mechanism: 'Past saturation each request waits for those before it.',
      test: twiceBefore(`http_requests_total{${own}}`),
    },
    causePool,
    {
      id: 'event-loop', cause: 'An event loop of Node.js is blocked',
      mechanism: 'While one callback computes, every other request of the process waits.',
      test: promql(`max by (instance) (nodejs_eventloop_lag_p99_seconds{${own}})`,
        { atLeast: 0.2, notUpTo: 0.05 }),
      isDirect: true,
    },
    {
      id: 'garbage-collection', cause: 'Garbage collection pauses it',
      mechanism: 'Memory is nearly full, so collections are long and frequent.',
      test: promql(`max(sum by (pod) (rate(jvm_gc_pause_seconds_sum{${own}}[5m])))`,
        { atLeast: 0.1, notUpTo: 0.02 }),
    },
    {
      id: 'itself', cause: 'It takes the time itself, or in calls that it does not measure',
      mechanism: 'The calls that it measures take hardly any of the time that was added.',
      // Calls look slow as well where its own CPU or event loop is busy: no answer rules it out.
      test: promql(addedInCalls(own), { atMost: 0.2 }),
      note: 'It is the share of its measured calls in the time that a request takes longer than ' +
        'half an hour ago.',
      isLocation: true,
    },
  ],
  steps: [podsWide, rolloutHistory, recentErrors],
};

const noTraffic: Family = {
  id: 'no-traffic',
  names: names(`no(?:requests|traffic)(?:received)?|(?:norequestsreceived|low(?:traffic|requestrate
    |throughput)|traffic(?:drop\\w*|low|gone|anomaly)|requestrate(?:low|drop\\w*))`),
  meaning: 'Far fewer requests arrive than usual, or none at all.',
  impact: 'Users cannot reach the service, although the service itself may be well.',
  unit: 'per_second',
  causes: [
    {
      id: 'replicas-gone', cause: 'No replica is ready',
      mechanism: 'The service has no endpoints, so requests never reach it.',
      // Pods of others in the namespace may be ready.
      test: promql(`sum(kube_pod_status_ready{${ns},condition="true"})`, { atMost: 0 }),
    },
    {
      id: 'client-or-dns', cause: 'Clients cannot find it or stopped calling',
      mechanism: 'A DNS change, an outage upstream or a release of the client.',
      test: endpoints,
      confirms: 'Everything here is in place, and the drop is abrupt.',
      refutes: 'Endpoints are missing here.',
    },
    {
      id: 'metric-renamed', cause: 'The metric is gone, not the traffic',
      mechanism: 'A release renamed the metric, or the scrape fails.',
      test: promql(`avg(up{${own}})`, { atMost: 0 }),
    },
  ],
  steps: [checkEndpoints, podsWide],
};

/** Which share of the requests that came on top of those of half an hour ago ended like this. */
const shareOfAdded = (codes: string): TestQuery => {
  const rate = (status: string, ago: string): string =>
    `(sum(rate(http_requests_total{${own}${status}}[5m]${ago})) or vector(0))`;
  const added = (status: string): string =>
    `(${rate(status, '')} - ${rate(status, ' offset 30m')})`;
  // Where hardly any came on top, their shares are noise.
  const all = `(${added('')} > 0.2 * ${rate('', ' offset 30m')})`;
  return promql(`${added(`,code=~"${codes}"`)} / ${all}`, { atLeast: 0.7, notUpTo: 0.2 });
};

const muchTraffic: Family = {
  id: 'much-traffic',
  names: names('(?:high|too)?(?:many)?(?:http)?(?:requests?|traffic|throughput|qps|rps)' +
    '(?:rate|volume)?(?:is)?(?:too)?(?:high|spike|surge|peak|increas\\w+|anomaly|doubl\\w+|' +
    'tripl\\w+|jump\\w*|rise|rising|burst)'),
  meaning: 'Far more requests arrive than usual, or than a while ago.',
  impact: 'None while there is room; past saturation everything behind becomes slow.',
  unit: 'per_second',
  causes: [
    {
      id: 'retries', cause: 'Callers send again what failed',
      mechanism: 'Each failure or timeout is tried again, so that errors make the load.',
      test: promql(errors, { atLeast: 0.2, notUpTo: 0.02 }),
    },
    wrongRequests(shareOfAdded('4..')),
    {
      id: 'usual', cause: 'More of the usual requests arrive, and most of them succeed',
      mechanism: 'A campaign, an event, a batch or a new client: users, rather than a fault.',
      test: shareOfAdded('[23]..'),
      isDirect: true,
    },
    {
      id: 'back', cause: 'It is only back after it had fallen',
      mechanism: 'What it is compared with was an outage, a pause or a quiet hour.',
      test: promql(`sum(rate(http_requests_total{${own}}[2m]))
        / sum(max_over_time(rate(http_requests_total{${own}}[5m])[1h:5m] offset 10m))`,
        { atMost: 1.1, notFrom: 1.5 }),
    },
  ],
  steps: [
    {
      action: 'Ask which requests became more frequent.',
      why: 'One route points to a client; all in proportion are users.',
      command: promql(`topk(5, sum without (instance, pod) (rate(http_requests_total{${own}}[5m]))
        - sum without (instance, pod) (rate(http_requests_total{${own}}[5m] offset 30m)))`),
    },
    podsWide,
  ],
};

const errorBudget: Family = {
  id: 'error-budget',
  names: names(`
    \\w*(?:errorbudget\\w*|burnrate\\w*|slo(?:burn\\w*|breach\\w*|violat\\w*|atrisk|miss\\w*)
    |availabilitylow)|slos?(?:alert)?`),
  metrics: metrics('slo:\\w+|slo:[\\w:]+|sloth_\\w+|pyrra_\\w+'),
  meaning: 'Failed requests burn the error budget faster than the objective allows.',
  impact: 'The objective will be missed if this continues.',
  unit: 'ratio',
  causes: [
    ...errorRate.causes,
    {
      id: 'slow-burn', cause: 'A small fault has lasted for days',
      mechanism: 'The long window counts what happened before; it may be over by now.',
      test: promql(errors, { atMost: 0.0001, notFrom: 0.01 }),
    },
  ],
  steps: [podsWide, recentErrors, rolloutHistory],
};

/** The budget comes first: its names hold the word "error" as well. */
export const applicationFamilies: readonly Family[] = [
  errorBudget, noTraffic, muchTraffic, latency, clientErrors, errorRate,
];
