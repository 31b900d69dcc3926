import { metrics, names, promql, shell, ssh, type Family } from '../family.ts';
import {
  listPods, ofTarget, readLog, rolledOut, takenRequests, twiceBefore,
} from '../usual-checks.ts';

export const workerPool: Family = {
  id: 'worker-pool',
  names: names(`phpfpm\\w*(?:maxchildren\\w*|queue\\w*|busy|saturat\\w*|exhausted)|apacheworkers\\w*
    |(?:gitlab)?puma(?:high|no)?(?:queuedconnections|threadpool\\w*|availablepoolcapacity
    |backlog|poolcapacity\\w*)|workers?(?:pool)?(?:all)?(?:busy|exhausted|saturated)`),
  metrics: metrics(`phpfpm_(?:max_children_reached|listen_queue|slow_requests)\\w*|apache_workers
    |puma_(?:queued_connections|backlog|pool_capacity|max_threads)`),
  meaning: 'All workers of a program are busy, and requests wait for one.',
  impact: 'Pages are slow, then fail: a proxy in front answers with 502 or 504.',
  causes: [
    {
      id: 'slow-dependency', isElsewhere: true,
      cause: 'Requests take longer, because of what they call',
      mechanism: 'Each holds its worker while it waits for a database or a service.',
      test: promql(`sum(rate({__name__=~"phpfpm_slow_requests(_total)?",${ofTarget}}[5m]))`,
        { atLeast: 0.01, notUpTo: 0 }),
      note: 'The slow log, if it is on, names the call.',
    },
    {
      id: 'traffic-peak', cause: 'Far more requests arrive',
      mechanism: 'A campaign, a crawler or a retry loop needs more workers than there are.',
      test: twiceBefore(
        `{__name__=~"phpfpm_accepted_connections(_total)?|apache_accesses_total",${ofTarget}}`),
    },
    {
      id: 'host-busy', cause: 'The host has no CPU time left for them',
      mechanism: 'Every request takes longer, so all workers are in use.',
      test: promql('1 - avg(rate(node_cpu_seconds_total{instance=~"{instance.host}(:.*)?"' +
        ',mode="idle"}[5m]))', { atLeast: 0.9, notUpTo: 0.6 }),
    },
  ],
  steps: [
    {
      action: 'List the oldest requests in work (PHP-FPM).',
      why: 'Many with one script lead to what that script calls.',
      command: ssh('sudo tail -n 60 /var/log/php*-fpm*slow*.log'),
    },
    listPods,
  ],
};

/** A pool inside an application; a server's connections are of family `datastore-connections`. */
export const connectionPool: Family = {
  id: 'connection-pool',
  names: names(`(?:hikari(?:cp)?|jdbc|r2dbc|dbcp|c3p0|agroal|datasource)\\w*
    (?:pool|connections?|pending|timeouts?)\\w*|(?!pgbouncer)\\w*(?:connectionpool(?!down|absent)
    |pool(?:is)?exhaust)\\w*`),
  metrics: metrics(`hikaricp_\\w+|jdbc_connections_\\w+|r2dbc_pool_\\w+|agroal_\\w+
    |go_sql_(?:stats_)?\\w+|db_client_connections?_\\w+`),
  meaning: 'All connections of a pool in the application are in use, and requests wait for one.',
  impact: 'Requests are slow, then time out, although application and server both run.',
  causes: [
    {
      id: 'database-waits', cause: 'Sessions of a PostgreSQL database wait, as a rule for a lock',
      mechanism: 'One transaction holds what the others need, so each keeps its connection.',
      test: promql(`max by (instance, datname) (pg_stat_activity_max_tx_duration{state="active"})
        and sum by (instance, datname) (pg_stat_activity_count{state="active"}) - sum by (instance,
        datname) (pg_stat_activity_count{state="active"} offset 30m) >= 5`, { atLeast: 10 }),
      note: 'It is asked of a database with five more active sessions than half an hour ago.',
    },
    {
      id: 'held-longer', cause: 'What it asks has become slow',
      mechanism: 'Each request keeps its connection for longer, so the pool runs dry.',
      test: promql(`max(rate(hikaricp_connections_usage_seconds_sum{${ofTarget}}[5m])
        / rate(hikaricp_connections_usage_seconds_count{${ofTarget}}[5m]))
        / max(rate(hikaricp_connections_usage_seconds_sum{${ofTarget}}[5m] offset 1d)
        / rate(hikaricp_connections_usage_seconds_count{${ofTarget}}[5m] offset 1d))`,
        { atLeast: 2, notUpTo: 1.2 }),
    },
    {
      id: 'cannot-connect', cause: 'New connections cannot be made',
      mechanism: 'The server is down, refuses logins, or has no connection left itself.',
      test: promql(`min(hikaricp_connections{${ofTarget}} / hikaricp_connections_max{${ofTarget}})`,
        { atMost: 0.2, notFrom: 0.9 }),
    },
    {
      id: 'leak', cause: 'The application does not give connections back',
      mechanism: 'An error path or a long transaction keeps them, even without traffic.',
      test: shell('kubectl logs --namespace={namespace} --since=1h --tail=5000 pod/{pod} ' +
        '| grep -iA 10 "leak detection"'),
      confirms: 'The log reports connections that were never returned, with their stack.',
    },
    {
      id: 'traffic-peak', cause: 'Far more requests arrive',
      mechanism: 'More of them run at once than the pool has connections.',
      test: twiceBefore(`{__name__=~"${takenRequests}",job="{job}"}`),
    },
  ],
  steps: [
    {
      action: 'See what its threads wait for (Java).',
      why: 'Those that hold connections show the statement or the lock that keeps them.',
      command: shell('kubectl exec --namespace={namespace} pod/{pod} -- jcmd 1 Thread.print ' +
        '| grep -A 12 "^.http\\|^.exec" | head -n 200'),
    },
    readLog,
    {
      action: 'List the oldest transactions on the server that the pool connects to.',
      why: 'One that blocks the others there empties the pools of all its clients.',
      expected: 'None is older than seconds.',
    },
  ],
};

const threads = '{__name__=~"go_goroutines|jvm_threads_live(_threads)?|jvm_threads_current",' +
  `${ofTarget}}`;
const goroutines = shell('curl -gsS -m 10 ' +
  "--url http://{instance}'/debug/pprof/goroutine?debug=1' | head -n 40");

export const manyThreads: Family = {
  id: 'many-threads',
  names: names(`(?:high|toomany|go)*(?:goroutines?|threads?)(?:count|number)?
    (?:high|leak\\w*|growing|increas\\w*|toomany)*`),
  metrics: metrics('go_goroutines|jvm_threads_(?:live|current|states)\\w*'),
  meaning: 'The program has far more goroutines or threads than it used to.',
  impact: 'Each holds memory, and often a connection, until the program is slow or killed.',
  unit: 'count',
  causes: [
    {
      id: 'leak', cause: 'They are started and never end',
      mechanism: 'Each request or retry leaves one behind.',
      test: promql(`min_over_time(${threads}[1h]) / min_over_time(${threads}[1h] offset 3h)`,
        { atLeast: 1.15, notUpTo: 1.02 }),
    },
    {
      id: 'blocked', cause: 'They wait for something that does not answer',
      mechanism: 'A call without a time limit, or a lock, keeps each of them.',
      test: goroutines,
      confirms: 'The first stack has most of them, and names the call.',
    },
    {
      id: 'traffic-peak', cause: 'Far more requests arrive',
      mechanism: 'Each has one of its own.',
      test: twiceBefore(`{__name__=~"${takenRequests}",job="{job}"}`),
    },
    {
      id: 'release', cause: 'A release starts more of them',
      mechanism: 'A new version uses a larger pool, or forgets to end what it starts.',
      test: rolledOut,
    },
  ],
  steps: [
    {
      action: 'Count the goroutines by what they wait for (Go).',
      why: 'The largest group names the function that starts them, and what keeps them.',
      command: goroutines,
      expected: 'Many groups of similar size; 404 means that profiling is not built in.',
    },
    readLog,
    listPods,
  ],
};
