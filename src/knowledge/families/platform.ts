import { ifSome, metrics, names, promql, shell, type Family } from '../family.ts';
import {
  checkEndpoints, endpoints, jobDown, listPods, notReady, podLog, twiceBefore,
} from '../usual-checks.ts';

const restarted = ifSome('changes(process_start_time_seconds{job="{job}",instance="{instance}"}' +
  '[1h])');

const vault: Family = {
  id: 'vault-sealed',
  names: names('(?:vault|openbao)(?:is)?(?:sealed|unsealed|clusterhealth|noleader)'),
  metrics: metrics('vault_core_(?:unsealed|active)'),
  meaning: 'Vault is sealed, or none of its nodes is active.',
  impact: 'No secret can be read or renewed: leases expire, and new programs get none.',
  unit: 'state',
  causes: [
    {
      id: 'restarted', cause: 'It was restarted, and nobody unsealed it',
      mechanism: 'Without auto-unseal every start begins sealed.',
      test: restarted,
    },
    {
      id: 'key-service', cause: 'Auto-unseal cannot reach its key',
      mechanism: 'The key service is down, or the permission for it is gone.',
      test: podLog,
      confirms: 'The log says that unsealing failed.',
    },
    {
      id: 'storage', cause: 'Its storage lost its quorum or its disk',
      mechanism: 'Without storage no node can become active.',
      test: jobDown,
    },
  ],
  steps: [
    {
      action: 'Ask the node for its seal and its leader.',
      why: 'It tells a sealed node from one without a leader.',
      command: shell('vault status -address=https://{instance}'),
      expected: 'Sealed is false, and there is an active node.',
    },
    listPods,
  ],
};

const traefik = 'job="{job}",service="{service}"';

const proxyBackends: Family = {
  id: 'proxy-backends',
  names: names(`(?:traefik|envoy|nginx|kong|loadbalancer|lb)(?:plus|ingress)?(?:has)?(?:no)?
    (?:alive|healthy)?(?:backend|upstream|service|server|cluster|target|member)(?:s|ship|server)?
    (?:is|are)?(?:down|unhealthy|unavailable|missing)
    |(?:traefik|envoy|nginx)(?:has)?no(?:alive|healthy)?(?:backend|server)s?`),
  metrics: metrics(`traefik_(?:service|backend)_server_up
    |envoy_cluster_(?:membership|circuit_breakers)_\\w+
    |nginx\\w*_upstream_server_(?:state|up|unavail|fails|health_checks)\\w*`),
  meaning: 'Servers behind a proxy are not used, because they fail its checks or are full.',
  impact: 'The others carry their share; with none left, clients get 502 or 503.',
  causes: [
    {
      id: 'server-down', cause: 'The servers behind it are down or restarting',
      mechanism: 'The check of the proxy fails for a good reason.',
      test: notReady,
    },
    {
      id: 'slow', cause: 'They answer too slowly',
      mechanism: 'Checks time out, sessions pile up and queues form.',
      test: promql(`max(rate(traefik_service_request_duration_seconds_sum{${traefik}}[5m])
        / rate(traefik_service_request_duration_seconds_count{${traefik}}[5m]))`,
        { atLeast: 1, notUpTo: 0.2 }),
    },
    {
      id: 'check-wrong', cause: 'Only the check fails',
      mechanism: 'Its path, port, name or certificate changed with a release.',
      test: endpoints,
      confirms: 'The servers answer when they are asked directly.',
    },
    {
      id: 'config', cause: 'The proxy has an old or wrong list of servers',
      mechanism: 'A reload failed, or discovery does not report new addresses.',
      test: restarted,
    },
  ],
  steps: [
    {
      action: 'List the services and their servers (Traefik).',
      why: 'serverStatus is what its checks say.',
      command: shell("curl -gsS -m 10 --url http://{instance.host}':8080/api/http/services'"),
      onlyFor: 'traefik',
    },
    checkEndpoints,
    listPods,
  ],
};

/** What of the heap is in use after collections. */
const heapLeft = (ago = ''): string => 'min_over_time(sum(jvm_memory_used_bytes{' +
  `job="{job}",instance="{instance}",area="heap"})[1h:1m]${ago})`;

const jvm: Family = {
  id: 'jvm-memory',
  names: names(`(?:high)?(?:jvm|java(?!script))\\w*(?:memory|heap|gc|garbage
    |oldgen|metaspace|deadlock)\\w*
    |flink(?:task|job)manager(?:heapmemory|gctime)\\w*
    |(?:high|long|slow|toomuch|excessive)?(?:old)?gc(?:time|pause|duration|overhead)\\w*
    |(?:high|long|slow|toomuch|excessive)(?:gc(?!p(?!ause|erc|ress)|s(?!ec|t))
    |garbagecollection)\\w*`),
  metrics: metrics('jvm_(?:memory|gc|threads_deadlocked)\\w*|' +
    'flink_\\w+_Status_JVM_(?:Memory_Heap|GarbageCollector)_\\w+'),
  meaning: 'A Java program is short of memory, or its threads stand still.',
  impact: 'Collections pause it more and more often, until it fails with OutOfMemoryError.',
  causes: [
    {
      id: 'leak', cause: 'It holds on to memory that it no longer needs',
      mechanism: 'What is left after each collection grows until nothing can be freed.',
      test: promql(`(${heapLeft()} / ${heapLeft(' offset 6h')} >= 1.15)
        or ${heapLeft()} / ${heapLeft(' offset 1d')}`, { atLeast: 1.15, notUpTo: 1.05 }),
    },
    {
      id: 'load', cause: 'Far more requests arrive, or one is very large',
      mechanism: 'The requests in progress do not fit into memory.',
      test: twiceBefore('http_server_requests_seconds_count{job="{job}"}'),
    },
    {
      id: 'heap-small', cause: 'The heap is too small for what it does',
      mechanism: 'What it needs in normal operation fills it, so collections free little.',
      // Collections take long beside a leak as well, but then it was emptier a day ago.
      test: promql(`${heapLeft(' offset 1d')}
        / sum(jvm_memory_max_bytes{job="{job}",instance="{instance}",area="heap"})`,
        { atLeast: 0.8, notUpTo: 0.6 }),
    },
    {
      id: 'deadlock', cause: 'Threads wait for each other forever',
      mechanism: 'What they hold is never released.',
      test: ifSome('max(jvm_threads_deadlocked{job="{job}",instance="{instance}"})'),
    },
  ],
  steps: [
    {
      action: 'Look for OutOfMemoryError in the log.',
      why: 'It names the area: heap, metaspace, direct memory or threads.',
      command: shell('kubectl logs --namespace={namespace} --since=1h --tail=2000 pod/{pod} ' +
        '| grep -A 5 OutOfMemoryError'),
    },
    {
      action: 'Read how the heap is used, from inside.',
      why: 'It is cheap, unlike a dump, which stops the program.',
      command: shell('kubectl exec --namespace={namespace} pod/{pod} -- jcmd 1 GC.heap_info'),
      expected: 'The old generation is not full.',
    },
    listPods,
  ],
};

export const platformFamilies: readonly Family[] = [vault, proxyBackends, jvm];
