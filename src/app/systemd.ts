/** What systemd wants to know: readiness, for units of `Type=notify`, and priorities of lines. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Environment } from '../config/variables.ts';
import type { Logger, LogLevel } from '../telemetry/log.ts';

/**
 * Notifies systemd that the service is ready, if it asked for that: see sd_notify(3). The message
 * is a datagram to a Unix socket, which Node cannot send, so systemd's own program sends it. That
 * is looked up in PATH; if it is missing, the service works but its unit stays `activating`.
 */
export async function notifyReady(environment: Environment, log: Logger): Promise<void> {
  const { NOTIFY_SOCKET, PATH } = environment;
  if (!NOTIFY_SOCKET) return;
  try {
    const env = { NOTIFY_SOCKET, ...(PATH !== undefined && { PATH }) };
    const child = spawn('systemd-notify', ['--ready'], { env, stdio: 'ignore' });
    const [code] = await once(child, 'exit');
    if (code !== 0) log.warn('Cannot notify systemd that the service is ready', { code });
  } catch (error) {
    log.warn('Cannot notify systemd that the service is ready', { error });
  }
}

/** As in syslog(3). */
const priorities: Readonly<Record<LogLevel, number>> = { debug: 7, info: 6, warn: 4, error: 3 };

/**
 * What a line begins with: its priority if `output` leads to journald, which takes it off and can
 * filter by it, and nothing otherwise. See JOURNAL_STREAM in systemd.exec(5).
 */
export function linePrefix(
  { JOURNAL_STREAM }: Environment, output: { readonly dev: number; readonly ino: number },
): (level: LogLevel) => string {
  const isJournal = JOURNAL_STREAM === `${output.dev}:${output.ino}`;
  return (level) => (isJournal ? `<${priorities[level]}>` : '');
}
