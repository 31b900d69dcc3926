import {
  ifNone, ifSome, labelMatches, metrics, names, promql, shell, ssh, type Family, type Step,
} from '../family.ts';
import { busyDisk } from '../usual-checks.ts';

const node = 'node="{node}"';
const exporter = 'instance=~"{node}(:.*)?"';
const condition = (name: string): string =>
  `kube_node_status_condition{${node},condition="${name}",status="true"}`;
const pressure = `sum by (condition) (kube_node_status_condition{${node},
  condition=~"MemoryPressure|DiskPressure|PIDPressure",status="true"})`;
const describeNode: Step = {
  action: 'Describe the node.',
  why: 'Its conditions say what the kubelet last reported, and when.',
  command: shell('kubectl describe node/{node}'),
  expected: 'A condition with the wrong status, with its reason and time.',
};
const podsOnNode: Step = {
  action: 'List the pods on the node.',
  why: 'They are what is at stake, and what may have caused it.',
  command: shell('kubectl get pods -A -o wide --field-selector=spec.nodeName={node}'),
};

const notReady: Family = {
  id: 'node-not-ready',
  names: names(`kubenode(?:notready|unreachable|readinessflapping)|kubernetesnode(?:notready
    |networkunavailable)|(?:k8s)?node(?:not)?(?:ready|unreachable|readinessflapping|unhealthy)`),
  // A node that is only cordoned is healthy.
  metrics: metrics(`kube_node_status_condition\\{[^{}]*condition="(?:Ready|NetworkUnavailable)"
    |kube_node_spec_taint(?!\\{[^{}]*unschedulable)`),
  meaning: 'The node does not report to the control plane that it is healthy.',
  impact: 'After five minutes its pods are replaced elsewhere, except those of stateful sets.',
  unit: 'state',
  causes: [
    {
      id: 'host-down', cause: 'The host is down or cut off',
      mechanism: 'No heartbeat arrives, so the control plane marks it Unknown.',
      test: ifNone(`max(up{${exporter}} or up{job="kubelet",${node}})`),
    },
    {
      id: 'kubelet-dead', cause: 'The kubelet or the container runtime is dead or hung',
      mechanism: 'The host is up, but nothing on it reports to the control plane.',
      // A node whose exporter is silent as well is gone.
      test: ifSome(`max(up{${exporter}}) - min(up{job="kubelet",${node}})`),
    },
    {
      id: 'pressure', cause: 'The node is out of memory, disk or process IDs',
      mechanism: 'The kubelet is starved, or evicts pods to recover.',
      test: ifSome(pressure),
    },
    {
      id: 'network-plugin', cause: 'The network plugin of the node does not run',
      mechanism: 'The kubelet reports NetworkPluginNotReady until it does.',
      test: promql(condition('NetworkUnavailable'), { atLeast: 1 }),
      note: 'A CNI pod on the node that is not ready says the same.',
      when: labelMatches(['reason'], /^networkpluginnotready$/iu),
    },
    {
      id: 'reboot', cause: 'The node rebooted or was replaced',
      mechanism: 'It comes back in minutes, or the provider took it away.',
      test: promql(`time() - node_boot_time_seconds{${exporter}}`,
        { atMost: 1800, notFrom: 86400 }),
      isAge: true,
    },
    {
      id: 'certificate', cause: 'The certificate of the kubelet has expired',
      mechanism: 'The API server refuses its heartbeats.',
      test: ifSome(`increase(kubelet_certificate_manager_client_expiration_renew_errors{${node}}` +
        '[1d])'),
    },
  ],
  steps: [
    describeNode,
    podsOnNode,
    {
      action: 'Read the log of the kubelet.',
      why: 'It says what it cannot do: reach the API, the runtime, the disk.',
      command: ssh('sudo journalctl --no-pager -n 100 --unit=kubelet --priority=warning', '{node}'),
      expected: 'A repeated error; no answer from ssh means that the host is gone.',
    },
    {
      action: 'Keep new pods off the node while it flaps.',
      why: 'Pods that land on it fail again.',
      command: shell('kubectl cordon node/{node}'),
      expected: 'The node shows SchedulingDisabled.',
      risk: 'low: the other nodes must have room',
      undo: 'kubectl uncordon the node.',
    },
  ],
};

const nodePressure: Family = {
  id: 'node-pressure',
  names: names(`kubenodeeviction|kubernetes(?:node)?(?:memory|disk|pid)pressure
    |kubernetes(?:out)?ofdisk|(?:kube)?node(?:memory|disk|pid)?pressure|(?:pod|kubelet)?evictions?
    |podsevicted`),
  metrics: metrics(`kube_node_status_condition\\{[^{}]*condition=~?"[^"]*Pressure
    |kubelet_evictions`),
  meaning: 'The kubelet is short of memory, disk or process IDs and evicts pods.',
  impact: 'Pods are killed and started elsewhere; the node takes no new ones.',
  causes: [
    {
      id: 'memory', cause: 'Pods use more memory than the node has',
      mechanism: 'Use above requests adds up until the kubelet evicts.',
      test: ifSome(condition('MemoryPressure')),
      when: labelMatches(['condition', 'eviction_signal'], /memory/iu),
    },
    {
      id: 'disk', cause: 'Images, logs or scratch data fill the disk of the node',
      mechanism: 'Below the threshold the kubelet removes images, then evicts pods.',
      test: ifSome(condition('DiskPressure')),
      when: labelMatches(['condition', 'eviction_signal'], /disk|fs/iu),
    },
    {
      id: 'pids', cause: 'A pod starts too many processes or threads',
      mechanism: 'The node runs out of process IDs.',
      test: ifSome(condition('PIDPressure')),
      when: labelMatches(['condition', 'eviction_signal'], /pid/iu),
    },
  ],
  steps: [describeNode, podsOnNode],
};

const kubelet: Family = {
  id: 'kubelet',
  names: names(`kubelet(?:down|instanceunreachable|toomanypods|pleg\\w*|podstartuplatencyhigh
    |runtimeerrors|slow\\w*)|kubernetes(?:nodeoutofpodcapacity|outofcapacity)|kubeproxydown`),
  metrics: metrics(`
    kubelet_(?:pleg|running_pod|pod_worker|pod_start|runtime_operations|node)\\w*
    |absent\\(\\s*up\\{[^{}]*kubelet`),
  meaning: 'The kubelet of a node does not answer, is behind, or is at its limit of pods.',
  impact: 'Pods on the node run on, but nothing on it starts, stops or is probed in time.',
  causes: [
    {
      id: 'runtime-hung', cause: 'The container runtime hangs',
      mechanism: 'The kubelet waits for answers and falls behind on everything.',
      test: promql(`sum(rate(kubelet_runtime_operations_errors_total{${node}}[5m]))`,
        { atLeast: 0.1, notUpTo: 0 }),
    },
    {
      id: 'too-many-pods', cause: 'The node runs too many pods',
      mechanism: 'Each pod costs the kubelet time; past its capacity it falls behind.',
      test: promql(`sum(kubelet_running_pods{${node}})
        / sum(kube_node_status_capacity{${node},resource="pods"})`,
        { atLeast: 0.95, notUpTo: 0.7 }),
    },
    {
      id: 'slow-disk', cause: 'The disk of the node is slow',
      mechanism: 'Starting and listing containers waits for the disk.',
      test: busyDisk(exporter),
    },
    {
      id: 'scrape-only', cause: 'Only the scrape fails',
      mechanism: 'A certificate, token or firewall keeps Prometheus out; the node is fine.',
      test: ifSome(condition('Ready')),
    },
  ],
  steps: [
    {
      action: 'Check the nodes.',
      why: 'A node that is Ready has a kubelet that reports.',
      command: shell('kubectl get nodes -o wide'),
    },
    {
      action: 'Read the state and log of the kubelet.',
      why: 'It names the runtime, the disk or the certificate.',
      command: ssh('systemctl status --no-pager kubelet; sudo journalctl --no-pager -n 50 ' +
        '--unit=kubelet --priority=warning', '{node|instance.host}'),
      expected: 'The unit is active, and one warning repeats.',
    },
  ],
};

export const kubernetesNodeFamilies: readonly Family[] = [notReady, nodePressure, kubelet];
