import type { Alert } from '../../../src/alert/alert.ts';
import type { EpisodeKey } from '../../../src/alert/episode-key.ts';
import { fingerprintOf, isFingerprint, type Fingerprint } from '../../../src/alert/fingerprint.ts';
import type { Group, Notification } from '../../../src/alert/notification.ts';
import { parseNotification } from '../../../src/alert/notification.ts';

/** Checks that the text is a fingerprint, and returns it as one. */
export function fingerprint(text: string): Fingerprint {
  if (!isFingerprint(text)) throw new Error(`Not a fingerprint: ${text}`);
  return text;
}

export function aKey(name: string, number = 1): EpisodeKey {
  return { fingerprint: fingerprint(name), number };
}

/** One firing alert; `over` replaces members. */
export function anAlert(over: Partial<Alert> = {}): Alert {
  const labels = over.labels ?? { alertname: 'HighCPU', instance: 'a:9100', severity: 'warning' };
  return {
    status: 'firing',
    labels,
    annotations: {},
    startsAt: '2026-11-20T10:00:00Z',
    endsAt: null,
    generatorURL: '',
    fingerprint: fingerprintOf(labels),
    values: {},
    dashboardURL: '',
    panelURL: '',
    ...over,
  };
}

export const aGroup: Group = {
  receiver: 'team', groupKey: '{}:{}', groupLabels: {}, externalURL: '', listed: 1, truncated: 0,
};

/** A notification as the body of a request, and parsed. */
export function received(
  alerts: readonly object[],
  receivedAt: number,
  groupKey = '',
): { notification: Notification; body: Buffer; text: string; receivedAt: number } {
  const body = Buffer.from(JSON.stringify({ version: '4', status: 'firing', groupKey, alerts }));
  const text = body.toString();
  return { notification: parseNotification(JSON.parse(text), receivedAt), body, text, receivedAt };
}
