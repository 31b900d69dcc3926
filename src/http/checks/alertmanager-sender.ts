import type { IncomingHttpHeaders } from 'node:http';

/**
 * Alertmanager repeats what was answered 5xx, or not at all. Any other refusal is final, and an
 * alert that is over before the next notification is lost by it.
 */
export function isAlertmanager(headers: IncomingHttpHeaders): boolean {
  return headers['user-agent']?.startsWith('Alertmanager/') === true;
}
