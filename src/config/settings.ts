import { type HttpSettings, listeningUrl, readHttpSettings } from './http-settings.ts';
import { withOwnCluster } from './in-cluster.ts';
import { defaultWorkers, type Machine } from './machine.ts';
import { misspelled } from './misspelled.ts';
import { type ModelSettings, readModelSettings } from './model-settings.ts';
import { choice, days, directory, integer, seconds, webUrl } from './readers.ts';
import type { Secret } from './secret.ts';
import { singleValue, type SecretFormat } from './secret-format.ts';
import { type AskedSources, readAskedSources } from './source-settings.ts';
import { type Environment, type Variable, Variables } from './variables.ts';

export interface Settings {
  readonly http: HttpSettings;
  readonly dataDirectory: string;
  readonly intake: {
    /** 0 turns deduplication off. */
    readonly dedupWindowMs: number;
    /** Most jobs waiting or running. */
    readonly queueLimit: number;
  };
  readonly analysis: {
    readonly workers: number;
    readonly workerMemoryMb: number;
    readonly investigationsPerWorker: number;
    readonly investigationTimeoutMs: number;
  };
  readonly retention: {
    readonly ageMs: number;
    readonly reports: number;
    /** Limit of all recordings together; 0 keeps none. */
    readonly recordingBytes: number;
  };
  readonly log: {
    readonly level: 'debug' | 'info' | 'warn' | 'error';
    readonly format: 'json' | 'pretty';
  };
  readonly sources: AskedSources;
  /** Null when no model is configured. */
  readonly model: ModelSettings | null;
  /** Where reports are posted to; null for nowhere. */
  readonly delivery: Readonly<Record<'webhook' | 'slack', Secret | null>>;
  /** Everything that was configured and must never be shown. */
  readonly secrets: readonly Secret[];
  /** What the operator should know at start-up: complete sentences without a period. */
  readonly warnings: readonly string[];
}

/** Carries every problem found, so that an operator can fix them in one go. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(['Cannot start with this configuration:', ...problems].join('\n  - '));
    this.problems = problems;
  }
}

/** Reads and checks every variable, and every secret file they name. Throws ConfigError. */
export function loadSettings(environment: Environment, machine: Machine): Settings {
  const env = new Variables(withOwnCluster(environment));
  const settings = readSettings(env, machine);
  return { ...settings, warnings: [...checked(env), ...settings.warnings] };
}

/** The settings that `analyze` needs: the sources, and the secrets to keep out of its output. */
export function loadSources(
  environment: Environment,
): { sources: AskedSources; secrets: readonly Secret[] } {
  const env = new Variables(withOwnCluster(environment));
  const sources = readAskedSources(env);
  checked(env);
  return { sources, secrets: env.secrets };
}

/** The settings that `check-model` needs; `model` is null when none is configured. */
export function loadModel(
  environment: Environment,
): { model: ModelSettings | null; secrets: readonly Secret[] } {
  const env = new Variables(environment);
  const model = readModelSettings(env);
  checked(env);
  return { model, secrets: env.secrets };
}

/**
 * Returns a warning for each variable that looks misspelled. Throws ConfigError when there are
 * problems, with these warnings added: a missing setting may be the misspelled one.
 */
function checked(env: Variables): readonly string[] {
  const suspects = misspelled(env.environment, env.known);
  if (env.problems.length > 0) throw new ConfigError([...env.problems, ...suspects]);
  return suspects;
}

/** Every variable with its help, collected by reading an empty environment. */
export function listVariables(): readonly Variable[] {
  const env = new Variables({});
  readSettings(env, { cores: 1, isTerminal: false });
  return env.known;
}

const workerMemorySafeMb = 64;

function readSettings(env: Variables, machine: Machine): Settings {
  const http = readHttpSettings(env);
  const intake = readIntake(env);
  env.group('Analysis');
  const analysis = readAnalysis(env, machine);
  env.group('Data and log');
  const dataDirectory = readDataDirectory(env);
  const retention = readRetention(env);
  const log = readLog(env, machine);
  env.group('Sources of evidence');
  const sources = readAskedSources(env);
  env.group('Language model');
  const model = readModelSettings(env);
  env.group('Delivery');
  const delivery = readDelivery(env);
  warnOfProxies(env, { model, delivery });
  if (delivers(delivery) && http.reportBaseUrl === null) {
    const here = listeningUrl(http, http.port);
    env.warnings.push(`REPORT_BASE_URL is not set: delivered links lead to ${here}`);
  }
  return {
    http, dataDirectory, intake, analysis, retention, log, sources, model, delivery,
    secrets: env.secrets, warnings: env.warnings,
  };
}

function readIntake(env: Variables): Settings['intake'] {
  return {
    dedupWindowMs: env.read('DEDUP_WINDOW_SECONDS', seconds(0, 86_400), {
      fallback: '60',
      help: 'Repeats of an alert with the same status within this time are duplicates.',
    }),
    queueLimit: env.read('QUEUE_LIMIT', integer(1, 1_000_000), {
      fallback: '10000',
      help: 'With this many alerts waiting for their first report, new ones are refused. '
        + 'A quarter more is reserved for notifications with a critical one.',
    }),
  };
}

function readAnalysis(env: Variables, machine: Machine): Settings['analysis'] {
  const workerMemoryMb = env.read('WORKER_MEMORY_MB', integer(32, 4096), {
    fallback: String(workerMemorySafeMb),
    help: 'Heap limit of one worker thread; one that exceeds it is replaced. '
      + 'One answer from a source may take a quarter of it, at most 16 MiB.',
  });
  if (workerMemoryMb > workerMemorySafeMb) {
    env.warnings.push(
      `WORKER_MEMORY_MB is above ${workerMemorySafeMb}: ` +
        'a runaway worker can then take the whole process down',
    );
  }
  return {
    workers: env.read('WORKERS', integer(1, 256), {
      fallback: null,
      shown: 'cores - 1, at most 8 and what the limits of memory and threads allow',
      help: 'Worker threads that investigate alerts.',
    }) ?? defaultWorkers(machine, workerMemoryMb),
    workerMemoryMb,
    investigationsPerWorker: env.read('INVESTIGATIONS_PER_WORKER', integer(1, 64), {
      fallback: '4', help: 'Alerts that one worker investigates at a time.',
    }),
    // Longer than the sources are given, so that a report can still be made after they used it up.
    investigationTimeoutMs: env.read('INVESTIGATION_TIMEOUT_SECONDS', seconds(5, 3600), {
      fallback: '240', help: 'Time limit of one investigation.',
    }),
  };
}

/** systemd may list several state directories, separated by colons; the first is the unit's own. */
function readDataDirectory(env: Variables): string {
  const stateDirectory = env.raw('STATE_DIRECTORY')?.split(':')[0];
  return env.read('DATA_DIR', directory, {
    fallback: null,
    shown: './data, or $STATE_DIRECTORY under systemd',
    help: 'Directory for the journal and the reports.',
  }) ?? (stateDirectory || './data');
}

function readRetention(env: Variables): Settings['retention'] {
  return {
    ageMs: env.read('RETENTION_DAYS', days(1, 3650), {
      fallback: '30', help: 'How long reports are kept after their alert has ended.',
    }),
    reports: env.read('RETENTION_REPORTS', integer(1, 10_000_000), {
      fallback: '100000', help: 'Most reports kept; beyond it the oldest are removed.',
    }),
    recordingBytes: env.read('RECORDINGS_LIMIT_BYTES', integer(0, 2 ** 50), {
      fallback: String(2 ** 30),
      help: 'Most bytes of recorded answers kept; beyond it the oldest are removed. 0 keeps none.',
    }),
  };
}

function readLog(env: Variables, { isTerminal }: Machine): Settings['log'] {
  return {
    level: env.read('LOG_LEVEL', choice('debug', 'info', 'warn', 'error'), {
      fallback: 'info', help: 'Lowest level that is logged: debug, info, warn or error.',
    }),
    format: env.read('LOG_FORMAT', choice('json', 'pretty'), {
      fallback: isTerminal ? 'pretty' : 'json',
      shown: 'json, or pretty on a terminal',
      help: 'One JSON object per entry, or one line for people.',
    }),
  };
}

/** These addresses are credentials themselves: whoever knows one can post there. */
const deliveryUrl: SecretFormat = (content) => {
  const [value = ''] = singleValue(content);
  try {
    return [webUrl(value).href];
  } catch (error) {
    throw new Error(`must be ${(error as Error).message}`);
  }
};

function readDelivery(env: Variables): Settings['delivery'] {
  const read = (name: string, help: string): Secret | null =>
    env.readSecret(name, { format: deliveryUrl, help });
  return {
    webhook: read('DELIVER_WEBHOOK_URL', 'URL that every finished report is posted to as JSON.'),
    slack: read('DELIVER_SLACK_URL', 'Slack webhook for messages when incidents begin and end.'),
  };
}

/** Whether any receiver is configured. */
export function delivers(delivery: Settings['delivery']): boolean {
  return Object.values(delivery).some((url) => url !== null);
}

const proxyNames = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY']
  .flatMap((name) => [name, name.toLowerCase()]);

/**
 * Whoever sets these variables expects them to be used for addresses outside; sources are rarely
 * such. Newer versions of Node can use them, but not in worker threads, which get no environment.
 */
function warnOfProxies(
  env: Variables,
  { model, delivery }: Pick<Settings, 'model' | 'delivery'>,
): void {
  const given = proxyNames.filter((name) => env.raw(name) !== null);
  const direct = [
    ...(model === null ? [] : ['the model']),
    ...(delivers(delivery) && env.raw('NODE_USE_ENV_PROXY') === null ? ['deliveries'] : []),
  ];
  if (given.length === 0 || direct.length === 0) return;
  env.warnings.push(`Not used for ${direct.join(' and ')}: ${given.join(', ')}`);
}
