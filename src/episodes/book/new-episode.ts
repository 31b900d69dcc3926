import { ruleNameOf } from '../../alert/alert.ts';
import { labelOf, type LabelSet } from '../../alert/labels.ts';
import { parseTime } from '../../alert/timestamp.ts';
import { shortened } from '../../lib/shortened.ts';
import { noFeedback, type Episode } from '../episode.ts';
import type { ReceivedAlert } from '../received-alert.ts';
import type { Accepted, EpisodeChange } from '../records.ts';
import type { Mutable } from './alert-history.ts';

/** What an accepted alert tells about its episode. */
export interface News {
  readonly received: ReceivedAlert;
  readonly change: EpisodeChange;
}

/** Names are kept for every episode as long as its report. */
const nameLengthMax = 256;

/** An episode as described by its first notification, received at `at` (wall time in ms). */
export function newEpisode(
  { fingerprint, number, kind }: Accepted,
  { labels, change, at }: { labels: LabelSet; change: EpisodeChange; at: number },
): Mutable<Episode> {
  const { severity, startsAt, endsAt } = change;
  const isOpen = kind !== 'arrived_resolved';
  const began = startsAt ?? (isOpen ? null : endsAt) ?? new Date(at).toISOString();
  return {
    fingerprint, number,
    name: shortened(ruleNameOf(labels), nameLengthMax),
    namespace: shortened(labelOf(labels, 'namespace') ?? '', nameLengthMax) || null,
    severity,
    startsAt: began,
    endsAt: isOpen ? null : plausibleEnd(endsAt, { startsAt: began, at }),
    isEndUnknown: false,
    notifications: 1,
    analysis: 'queued',
    attempts: 0,
    attemptsTotal: 0,
    isAskedFor: false,
    conclusion: null,
    report: null,
    recording: null,
    latest: null,
    identity: null,
    incident: null,
    feedback: noFeedback,
  };
}

/** The two Prometheus of a highly available pair differ by less than this in an alert's start. */
const beganAnewMs = 5 * 60_000;

/**
 * When an open episode began: the earlier of the known start and the one given now, both RFC 3339.
 * A start that is much later, and after the last acceptance (`heardAt`, wall time in ms), means
 * that the alert has ended and started again, and its sender does not send resolved alerts: then
 * the new start counts.
 */
export function startOfOpen(known: string, given: string | null, heardAt: number): string {
  if (given === null || given === known) return known;
  const knownMs = parseTime(known) ?? Infinity;
  const givenMs = parseTime(given) ?? Infinity;
  const isAnew = givenMs !== Infinity && givenMs > heardAt && givenMs - knownMs >= beganAnewMs;
  return isAnew || givenMs < knownMs ? given : known;
}

/** How far a sender's clock may be ahead of ours. */
const aheadMs = 5 * 60_000;

/**
 * A plausible end: not before the start, and `at`, when it was received, instead of a time in the
 * future. All in ms since the epoch.
 */
export function endWithin(endMs: number, { startMs, at }: { startMs: number; at: number }): number {
  const notBefore = Math.max(endMs, startMs);
  return notBefore > at + aheadMs ? at : notBefore;
}

/**
 * When an episode ended, RFC 3339: as given at `at` (wall time in ms), but made plausible. With an
 * end in the future, every firing until then would look like a late copy.
 */
export function plausibleEnd(
  given: string | null,
  { startsAt, at }: { startsAt: string; at: number },
): string {
  const givenMs = parseTime(given ?? '') ?? at;
  const endMs = endWithin(givenMs, { startMs: parseTime(startsAt) ?? givenMs, at });
  return given !== null && endMs === givenMs ? given : new Date(endMs).toISOString();
}
