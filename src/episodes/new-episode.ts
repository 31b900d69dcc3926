import { alertNameOf, type Alert } from '../alert/alert.ts';
import { labelOf } from '../alert/labels.ts';
import { severityOf } from '../alert/severity.ts';
import { parseTime } from '../alert/timestamp.ts';
import type { Mutable } from './chapter.ts';
import { noFeedback, type Episode } from './episode.ts';
import type { Accepted } from './records.ts';

/** An episode as its first notification tells it; `at` is when that was received, in wall time. */
export function newEpisode(
  { fingerprint, number, kind }: Accepted,
  alert: Alert,
  at: number,
): Mutable<Episode> {
  const isOpen = kind !== 'arrived_resolved';
  return {
    fingerprint,
    number,
    name: alertNameOf(alert.labels),
    namespace: labelOf(alert.labels, 'namespace') || null,
    severity: severityOf(alert.labels),
    startsAt: alert.startsAt ?? (isOpen ? null : alert.endsAt) ?? new Date(at).toISOString(),
    endsAt: isOpen ? null : (alert.endsAt ?? new Date(at).toISOString()),
    notifications: 1,
    analysis: 'queued',
    attempts: 0,
    attemptsTotal: 0,
    conclusion: null,
    latest: null,
    identity: null,
    incident: null,
    feedback: noFeedback,
  };
}

/** The earlier of two RFC 3339 times; what is no time is later than any. */
export function earlierTime(known: string, told: string | null): string {
  if (told === null || told === known) return known;
  return (parseTime(told) ?? Infinity) < (parseTime(known) ?? Infinity) ? told : known;
}
