import { ifNone, ifSome, metrics, names, promql, shell, type Family } from '../family.ts';
import { busyDisk, listPods, ofInstance, ofJob, onHost } from '../usual-checks.ts';

const consul: Family = {
  id: 'consul',
  names: names(`consul(?:up|down|master|missingmaster\\w*|peers|(?:no|missing)?leader\\w*|raft\\w*
    |serf\\w*|(?:service|agent|node)(?:health\\w*|unhealthy|failed|critical))`),
  metrics: metrics(`consul_(?:up|raft_(?:leader|peers)|serf_lan_\\w+|catalog_service_node_healthy
    |health_(?:node|service)_status)`),
  meaning: 'Consul lost a server or its leader, or a check that it runs fails.',
  impact: 'Services that fail their check are no longer found; without a leader nothing changes.',
  causes: [
    {
      id: 'service', cause: 'A registered service is down or fails its own check',
      mechanism: 'Consul only reports it; the service is the place to look.',
      test: promql(`count(consul_catalog_service_node_healthy{${ofJob}} == 0)`, { atLeast: 1 }),
    },
    {
      id: 'no-leader', cause: 'The servers have no leader',
      mechanism: 'Too few of them reach each other to elect one.',
      test: ifNone(`min(consul_raft_leader{${ofJob}})`),
    },
    {
      id: 'member-failed', cause: 'The agent of a node is down or cut off',
      mechanism: 'The others mark it as failed, with all services on it.',
      test: promql(`count(consul_serf_lan_member_status{${ofJob}} == 4)`, { atLeast: 1 }),
    },
    {
      id: 'exporter', cause: 'Only the agent that the exporter queries does not answer',
      mechanism: 'Its token, address or process is the problem; the cluster itself may be fine.',
      test: ifNone(`min(consul_up{${ofJob}})`),
    },
  ],
  steps: [
    {
      action: 'List the servers and their leader.',
      why: 'A missing server or no leader is more urgent than a check.',
      command: shell('consul operator raft list-peers'),
      expected: 'All servers as voters, one of them leader.',
    },
    {
      action: 'List the members and their state.',
      why: '"failed" members vanished unexpectedly, "left" ones left on purpose.',
      command: shell('consul members'),
    },
    {
      action: 'List the checks that fail, with their output.',
      why: 'The output quotes the answer that the check got.',
      command: shell("curl -gsS -m 10 --url http://{instance.host}':8500" +
        "/v1/health/state/critical?pretty'"),
    },
  ],
};

const zookeeper: Family = {
  id: 'zookeeper',
  names: names(`zookeeper(?:(?:missing|no|toomany|multiple)leaders?|notok|unhealthy|quorum\\w*
    |\\w*outstanding\\w*|\\w*requestlatency\\w*)`),
  metrics: metrics('zk_(?:server_leader|ruok|outstanding_requests)|zookeeper_outstandingrequests'),
  meaning: 'The ZooKeeper ensemble has no leader, or a server is behind with requests.',
  impact: 'Systems that keep their state there, such as Kafka, cannot elect leaders.',
  causes: [
    {
      id: 'node-gone', cause: 'A server is down or restarts',
      mechanism: 'Without more than half of the servers there is no leader.',
      test: ifNone(`min(zk_up{${ofJob}} or up{${ofJob}})`),
    },
    {
      id: 'slow-disk', cause: 'The disk of its transaction log is slow',
      mechanism: 'Each write waits for a sync of the log.',
      test: busyDisk(onHost),
    },
    {
      id: 'load', cause: 'It receives more requests than it can handle',
      mechanism: 'Clients reconnect all at once, or watch very many nodes.',
      test: promql(`max(zk_outstanding_requests{${ofJob}}
        or zookeeper_outstandingrequests{${ofJob}})`,
        { atLeast: 10, notUpTo: 1 }),
    },
  ],
  steps: [
    {
      action: 'Ask the server for its role and its queue.',
      why: 'It shows leader, follower or no answer, with latency and outstanding requests.',
      command: shell('echo srvr | nc -w 5 {instance.host} 2181'),
      expected: 'Mode: leader on one server, follower on the others.',
    },
    listPods,
  ],
};

// The label `job` of these series may be the Nomad job, so the tests use the instance.
const nomad: Family = {
  id: 'nomad-allocations',
  names: names('nomad(?:job(?:failed|lost|queued)|blockedevaluations?|alloc\\w*(?:failed|lost))'),
  metrics: metrics(`
    nomad_nomad_(?:job_summary_(?:failed|lost|queued)|blocked_evals_total_blocked)`),
  meaning: 'Allocations of a Nomad job failed, were lost with their node, or cannot be placed.',
  impact: 'The job has fewer instances than it asks for, or none.',
  unit: 'count',
  causes: [
    {
      id: 'no-room', cause: 'No client has room for it, or meets its constraints',
      mechanism: 'The evaluation is blocked until capacity is freed.',
      test: ifSome(`sum(nomad_nomad_blocked_evals_total_blocked{${ofInstance}})`),
    },
    {
      id: 'task-fails', cause: 'The task ends with an error, again and again',
      mechanism: 'After the attempts that its restart policy allows the allocation has failed.',
      test: ifSome(`sum(delta(nomad_nomad_job_summary_failed{${ofInstance}}[1h]))`),
    },
    {
      id: 'client-lost', cause: 'A client is down or cut off',
      mechanism: 'All of its allocations are counted as lost and placed elsewhere.',
      test: ifSome(`sum(delta(nomad_nomad_job_summary_lost{${ofInstance}}[1h]))`),
    },
  ],
  steps: [
    {
      action: 'List the clients.',
      why: 'One that is down or ineligible explains lost and queued allocations.',
      command: shell('nomad node status'),
    },
    {
      action: 'List the jobs, then run nomad job status with the job of the alert.',
      why: 'Placement failures name the resource or the constraint that is missing.',
      command: shell('nomad job status'),
      expected: 'All running; the detail lists the allocations that failed.',
    },
  ],
};

export const coordinationFamilies: readonly Family[] = [consul, zookeeper, nomad];
