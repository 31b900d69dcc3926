import { ifSome, metrics, names, promql, shell, type Family } from '../family.ts';
import {
  allPods, describePod, hostAnswers, hostDown, ofTarget, rolledOut,
} from '../usual-checks.ts';

const down = `(up{${ofTarget},namespace="{namespace}"} == 0)`;

export const targetDown: Family = {
  id: 'target-down',
  names: names(`targetdown|prometheus(?:target|alltargets|job|targetscrap)?(?:missing
    |missingwithwarmuptime|slow)|(?:service|host|node|server|job|exporter|nodeexporter|endpoint
    |scrapetarget|app|application|instance|api|backend|nginx|haproxy|traefik)(?:is|instance|server
    |node)?(?:down|unreachable|missing|absent)|kubestatemetricsdown|prometheusdown
    |serviceunavailable`),
  reads: /(?<![a-zA-Z_])up(?![a-zA-Z_])/u,
  metrics: /(?<![\w:])up\s*(?:\{[^{}]*\}\s*)?(?:==|<|!=)|absent\(\s*up(?![\w:])/u,
  meaning: 'Prometheus cannot scrape the target.',
  impact: 'The target is down, or runs unmonitored: no other alert on it can be trusted.',
  unit: 'state',
  causes: [
    {
      id: 'process-down', cause: 'The process is down or restarts',
      mechanism: 'Nothing listens on the port, so the scrape is refused.',
      test: promql(`changes(process_start_time_seconds{${ofTarget}}[1h])`, { atLeast: 1 }),
      note: 'A host that refuses the connection says the same.',
    },
    {
      id: 'none-listed', cause: 'Prometheus lists fewer targets than an hour ago',
      mechanism: 'What discovery looks for was removed, renamed or scaled down.',
      test: promql(`absent(up{job="{job}"})
        or count(up{${ofTarget}} offset 1h) - count(up{${ofTarget}})`, { atLeast: 1, notUpTo: 0 }),
      // Such a rule fires for targets that are listed.
      unlessRead: /(?<![\w:])up\s*(?:\{[^{}]*\}\s*)?==\s*0/u,
      isDirect: true,
    },
    hostDown,
    {
      id: 'node-not-ready', cause: 'The node that it runs on is down or cut off',
      mechanism: 'All pods of the node stop answering at the same moment.',
      test: ifSome(`max(kube_node_status_condition{condition="Ready",status!="true"}
        and on (node) (${down} or kube_pod_info and on (namespace, pod) ${down}))`),
    },
    {
      id: 'scrape-timeout', cause: 'The target answers too slowly',
      mechanism: 'The scrape is cut off at its timeout although the target works.',
      // Only of scrapes that succeeded: a host that is gone lets each run into its timeout, too.
      test: promql(`max_over_time((scrape_duration_seconds{${ofTarget}}
        and on (job, instance) (up{${ofTarget}} == 1))[1h:1m])`,
        { atLeast: 9, notUpTo: 1 }),
      note: 'Prometheus waits for 10 s unless set.',
    },
    {
      id: 'network-or-auth', cause: 'Network, DNS, TLS or credentials between the two are broken',
      mechanism: 'The target is well, but Prometheus gets no answer or a 401 or 403.',
      // That all targets of the job are down says as little: they may share a host or a process.
      test: shell('curl -gsS -m 10 -o /dev/null -w "%{http_code}\\n" ' +
        '--url http://{instance}/metrics'),
      confirms: 'It answers when asked from another host than that of Prometheus.',
    },
    {
      id: 'wrong-port', cause: 'A deploy moved the metrics port or path',
      mechanism: 'The process runs, but Prometheus scrapes the old address.',
      test: rolledOut,
    },
    {
      id: 'stale-discovery', cause: 'The target was removed, but discovery still lists it',
      mechanism: 'A static list or stale registry keeps an address that nothing uses.',
      test: allPods,
      confirms: 'No pod or host has this address any more.',
      refutes: 'The address belongs to something that should run.',
    },
  ],
  steps: [
    {
      action: 'Ask the target for its metrics.',
      why: 'Refused means the process, a timeout the host or network, 401 the credentials.',
      command: shell('curl -gsS -m 10 -o /dev/null -w "%{http_code} %{time_total}s\\n" ' +
        '--url http://{instance}/metrics'),
      expected: '200 in well under ten seconds when the target is well.',
    },
    {
      ...describePod, action: 'Look at the pod if the target runs in one.',
      why: 'A restart or a failed probe explains a target that comes and goes.',
    },
    hostAnswers,
  ],
};

const phase = (name: string): string => `probe_http_duration_seconds{${ofTarget},phase="${name}"}`;

const probeFailed: Family = {
  id: 'probe-failed',
  names: names(`blackboxprobefailed|blackboxprobehttpfailure
    |probe(?:failed|failure|httpfailure|down|fails)
    |(?:website|site|endpoint|url|http|https|icmp|ping|tcp|dns)(?:probe)?
    (?:down|failed|failure|failing|unreachable|unavailable)
    |(?:uptime|synthetic|http)check(?:failed|failing)?`),
  metrics: metrics('probe_success|probe_http_status_code'),
  meaning: 'A check from outside does not get the answer it expects.',
  impact: 'Users who come the same way are likely to see the failure too.',
  unit: 'state',
  causes: [
    {
      id: 'backend-error', cause: 'The service behind it answers with an error',
      mechanism: 'The path to it works; the answer has a 5xx status.',
      test: promql(`probe_http_status_code{${ofTarget}}`, { atLeast: 500, notUpTo: 499 }),
      note: 'It is 0 where there was no answer.',
    },
    {
      id: 'dns-failure', cause: 'The name does not resolve',
      mechanism: 'Without an address no connection is tried.',
      // A probe of a name server resolves the server's name, and not the one that it asks for.
      test: promql(`probe_ip_protocol{${ofTarget}} unless probe_dns_query_succeeded{${ofTarget}}`,
        { atMost: 0, notFrom: 4 }),
      note: 'It is 4 or 6 where an address was found, and 0 where none was.',
    },
    {
      id: 'certificate', cause: 'Its certificate has expired',
      mechanism: 'The TLS handshake fails, so no request is sent.',
      // A probe whose handshake fails tells none: the last one counts, or that of another probe.
      // By now another certificate may be served, so no answer rules it out.
      test: promql('min(last_over_time(' +
        'probe_ssl_earliest_cert_expiry{instance="{instance}"}[2d])) - time()', { atMost: 0 }),
      isDirect: true,
    },
    {
      id: 'no-answer', cause: 'It does not answer',
      mechanism: 'The connection is refused, times out or fails in the TLS handshake.',
      test: ifSome(`(probe_http_status_code{${ofTarget}} or probe_dns_query_succeeded{${ofTarget}}
        or probe_success{${ofTarget}}) == bool 0 and probe_ip_protocol{${ofTarget}} > 0`),
    },
    {
      id: 'prober-network', cause: 'The network of the prober itself is broken',
      mechanism: 'All its targets fail at once, whoever runs them.',
      test: promql('avg(probe_success{job="{job}"}) and count(probe_success{job="{job}"}) > 1',
        { atMost: 0.1, notFrom: 0.5 }),
    },
    {
      id: 'redirect-or-content', cause: 'The answer is not the expected one',
      mechanism: 'A redirect loop, a login page or a changed text fails the check.',
      test: promql(`probe_failed_due_to_regex{${ofTarget}}`, { atLeast: 1 }),
      note: 'It is 1 where its regular expression failed; of redirects it says nothing.',
    },
  ],
  steps: [
    {
      action: 'Open the address of the probe, from the list of targets in Prometheus, with ' +
        '&debug=true at its end.',
      why: 'The prober then tells each step of the probe, and what it got.',
      expected: 'The last step before the failure is resolving, connecting, TLS, or the answer.',
    },
    {
      action: 'Request the address by hand, from another network than the prober.',
      why: 'It tells a broken service from a broken prober.',
      command: shell('curl -gsSL -m 15 --proto =http,https -o /dev/null -D - --url {instance}'),
      expected: 'The same failure, or a good answer, which clears the service.',
    },
    {
      action: 'Resolve the name.',
      why: 'DNS failures look like outages of everything else.',
      command: shell('nslookup -timeout=5 {instance.name}'),
    },
  ],
};

const probeSlow: Family = {
  id: 'probe-slow',
  names: names('blackbox(?:slowprobe|probeslow(?:http|ping))|probeslow(?:http|ping)?|slowprobe'),
  metrics: metrics('probe_(?:http_|icmp_)?duration_seconds'),
  meaning: 'A check from outside succeeds but takes too long.',
  impact: 'Users wait, and clients with short timeouts fail.',
  unit: 'seconds',
  causes: [
    {
      id: 'slow-backend', cause: 'The service takes long to answer',
      mechanism: 'The time passes in the processing phase, after the request is sent.',
      test: promql(`${phase('processing')} / ignoring (phase) sum without (phase) (
        probe_http_duration_seconds{${ofTarget}})`, { atLeast: 0.5, notUpTo: 0.2 }),
    },
    {
      id: 'packet-loss', cause: 'Packets are lost on the way',
      mechanism: 'A lost SYN costs a second or more in the connect phase.',
      test: promql(phase('connect'), { atLeast: 0.9, notUpTo: 0.3 }),
      note: 'Lost packets are sent again after about 1 s, 3 s and 7 s.',
    },
    {
      id: 'slow-resolver', cause: 'The resolver is slow',
      mechanism: 'A dead first name server costs its timeout on each lookup.',
      test: promql(phase('resolve'), { atLeast: 1, notUpTo: 0.2 }),
    },
    {
      id: 'prober-overload', cause: 'The prober itself is short of CPU or network',
      mechanism: 'All its probes slow down together.',
      test: promql('quantile(0.5, probe_duration_seconds{job="{job}"}) ' +
        '/ quantile(0.5, probe_duration_seconds{job="{job}"} offset 1h) ' +
        'and count(probe_duration_seconds{job="{job}"}) > 1', { atLeast: 2, notUpTo: 1.2 }),
    },
  ],
  steps: [
    {
      action: 'Time the request by phase, from another network.',
      why: 'The phase that takes the time names the part to look at.',
      command: shell('curl -gsS -m 30 --proto =http,https -o /dev/null ' +
        '-w "dns %{time_namelookup} tcp %{time_connect} tls %{time_appconnect}' +
        ' first %{time_starttransfer} all %{time_total}\\n" ' +
        '--url {instance}'),
    },
  ],
};

export const targetFamilies: readonly Family[] = [probeSlow, probeFailed, targetDown];
