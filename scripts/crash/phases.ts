import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What a process was doing when it was killed; often several of these. */
export const phases = [
  'starting', 'posting', 'storm', 'analysing', 'compacting', 'forgetting', 'stopping',
] as const;
export type Phase = (typeof phases)[number];

export interface Killed {
  /** The log of the process. */
  readonly output: string;
  readonly dataDirectory: string;
  /** Requests that were under way. */
  readonly posts: number;
  /** Those of them with many alerts. */
  readonly storms: number;
  readonly wasToldToStop: boolean;
}

/** Reads from the log and from what is on disk what a process was doing, analyses aside. */
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

/** What a process said of what the one before it had left. */
export interface Found {
  /** Analyses that were not ended. */
  readonly pending: number;
  readonly tornTails: number;
  /** Whatever it logged as an error. */
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
