/**
 * What one accepted alert means for its fingerprint: a pure function, so that all orders in which
 * the copies of a highly available sender can arrive are tested as a table.
 */
import type { AlertStatus } from '../alert/alert.ts';

/** A fingerprint's newest episode. Times are in ms since the epoch. */
export interface EpisodeSpan {
  readonly number: number;
  readonly startsAt: number;
  /** Null while firing. */
  readonly endsAt: number | null;
  /** No end was notified: Alertmanager was found not to have the alert any more. */
  readonly isEndUnknown: boolean;
  /** When the previous episode ended; null when there is none. */
  readonly previousEndsAt: number | null;
  /** When a notification last contained the fingerprint. */
  readonly heardAt: number;
}

/** Each Alertmanager of a cluster waits 15 s for those before it: how late a copy of three is. */
const lateMs = 30_000;

export interface Sighting {
  readonly status: AlertStatus;
  /** Null when the sender gave none. */
  readonly startsAt: number | null;
  readonly endsAt: number | null;
  readonly receivedAt: number;
}

/**
 * - `opened`: the first firing of a new episode.
 * - `refreshed`: the open episode is still firing, or has not ended although it was thought to.
 * - `resolved`: the open episode has ended, or the time of its end is now known.
 * - `arrived_resolved`: an episode never seen firing, complete at once.
 * - `late`: a copy that comes late, about an episode that has ended; it says nothing new.
 */
export type DecisionKind = 'opened' | 'refreshed' | 'resolved' | 'arrived_resolved' | 'late';

export function beginsEpisode(kind: DecisionKind): boolean {
  return kind === 'opened' || kind === 'arrived_resolved';
}

interface Decision {
  readonly kind: DecisionKind;
  /** The episode it is about. */
  readonly number: number;
}

/**
 * Decides what `seen` means. `newest` is null if no episode of the fingerprint is known; then
 * `retired` is the number of the last one that was removed, or 0.
 */
export function decide(newest: EpisodeSpan | null, seen: Sighting, retired: number): Decision {
  if (newest === null) return begin(retired + 1, seen.status);
  return newest.endsAt === null ? whileOpen(newest, seen) : afterEnd(newest, newest.endsAt, seen);
}

/**
 * A late copy from the other one of a pair may be about an earlier episode; it does not affect the
 * open one. Alerts without a start, or with one that went back a little, are about the open one.
 */
function whileOpen(open: EpisodeSpan, seen: Sighting): Decision {
  const { number } = open;
  const startsAt = seen.startsAt ?? Infinity;
  if (seen.status === 'firing') {
    const isEarlier = startsAt !== open.startsAt && startsAt <= (open.previousEndsAt ?? -Infinity);
    return { kind: isEarlier ? 'late' : 'refreshed', number };
  }
  const endedAt = seen.endsAt ?? seen.receivedAt;
  const isEarlier = startsAt < open.startsAt && endedAt < open.startsAt;
  return { kind: isEarlier ? 'late' : 'resolved', number };
}

/**
 * The copies of a highly available pair differ slightly in `startsAt` and may come late, so only a
 * start after the known end begins a new episode. A firing that is no late copy goes on, whatever
 * its start: its Prometheus was cut off for a while, or one of a pair has seen it end. Where the
 * clock was set back, a known end that is still to come says nothing of what fires now.
 */
function afterEnd(closed: EpisodeSpan, endedAt: number, seen: Sighting): Decision {
  const isFiring = seen.status === 'firing';
  const isSetBack = closed.heardAt - seen.receivedAt > lateMs;
  const isAnew = isFiring && isSetBack && endedAt > seen.receivedAt;
  const isNew = seen.startsAt === null ? isFiring : seen.startsAt > endedAt;
  if (isNew || isAnew) return begin(closed.number + 1, seen.status);
  const goesOn = isFiring && (isSetBack || seen.receivedAt - closed.heardAt > lateMs);
  if (closed.isEndUnknown || goesOn) return whileOpen(closed, seen);
  return { kind: 'late', number: closed.number };
}

function begin(number: number, status: AlertStatus): Decision {
  return { kind: status === 'firing' ? 'opened' : 'arrived_resolved', number };
}
