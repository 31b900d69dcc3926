import { ConfigError } from './settings.ts';
import type { Environment } from './variables.ts';

/** A listening socket that systemd opened and keeps open while this process restarts. */
export interface HeldSocket {
  readonly fd: number;
}

/** The first descriptor passed on: 0 to 2 are standard input, output and error. */
const firstDescriptor = 3;

/**
 * The socket that systemd passes on, by the protocol of sd_listen_fds(3). Null without one, and
 * when the variables are meant for another process, such as the parent of this one. Throws
 * ConfigError when there are several, as nothing says which of them to serve.
 */
export function heldSocket(environment: Environment, pid: number): HeldSocket | null {
  if (environment['LISTEN_PID'] !== String(pid)) return null;
  const count = environment['LISTEN_FDS'] ?? '0';
  if (count === '0') return null;
  if (count === '1') return { fd: firstDescriptor };
  throw new ConfigError([`LISTEN_FDS must be 1, not ${JSON.stringify(count)}: pass one socket`]);
}
