import { ifSome, metrics, names, promql, shell, type Family } from '../family.ts';
import { readWarnings } from '../usual-checks.ts';

const quota: Family = {
  id: 'quota',
  names: names('kubequota(?:almostfull|fullyused|exceeded)|(?:resource|namespace)quota\\w*'),
  metrics: metrics('kube_resourcequota'),
  meaning: 'The namespace uses nearly all that its quota allows of a resource.',
  impact: 'New pods are refused once it is used up: rollouts and autoscaling stop.',
  unit: 'ratio',
  causes: [
    {
      id: 'replicas-up', cause: 'Replicas were added',
      mechanism: 'A rollout or an autoscaler runs more pods than the quota was made for.',
      test: ifSome('delta(sum(kube_deployment_spec_replicas{namespace="{namespace}"})[1h:5m])'),
    },
    {
      id: 'leftover-jobs', cause: 'Jobs that ended, or never end, still count',
      mechanism: 'Their pods or objects stay and use the quota.',
      test: promql(`count(kube_pod_status_phase{namespace="{namespace}",
        phase=~"Succeeded|Failed|Pending"} == 1)`, { atLeast: 20, notUpTo: 2 }),
    },
    {
      id: 'rollout-surge', cause: 'A rollout runs old and new pods side by side',
      mechanism: 'The surge needs room until the rollout ends.',
      test: ifSome('sum(kube_deployment_status_replicas{namespace="{namespace}"}' +
        ' - kube_deployment_spec_replicas{namespace="{namespace}"} > 0) or ' +
        'sum(kube_deployment_spec_replicas{namespace="{namespace}"}) * 0'),
    },
  ],
  steps: [
    {
      action: 'Read the quotas of the namespace.',
      why: 'It shows which resource is used up.',
      command: shell('kubectl describe quota --namespace={namespace}'),
      expected: 'Used equals Hard for one resource.',
    },
    {
      action: 'List the pods that use it.',
      why: 'Finished jobs and forgotten deployments can go; the rest needs a larger quota.',
      command: shell('kubectl get pods --namespace={namespace} --sort-by=.status.startTime'),
    },
  ],
};

const overcommit: Family = {
  id: 'overcommit',
  names: names(`kube(?:cpu|memory|mem)(?:quota)?overcommit|(?:cluster|cpu|memory)(?:over
    (?:commit(?:ted|ment)?|subscribed)|capacity(?:low|exhausted))|clusteroutofcapacity`),
  metrics: metrics('namespace_(?:cpu|memory):kube_pod_container_resource_\\w+:sum'),
  meaning: 'Requests add up to more than the cluster could provide if it lost a node.',
  impact: 'After the loss of one node some pods would stay Pending.',
  unit: 'ratio',
  causes: [
    {
      id: 'lost-node', cause: 'A node is gone or not ready',
      mechanism: 'The same requests share fewer nodes.',
      test: promql('delta(sum(kube_node_status_condition{condition="Ready",status="true"})' +
        '[6h:5m])', { atMost: -1, notFrom: 0 }),
    },
    {
      id: 'growth', cause: 'Workloads request more',
      mechanism: 'New deployments or larger requests took what was left.',
      test: promql(`sum(kube_pod_container_resource_requests{resource="cpu"})
        / sum(kube_pod_container_resource_requests{resource="cpu"} offset 1d)`,
        { atLeast: 1.1, notUpTo: 1.01 }),
    },
    {
      id: 'requests-too-high', cause: 'Requests are far above what is used',
      mechanism: 'The cluster is full on paper while its CPUs idle.',
      test: promql(`sum(rate(container_cpu_usage_seconds_total{container!=""}[5m]))
        / sum(kube_pod_container_resource_requests{resource="cpu"})`,
        { atMost: 0.3, notFrom: 0.7 }),
    },
  ],
  steps: [
    {
      action: 'Check that all nodes are there.',
      why: 'A missing node is the one cause that needs action tonight.',
      command: shell('kubectl get nodes -o wide'),
    },
    {
      action: 'Compare use with requests.',
      why: 'Low use means that requests can be lowered; high use means more nodes.',
      command: shell('kubectl top nodes'),
    },
  ],
};

const nodeAutoscaler: Family = {
  id: 'node-autoscaler',
  names: names(`(?:karpenter|clusterautoscaler)
    (?!\\w*(?:down|absent|memory|cpu|restart|crash))\\w+`),
  metrics: metrics('karpenter_\\w+|cluster_autoscaler_\\w+'),
  meaning: 'The cluster cannot add the nodes that it needs, or cannot remove others.',
  impact: 'Pods stay Pending, or nodes that nobody needs cost money.',
  causes: [
    {
      id: 'at-limit', cause: 'A configured limit is reached',
      mechanism: 'A node pool or the whole cluster may not grow beyond it.',
      test: promql(`max(sum by (nodepool, resource_type) (karpenter_nodepools_usage{job="{job}"})
        / sum by (nodepool, resource_type) (karpenter_nodepools_limit{job="{job}"})
        or sum(cluster_autoscaler_nodes_count{job="{job}"})
        / sum(cluster_autoscaler_max_nodes_count{job="{job}"}))`,
        { atLeast: 0.95, notUpTo: 0.75 }),
    },
    {
      id: 'provider', cause: 'The provider supplies no machines',
      mechanism: 'A quota, a type that is sold out, or a missing permission.',
      test: ifSome(`sum(increase(karpenter_cloudprovider_errors_total{job="{job}"}[15m]))
        or sum(increase(cluster_autoscaler_failed_scale_ups_total{job="{job}"}[15m]))`),
    },
    {
      id: 'unplaceable', cause: 'No node that could be added would fit the pods',
      mechanism: 'They request more than any type has, or a zone or a label that no pool has.',
      test: ifSome('sum(kube_pod_status_unschedulable)'),
      note: 'The events of the pods say why.',
    },
    {
      id: 'drain-blocked', cause: 'Nodes that should be removed cannot be drained',
      mechanism: 'A disruption budget allows no pod to be evicted.',
      test: promql('count(kube_poddisruptionbudget_status_pod_disruptions_allowed == 0)',
        { atLeast: 1 }),
    },
  ],
  steps: [
    {
      action: 'List the pods that wait for a node.',
      why: 'It shows which requests no node can meet.',
      command: shell('kubectl get pods --all-namespaces --field-selector=status.phase=Pending ' +
        '-o wide'),
      expected: 'None, or pods that have waited for seconds only.',
    },
    {
      ...readWarnings, why: 'The autoscaler writes there why it does not add or remove a node.',
      expected: 'FailedScaleUp, NotTriggerScaleUp or a message of Karpenter with the reason.',
    },
  ],
};

export const capacityFamilies: readonly Family[] = [quota, overcommit, nodeAutoscaler];
