/** The command without arguments: runs the service. */
import { fstatSync } from 'node:fs';
import type { Service } from '../app/service.ts';
import { watchSignals } from '../app/signals.ts';
import { linePrefix, notifyReady } from '../app/systemd.ts';
import { version } from '../app/version.ts';
import { startWatchdog } from '../app/watchdog.ts';
import { heldSocket } from '../config/held-socket.ts';
import { redactionsOf } from '../config/secret.ts';
import type { Settings } from '../config/settings.ts';
import type { Environment } from '../config/variables.ts';
import { systemClock } from '../lib/clock.ts';
import { shortageBehind } from '../lib/shortage.ts';
import { createLogger, lineWriter, type Logger } from '../telemetry/log.ts';
import { readSettings } from './read-settings.ts';

/** For the first process of a container, which the kernel spares from all signals of its own. */
const unkillable = 'The watchdog cannot end a process with the id 1: start the container with ' +
  '--init, or the pod with shareProcessNamespace';

/**
 * Runs the service until it is stopped, and resolves to the exit code.
 *
 * @throws {ConfigError} With every problem of the settings.
 */
export function serve(environment: Environment): Promise<number> {
  return run(environment, readSettings(environment)).finally(endSoon);
}

async function run(environment: Environment, settings: Settings): Promise<number> {
  const socket = heldSocket(environment, process.pid);
  const prefix = linePrefix(environment, fstatSync(process.stderr.fd));
  const write = lineWriter(process.stderr, (lines) => {
    log.warn('Log output was blocked; lines were dropped', { lines });
  });
  const log = createLogger({
    ...settings.log,
    now: () => systemClock.now(),
    write: (line, level) => write(prefix(level) + line),
    redact: () => redactionsOf(settings.secrets),
  });
  for (const warning of settings.warnings) log.warn(warning);
  if (process.pid === 1) log.warn(unkillable);
  const signals = watchSignals();
  const watchdog = startWatchdog({
    clock: systemClock,
    onFailure: (error) => log.warn('The watchdog has failed and no longer runs', { error }),
  });
  let service: Service;
  try {
    // Loaded only here, so that one sentence can be printed where there are too few files for that.
    const { startService } = await import('../app/service.ts');
    const starting = startService(settings, log, { version: version(), socket });
    const first = await Promise.race([starting, signals.stop]);
    // Nothing has been acknowledged yet, and the data on disk survives an exit at any moment.
    if (typeof first === 'string') return endWhileStarting(first, log);
    service = first;
  } catch (error) {
    const shortage = shortageBehind(error);
    if (shortage === null) log.error('Cannot start', { error });
    else log.error(`Cannot start. ${shortage.advice}.`, { error });
    await watchdog.stop();
    return 1;
  }
  watchdog.started();
  void notifyReady(environment, log);
  signals.onReload(() => reload(service, settings, log));
  const signal = await signals.stop;
  log.info('Stopping', { signal });
  try {
    await service.stop();
    await watchdog.stop();
  } catch (error) {
    log.error('Did not stop cleanly', { error });
    return 1;
  }
  log.info('Stopped');
  return 0;
}

const endsWithinMs = 2000;

/**
 * Ends the process although nobody reads its log, or the system still looks up a name or opens a
 * file: it would wait for all three, in `process.exit` for the last two. What it had to do is done.
 */
function endSoon(): void {
  void systemClock.sleep(endsWithinMs).then(() => {
    if (process.exitCode === 0) process.kill(process.pid, 'SIGTERM'); // It is caught only once.
    process.exit(); // It has failed, or is the first process of a container, which no signal ends.
  });
}

function endWhileStarting(signal: NodeJS.Signals, log: Logger): never {
  log.info('Stopped during startup', { signal });
  process.exit(0);
}

/** Each secret that cannot be read has been logged already. */
function reload(service: Service, { http: { tls } }: Settings, log: Logger): void {
  service.reload().then(
    (areRead) => {
      if (areRead) log.info('Reloaded certificates and secrets');
      else log.warn('Reloaded certificates; secrets that cannot be read keep their old values');
    },
    (error: unknown) => {
      log.error('Cannot reload the certificate; the old one stays in use', { ...tls, error });
    },
  );
}
