import type { ChildProcess } from 'node:child_process';

/** The next message of a forked process; throws if the process exits instead. */
export function nextMessage<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown): void => {
      child.off('exit', onExit);
      resolve(message as T);
    };
    const onExit = (code: number | null, signal: NodeJS.Signals | null): void => {
      child.off('message', onMessage);
      reject(new Error(`${child.spawnargs.join(' ')} exited with ${code ?? signal}`));
    };
    child.once('message', onMessage).once('exit', onExit);
  });
}
