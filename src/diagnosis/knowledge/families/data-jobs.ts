import { look, metrics, names, promql, shell, type Family } from '../family.ts';

// The label `job` of these series may be that of the program, so the tests go by the namespace.
const ns = 'namespace="{namespace}"';
const podsWide = look({
  action: 'List the pods, their restarts and their age.',
  why: 'Workers that are missing or restart are the most frequent cause.',
  command: shell('kubectl get pods --namespace={namespace} -o wide'),
  expected: 'All Ready, without new restarts.',
});
const podLog = look({
  action: 'Read the log of the pod.',
  why: 'The exception that ended the job or the task stands in it, with its cause below.',
  command: shell('kubectl logs --namespace={namespace} --since=1h --tail=300 pod/{pod}'),
  expected: 'One exception that repeats.',
});

const flink: Family = {
  id: 'flink-job',
  names: [
    names(`flink(?!\\w*(?:heapmemory|gctime|isdown))(?:job(?:is)?notrunning|jobrestart\\w*|no\\w+
      |all\\w*slots\\w*|checkpoint\\w*|task\\w*backpressure\\w*)`),
  ],
  metrics: [
    metrics(`flink_jobmanager_(?:numR\\w+|taskSlotsAvailable
      |job_(?:numRestarts|numberOfFailedCheckpoints|lastCheckpointDuration))
      |flink_taskmanager_job_task_(?:isBackPressured|backPressured\\w+|numRecordsIn)`),
  ],
  meaning: 'A Flink job does not run, restarts, or does not keep up.',
  impact: 'Results are late; without checkpoints a restart goes over all since the last one again.',
  unit: null,
  causes: [
    {
      id: 'no-workers', cause: 'Task managers are missing',
      mechanism: 'Without slots a job waits, or fails when it does not get them in time.',
      test: promql(`min(flink_jobmanager_numRegisteredTaskManagers{${ns}})`,
        { supports: 0, refutes: 1 }),
      confirms: 'No task manager is registered.',
      refutes: 'Task managers are registered.',
    },
    {
      id: 'failing', cause: 'The job fails and is restarted, again and again',
      mechanism: 'A record it cannot read, a dependency that is down, or too little memory.',
      test: promql(`max(delta(flink_jobmanager_job_numRestarts{${ns}}[15m]))`,
        { supports: 1, refutes: 0 }),
      confirms: 'It restarted within the last quarter of an hour.',
      refutes: 'It did not.',
    },
    {
      id: 'checkpoints', cause: 'Checkpoints fail',
      mechanism: 'The store of its state is slow or down, or the state has grown too large.',
      test: promql(`max(delta(flink_jobmanager_job_numberOfFailedCheckpoints{${ns}}[15m]))`,
        { supports: 1, refutes: 0 }),
      confirms: 'Checkpoints failed within the last quarter of an hour.',
      refutes: 'None failed.',
    },
    {
      id: 'backpressure', cause: 'A task or a sink is slower than what comes in',
      mechanism: 'All tasks before it wait, and checkpoints wait with them.',
      test: promql(`max(flink_taskmanager_job_task_backPressuredTimeMsPerSecond{${ns}})`,
        { supports: 500, refutes: 100 }),
      confirms: 'A task waits for half of the time or more; the one after it is slow.',
      refutes: 'None waits for a tenth of the time.',
    },
  ],
  steps: [
    podLog,
    podsWide,
    look({
      action: 'On the page of the job manager, open the job and its exceptions.',
      why: 'The root exception names the task and the host on which it failed first.',
      command: null,
      expected: 'No new exception, and the last checkpoint is recent.',
    }),
  ],
};

const airflow: Family = {
  id: 'airflow-dags',
  names: [
    names(`(?:apache)?airflow(?:dag(?:run)?(?:failures?|failed|scheduledelay)\\w*
      |starvingpooltasks|\\w*(?:scheduler|heartbeat)\\w*)`),
  ],
  metrics: [
    metrics(`airflow_(?:pool_starving_tasks|dagrun_(?:schedule_delay|duration_failed)\\w*
      |scheduler_heartbeat)`),
  ],
  meaning: 'Runs of an Airflow DAG fail, or its tasks start late.',
  impact: 'What the DAG produces is missing or old, and so is all that is made from it.',
  unit: null,
  causes: [
    {
      id: 'task-fails', cause: 'A task fails',
      mechanism: 'After its retries the run has failed; the tasks after it are not started.',
      test: promql(`sum(increase(airflow_dagrun_duration_failed_count{${ns}}[30m]))`,
        { supports: 1, refutes: 0 }),
      confirms: 'Runs failed within the last half hour; the log of the task says why.',
      refutes: 'None failed.',
    },
    {
      id: 'pool-full', cause: 'All slots of a pool are taken',
      mechanism: 'Tasks that run for long, or hang, keep the others waiting.',
      test: promql(`max(airflow_pool_starving_tasks{${ns}})`, { supports: 1, refutes: 0 }),
      confirms: 'Tasks wait for a slot.',
      refutes: 'None waits.',
    },
    {
      id: 'scheduler', cause: 'The scheduler is down or slow',
      mechanism: 'It is short of CPU, or waits for its database.',
      test: promql(`sum(kube_pod_status_ready{${ns},condition="false"})`,
        { supports: 1, refutes: 0 }),
      confirms: 'A pod of the namespace is not ready.',
      refutes: 'All pods are ready.',
    },
  ],
  steps: [
    look({
      action: 'On the page of the DAG, open the first task that failed, and its log.',
      why: 'The tasks after it fail for its sake only.',
      command: null,
      expected: 'An error, or a task that has run for far longer than before.',
    }),
    podsWide,
    podLog,
  ],
};

export const dataJobFamilies: readonly Family[] = [flink, airflow];
