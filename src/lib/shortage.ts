/** What the system has too little of, by the code of an error. */

export interface Shortage {
  readonly of: 'files' | 'threads' | 'memory';
  /** A sentence for the operator: what is short, and what gives more of it. */
  readonly advice: string;
}

const files: Shortage = {
  of: 'files',
  advice: 'The process may open no more files: raise LimitNOFILE in the unit, or `ulimit -n`',
};
const threads: Shortage = {
  of: 'threads',
  advice: 'The system allows no more threads: lower WORKERS, or raise TasksMax in the unit, the ' +
    "container's limit of processes, or `ulimit -u`",
};
const memory: Shortage = {
  of: 'memory',
  advice: 'The system has no more memory: lower WORKERS, or raise MemoryMax in the unit or the ' +
    "container's memory",
};

const byCode: ReadonlyMap<string, Shortage> = new Map([
  ['EMFILE', files], ['ENFILE', files], ['EAGAIN', threads], ['ENOMEM', memory],
]);

/** Null for an error of another cause. */
export function shortageBehind(error: unknown): Shortage | null {
  if (!(error instanceof Error)) return null;
  const code = 'code' in error ? error.code : null;
  // Node has one code for every thread that it cannot start; the system's own is in the message.
  const own = code === 'ERR_WORKER_INIT_FAILED' ? /\bE[A-Z]+\b/.exec(error.message)?.[0] : code;
  return byCode.get(String(own)) ?? shortageBehind(error.cause);
}
