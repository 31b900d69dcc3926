import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What a process was doing when it was killed; often several at once. */
export const phases = [
  'starting', 'posting', 'storm', 'analysing', 'compacting', 'forgetting', 'stopping',
] as const;
export type Phase = (typeof phases)[number];

export interface Killed {
  /** The log of the process. */
  readonly output: string;
  readonly dataDirectory: string;
  /** Requests in flight. */
  readonly posts: number;
  /** How many of them carried a storm of alerts. */
  readonly storms: number;
  readonly wasToldToStop: boolean;
}

/**
 * The phases a process was in, read from its log and its data directory. `analysing` is never among
 * them: only the next start tells ({@linkcode foundIn}).
 */
export function phasesOf({ output, dataDirectory, ...killed }: Killed): Phase[] {
  const lastOf = (message: string): number => output.lastIndexOf(`"message":"${message}"`);
  const isAmid: Readonly<Record<Phase, boolean>> = {
    starting: lastOf('Ready') < 0,
    posting: killed.posts > 0,
    storm: killed.storms > 0,
    analysing: false,
    compacting: lastOf('Compacting the journal') > lastOf('Journal compacted') ||
      hasUnfinishedSnapshot(dataDirectory),
    forgetting: lastOf('Removing old episodes') > lastOf('Removed old episodes'),
    stopping: killed.wasToldToStop,
  };
  return phases.filter((phase) => isAmid[phase]);
}

function hasUnfinishedSnapshot(dataDirectory: string): boolean {
  try {
    const names = readdirSync(join(dataDirectory, 'journal'));
    return names.some((name) => name.startsWith('snapshot-') && name.endsWith('.tmp'));
  } catch {
    return false; // Killed before there was a journal.
  }
}

/** What a start logged about the state its predecessor had left. */
export interface Found {
  /** Analyses that had not ended. */
  readonly pending: number;
  readonly tornTails: number;
  /** Lines logged as errors. */
  readonly errors: readonly string[];
}

export function foundIn(output: string): Found {
  let pending = 0;
  let tornTails = 0;
  const errors: string[] = [];
  for (const line of output.split('\n')) {
    if (line.includes('"level":"error"')) errors.push(line);
    if (!line.includes('"message":"Journal replayed"')) continue;
    const entry = JSON.parse(line) as { readonly pending: number; readonly tornTails: number };
    pending = entry.pending;
    tornTails = entry.tornTails;
  }
  return { pending, tornTails, errors };
}
