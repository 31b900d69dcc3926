import { ifNone, ifSome, metrics, names, promql, type Family, type Step } from '../family.ts';
import { listPods, notReady, readLog } from '../usual-checks.ts';

// The label `job` of these series may be the program's own, so the tests use the namespace.
const ns = 'namespace="{namespace}"';
const exceptions: Step = {
  ...readLog,
  why: 'It holds the exception that ended the job or the task, with its cause below.',
};

const flink: Family = {
  id: 'flink-job',
  names: names(`
    flink(?!\\w*(?:heapmemory|gctime|isdown))(?:job(?:is)?notrunning|jobrestart\\w*|no\\w+
    |all\\w*slots\\w*|checkpoint\\w*|task\\w*backpressure\\w*)`),
  metrics: metrics(`flink_jobmanager_(?:numR\\w+|taskSlotsAvailable
    |job_(?:numRestarts|numberOfFailedCheckpoints|lastCheckpointDuration))
    |flink_taskmanager_job_task_(?:isBackPressured|backPressured\\w+|numRecordsIn)`),
  meaning: 'A Flink job is not running, restarts, or does not keep up.',
  impact: 'Results are late; a restart repeats everything since the last checkpoint.',
  causes: [
    {
      id: 'no-workers', cause: 'Task managers are missing',
      mechanism: 'Without slots a job waits, or fails when it does not get them in time.',
      test: ifNone(`min(flink_jobmanager_numRegisteredTaskManagers{${ns}})`),
    },
    {
      id: 'failing', cause: 'The job fails and is restarted, again and again',
      mechanism: 'A record it cannot read, a dependency that is down, or too little memory.',
      test: ifSome(`max(delta(flink_jobmanager_job_numRestarts{${ns}}[15m]))`),
    },
    {
      id: 'checkpoints', cause: 'Checkpoints fail',
      mechanism: 'Its state store is slow or down, or the state has grown too large.',
      test: ifSome(`max(delta(flink_jobmanager_job_numberOfFailedCheckpoints{${ns}}[15m]))`),
    },
    {
      id: 'backpressure', cause: 'A task or a sink is slower than its input',
      mechanism: 'All tasks before it wait, and checkpoints wait with them.',
      test: promql(`max(flink_taskmanager_job_task_backPressuredTimeMsPerSecond{${ns}})`,
        { atLeast: 500, notUpTo: 100 }),
      note: 'If it holds, the task after it is the slow one.',
    },
  ],
  steps: [
    exceptions,
    listPods,
    {
      action: 'In the web interface of the job manager, open the job and its exceptions.',
      why: 'The root exception names the task and the host on which it failed first.',
      expected: 'No new exception, and the last checkpoint is recent.',
    },
  ],
};

const airflow: Family = {
  id: 'airflow-dags',
  names: names(`(?:apache)?airflow(?:dag(?:run)?(?:failures?|failed|scheduledelay)\\w*
    |starvingpooltasks|\\w*(?:scheduler|heartbeat)\\w*)`),
  metrics: metrics(`airflow_(?:pool_starving_tasks|dagrun_(?:schedule_delay|duration_failed)\\w*
    |scheduler_heartbeat)`),
  meaning: 'Runs of an Airflow DAG fail, or its tasks start late.',
  impact: 'What the DAG produces is missing or stale, and so is everything built from it.',
  causes: [
    {
      id: 'task-fails', cause: 'A task fails',
      mechanism: 'After its retries the run fails, and the tasks after it are not started.',
      test: ifSome(`sum(increase(airflow_dagrun_duration_failed_count{${ns}}[30m]))`),
      note: 'The log of the task says why.',
    },
    {
      id: 'pool-full', cause: 'All slots of a pool are taken',
      mechanism: 'Tasks that run for long, or hang, keep the others waiting.',
      test: ifSome(`max(airflow_pool_starving_tasks{${ns}})`),
    },
    {
      id: 'scheduler', cause: 'The scheduler is down or slow',
      mechanism: 'It is short of CPU, or waits for its database.',
      test: notReady,
    },
  ],
  steps: [
    {
      action: 'On the page of the DAG, open the log of the first task that failed.',
      why: 'The tasks after it fail only because of it.',
    },
    listPods,
    exceptions,
  ],
};

export const dataJobFamilies: readonly Family[] = [flink, airflow];
