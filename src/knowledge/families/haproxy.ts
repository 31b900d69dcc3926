import {
  ifNone, ifSome, metrics, names, promql, ssh, type Cause, type Family, type Step, type TestQuery,
} from '../family.ts';
import { oneHasMost, onTopOfUsual, twiceBefore, wrongRequests } from '../usual-checks.ts';

const own = 'job="{job}",proxy="{proxy}",server="{server}"';

const inMaintenance = `haproxy_server_status{${own},state="MAINT"}`;

/** What HAProxy's last check of a server came to. */
function lastCheck(codes: string): TestQuery {
  return ifSome(`max by (proxy, server) (haproxy_server_check_status{${own},state=~"${codes}"})`);
}

const listServers: Step = {
  action: 'List the servers and why they are down (HAProxy).',
  why: 'The last check tells refused, timeout and a wrong status apart.',
  command: ssh('echo "show stat" | sudo socat stdio /run/haproxy/admin.sock | cut -d, ' +
    '-f1,2,18,37,57'),
  expected: 'UP, DOWN with L4TOUT, L4CON, L6RSP or L7STS, or MAINT (resolution).',
};
const serversNow: Step = {
  action: 'Ask which servers are not up.',
  why: 'One names a server, all of them what they share.',
  command: promql(`haproxy_server_status{${own},state!="UP"} == 1`),
};
const slow: Cause = {
  id: 'slow', cause: 'They answer too slowly',
  mechanism: 'Checks time out, sessions pile up and queues form.',
  test: promql(`max(haproxy_server_response_time_average_seconds{${own}}
    or haproxy_backend_response_time_average_seconds{${own}})`, { atLeast: 1, notUpTo: 0.2 }),
};

const servers: Family = {
  id: 'haproxy-servers',
  names: names(`haproxy(?:has)?(?:no)?(?:alive|healthy)?(?:backend|server)s?(?:is|are)?(?:down
    |unhealthy|unavailable|missing|healthcheckfailure|checkflapping|connectionerrors
    |responseerrors|maxactivesession\\w*)|haproxyhasno\\w+|haproxypendingrequests
    |haproxyretryhigh`),
  metrics: metrics(`
    haproxy_(?:backend|server)_(?:up|status|active_servers|backup_servers|current_queue
    |check_(?:failures|up_down)_total|retry_warnings_total|redispatch_warnings_total
    |(?:connection|response)_errors_total)`),
  meaning: 'Servers behind HAProxy are not used, because they fail its checks or are full.',
  impact: 'The others carry their share; with none left, clients get 502 or 503.',
  causes: [
    {
      id: 'refused', cause: 'A server refuses connections',
      mechanism: 'No process listens on its address, so the check and every request fail at once.',
      test: lastCheck('L4CON'), isDirect: true,
    },
    {
      id: 'no-answer', cause: 'A server does not answer in time',
      mechanism: 'Its host is gone or cut off, or its process hangs or is overloaded.',
      test: lastCheck('L4TOUT|L6TOUT|L7TOUT'), isDirect: true,
    },
    {
      id: 'tls', cause: 'The TLS handshake with a server fails',
      mechanism: 'Its certificate has expired, or is for another name or of another authority.',
      test: lastCheck('L6RSP'), isDirect: true,
    },
    {
      id: 'no-name', cause: 'A server is in maintenance: put there, or its name has no address',
      mechanism: 'HAProxy takes a server out of service whose name cannot be resolved.',
      // One that was in maintenance yesterday as well, or half an hour ago where nothing is known
      // of yesterday, is left there on purpose.
      test: ifSome(`max by (proxy, server) (${inMaintenance} unless
        (${inMaintenance} offset 1d or ${inMaintenance} offset 30m) == 1)`),
      note: 'If nobody put it there, ask its resolvers.',
    },
    {
      id: 'wrong-answer', cause: 'A server answers its check with an error',
      mechanism: 'It is unwell, or the path or name that the check asks for changed.',
      test: lastCheck('L7STS|L7RSP'), isDirect: true,
    },
    slow,
    {
      id: 'full', cause: 'The servers have as many sessions as they may',
      mechanism: 'At their maxconn, further requests wait in the queue of HAProxy.',
      test: promql(`max(haproxy_server_current_sessions{${own}}
        / (haproxy_server_limit_sessions{${own}} > 0))`, { atLeast: 0.95, notUpTo: 0.7 }),
    },
    {
      id: 'traffic-peak', cause: 'Far more requests arrive',
      mechanism: 'More run at once than the servers can take.',
      test: twiceBefore('haproxy_backend_http_requests_total{job="{job}",proxy="{proxy}"}'),
    },
  ],
  steps: [serversNow, listServers],
};

const responses = (code: string): string =>
  `rate(haproxy_server_http_responses_total{${own}${code}}[5m])`;
const failed = responses(',code="5xx"');

/** How alike the servers are in this: their lowest share of the responses by their highest. */
function shareOfLeast(which: string): string {
  const share = `sum by (proxy, server) (${which}) / sum by (proxy, server) (${responses('')})`;
  return `min(${share}) / max(${share}) and on () count(count by (server) (${responses('')})) > 1`;
}

const errorRate: Family = {
  id: 'haproxy-errors',
  names: names('haproxy\\w*5xx\\w*'),
  reads: /haproxy_(?:server|backend|frontend)_http_responses_total/u,
  metrics: metrics('haproxy_(?:server|backend|frontend)_http_responses_total[^}]*"5xx"[^]*'),
  meaning: 'Requests through HAProxy end with a status of 500 or above.',
  impact: 'Users and callers see failures.',
  unit: 'percent',
  causes: [
    {
      id: 'no-server', cause: 'HAProxy has no server left for them and answers 503 itself',
      mechanism: 'All servers fail their checks, or their names have no address.',
      test: ifNone(`min by (proxy) (haproxy_backend_active_servers{job="{job}",proxy="{proxy}"}
        + haproxy_backend_backup_servers{job="{job}",proxy="{proxy}"})`),
      isDirect: true,
    },
    {
      id: 'one-server', cause: 'One server fails while the others are healthy',
      mechanism: 'Its check still passes, so it keeps its share of the requests.',
      test: oneHasMost('server', failed, responses('')),
      isDirect: true,
    },
    {
      id: 'refused', cause: 'HAProxy cannot connect to the servers',
      mechanism: 'They refuse connections or do not answer, and no retry helps.',
      test: promql(`sum(rate(haproxy_server_connection_errors_total{${own}}[5m]))
        / sum(${failed})`, { atLeast: 0.5, notUpTo: 0.05 }),
    },
    {
      id: 'behind', cause: 'All servers fail alike, so what they share or call fails',
      mechanism: 'A database, a service behind them or their release fails for each of them.',
      test: promql(shareOfLeast(failed), { atLeast: 0.5, notUpTo: 0.1 }),
      note: 'It is the lowest share of errors of any server, divided by the highest.',
    },
  ],
  steps: [serversNow, listServers],
};

const refused = `sum(${responses(',code="4xx"')})`;

const clientErrors: Family = {
  id: 'haproxy-client-errors',
  names: names('haproxy(?!\\w*5xx)\\w*4xx\\w*'),
  reads: /haproxy_(?:server|backend|frontend)_http_responses_total/u,
  metrics: metrics('haproxy_(?:server|backend|frontend)_http_responses_total[^}]*"4xx"[^]*'),
  meaning: 'Many requests through HAProxy are refused as not found, not allowed or malformed.',
  impact: 'If they are requests that used to succeed, users fail; otherwise they are load.',
  unit: 'percent',
  causes: [
    wrongRequests(onTopOfUsual(`haproxy_server_http_responses_total{${own}}`, refused)),
    {
      id: 'one-server', cause: 'One server refuses what the others accept',
      mechanism: 'Its release, its configuration or its clock differs.',
      test: oneHasMost('server', responses(',code="4xx"'), responses('')),
      isDirect: true,
    },
    {
      id: 'changed', cause: 'A release removed a route or checks requests differently',
      mechanism: 'What used to be accepted is refused by all servers alike.',
      test: promql(shareOfLeast(responses(',code="4xx"')), { atLeast: 0.5, notUpTo: 0.1 }),
      note: 'It is the lowest share of refusals of any server, divided by the highest.',
    },
  ],
  steps: [
    {
      action: 'Count the refused requests by client and path in the log of HAProxy.',
      why: 'One client can be blocked or contacted; one path points to a change.',
      command: ssh('sudo tail -n 50000 /var/log/haproxy.log | sed -nE ' +
        '"s/.*: ([0-9a-f.:]+):[0-9]+ \\[.* 4[0-9][0-9] [0-9]+ .*[A-Z]+ (\\/[^ ?]*).*/\\1 \\2/p" ' +
        '| sort | uniq -c | sort -rn | head -20'),
    },
  ],
};

const maximum = 'haproxy_\\w+_max_(?:total|response|connect|queue)_time_seconds';

/** HAProxy keeps these until it is restarted, so such a rule goes on firing. */
const longestTime: Family = {
  id: 'haproxy-longest-time',
  names: names('haproxyhttpslowingdown'),
  reads: new RegExp(maximum, 'u'),
  metrics: metrics(maximum),
  meaning: 'The longest time since HAProxy started is over the threshold; it says nothing of now.',
  impact: 'None by itself, and it fires until HAProxy restarts: compare the average.',
  causes: [
    {
      id: 'idle', cause: 'A connection was kept open without a request',
      mechanism: 'The total time includes the wait for the next request on a kept connection.',
      test: promql(`max(haproxy_backend_max_total_time_seconds{${own}})
        / max(haproxy_backend_max_response_time_seconds{${own}})`,
        { atLeast: 5, notUpTo: 1.5 }),
      note: 'It is the longest total time, divided by the longest response.',
    },
    { ...slow, cause: 'The servers are slow now' },
    {
      id: 'once', cause: 'A single request was slow, at any time since HAProxy started',
      mechanism: 'The highest value stays, however fast all others are.',
      test: promql(`max(haproxy_server_response_time_average_seconds{${own}}
        or haproxy_backend_response_time_average_seconds{${own}})`, { atMost: 0.2, notFrom: 1 }),
    },
  ],
  steps: [
    {
      action: 'Compare the average of the last 1024 requests.',
      why: 'It tells whether responses are slow now, which the highest value does not.',
      command: promql(`haproxy_backend_response_time_average_seconds{${own}}`),
    },
    {
      action: 'Reset the highest values, once the average is as usual.',
      why: 'Until then, or a restart of HAProxy, the alert goes on.',
      command: ssh('echo "clear counters" | sudo socat stdio /run/haproxy/admin.sock'),
      expected: 'The alert ends; if it comes back, a request was slow again.',
      risk: 'low: the highest values so far are lost',
    },
  ],
};

export const haproxyFamilies: readonly Family[] = [
  longestTime, errorRate, clientErrors, servers,
];
