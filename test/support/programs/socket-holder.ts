/** Holds a listening socket over restarts of the service, as systemd does for a socket unit. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { eventually, type Cleanup } from './programs.ts';

export interface SocketHolder {
  readonly url: string;
  /** Everything that the services wrote so far. */
  output(): string;
  /** Starts the service, once there is a reason to, and resolves with its process. */
  start(): Promise<HeldService>;
}

export interface HeldService {
  readonly pid: number;
  /** Resolves once it says that it takes alerts. */
  ready(): Promise<void>;
  /** Sends the signal and resolves with the exit code, as a shell has it. */
  stop(signal: NodeJS.Signals): Promise<number>;
}

/** Each line it reads starts the service, which needs its own number in LISTEN_PID. */
const holding = `
  while read -r number; do
    sh -c 'echo "started $$"; export LISTEN_PID=$$; exec "$@"' sh "$@" </dev/null
    echo "ended $number $?"
  done`;

export async function holdSocket(
  cleanup: Cleanup,
  environment: Readonly<Record<string, string>>,
): Promise<SocketHolder> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { fd }: { readonly fd: number } = Reflect.get(server, '_handle');
  const main = join(process.cwd(), 'dist', 'main.js');
  const shell = spawn('sh', ['-c', holding, 'sh', process.execPath, main], {
    stdio: ['pipe', 'pipe', 'pipe', fd],
    env: {
      PATH: process.env['PATH'], PORT: String(port), LOG_FORMAT: 'json', LISTEN_FDS: '1',
      ...environment,
    },
  });
  await once(shell, 'spawn');
  server.close(); // The shell has it now, which accepts nothing.
  let text = '';
  const collect = (chunk: Buffer): string => (text += chunk.toString());
  const [, commands, output, errors] = [shell, shell.stdin, shell.stdout, shell.stderr];
  output?.on('data', collect);
  errors?.on('data', collect);
  let number = 0;
  let running: HeldService | null = null;
  cleanup.after(async () => {
    commands?.end();
    if (running !== null) await running.stop('SIGKILL');
    if (shell.exitCode === null) await once(shell, 'exit');
  });
  return {
    url: `http://127.0.0.1:${port}`,
    output: () => text,
    start: async () => {
      number += 1;
      const [before, own] = [text.length, number];
      commands?.write(`${own}\n`);
      const said = (pattern: RegExp): Promise<string> =>
        eventually(`${pattern}`, () => pattern.exec(text.slice(before))?.[1] ?? null, {
          everyMs: 2,
        });
      const pid = Number(await said(/^started (\d+)$/m));
      const ended = (): Promise<string> => said(new RegExp(`^ended ${own} (\\d+)$`, 'm'));
      running = {
        pid,
        ready: async () => void (await said(/"message":"(Ready)"/)),
        stop: async (signal) => {
          running = null;
          process.kill(pid, signal);
          return Number(await ended());
        },
      };
      return running;
    },
  };
}
