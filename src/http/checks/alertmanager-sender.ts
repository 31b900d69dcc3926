import type { IncomingHttpHeaders } from 'node:http';

/**
 * Alertmanager retries only after a 5xx answer or none at all. Any other refusal is final and may
 * lose an alert that is over before the next notification.
 */
export function isAlertmanager(headers: IncomingHttpHeaders): boolean {
  return headers['user-agent']?.startsWith('Alertmanager/') === true;
}
