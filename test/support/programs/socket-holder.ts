/** Holds a listening socket across restarts of the service, as systemd does for a socket unit. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Cleanup } from '../cleanup.ts';
import { eventually } from './programs.ts';

export interface SocketHolder {
  readonly url: string;
  /** Output of all processes started so far. */
  output(): string;
  /** Starts the service and resolves with its process. */
  start(): Promise<HeldService>;
}

export interface HeldService {
  readonly pid: number;
  /** Resolves once it logs that it accepts alerts. */
  ready(): Promise<void>;
  /** Sends the signal and resolves with the exit code as a shell reports it. */
  stop(signal: NodeJS.Signals): Promise<number>;
}

/** Starts the service for each line it reads; LISTEN_PID must be the service's own process id. */
const holding = `
  while read -r number; do
    sh -c 'echo "started $$"; export LISTEN_PID=$$; exec "$@"' sh "$@" </dev/null
    echo "ended $number $?"
  done`;

export async function holdSocket(
  cleanup: Cleanup,
  environment: Readonly<Record<string, string>>,
  host = '127.0.0.1',
): Promise<SocketHolder> {
  const server = createServer().listen(0, host);
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
  server.close(); // The shell has the socket now, and does not accept connections.
  let text = '';
  const collect = (chunk: Buffer): string => (text += chunk.toString());
  shell.stdout?.on('data', collect);
  shell.stderr?.on('data', collect);
  let number = 0;
  let running: HeldService | null = null;
  cleanup.after(async () => {
    shell.stdin?.end();
    if (running !== null) await running.stop('SIGKILL');
    if (shell.exitCode === null) await once(shell, 'exit');
  });
  return {
    url: `http://127.0.0.1:${port}`,
    output: () => text,
    start: async () => {
      number += 1;
      const [before, own] = [text.length, number];
      shell.stdin?.write(`${own}\n`);
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
