import {
  ifSome, metrics, names, promql, shell, type Cause, type Family, type Step,
} from '../family.ts';
import { leastFree, onHost } from '../usual-checks.ts';

/** Restricts to the alert's node, or else its cluster, which only this metric names. */
const its = 'and on (instance) rabbitmq_identity_info{' +
  'rabbitmq_cluster="{rabbitmq_cluster}",job="{job}",instance="{instance}"}';

const leak = {
  id: 'connections', cause: 'Connections or channels are opened and not closed',
  mechanism: 'Each takes memory and a descriptor until its client ends.',
  test: promql(`sum(increase(rabbitmq_connections_opened_total[15m]) ${its})
    - sum(increase(rabbitmq_connections_closed_total[15m]) ${its})`,
    { atLeast: 50, notUpTo: 5 }),
} as const;

const clusterStatus: Step = {
  action: 'Read alarms, partitions and limits of the cluster, on one of its nodes.',
  why: 'It names the node with the alarm, and its limits.',
  command: shell('rabbitmqctl cluster_status'),
};

const backlog: Cause = {
  id: 'backlog', cause: 'Messages pile up because consumers are slow or gone',
  mechanism: 'What is not consumed is held in memory and on disk.',
  test: promql(`sum(rabbitmq_queue_messages ${its})`, { atLeast: 10_000, notUpTo: 100 }),
};

const longestQueues: Step = {
  action: 'List the longest queues.',
  why: 'One queue without consumers is the most frequent reason.',
  command: shell('rabbitmqctl -q list_queues messages consumers memory name | sort -rn | head'),
};

const brokerAlarms: Family = {
  id: 'broker-alarms',
  names: names(`rabbitmq(?:(?:high)?memory\\w*|outofmemory|(?:free|low)?disk\\w*
    |filedescriptor\\w*|(?:cluster)?(?:network)?partition\\w*|nodenotdistributed)`),
  metrics: metrics(`rabbitmq_alarms_\\w+|rabbitmq_node_(?:mem|disk)_\\w+|rabbitmq_partitions
    |rabbitmq_resident_memory_limit_bytes|rabbitmq_disk_space_available_\\w+`),
  meaning: 'A broker is short of memory, disk space or descriptors, or its nodes lost contact.',
  impact: 'At its limit, the broker blocks all publishers in the whole cluster.',
  causes: [
    {
      id: 'memory-limit', cause: 'Its limit of memory was lowered',
      mechanism: 'vm_memory_high_watermark or the memory of the machine is less than it was.',
      test: promql(`min(rabbitmq_resident_memory_limit_bytes
        / max_over_time(rabbitmq_resident_memory_limit_bytes[1h]) ${its})`,
        { atMost: 0.9, notFrom: 1 }),
      isDirect: true,
    },
    {
      id: 'disk-limit', cause: 'More free disk space is required than before',
      mechanism: 'disk_free_limit was raised.',
      test: promql(`max(rabbitmq_disk_space_available_limit_bytes
        / min_over_time(rabbitmq_disk_space_available_limit_bytes[1h]) ${its})`,
        { atLeast: 1.1, notUpTo: 1 }),
      isDirect: true,
    },
    backlog,
    leak,
    {
      id: 'split', cause: 'The nodes could not reach each other for a while',
      mechanism: 'After a partition each side continues alone or pauses, as configured.',
      test: ifSome(`max(rabbitmq_partitions ${its})`),
    },
    {
      id: 'disk-of-others', cause: 'Something else fills the disk',
      mechanism: 'The alarm is about free space, whatever uses it.',
      test: leastFree(onHost, { atMost: 0.05, notFrom: 0.2 }),
    },
  ],
  steps: [
    clusterStatus,
    {
      action: 'Read what uses the memory of the node, on it.',
      why: 'Queues, connections and binaries each lead to another cause.',
      command: shell('rabbitmq-diagnostics memory_breakdown --unit MB'),
    },
    {
      action: 'Compare the free space of each node with what it requires.',
      why: 'Below 1 the alarm is set; a limit above all that the disk holds can never be met.',
      command: promql(`(rabbitmq_disk_space_available_bytes ${its})
        / (rabbitmq_disk_space_available_limit_bytes ${its})`),
      expected: 'Above 1 on every node.',
    },
    longestQueues,
    {
      action: 'Set the limit back with rabbitmqctl set_disk_free_limit when it was raised.',
      why: 'The alarm ends within seconds; a restart undoes only what this command had set.',
      expected: 'cluster_status shows no alarm, and publishers go on.',
      risk: 'medium: with too low a limit a full disk stops the broker',
      undo: 'Set the former limit.',
    },
  ],
};

const connections: Family = {
  id: 'broker-connections',
  names: names(`rabbitmq\\w*(?:connections?|channels?)(?:high|churn|leak\\w*|limit|exhausted)?
    |highconnectionchurn`),
  metrics: metrics('rabbitmq_(?:connections|channels)(?:_(?:opened|closed)_total)?'),
  meaning: 'Clients of the broker hold more connections or channels than usual, or change them.',
  impact: 'Each takes memory and a descriptor; at their limit the broker accepts no client.',
  causes: [
    leak,
    {
      id: 'churn', cause: 'Clients open a connection for each message, or reconnect all the time',
      mechanism: 'Opening one takes several round trips and leaves traces in every node.',
      test: promql(`sum(rate(rabbitmq_connections_opened_total[5m]) ${its})
        / sum(rabbitmq_connections ${its})`, { atLeast: 0.05, notUpTo: 0.005 }),
    },
    {
      id: 'channels', cause: 'Channels are opened and not closed',
      mechanism: 'A program opens one for each message on the connection that it has.',
      test: promql(`sum(rabbitmq_channels ${its}) / sum(rabbitmq_connections ${its})`,
        { atLeast: 50, notUpTo: 10 }),
    },
    {
      id: 'logins', cause: 'Clients are refused and try again',
      mechanism: 'A password, a permission or a virtual host has changed.',
      test: ifSome(`sum(increase(rabbitmq_auth_attempts_failed_total[15m]) ${its})`),
    },
  ],
  steps: [
    {
      action: 'Count the connections by client.',
      why: 'User and address name the application.',
      command: shell('rabbitmqctl -q list_connections user peer_host | sort | uniq -c | sort -rn ' +
        '| head'),
    },
    {
      ...clusterStatus,
      why: 'Connections that wait for an alarm to clear are opened again by impatient clients.',
    },
  ],
};

export const rabbitFamilies: readonly Family[] = [brokerAlarms, connections];
