import {
  ifNone, ifSome, labelMatches, metrics, names, promql, shell, type Family, type Step,
  type TestQuery,
} from '../family.ts';
import { describePod, listPods, ofPod, previousLog, rollBack, rolledOut } from '../usual-checks.ts';

const reasonMatches = (pattern: RegExp): ReturnType<typeof labelMatches> =>
  labelMatches(['reason', 'exit_reason', 'terminated_reason', 'waiting_reason'], pattern);
const lastEnd = (reason: string): TestQuery =>
  ifSome(`kube_pod_container_status_last_terminated_reason{${ofPod},${reason}}`);
const waiting = (reason: string): TestQuery =>
  ifSome(`kube_pod_container_status_waiting_reason{${ofPod},${reason}}`);
const probeFailed = (type: string, range: string): TestQuery =>
  ifSome(`increase(prober_probe_total{${ofPod},probe_type="${type}",result="failed"}[${range}])`);
const eventsOf: Step = {
  action: 'Read the events of the namespace, newest last.',
  why: 'They show what else happened at that moment, on other pods as well.',
  command: shell('kubectl get events --namespace={namespace} --sort-by=.lastTimestamp'),
};

const crashLooping: Family = {
  id: 'pod-crash-looping',
  isOfPods: true,
  names: names(`(?:kube|kubernetes)?(?:pod|container)(?:is)?(?:crash(?:es|ing|ed)?(?:loop\\w*)?
    |restart(?:s|ing|ed)?\\w*|frequentlyrestarting|highrestarts)|crashloop\\w*
    |(?:high|toomany|frequent)(?:pod|container)?restarts?\\w*`),
  metrics: metrics(`kube_pod_container_status_(?:restarts_total|last_terminated_\\w+
    |waiting_reason\\{[^{}]*CrashLoopBackOff)`),
  meaning: 'A container ends again and again, and Kubernetes waits longer before each new start.',
  impact: 'The replica serves nothing while it waits; the others carry its share.',
  unit: 'count',
  causes: [
    {
      id: 'exits-at-start', cause: 'The program exits because of its configuration',
      mechanism: 'A setting, secret or environment variable is missing or not valid.',
      test: lastEnd('reason="Error"'),
      note: 'If it holds, it ends with a small exit code within seconds, and its log says why.',
      when: reasonMatches(/^error$/iu),
    },
    {
      id: 'cannot-start', cause: 'Its command cannot be started',
      mechanism: 'The command is not in the image, or the container may not run it.',
      test: lastEnd('reason=~"StartError|ContainerCannotRun"'),
      note: 'The message of its last state names the command.',
      when: reasonMatches(/^(?:containercannotrun|starterror)$/iu),
    },
    {
      id: 'completes', cause: 'Its program exits by itself, without an error',
      mechanism: 'It is meant to keep running, but has nothing to do or the wrong command.',
      test: lastEnd('reason="Completed"'),
      note: 'If it holds, its exit code is 0.',
      when: reasonMatches(/^completed$/iu),
    },
    {
      id: 'oom-killed', cause: 'It is killed at its memory limit',
      mechanism: 'The kernel kills the container as soon as it crosses its limit.',
      test: lastEnd('reason="OOMKilled"'),
      note: 'If it holds, its exit code is 137.',
      when: reasonMatches(/oom/iu),
    },
    {
      id: 'liveness', cause: 'Its liveness probe kills it',
      mechanism: 'The probe fails while the program starts or is busy; the kubelet restarts it.',
      test: probeFailed('Liveness', '1h'),
      note: 'If it holds, its exit code is 137 or 143, without OOMKilled.',
      when: reasonMatches(/^livenessprobefailed$/iu),
    },
    {
      id: 'dependency', cause: 'Something it needs at start does not answer', isElsewhere: true,
      mechanism: 'It cannot reach its database, queue or secret store, and gives up.',
      test: previousLog,
      confirms: 'The last lines are connection errors or timeouts.',
      refutes: 'The last lines show another error, or a clean start.',
    },
    {
      id: 'release', cause: 'The new release is broken',
      mechanism: 'All replicas of the new version behave alike, while the old ones are fine.',
      test: rolledOut,
    },
  ],
  steps: [
    {
      action: 'Read the last lines of the container that died.',
      why: 'They name the cause more often than anything else.',
      command: previousLog,
      expected: 'An error in the last lines, or an abrupt end (killed from outside); ' +
        '"not found" stands for a container that never ended.',
    },
    describePod,
    {
      ...listPods, action: 'See which replicas are affected, and on which nodes.',
      why: 'All of them means release or dependency; one node means the node.',
    },
    rollBack,
  ],
};

const podNotReady: Family = {
  id: 'pod-not-ready',
  isOfPods: true,
  names: names(`(?:kube|kubernetes)?pods?(?:not(?:ready|running|healthy|scheduled)|unhealthy|pending
    |stuck\\w*|unschedulable|failed|evicted|unready)|podnotready\\w*|unschedulablepods?`),
  metrics: metrics('kube_pod_status_(?:phase|ready|unschedulable|scheduled)'),
  meaning: 'The pod has not become ready for longer than it should take.',
  impact: 'It gets no traffic; capacity is down by one replica.',
  unit: 'state',
  causes: [
    {
      id: 'unschedulable', cause: 'No node can take it',
      mechanism: 'Requests, taints, affinity or a volume leave no node, so it stays Pending.',
      test: promql(`kube_pod_status_unschedulable{${ofPod}}`, { atLeast: 1 }),
      isDirect: true,
      when: reasonMatches(/^unschedulable$/iu),
    },
    {
      id: 'readiness', cause: 'Its readiness probe fails',
      mechanism: 'It runs, but reports that it cannot serve: slow start or a dependency.',
      test: probeFailed('Readiness', '15m'),
      when: reasonMatches(/^readinessprobefailed$/iu),
    },
    {
      id: 'init-container', cause: 'An init container does not finish',
      mechanism: 'The main containers wait until every init container has succeeded.',
      test: ifNone(`kube_pod_init_container_status_ready{${ofPod}}`),
      when: reasonMatches(/^initcontainerrunning$/iu),
    },
    {
      id: 'node-gone', cause: 'Its node does not answer',
      mechanism: 'The state of the pod is unknown because its kubelet reports nothing.',
      test: ifSome(`kube_pod_status_phase{${ofPod},phase="Unknown"}`),
      when: reasonMatches(/^notready$/iu),
    },
    {
      id: 'volume', cause: 'A volume it needs is not there',
      mechanism: 'The claim is unbound, or its disk is still attached elsewhere.',
      test: ifSome(
        'kube_persistentvolumeclaim_status_phase{namespace="{namespace}",phase="Pending"} == 1',
      ),
      when: reasonMatches(/^(?:failed(?:mount|attachvolume)|claimnotbound)$/iu),
    },
  ],
  steps: [describePod, eventsOf],
};

const containerWaiting: Family = {
  id: 'container-waiting',
  isOfPods: true,
  names: names(`(?:kube|kubernetes)?(?:container|pod)waiting
    |(?:kube|kubernetes)?(?:pod|container)?(?:errimagepull|(?:image)?pull(?:backoff|error|failed
    |failure)s?)|(?:pod|container)?create(?:container)?(?:config)?error`),
  metrics: metrics('kube_pod_container_status_waiting(?:_reason)?'),
  meaning: 'Kubernetes has a place for the container but cannot start it.',
  impact: 'The replica never comes up; a rollout stops here.',
  unit: 'state',
  causes: [
    {
      id: 'image-pull', cause: 'The image cannot be pulled',
      mechanism: 'Wrong tag, private registry without credentials, rate limit, or registry down.',
      test: waiting('reason=~"ImagePullBackOff|ErrImagePull|InvalidImageName"'),
      when: reasonMatches(/image/iu),
    },
    {
      id: 'missing-config', cause: 'A ConfigMap or Secret it refers to is missing',
      mechanism: 'The kubelet cannot build its environment without it.',
      test: waiting('reason="CreateContainerConfigError"'),
      note: 'The message of its state names one.',
      when: reasonMatches(/^(?:createcontainerconfigerror|configmissing)$/iu),
    },
    {
      id: 'volume-or-network', cause: 'Its volume or its network is not set up',
      mechanism: 'ContainerCreating lasts until the disk is attached and the CNI gave an address.',
      test: waiting('reason="ContainerCreating"'),
      note: 'If it holds, its events say FailedMount, or name an error of the sandbox.',
      when: reasonMatches(/containercreating/iu),
    },
    {
      id: 'crash-loop', cause: 'It started and crashed',
      mechanism: 'CrashLoopBackOff waits between starts; the cause is in the last run.',
      test: waiting('reason="CrashLoopBackOff"'),
      when: reasonMatches(/crashloop/iu),
    },
  ],
  steps: [describePod, eventsOf],
};

export const podFamilies: readonly Family[] = [crashLooping, containerWaiting, podNotReady];
