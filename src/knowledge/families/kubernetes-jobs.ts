import {
  ifNone, ifSome, labelMatches, metrics, names, promql, shell, type Family, type Step,
} from '../family.ts';
import { listPods, notReady, pending, unschedulable } from '../usual-checks.ts';

const cron = 'namespace="{namespace}",cronjob="{cronjob}"';
const job = 'namespace="{namespace}",job_name="{job_name}"';
const describeCronJob: Step = {
  action: 'Describe the cron job.',
  why: 'It shows its schedule, whether it is suspended, and its latest jobs.',
  command: shell('kubectl describe --namespace={namespace} cronjob/{cronjob}'),
  expected: 'Last Schedule Time is recent, Suspend is False, and events name the jobs.',
};

const cronJob: Family = {
  id: 'cron-job',
  isOfPods: true,
  names: names(`(?:kube|kubernetes)?cronjob(?!\\w*(?:fail|error))\\w*`),
  reads: /(?<![\w:])kube_cronjob_\w+/u,
  metrics: metrics('kube_cronjob_\\w+'),
  meaning: 'A cron job has not run, has not succeeded or runs far too long.',
  impact: 'What it should have produced is missing or stale: a backup, a report, a clean-up.',
  causes: [
    {
      id: 'suspended', cause: 'Its schedule is suspended',
      mechanism: 'A suspended cron job starts nothing until it is resumed.',
      test: ifSome(`max(kube_cronjob_spec_suspend{${cron}})`),
    },
    {
      id: 'still-running', cause: 'Its last run has not ended',
      mechanism: 'With concurrencyPolicy Forbid, no other run starts meanwhile.',
      test: ifSome(`max(kube_cronjob_status_active{${cron}})`),
    },
    {
      id: 'runs-fail', cause: 'It runs, but its runs fail',
      mechanism: 'It is started on time; only successful runs count.',
      test: shell('kubectl get jobs --namespace={namespace} --sort-by=.metadata.creationTimestamp'),
      confirms: 'Its last jobs began on time and are not Complete.',
      refutes: 'It has no recent job.',
    },
    {
      id: 'not-started', cause: 'Its pod was never started',
      mechanism: 'No node has room, or a quota is used up.',
      test: unschedulable,
    },
  ],
  steps: [
    describeCronJob,
    {
      action: 'List its jobs.',
      why: 'They show whether it was started, and how each run ended.',
      command: shell('kubectl get jobs --namespace={namespace} ' +
        '--sort-by=.metadata.creationTimestamp'),
      expected: 'The latest is Complete and as old as the schedule allows.',
    },
  ],
};

const jobFailed: Family = {
  id: 'job-failed',
  isOfPods: true,
  names: names(`kubejob\\w+|kubecronjob\\w+|kubernetes(?:job|cronjob)\\w+|(?:cron|batch|backup)?job
    (?:failed|failure|failing|notcompleted|toolong|stuck|slow\\w*|missed|notrunning)
    |backup(?:failed|missing|tooold|failure)|cronjob\\w*`),
  reads: /(?<![\w:])kube_(?:job|cronjob)_\w+/u,
  metrics: metrics('kube_(?:job|cronjob)_\\w+'),
  meaning: 'A job failed, runs far too long or was not started.',
  impact: 'What it should have produced is missing or stale: a backup, a report, a clean-up.',
  causes: [
    {
      id: 'program-failed', cause: 'The program ends with an error, again and again',
      mechanism: 'After the last retry the job is marked failed.',
      test: ifSome(`kube_job_status_failed{${job},reason="BackoffLimitExceeded"}`),
      when: labelMatches(['reason'], /backofflimit/iu),
    },
    {
      id: 'deadline', cause: 'It ran into its deadline',
      mechanism: 'Kubernetes ends the job when activeDeadlineSeconds have passed.',
      test: ifSome(`kube_job_status_failed{${job},reason="DeadlineExceeded"}`),
      when: labelMatches(['reason'], /deadline/iu),
    },
    {
      id: 'more-input', cause: 'It has more to do than before, or waits for a lock',
      mechanism: 'It is not broken, only slow; it may overlap with the next run.',
      test: ifSome(`sum(kube_job_status_active{${job}})`),
      note: 'It is how many of its pods run.',
    },
    {
      id: 'not-started', cause: 'Its pod was never started',
      mechanism: 'No node has room, a quota is used up, or the schedule is suspended.',
      test: unschedulable,
    },
  ],
  steps: [
    {
      action: 'Read the log of the job.',
      why: 'The last lines name the error in most cases.',
      command: shell('kubectl logs --namespace={namespace} --tail=100 --all-containers ' +
        'job/{job_name}'),
    },
    {
      action: 'Describe the job.',
      why: 'Conditions and events tell a failed program from a pod that never ran.',
      command: shell('kubectl describe --namespace={namespace} job/{job_name}'),
      expected: 'The condition Failed with its reason, or pods that are still active.',
    },
    describeCronJob,
  ],
};

const hpa = 'namespace="{namespace}",horizontalpodautoscaler="{horizontalpodautoscaler|hpa}"';

const received = (ago: string): string =>
  `sum(rate(container_network_receive_packets_total{namespace="{namespace}"}[5m]${ago}))`;

const autoscaler: Family = {
  id: 'autoscaler',
  names: names(`
    kubehpa\\w+|kuberneteshpa\\w+|hpa(?:at)?(?:max\\w*|replicas\\w*|scal\\w*|metrics\\w*)
    |(?:horizontalpod)?autoscaler(?:maxed\\w*|atmax\\w*|unable\\w*|limited)|keda\\w*scal\\w*`),
  metrics: metrics('kube_horizontalpodautoscaler_\\w+|kube_hpa_\\w+|keda_scaler_\\w+'),
  meaning: 'The autoscaler is at its maximum, or the replicas that it wants do not start.',
  impact: 'More load has nowhere to go: latency and errors follow.',
  unit: 'count',
  causes: [
    {
      id: 'true-load', cause: 'Load is higher than what the maximum was planned for',
      mechanism: 'Each replica is busy, so the autoscaler wants more than its maximum.',
      test: promql(`${received('')} / ${received(' offset 1h')}`,
        { atLeast: 1.5, notUpTo: 1.1 }),
    },
    {
      id: 'pods-pending', cause: 'The added pods cannot be scheduled or do not become ready',
      mechanism: 'The autoscaler asked for them, but they take no load.',
      test: pending,
    },
    {
      id: 'metrics-api', cause: 'The autoscaler gets no metrics',
      mechanism: 'The metrics API is down, so it keeps the replicas as they are.',
      test: ifSome(`kube_horizontalpodautoscaler_status_condition{${hpa},
        condition="ScalingActive",status="false"}`),
    },
  ],
  steps: [
    {
      action: 'Describe the autoscaler.',
      why: 'It shows metric, target and conditions side by side.',
      command: shell('kubectl describe --namespace={namespace} ' +
        'hpa/{horizontalpodautoscaler|hpa}'),
      expected: 'ScalingLimited says TooManyReplicas, or ScalingActive is False.',
    },
    {
      action: 'Check that the nodes have room before raising the maximum.',
      why: 'A higher maximum only adds Pending pods when the cluster is full.',
      command: shell('kubectl top nodes'),
      expected: 'CPU and memory have room for the additional replicas.',
    },
    {
      action: 'Raise the maximum when load is real and the nodes have room.',
      why: 'It adds capacity within a minute.',
      expected: 'Replicas rise and the metric falls below its target.',
      risk: 'medium: a database behind gets more connections; check its limit first',
      undo: 'Set the former maximum.',
    },
  ],
};

const pdb = 'namespace="{namespace}",poddisruptionbudget="{poddisruptionbudget|pdb}"';

const disruptionBudget: Family = {
  id: 'disruption-budget',
  names: names(`kubepdb\\w+|(?:kube)?pdb(?:notenough\\w*|limit|atlimit|violated)
    |poddisruptionbudget\\w*`),
  metrics: metrics('kube_poddisruptionbudget_\\w+'),
  meaning: 'Fewer pods are healthy than the disruption budget asks for.',
  impact: 'Node drains and upgrades stop here, and the service is short of replicas.',
  unit: 'count',
  causes: [
    {
      id: 'pods-unready', cause: 'Pods of the workload are not ready',
      mechanism: 'They crash, wait or fail their probe, and do not count as healthy.',
      test: notReady,
    },
    {
      id: 'drain', cause: 'A node is being drained',
      mechanism: 'Pods were moved and their successors are not ready yet.',
      test: ifSome('sum(kube_node_spec_unschedulable)'),
    },
    {
      id: 'budget-too-strict', cause: 'The budget asks for as many pods as there are',
      mechanism: 'With minAvailable equal to the replicas, one restart breaks it.',
      test: ifNone(`kube_poddisruptionbudget_status_expected_pods{${pdb}}
        - kube_poddisruptionbudget_status_desired_healthy{${pdb}}`),
    },
  ],
  steps: [
    {
      action: 'Describe the budget.',
      why: 'It names the selector, and how many are healthy, wanted and allowed.',
      command: shell('kubectl describe --namespace={namespace} ' +
        'pdb/{poddisruptionbudget|pdb}'),
      expected: 'Current is below Desired, and the selector tells which pods.',
    },
    listPods,
  ],
};

export const jobFamilies: readonly Family[] = [
  autoscaler, disruptionBudget, cronJob, jobFailed,
];
