import { alertNameOf } from '../alert/alert.ts';
import { labelOf, shortened, type LabelSet } from '../alert/labels.ts';
import { parseTime } from '../alert/timestamp.ts';
import type { Mutable } from './chapter.ts';
import { noFeedback, type Episode } from './episode.ts';
import type { Accepted, Change } from './records.ts';

/** Kept of every episode for as long as its report is. */
const nameLengthMax = 256;

/** An episode as its first notification tells it; `at` is when that was received, in wall time. */
export function newEpisode(
  { fingerprint, number, kind }: Accepted,
  { labels, change, at }: { labels: LabelSet; change: Change; at: number },
): Mutable<Episode> {
  const { severity, startsAt, endsAt } = change;
  const isOpen = kind !== 'arrived_resolved';
  return {
    fingerprint,
    number,
    name: shortened(alertNameOf(labels), nameLengthMax),
    namespace: shortened(labelOf(labels, 'namespace') ?? '', nameLengthMax) || null,
    severity,
    startsAt: startsAt ?? (isOpen ? null : endsAt) ?? new Date(at).toISOString(),
    endsAt: isOpen ? null : (endsAt ?? new Date(at).toISOString()),
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
