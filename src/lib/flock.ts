import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { close, open } from 'node:fs';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';

/** A lock that the kernel frees when the process ends; or why there is none. */
export type KernelLock = { release(): Promise<void> } | 'taken' | 'unsupported';

/**
 * Locks a file or directory with flock(2), which holds for every process on this machine, whatever
 * its container. Node cannot make that call, so the program `flock` does, on a descriptor that it
 * inherits: the lock belongs to what we opened, and outlives the program.
 */
export async function flock(path: string): Promise<KernelLock> {
  // A bare descriptor: a `FileHandle` that nobody refers to is closed, which would free the lock.
  const descriptor = await promisify(open)(path, 'r').catch(() => null);
  if (descriptor === null) return 'unsupported';
  const release = (): Promise<void> => promisify(close)(descriptor);
  const result = await runFlock(descriptor).catch((): 'unsupported' => 'unsupported');
  if (result === 'locked') return { release };
  await release();
  return result;
}

/** Rejects when there is no such program. */
async function runFlock(descriptor: number): Promise<'locked' | 'taken' | 'unsupported'> {
  // Without PATH in its environment it is looked for in the system's own directories.
  const stdio = ['ignore', 'ignore', 'pipe', descriptor] as const;
  const child = spawn('flock', ['-n', '3'], { env: {}, stdio: [...stdio] });
  const ended = once(child, 'close');
  const complaint = child.stderr === null ? Promise.resolve('') : text(child.stderr);
  const [[code], output] = await Promise.all([ended, complaint]);
  if (code === 0) return 'locked';
  // It has nothing to say when another process has the lock.
  return code === 1 && output === '' ? 'taken' : 'unsupported';
}
