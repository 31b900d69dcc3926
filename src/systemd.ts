/** What the service tells systemd when it runs as a unit of `Type=notify`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Environment } from './config/variables.ts';
import type { Logger } from './telemetry/log.ts';

/**
 * Says that the service is ready, if systemd asks to be told: see sd_notify(3). The message is a
 * datagram to a Unix socket, which Node cannot send, so systemd's own program does. It is found in
 * PATH alone; without it the unit stays in the state of starting, and the service serves.
 */
export async function tellReady(environment: Environment, log: Logger): Promise<void> {
  const { NOTIFY_SOCKET, PATH } = environment;
  if (!NOTIFY_SOCKET) return;
  try {
    const env = { NOTIFY_SOCKET, ...(PATH !== undefined && { PATH }) };
    const child = spawn('systemd-notify', ['--ready'], { env, stdio: 'ignore' });
    const [code] = await once(child, 'exit');
    if (code !== 0) log.warn('Cannot tell systemd that the service is ready', { code });
  } catch (error) {
    log.warn('Cannot tell systemd that the service is ready', { error });
  }
}
