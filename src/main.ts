/** Exit codes: 0 stopped as asked, 1 failed, 2 wrong arguments or configuration. */
import { fstatSync, readFileSync, writeFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { grantOf, modelAccess, sourceAccesses } from './accesses.ts';
import type { MadeRecording } from './analyze.ts';
import {
  helpText, misuseText, parseCommandLine, type AnalyzeFormat,
} from './config/command-line.ts';
import { heldSocket } from './config/held-socket.ts';
import { readMachine } from './config/machine.ts';
import { redactionsOf } from './config/secret.ts';
import {
  ConfigError, listVariables, loadModel, loadSettings, loadSources, type Settings,
} from './config/settings.ts';
import { commandClock, systemClock } from './lib/clock.ts';
import { systemRandom } from './lib/random.ts';
import { shortageBehind } from './lib/shortage.ts';
import { visible, visibleLine } from './report/plain-text.ts';
import { shownText } from './report/shown-text.ts';
import type { Service } from './service.ts';
import { linePrefix, notifyReady } from './systemd.ts';
import { createLogger, lineWriter, type Logger } from './telemetry/log.ts';
import { startWatchdog } from './watchdog.ts';

async function main(argv: readonly string[]): Promise<number> {
  const line = parseCommandLine(argv);
  switch (line.command) {
    case 'help': return print(helpText(listVariables()));
    case 'version': return print(`alert-analyst ${version()}\n`);
    case 'misuse': return printError(misuseText(line.problem).trimEnd().split('\n'), 2);
    case 'analyze': return withConfiguration(() => runAnalyze(line));
    case 'replay': return runReplay(line);
    case 'check-config': return withConfiguration(() => checkConfig(readSettings()));
    case 'check-model': return withConfiguration(runCheckModel);
    case 'drill': return withConfiguration(() => runDrill(readSettings()));
    case 'serve': return withConfiguration(() => serve(readSettings()).finally(endSoon));
  }
}

async function withConfiguration(run: () => number | Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ConfigError) return printError(error.message.split('\n'), 2);
    throw error;
  }
}

function readSettings(): Settings {
  return loadSettings(process.env, readMachine(process.stderr.isTTY === true));
}

function checkConfig(settings: Settings): number {
  for (const warning of settings.warnings) tell(`Warning: ${warning}.`);
  return print('Configuration is valid.\n');
}

async function runCheckModel(): Promise<number> {
  const { model } = loadModel(process.env);
  if (model === null) {
    const variables = 'MODEL_PROVIDER, MODEL_NAME and MODEL_API_KEY';
    return printError([`No model is configured. Set ${variables}.`], 1);
  }
  const { checkModel } = await import('./check-model.ts');
  const access = modelAccess(model);
  const options = {
    clock: commandClock, random: systemRandom, print, outputTokens: model.outputTokens,
  };
  return (await checkModel(access, options)) ? 0 : 1;
}

/** Expects the environment of the running service. */
async function runDrill(settings: Settings): Promise<number> {
  const { drill, drillTarget } = await import('./drill.ts');
  const target = drillTarget(settings);
  if (target === null) return printError(['Set PORT to the port the service listens on.'], 2);
  const stopped = new AbortController();
  void watchSignals().stop.then(() => stopped.abort());
  const { signal } = stopped;
  return (await drill(target, { clock: commandClock, print, signal })) ? 0 : 1;
}

/** For the first process of a container, which the kernel spares from all signals of its own. */
const unkillable = 'The watchdog cannot end a process with the id 1: start the container with ' +
  '--init, or the pod with shareProcessNamespace';

async function serve(settings: Settings): Promise<number> {
  const socket = heldSocket(process.env, process.pid);
  const prefix = linePrefix(process.env, fstatSync(process.stderr.fd));
  const write = lineWriter(process.stderr, (lines) => {
    log.warn('Nobody read the log for a while, so lines of it are lost', { lines });
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
    // Loaded only here, so that one sentence can be said where there are too few files for that.
    const { startService } = await import('./service.ts');
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
  void notifyReady(process.env, log);
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

interface Signals {
  /** Resolves with the first signal to stop. A second one is not caught and kills the process. */
  readonly stop: Promise<NodeJS.Signals>;
  /** Until this is called SIGHUP does nothing: startup is still reading what it would reload. */
  onReload(reload: () => void): void;
}

function watchSignals(): Signals {
  let reload = (): void => {};
  process.on('SIGHUP', () => reload());
  // Otherwise Node opens a debugger, by which every user of the machine can take over the process.
  process.on('SIGUSR1', () => {});
  const names = ['SIGINT', 'SIGTERM'] as const;
  const stop = new Promise<NodeJS.Signals>((resolve) => {
    const end = (signal: NodeJS.Signals): void => {
      for (const name of names) process.off(name, end);
      resolve(signal);
    };
    for (const name of names) process.on(name, end);
  });
  return { stop, onReload: (given) => (reload = given) };
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

async function runAnalyze(
  line: { file: string; format: AnalyzeFormat; record: string | null },
): Promise<number> {
  const { sources, secrets: given } = loadSources(process.env);
  const { model, secrets: keys } = loadModel(process.env);
  const body = await readInput(line.file);
  if (typeof body === 'string') return printError([body], 1);
  // Loaded only here: the service itself investigates in worker threads.
  const { analyze } = await import('./analyze.ts');
  const result = await analyze(body, {
    ...terminal(line.format),
    version: version(),
    clock: commandClock,
    accesses: sourceAccesses(sources),
    isRecorded: line.record !== null,
    model: model && {
      model: { access: modelAccess(model), secrets: redactionsOf([...given, ...keys]) },
      grant: grantOf(model),
      tokensPerDay: model.tokensPerDay,
      clock: commandClock,
    },
    onStep: (alertName, step) => printStep(`${alertName}: ${step} …`),
  });
  if (result.kind === 'refused') return printError([result.problem], 1);
  printReports(result.text);
  if (result.rejected !== null) printError([result.rejected], 0);
  const { recording } = result;
  return line.record === null || recording === null ? 0 : writeRecording(line.record, recording);
}

function writeRecording(file: string, recording: MadeRecording): number {
  if ('unrecorded' in recording) {
    return printError([`Cannot write the recording. ${recording.unrecorded}`], 1);
  }
  try {
    // The answers in it are not redacted.
    writeFileSync(file, recording.packed, { mode: 0o600 });
    return 0;
  } catch (error) {
    return printError([`Cannot write ${file}: ${(error as Error).message}`], 1);
  }
}

const stepMax = 200;

/** Progress is of use only to somebody waiting at a terminal. */
function printStep(step: string): void {
  if (process.stderr.isTTY === true) tell(shownText(step, stepMax));
}

async function runReplay(line: { file: string; format: AnalyzeFormat }): Promise<number> {
  const file = await readInput(line.file);
  if (typeof file === 'string') return printError([file], 2);
  const { replay } = await import('./analyze.ts');
  const result = await replay(file, { ...terminal(line.format), version: version() });
  if (result.kind === 'refused') return printError([result.problem], 2);
  printReports(result.text);
  return printError(result.notes, result.isSame ? 0 : 1);
}

/** The content of the file, or why it cannot be read; `-` is standard input. */
async function readInput(file: string): Promise<Buffer | string> {
  try {
    return file === '-' ? await buffer(process.stdin) : readFileSync(file);
  } catch (error) {
    return `Cannot read ${file}: ${(error as Error).message}`;
  }
}

function terminal(format: AnalyzeFormat): { format: AnalyzeFormat; color: boolean; width: number } {
  return {
    format,
    color: process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined,
    width: process.stdout.columns ?? 80,
  };
}

/** From package.json, which is beside `dist` in a checkout and in an installation. */
function version(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

/**
 * A log that cannot be written, as its reader is gone or its disk is full, must not stop the
 * service. A reader of a report may stop early; any other failure to write it is an error.
 */
function tolerateClosedOutputs(): void {
  process.stderr.on('error', () => {});
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    process.once('exit', () => {
      process.exitCode = printError([`Cannot write the output: ${message}`], 1);
    });
  });
}

/** Whatever the text quotes, it does not control the terminal. */
function print(text: string): number {
  process.stdout.write(visible(text));
  return 0;
}

/** Reports are rendered so already; what is left are colours of their own. */
function printReports(text: string): void {
  process.stdout.write(text);
}

/** A line stays one line, whatever it quotes. */
function tell(line: string): void {
  process.stderr.write(`${visibleLine(line)}\n`);
}

function printError(lines: readonly string[], exitCode: number): number {
  const prefix = linePrefix(process.env, fstatSync(process.stderr.fd))('error');
  for (const line of lines) tell(`${prefix}${line}`);
  return exitCode;
}

// At the end, as a constant that is declared after an `await` has no value while that waits.
tolerateClosedOutputs();
process.exitCode = await main(process.argv.slice(2));
