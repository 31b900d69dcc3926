import { join } from 'node:path';
import type { Cleanup } from '../cleanup.ts';
import { eventually, startProgram, type Program } from './programs.ts';

/** The built service as a process of its own. */
export interface Analyst {
  readonly url: string;
  readonly program: Program;
  /** Milliseconds from the start of the process to its first 200 from `/health`. */
  readonly startedInMs: number;
}

export interface AnalystOptions {
  readonly dataDirectory: string;
  /** 0, the default, takes a free one. */
  readonly port?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** For listening, and again for being healthy; default 60 s. */
  readonly startsWithinMs?: number;
  /** Path of the built service; default `dist/main.js` of this project. */
  readonly main?: string | undefined;
}

/** Settings without rate limits. */
export const unlimited: Readonly<Record<string, string>> = {
  RATE_LIMIT_PER_CLIENT: '0',
  RATE_LIMIT_TOTAL: '0',
  READ_LIMIT_PER_CLIENT: '0',
  READ_LIMIT_TOTAL: '0',
};

/** Starts the service and waits until it accepts alerts. */
export async function startAnalyst(options: AnalystOptions, cleanup?: Cleanup): Promise<Analyst> {
  const startedAt = performance.now();
  const program = spawnAnalyst(options, cleanup);
  try {
    const url = await waitUntilHealthy(program, options.startsWithinMs ?? 60_000);
    return { url, program, startedInMs: performance.now() - startedAt };
  } catch (error) {
    await program.stop('SIGKILL');
    throw error;
  }
}

async function waitUntilHealthy(program: Program, withinMs: number): Promise<string> {
  const deadline = { program, everyMs: 5, withinMs };
  const listening = 'the log line with its address';
  const url = await eventually(listening, () => urlOf(program), deadline);
  const isHealthy = async (): Promise<true | null> =>
    (await fetch(`${url}/health`)).status === 200 ? true : null;
  await eventually('GET /health to answer 200', isHealthy, deadline);
  return url;
}

/** Starts the process without waiting for it; with a cleanup it is killed in the end. */
export function spawnAnalyst(options: AnalystOptions, cleanup?: Cleanup): Program {
  const main = options.main ?? join(process.cwd(), 'dist', 'main.js');
  const program = startProgram(process.execPath, [main], {
    env: {
      HOST: '127.0.0.1',
      PORT: String(options.port ?? 0),
      DATA_DIR: options.dataDirectory,
      LOG_FORMAT: 'json',
      ...options.env,
    },
  });
  cleanup?.after(() => program.stop('SIGKILL'));
  return program;
}

function urlOf(program: Program): string | null {
  for (const line of program.output().split('\n')) {
    if (!line.includes('"Listening"')) continue;
    const entry = JSON.parse(line) as { readonly message?: string; readonly url?: string };
    if (entry.message === 'Listening' && entry.url !== undefined) return entry.url;
  }
  return null;
}
