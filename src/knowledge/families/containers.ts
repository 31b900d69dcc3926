import { ifSome, labelMatches, metrics, names, promql, shell, type Family } from '../family.ts';
import { describePod, leak, ofPod, rolledOut } from '../usual-checks.ts';

const container = `${ofPod},container="{container}"`;
const memory = `container_memory_working_set_bytes{${container},container!=""}`;

const containerMemory: Family = {
  id: 'container-memory',
  names: names(`(?:kube|kubernetes)?(?:container|pod)(?:high|low)?(?:memory(?:usage|usagehigh|high
    |nearlimit|limit|utili[sz]ation)?|oomkill(?:ed|er)?|outofmemory|oom)|oomkilled`),
  metrics: metrics('container_memory_(?:working_set|usage|rss)_bytes|container_oom_events_total'),
  meaning: 'The container uses nearly all of its memory limit, or was killed for exceeding it.',
  impact: 'The kernel kills it at the limit; its work in flight is lost and it restarts.',
  causes: [
    {
      id: 'killed', cause: 'It was killed at its memory limit',
      mechanism: 'The kernel ends a container that crosses its limit, by a leak or by normal work.',
      test: ifSome(`max_over_time(kube_pod_container_status_last_terminated_reason{
        namespace="{namespace}",pod="{pod}",reason="OOMKilled"}[1h])`),
      when: labelMatches(['reason', 'exit_reason', 'terminated_reason'], /oom/iu),
    },
    {
      id: 'leak', cause: 'The program leaks memory',
      mechanism: 'Its memory grows steadily from each start to each kill.',
      test: leak(memory, { atLeast: 1.15, notUpTo: 1.02 }),
    },
    {
      id: 'limit-too-low', cause: 'The limit is lower than what the program needs',
      mechanism: 'Normal work comes close to it.',
      test: promql(`max(${memory} offset 1d)
        / max(kube_pod_container_resource_limits{${container},resource="memory"})`,
        { atLeast: 0.8, notUpTo: 0.6 }),
    },
    {
      id: 'load-peak', cause: 'A load peak or a large request needs more memory',
      mechanism: 'Many requests at once, or one huge one, are held in memory.',
      test: promql(`sum(rate(container_network_receive_bytes_total{${ofPod}}[5m]))
        / sum(rate(container_network_receive_bytes_total{${ofPod}}[5m] offset 1h))`,
        { atLeast: 2, notUpTo: 1.2 }),
    },
    {
      id: 'heap-setting', cause: 'The heap may grow beyond the limit of the container',
      mechanism: 'The runtime was told, or assumes, more memory than the container has.',
      test: shell('kubectl get --namespace={namespace} pod/{pod} -o yaml'),
      confirms: 'The heap option is above about three quarters of the limit.',
    },
  ],
  steps: [
    {
      ...describePod, action: 'Read how the container ended and what limit it has.',
      why: 'OOMKilled with exit code 137 settles it.',
      expected: 'Last State: Terminated, Reason: OOMKilled, and the memory limit.',
    },
    {
      action: 'Compare the memory of the pod with its siblings.',
      why: 'All alike means limit or release; one alone means its traffic or a leak.',
      command: shell('kubectl top pods --namespace={namespace} --containers --sort-by=memory'),
    },
  ],
};

const cpuUsage = `sum by (namespace, pod, container) (
  rate(container_cpu_usage_seconds_total{${container},container!=""}[5m]))`;
const cpuLimit = `sum by (namespace, pod, container) (
  kube_pod_container_resource_limits{${container},resource="cpu"})`;

const containerCpu: Family = {
  id: 'container-cpu',
  names: names(`(?:high|cpu)?throttling(?:high)?|(?:high)?cputhrottling
    |(?:kube|kubernetes)?(?:container|pod)(?:high|low)?(?:cpu(?:usage|usagehigh|high|throttl\\w*
    |utili[sz]ation)?|highthrottlerate|throttl\\w*)`),
  metrics: metrics('container_cpu_(?:cfs_\\w+|usage_seconds_total)|container_cpu_\\w+_total'),
  meaning: 'The container wants more CPU time than its limit gives it.',
  impact: 'It pauses in each period of 100 ms; harmless if latency is flat, else requests wait.',
  unit: 'ratio',
  causes: [
    {
      id: 'sustained-load', cause: 'The container needs more CPU than its limit all the time',
      mechanism: 'Average use is at the limit, so every period ends in a pause.',
      test: promql(`${cpuUsage} / ${cpuLimit}`, { atLeast: 0.8, notUpTo: 0.3 }),
    },
    {
      id: 'bursts', cause: 'Short bursts hit a small limit',
      mechanism: 'Average use is low, but requests or collections burn the quota of a period.',
      test: promql(`${cpuUsage} / ${cpuLimit}`, { atMost: 0.3, notFrom: 0.8 }),
    },
    {
      id: 'many-threads', cause: 'Many threads share a small quota',
      mechanism: 'The runtime sizes its pools by the cores of the host, not by the limit.',
      test: promql(`max(container_threads{${container},container!=""})`,
        { atLeast: 100, notUpTo: 8 }),
    },
    {
      id: 'release', cause: 'A release made the same work cost more',
      mechanism: 'CPU per request stepped up with the new version.',
      test: rolledOut,
    },
  ],
  steps: [
    {
      action: 'Check whether the latency of the service moved at all.',
      why: 'Throttling without a victim needs no action tonight.',
      command: promql(`histogram_quantile(0.99, sum by (le) (
        rate(http_request_duration_seconds_bucket{namespace="{namespace}"}[5m])))`),
    },
    {
      action: 'Compare the CPU of the pod with its siblings.',
      why: 'One pod alone means its traffic; all of them mean load, limit or release.',
      command: shell('kubectl top pods --namespace={namespace} --containers --sort-by=cpu'),
    },
  ],
};

export const containerFamilies: readonly Family[] = [containerMemory, containerCpu];
