import { metrics, names, promql, ssh, type Family } from '../family.ts';
import { leak, ofInstance } from '../usual-checks.ts';

const nic = 'instance="{instance}",device="{device}"';

const networkErrors: Family = {
  id: 'network-errors',
  names: names(`nodenetwork(?:receive|transmit)(?:errs|errors)|nodenetworkinterfaceflapping
    |nodebondingdegraded|host(?:network(?:receive|transmit)errors|networkinterfacesaturated
    |networkbonddegraded)|network(?:errors|drops
    |interfacedown|interfaceflapping|packetloss|saturated)|(?:high)?packet
    (?:loss|drops)(?:high)?`),
  metrics: metrics(`node_network_(?:receive|transmit)_(?:errs|drop)_total|node_bonding_\\w+
    |node_network_(?:up|carrier\\w*)`),
  meaning: 'Packets are lost at the interface, or its link goes up and down.',
  impact: 'Connections through it are slow, reset or time out.',
  causes: [
    {
      id: 'cable-or-port', cause: 'The link goes down and comes back',
      mechanism: 'A cable, optic or switch port is bad; a virtual one follows its other end.',
      test: promql(`increase(node_network_carrier_changes_total{${nic}}[1h])`,
        { atLeast: 2, notUpTo: 0 }),
    },
    {
      id: 'overload', cause: 'More traffic arrives than the host can take',
      mechanism: 'The ring buffer overflows, so packets drop without being damaged.',
      test: promql(`rate(node_network_receive_bytes_total{${nic}}[5m])
        / node_network_speed_bytes{${nic}}`, { atLeast: 0.8, notUpTo: 0.3 }),
    },
    {
      id: 'mismatch', cause: 'Duplex, speed or MTU differ between the two ends',
      mechanism: 'Large or simultaneous frames are lost while small ones pass.',
      test: ssh('ip -s link'),
      confirms: 'The MTU or the speed differs from the neighbours on the same network.',
    },
    {
      id: 'driver', cause: 'The driver or firmware misbehaves',
      mechanism: 'Counters rise, or the adapter resets, without a fault on the wire.',
      test: ssh('sudo dmesg -T | grep -iE "eth|link|reset" | tail'),
      confirms: 'The kernel reports resets or transmit timeouts.',
    },
  ],
  steps: [
    {
      action: 'Read the counters of the interfaces twice.',
      why: 'Errors point at the wire, drops without errors at load.',
      command: ssh('ip -s -s link; sleep 5; ip -s -s link'),
    },
    {
      action: 'Read the bond when there is one.',
      why: 'A bond hides a dead member until the second one dies.',
      command: ssh('tail -n +1 /proc/net/bonding/*'),
      expected: 'Each slave shows MII Status: up.',
    },
  ],
};

const conntrack: Family = {
  id: 'conntrack',
  names: names(`nodehighnumberconntrackentriesused|(?:node|host|high)?conntrack(?:limit|full|usage
    |usagehigh|tablefull|entries\\w*)?`),
  metrics: metrics('node_nf_conntrack_entries(?:_limit)?'),
  meaning: 'The kernel tracks nearly as many connections as its table can hold.',
  impact: 'New connections through the host are dropped once it is full.',
  unit: 'ratio',
  causes: [
    {
      id: 'no-keep-alive', cause: 'A client opens a new connection for each request',
      mechanism: 'Closed connections stay in the table until they time out.',
      test: promql(`rate(node_netstat_Tcp_ActiveOpens{${ofInstance}}[5m])
        / rate(node_netstat_Tcp_ActiveOpens{${ofInstance}}[5m] offset 1h)`,
        { atLeast: 2, notUpTo: 1.2 }),
    },
    {
      id: 'connection-leak', cause: 'Connections are opened and never closed',
      mechanism: 'Established entries live for days.',
      test: leak(`node_sockstat_TCP_inuse{${ofInstance}}`),
    },
    {
      id: 'scan-or-flood', cause: 'A scan or flood hits the host',
      mechanism: 'Each probe takes an entry although nothing answers.',
      test: ssh('ss -Htn state syn-recv | wc -l'),
      confirms: 'Many half-open connections come from few sources.',
      refutes: 'Half-open connections are few.',
    },
    {
      id: 'low-limit', cause: 'The limit is too low for the role of the host',
      mechanism: 'A gateway or NAT host tracks the connections of all the others.',
      test: promql(`node_nf_conntrack_entries_limit{${ofInstance}}`,
        { atMost: 65536, notFrom: 524288 }),
    },
  ],
  steps: [
    {
      action: 'Summarise the sockets of the host.',
      why: 'It shows the state that dominates.',
      command: ssh('ss -s'),
      expected: 'timewait or estab is far above its usual number.',
    },
    {
      action: 'Count tracked connections by source.',
      why: 'One source that leads is a leak, a scan or a missing pool.',
      command: ssh('sudo conntrack -L 2>/dev/null | grep -o "src=[^ ]*" | sort | uniq -c | ' +
        'sort -rn | head'),
    },
    {
      action: 'Raise the limit when memory allows.',
      why: 'It takes effect at once and drops nothing; an entry takes about 300 bytes.',
      command: ssh('sudo sysctl -w net.netfilter.nf_conntrack_max=524288'),
      expected: 'The share of the table used falls at the next scrape.',
      risk: 'low: more kernel memory is used; check that the new limit is above the present one',
      undo: 'Set the former value with the same command.',
    },
  ],
};

const throughput = (device: string): string =>
  `sum by (device) (rate(node_network_receive_bytes_total{${device}}[5m])
    + rate(node_network_transmit_bytes_total{${device}}[5m]))`;

const networkThroughput: Family = {
  id: 'network-throughput',
  names: names(`hostunusualnetworkthroughput(?:in|out)|(?:host|node|server|instance)?(?:high)?
    (?:network|bandwidth)(?:throughput|traffic|usage|utili[sz]ation|in|out)?(?:high|toohigh)`),
  metrics: metrics('node_network_(?:receive|transmit)_bytes_total'),
  meaning: 'The host sends or receives more data than its rule allows.',
  impact: 'None while the interface has room; at its limit packets drop and connections slow down.',
  causes: [
    {
      id: 'bulk-transfer', cause: 'A backup, copy or image pull runs',
      mechanism: 'One stream takes the line until it is done.',
      test: ssh('sudo ss -tinp state established | head -n 40'),
      confirms: 'One connection carries most of the bytes.',
      refutes: 'Many connections carry about as much each.',
    },
    {
      id: 'more-traffic', cause: 'More requests arrive',
      mechanism: 'Packets rise with the bytes, on many connections.',
      test: promql(`sum(node_netstat_Tcp_CurrEstab{${ofInstance}})
        / sum(node_netstat_Tcp_CurrEstab{${ofInstance}} offset 1d)`, { atLeast: 2, notUpTo: 1.2 }),
    },
    {
      id: 'retransmission', cause: 'Data is retransmitted',
      mechanism: 'Lost packets are repeated and count twice.',
      test: promql(`rate(node_netstat_Tcp_RetransSegs{${ofInstance}}[5m])
        / rate(node_netstat_Tcp_OutSegs{${ofInstance}}[5m])`, { atLeast: 0.05, notUpTo: 0.01 }),
    },
  ],
  steps: [
    {
      action: 'See which interface carries it.',
      why: 'Its name tells user traffic from storage, backup and container networks.',
      command: promql(throughput(ofInstance)),
    },
    {
      action: 'List the connections with their bytes.',
      why: 'The peer and the process of the largest one name the transfer.',
      command: ssh('sudo ss -tinp state established | head -n 40'),
    },
  ],
};

export const networkFamilies: readonly Family[] = [
  conntrack, networkThroughput, networkErrors,
];
