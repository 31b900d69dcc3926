import { ifSome, metrics, names, promql, shell, type Family, type Step } from '../family.ts';
import { ofJob, twiceBefore } from '../usual-checks.ts';

const listNodes: Step = {
  action: 'List the nodes with their disk and heap.',
  why: 'The one that is missing, full or short of heap is the place to look.',
  command: shell("curl -gsS -m 10 --url http://{instance.host}:9200'/_cat/nodes?v" +
    "&h=name,node.role,master,heap.percent,disk.used_percent,load_5m,uptime'"),
  expected: 'All nodes, with room on each.',
};

const searchHealth: Family = {
  id: 'search-cluster-health',
  names: names(`(?:elasticsearch|opensearch|es)(?:cluster)?(?:health|status)?(?:is)?(?:red|yellow)
    |(?:elasticsearch|opensearch)(?:cluster)?(?:health\\w*|(?:unassigned|initializing|relocating)
    shards\\w*|pendingtasks\\w*|notenough\\w*|statusred|statusyellow|toofewnodes\\w*)`),
  metrics: metrics('elasticsearch_cluster_health_\\w+|opensearch_cluster_\\w+'),
  meaning: 'Shards of the cluster have no node, or nodes are missing.',
  impact: 'Red: part of the data can be neither read nor written. Yellow: copies are missing.',
  causes: [
    {
      id: 'node-gone', cause: 'A node of the cluster is gone',
      mechanism: 'Its data is missing, or has one copy fewer, until it is back or replaced.',
      test: promql(`elasticsearch_cluster_health_number_of_nodes{${ofJob}}
        - elasticsearch_cluster_health_number_of_nodes{${ofJob}} offset 1h`,
        { atMost: -1, notFrom: 0 }),
      isDirect: true,
    },
    {
      id: 'watermark', cause: 'Disks are above the watermark',
      mechanism: 'No shard is placed on a node that is nearly full.',
      test: promql(`min(elasticsearch_filesystem_data_available_bytes{${ofJob}}
        / elasticsearch_filesystem_data_size_bytes{${ofJob}})`, { atMost: 0.1, notFrom: 0.2 }),
    },
    {
      id: 'not-placeable', cause: 'No node is allowed to hold the shard',
      mechanism: 'Allocation is switched off, filtered, or wants more copies than there are nodes.',
      test: shell("curl -gsS -m 10 --url http://{instance.host}:9200'/_cluster/settings?pretty'"),
      confirms: 'Settings exclude nodes, or there are as many replicas as nodes.',
      refutes: 'Allocation is enabled for all, without filters.',
    },
    {
      id: 'recovering', cause: 'It recovers by itself after a restart or a new index',
      mechanism: 'Shards are copied one after the other; the state is yellow until then.',
      test: promql(`deriv(elasticsearch_cluster_health_unassigned_shards{${ofJob}}[15m])`,
        { atMost: -0.001, notFrom: 0 }),
    },
  ],
  steps: [
    {
      action: 'Ask why the first unassigned shard has no node.',
      why: 'The cluster itself names the reason for every node.',
      command: shell('curl -gsS -m 10 ' +
        "--url http://{instance.host}:9200'/_cluster/allocation/explain?pretty'"),
    },
    {
      action: 'List the shards that are not started.',
      why: 'A primary among them means data that cannot be read.',
      command: shell("curl -gsS -m 10 --url http://{instance.host}:9200'/_cat/shards?v" +
        "&h=index,shard,prirep,state,unassigned.reason,node&s=state' | grep -v STARTED"),
      expected: 'Only replicas, and fewer each time.',
    },
    listNodes,
  ],
};

const searchHeap: Family = {
  id: 'search-heap',
  names: names('(?:elasticsearch|opensearch)(?:cluster)?(?:jvm|heap)\\w*'),
  metrics: metrics('elasticsearch_jvm_(?:memory|gc)_\\w+'),
  meaning: 'The Java heap of a node is nearly full.',
  impact: 'Collections pause the node; it rejects requests, or drops out of the cluster.',
  causes: [
    {
      id: 'searches', cause: 'Searches or aggregations need too much memory',
      mechanism: 'One wide aggregation can fill the heap of every node that it runs on.',
      test: ifSome(`sum(increase(elasticsearch_breakers_tripped{${ofJob}}[15m]))`),
    },
    {
      id: 'shards', cause: 'The cluster has too many shards',
      mechanism: 'Each takes heap, whether it is used or not.',
      test: promql(`max(elasticsearch_cluster_health_active_shards{${ofJob}}
        / elasticsearch_cluster_health_number_of_data_nodes{${ofJob}})`,
        { atLeast: 1000, notUpTo: 300 }),
    },
    {
      id: 'indexing', cause: 'Far more is indexed than usual',
      mechanism: 'Bulk requests wait in memory until they are written.',
      test: twiceBefore(`elasticsearch_indices_indexing_index_total{${ofJob}}`),
    },
    {
      id: 'fielddata', cause: 'Text fields are sorted or aggregated in memory',
      mechanism: 'Their fielddata stays in the heap until it is evicted.',
      test: promql(`max(elasticsearch_indices_fielddata_memory_size_bytes{${ofJob}}
        / on (job, instance, name) elasticsearch_jvm_memory_max_bytes{${ofJob},area="heap"})`,
        { atLeast: 0.2, notUpTo: 0.05 }),
    },
  ],
  steps: [
    listNodes,
    {
      action: 'List the searches that run now.',
      why: 'One that runs for minutes can be cancelled, and names its sender.',
      command: shell("curl -gsS -m 10 --url http://{instance.host}:9200'/_cat/tasks?v" +
        "&actions=*search*&detailed&s=running_time:desc'"),
    },
    {
      action: 'Read the circuit breakers of each node.',
      why: 'The one that trips or is nearly full names what the heap is used for.',
      command: shell("curl -gsS -m 10 --url http://{instance.host}:9200" +
        "'/_nodes/stats/breaker?pretty'"),
    },
  ],
};

export const searchFamilies: readonly Family[] = [searchHealth, searchHeap];
