import { ifSome, metrics, names, promql, shell, ssh, type Family } from '../family.ts';
import {
  busyDisk, jobDown, leastFree, listPods, ofJob, ofTarget, onHost,
} from '../usual-checks.ts';

const kafkaReplication: Family = {
  id: 'kafka-replication',
  names: names(`kafka(?:cluster)?(?:under\\w*replicated\\w*|underminisr\\w*|offline\\w*
    |isr(?:shrink|expand)\\w*|activecontroller\\w*|nocontroller\\w*|multiplecontrollers?
    |unclean\\w*|topicsreplicas|offlinelogdir\\w*)|offlinelogdirector\\w*
    |(?:under\\w*replicated|offline|underminisr)(?:topic)?partitions?
    |abnormalcontrollerstate|unclean(?:leaderelection\\w*)
    |kafka\\w*brokers?(?:count)?(?:down|missing|lost|offline|unavailable|low)
    |kafkamissingbrokers?`),
  // Where the rule reads `up`, the target that is down is the broker.
  reads: /^(?![^]*(?<![\w:."~-])(?:up|probe_success)(?![\w:."-]))/u,
  metrics: metrics(`
    kafka_brokers|kafka_server_replicamanager_\\w+
    |kafka_topic_partition_(?:under_replicated_partition|in_sync_replica)
    |kafka_controller_kafkacontroller_(?!preferredreplica)\\w+
    |kafka_log_logmanager_offlinelogdirectorycount|kafka_cluster_partition_\\w+`),
  meaning: 'Brokers are missing, or partitions have too few copies in sync or no leader.',
  impact: 'Without a leader nothing is read or written; below min.insync.replicas writes fail.',
  unit: 'count',
  causes: [
    {
      id: 'node-gone', cause: 'A broker is down or restarts',
      mechanism: 'Its data is missing, or has one copy fewer, until it is back or replaced.',
      // An exporter that answers does not speak for the brokers.
      // What counts the brokers may have no job.
      test: promql('min(up{job=~"{job|0}|(?i:.*kafka.*)"})', { atMost: 0 }),
      isDirect: true,
    },
    {
      id: 'session', cause: 'A broker lost its session with the controller',
      mechanism: 'A long garbage collection or the network made it miss its heartbeats.',
      test: shell('kafka-metadata-quorum.sh --bootstrap-server localhost:9092 ' +
        'describe --replication'),
      confirms: 'It is missing, or its lag is far larger than that of the others.',
    },
    {
      id: 'slow-broker', cause: 'One broker is slow and falls behind',
      mechanism: 'Its disk, network or a long garbage collection delays its fetches.',
      test: busyDisk(onHost),
    },
    {
      id: 'disk-full', cause: 'A log directory is full or has failed',
      mechanism: 'The broker takes it offline, with every partition on it.',
      test: leastFree(onHost, { atMost: 0.02, notFrom: 0.1 }),
    },
    {
      id: 'reassignment', cause: 'Partitions are being moved',
      mechanism: 'New copies count as missing until they have caught up.',
      test: shell('kafka-reassign-partitions.sh --bootstrap-server localhost:9092 --list'),
      confirms: 'A reassignment is in progress.',
    },
  ],
  steps: [
    {
      action: 'List the brokers that are in the cluster.',
      why: 'The id that is missing names the host to look at.',
      command: shell('kafka-broker-api-versions.sh --bootstrap-server localhost:9092 ' +
        "| grep -F '(id: '"),
      expected: 'One line for each broker.',
    },
    {
      action: 'List the partitions without a leader.',
      why: 'These are down now; the others only have fewer copies.',
      command: shell('kafka-topics.sh --bootstrap-server localhost:9092 --describe ' +
        '--unavailable-partitions'),
    },
    {
      action: 'List the partitions with copies out of sync.',
      why: 'The broker that is in Replicas but not in Isr of all of them is the slow one.',
      command: shell('kafka-topics.sh --bootstrap-server localhost:9092 --describe ' +
        '--under-replicated-partitions'),
    },
    listPods,
  ],
};

const clickhouseWrites: Family = {
  id: 'clickhouse-writes',
  names: names(`clickhouse(?:(?:max|toomany)part\\w*|(?:delayed|rejected)insert\\w*|readonly\\w*
    |replica\\w*|noavailablereplicas|zookeeper\\w*|keeper\\w*)`),
  metrics: metrics(`ClickHouse(?:AsyncMetrics_MaxPartCountForPartition|ErrorMetric_\\w*REPLICA\\w*
    |ProfileEvents_(?:Delayed|Rejected)Inserts|Metrics_(?:ReadonlyReplica|ZooKeeperSession
    |DelayedInserts))`),
  meaning: 'ClickHouse tables slow inserts down or reject them.',
  impact: 'Writers wait or fail, and what they cannot write piles up.',
  causes: [
    {
      id: 'small-inserts', cause: 'Many small inserts create parts faster than they are merged',
      mechanism: 'Above parts_to_delay_insert inserts wait, above parts_to_throw_insert they fail.',
      test: promql(`rate(ClickHouseProfileEvents_InsertedRows{${ofTarget}}[5m])
        / rate(ClickHouseProfileEvents_InsertQuery{${ofTarget}}[5m])`,
        { atMost: 100, notFrom: 10_000 }),
    },
    {
      id: 'keeper-lost', cause: 'The session with ZooKeeper or Keeper is lost',
      mechanism: 'A replica without it is read-only.',
      test: ifSome(`max(ClickHouseMetrics_ReadonlyReplica{${ofJob}})`),
    },
    {
      id: 'merges-slow', cause: 'Merges are slow, or wait for a mutation',
      mechanism: 'A busy disk or a long ALTER delays merges.',
      test: promql(`max(rate(ClickHouseProfileEvents_MergedRows{${ofTarget}}[15m]))
        / max(rate(ClickHouseProfileEvents_MergedRows{${ofTarget}}[15m] offset 1d))`,
        { atMost: 0.3, notFrom: 0.8 }),
    },
  ],
  steps: [
    {
      action: 'List the partitions with most parts.',
      why: 'One table leads, and whoever writes to it is the one to talk to.',
      command: shell("clickhouse-client --host={instance.host} --query='select database, table, " +
        'partition, count() as parts from system.parts where active group by 1, 2, 3 ' +
        "order by parts desc limit 10'"),
      expected: 'A few hundred at most, and falling.',
    },
    {
      action: 'List the replicas that are read-only or behind.',
      why: 'It tells a lost session from a slow merge.',
      command: shell("clickhouse-client --host={instance.host} --query='select database, table, " +
        'is_readonly, absolute_delay, queue_size, zookeeper_exception from system.replicas ' +
        "where is_readonly or absolute_delay > 60'"),
    },
    {
      action: 'List the mutations that are not done.',
      why: 'One that fails forever blocks the merges behind it.',
      command: shell("clickhouse-client --host={instance.host} --query='select database, table, " +
        'command, create_time, parts_to_do, latest_fail_reason from system.mutations ' +
        "where not is_done'"),
    },
  ],
};

const cassandraLoad: Family = {
  id: 'cassandra-load',
  names: names(`cassandra(?:\\w*compaction\\w*|connectiontimeouts\\w*|\\w*timeouts?\\w*
    |storageexceptions|tombstone\\w*|hint\\w*|\\w*(?:blocked|pending)tasks|\\w*unavailable
    requests?\\w*|repair\\w*|droppedmessages?\\w*)`),
  metrics: metrics(`cassandra_(?:table|client_?request|storage|hints|dropped|compaction|commit_log
    |thread_?pools?)_\\w+`),
  meaning: 'Cassandra nodes do not keep up with reads, writes or compactions.',
  impact: 'Requests time out; below the consistency level they fail.',
  causes: [
    {
      id: 'node-gone', cause: 'A node of the cluster is gone',
      mechanism: 'The others take its share and keep hints for it.',
      test: jobDown,
    },
    {
      id: 'tombstones', cause: 'Reads scan many deleted rows',
      mechanism: 'Deletes and expired rows stay until they are compacted.',
      test: ssh('nodetool tablestats | grep -E "Table:|tombstones per slice"'),
      confirms: 'A table has thousands of tombstones per slice.',
      refutes: 'All tables have few.',
    },
    {
      id: 'disk', cause: 'Compactions are limited by the disk',
      mechanism: 'Reads meet more and more files.',
      test: busyDisk(onHost),
    },
  ],
  steps: [
    {
      action: 'Ask the cluster which nodes are up.',
      why: 'DN marks a node that the others cannot reach.',
      command: ssh('nodetool status'),
      expected: 'Every node is UN, with about the same load.',
    },
    {
      action: 'Read queues and dropped messages of the node.',
      why: 'Pending reads, writes and compactions each lead to another cause.',
      command: ssh('nodetool tpstats; nodetool compactionstats'),
    },
  ],
};

export const dataStoreClusterFamilies: readonly Family[] = [
  kafkaReplication, clickhouseWrites, cassandraLoad,
];
