/**
 * What one accepted alert means for its fingerprint: pure, so that every order in which the
 * copies of a highly available sender may arrive can be tried as a table.
 */
import type { AlertStatus } from '../alert/alert.ts';

/** What has to be known of a fingerprint's newest episode. Times in ms since the epoch. */
export interface EpisodeSpan {
  readonly number: number;
  readonly startsAt: number;
  /** Null while firing. */
  readonly endsAt: number | null;
  /** When the episode before it ended; null when there is none. */
  readonly previousEndsAt: number | null;
}

export interface Sighting {
  readonly status: AlertStatus;
  /** Null when the sender gave none; the time of receipt then counts. */
  readonly startsAt: number | null;
  readonly endsAt: number | null;
  readonly receivedAt: number;
}

/**
 * - `opened`: the first firing of a new episode.
 * - `refreshed`: the open episode is still firing.
 * - `resolved`: the open episode has ended.
 * - `arrived_resolved`: an episode never seen firing, complete at once.
 * - `late`: a copy that tells nothing new of an episode that has ended, or of one before it.
 */
export type DecisionKind = 'opened' | 'refreshed' | 'resolved' | 'arrived_resolved' | 'late';

/** Whether the episode was not known before: all else tells something of one that is. */
export function beginsEpisode(kind: DecisionKind): boolean {
  return kind === 'opened' || kind === 'arrived_resolved';
}

interface Decision {
  readonly kind: DecisionKind;
  /** The episode it is about. */
  readonly number: number;
}

/** Decides what `seen` means, given the fingerprint's newest episode, if it has one. */
export function decide(newest: EpisodeSpan | null, seen: Sighting): Decision {
  if (newest === null) return begin(1, seen.status);
  return newest.endsAt === null ? whileOpen(newest, seen) : afterEnd(newest, newest.endsAt, seen);
}

/**
 * A twin may tell late of an earlier stretch: the one that is open goes on. A sender that names no
 * start, or whose clock went back since, speaks of the one that is open.
 */
function whileOpen(open: EpisodeSpan, seen: Sighting): Decision {
  const { number } = open;
  const startsAt = seen.startsAt ?? Infinity;
  if (seen.status === 'firing') {
    return { kind: startsAt <= (open.previousEndsAt ?? -Infinity) ? 'late' : 'refreshed', number };
  }
  const endedAt = seen.endsAt ?? seen.receivedAt;
  const isEarlier = startsAt < open.startsAt && endedAt < open.startsAt;
  return { kind: isEarlier ? 'late' : 'resolved', number };
}

/**
 * Twins of a highly available pair differ a little in `startsAt` and their copies come late, so
 * only a start after the known end makes a new episode.
 */
function afterEnd(closed: EpisodeSpan, endedAt: number, seen: Sighting): Decision {
  const isNew = seen.startsAt === null ? seen.status === 'firing' : seen.startsAt > endedAt;
  return isNew ? begin(closed.number + 1, seen.status) : { kind: 'late', number: closed.number };
}

function begin(number: number, status: AlertStatus): Decision {
  return { kind: status === 'firing' ? 'opened' : 'arrived_resolved', number };
}
