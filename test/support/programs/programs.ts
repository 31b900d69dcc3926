/**
 * Starts, watches and stops real programs. They do not run on a test's clock, so this is the one
 * place that polls: every wait checks a real condition and gives up at a deadline.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface Program {
  readonly pid: number;
  /** Standard output and standard error so far, at most the last `outputLimit` characters. */
  output(): string;
  hasExited(): boolean;
  /** Null while it runs, and if a signal ended it. */
  exitCode(): number | null;
  /** Sends the signal and waits for the program to exit; kills it if that takes too long. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

const outputLimit = 1_000_000;
const stopWithinMs = 15_000;

/** Inherits PATH and nothing else of this process's environment. */
export function startProgram(
  command: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Program {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...options.env },
    ...(options.cwd !== undefined && { cwd: options.cwd }),
  });
  let text = '';
  const collect = (chunk: Buffer): void => {
    text = (text + chunk.toString()).slice(-outputLimit);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      text += `${error.message}\n`;
      resolve();
    });
  });
  const hasExited = (): boolean =>
    child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid ?? 0,
    output: () => text,
    hasExited,
    exitCode: () => child.exitCode,
    stop: async (signal = 'SIGTERM') => {
      if (hasExited()) return;
      child.kill(signal);
      const late = new AbortController();
      const killLate = delay(stopWithinMs, null, { signal: late.signal }).then(
        () => child.kill('SIGKILL'),
        () => false,
      );
      await gone;
      late.abort();
      await killLate;
    },
  };
}

export interface Deadline {
  readonly withinMs?: number;
  readonly everyMs?: number;
  /** Polls less often the longer it waits, for probes that slow down what they wait for. */
  readonly isSparing?: boolean;
  /** If it exits, waiting ends; its output is part of the error. */
  readonly program?: Program;
}

/**
 * Calls `probe` until it returns something other than null, and returns that. A probe that throws
 * counts as null; when the deadline passes, its last error is the cause of the one thrown.
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | null> | T | null,
  { withinMs = 60_000, everyMs = 50, isSparing = false, program }: Deadline = {},
): Promise<T> {
  const beganAt = performance.now();
  const deadline = beganAt + withinMs;
  let lastError: unknown = null;
  for (;;) {
    try {
      const answer = await probe();
      if (answer !== null) return answer;
      lastError = null;
    } catch (error) {
      lastError = error;
    }
    const isOver = performance.now() > deadline;
    if (isOver || program?.hasExited() === true) {
      const reason = isOver ? `not within ${withinMs} ms` : 'the program has exited';
      const said = program === undefined ? '' : `\nIts output:\n${program.output().slice(-4_000)}`;
      throw new Error(`Waited in vain for ${what}: ${reason}.${said}`, { cause: lastError });
    }
    const waitedMs = isSparing ? performance.now() - beganAt : 0;
    await delay(Math.max(everyMs, waitedMs / 8));
  }
}

/** Lets real programs run for a while; in tests, only to show that something does not happen. */
export async function letRun(ms: number): Promise<void> {
  await delay(ms);
}

/** The program's path; if there is none, throws an error that names its Debian package. */
export function findProgram(name: string, debianPackage: string): string {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      continue;
    }
  }
  throw new Error(`Cannot find ${name}, which this test needs: apt-get install ${debianPackage}`);
}

/** A loopback port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Runs a program to its end; `status` is null if a signal ended it. Throws if it cannot start. */
export async function runProgram(
  command: string,
  args: readonly string[],
  options: ProgramOptions & { readonly input?: string } = {},
): Promise<{ status: number | null; output: string; stdout: string }> {
  const child = spawn(command, args, {
    env: { PATH: process.env['PATH'], ...options.env },
    ...(options.cwd !== undefined && { cwd: options.cwd }),
  });
  let output = '';
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, output, stdout };
}
