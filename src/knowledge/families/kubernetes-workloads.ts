import {
  ifSome, labelMatches, metrics, names, promql, shell, type Cause, type Family, type Step,
} from '../family.ts';
import {
  listPods, readinessFails, rollBack, rolledOut, unschedulable, waitingFor, warnings,
} from '../usual-checks.ts';

const podsWide: Step = {
  ...listPods, action: 'List the pods with their nodes.',
  why: 'The pods that are not ready group by version, node or zone.',
};
const describe = (kind: string): Step => ({
  action: `Describe the ${kind}.`,
  why: 'Its conditions and events say what the controller is waiting for.',
  command: shell(`kubectl describe --namespace={namespace} ${kind}/{${kind}}`),
  expected: 'A condition that is False, or an event that names quota, image or webhook.',
});

const readiness: Cause = {
  id: 'readiness', cause: 'The readiness probe of its pods fails',
  mechanism: 'They run, but report that they cannot serve: slow start or a dependency.',
  test: readinessFails,
  when: labelMatches(['reason'], /^readinessprobefailed$/iu),
};

const d = 'namespace="{namespace}",deployment="{deployment}"';

const deployment: Family = {
  id: 'deployment-replicas',
  isOfPods: true,
  names: names(`kubedeployment\\w+|kubernetesdeployment\\w+|kubernetesreplica(?:set|s)?\\w*mismatch
    |(?:kube)?deployment(?:replicas?\\w*|rollout\\w*|unavailable\\w*|stuck|degraded|unhealthy
    |generation\\w*)|replicas?(?:mismatch|unavailable)`),
  metrics: metrics('kube_(?:deployment|replicaset)_\\w+'),
  meaning: 'Fewer replicas are available, or updated, than the deployment asks for.',
  impact: 'Less capacity than planned, or a release that is stuck halfway.',
  unit: 'count',
  causes: [
    {
      id: 'new-pods-unready', cause: 'Pods of the new release do not become ready',
      mechanism: 'The rollout waits for them and keeps the old ones.',
      test: rolledOut,
    },
    {
      id: 'crash', cause: 'Its containers crash again and again',
      mechanism: 'A pod is not ready while its container waits for the next start.',
      test: waitingFor('CrashLoopBackOff'),
      isDirect: true,
    },
    {
      id: 'no-capacity', cause: 'The cluster has no room for the pods',
      mechanism: 'They stay Pending until a node has enough unreserved CPU and memory.',
      test: unschedulable,
      when: labelMatches(['reason'], /^unschedulable$/iu),
    },
    readiness,
    {
      id: 'quota', cause: 'A quota of the namespace is used up',
      mechanism: 'The API refuses new pods, so the replica set stays short.',
      test: promql(
        `max by (resource) (kube_resourcequota{namespace="{namespace}",type="used"}
          / ignoring (type) (kube_resourcequota{namespace="{namespace}",type="hard"} > 0))`,
        { atLeast: 1, notUpTo: 0.9 },
      ),
      when: labelMatches(['reason'], /^quotaexceeded$/iu),
    },
    {
      id: 'image', cause: 'The image cannot be pulled',
      mechanism: 'The containers of the new pods wait and never start.',
      test: waitingFor('ImagePullBackOff|ErrImagePull'),
      isDirect: true,
      when: labelMatches(['reason'], /^(?:errimage|imagepull|invalidimage)/iu),
    },
    {
      id: 'controller-down', cause: 'The controller manager does not act',
      mechanism: 'The observed generation stays behind: nothing acts on the change.',
      test: ifSome(`kube_deployment_metadata_generation{${d}}
        - kube_deployment_status_observed_generation{${d}}`),
    },
  ],
  steps: [
    describe('deployment'),
    podsWide,
    rollBack,
  ],
};

const s = 'namespace="{namespace}",statefulset="{statefulset}"';

const statefulSet: Family = {
  id: 'statefulset-replicas',
  isOfPods: true,
  names: names(`
    (?:kube|kubernetes)?statefulsets?\\w*(?:mismatch|rolledout|down|unavailable|stuck)`),
  metrics: metrics('kube_statefulset_\\w+'),
  meaning: 'Fewer replicas are ready, or updated, than the stateful set asks for.',
  impact: 'A member of a database or queue is missing; quorum may be one failure away.',
  unit: 'count',
  causes: [
    {
      id: 'first-bad-ordinal', cause: 'The first bad replica blocks all later ones',
      mechanism: 'Replicas start and update in order, each waiting for the one before.',
      test: ifSome(`kube_statefulset_replicas{${s}}
        - kube_statefulset_status_replicas_updated{${s}}`),
      note: 'If it holds, replicas after the first that is not ready were never touched.',
    },
    {
      id: 'volume-attach', cause: 'A volume cannot be attached',
      mechanism: 'The disk is in another zone, or still attached to a node that is gone.',
      test: warnings,
      confirms: 'Events say FailedAttachVolume, FailedMount or Multi-Attach.',
      when: labelMatches(['reason'], /^failed(?:mount|attachvolume)$/iu),
    },
    {
      id: 'no-capacity', cause: 'No node can take the replica',
      mechanism: 'Its volume ties it to one zone, and that zone is full.',
      test: unschedulable,
      when: labelMatches(['reason'], /^unschedulable$/iu),
    },
    readiness,
    {
      id: 'partition', cause: 'An update partition holds the rollout on purpose',
      mechanism: 'Replicas below the partition keep the old revision.',
      test: shell('kubectl get --namespace={namespace} statefulset/{statefulset} ' +
        "-o jsonpath='{.spec.updateStrategy}'"),
      confirms: 'A partition above zero is set.',
    },
  ],
  steps: [describe('statefulset'), podsWide],
};

const daemonSet: Family = {
  id: 'daemonset-rollout',
  isOfPods: true,
  names: names(`
    (?:kube|kubernetes)?daemonsets?\\w*(?:stuck|scheduled|misscheduled|mismatch|unavailable
    |missing|down|notready)`),
  metrics: metrics('kube_daemonset_\\w+'),
  meaning: 'The pod that belongs on every node is missing, unready or outdated on some.',
  impact: 'Those nodes lack what it provides: network, storage, logs or metrics.',
  unit: 'count',
  causes: [
    {
      id: 'node-not-ready', cause: 'A node is not ready',
      mechanism: 'The pod on it cannot be ready, and the rollout waits for it.',
      test: ifSome('sum(kube_node_status_condition{condition="Ready",status!="true"})'),
    },
    {
      id: 'node-full', cause: 'A node has no room left',
      mechanism: 'Other pods have taken the CPU, memory or pod slots of the node.',
      test: unschedulable,
    },
    readiness,
    {
      id: 'crash-on-some', cause: 'The new version fails on some nodes',
      mechanism: 'Image architecture, kernel or host path differ there.',
      test: waitingFor('CrashLoopBackOff'),
    },
  ],
  steps: [describe('daemonset'), podsWide],
};

export const workloadFamilies: readonly Family[] = [daemonSet, statefulSet, deployment];
