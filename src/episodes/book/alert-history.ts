import type { AlertStatus } from '../../alert/alert.ts';
import { firstIndexWhere } from '../../lib/binary-search.ts';
import { isQuiet } from '../conclusion.ts';
import type { EpisodeSpan } from '../decide.ts';
import { endOf, startOf, type Acceptance, type Episode } from '../episode.ts';
import type { EpisodeRecord } from '../records.ts';

export type Mutable<T> = { -readonly [Member in keyof T]: T[Member] };

/** Everything that is kept of one fingerprint. */
export interface AlertHistory {
  /** By ascending number; retention removes from the front. */
  episodes: Mutable<Episode>[];
  /** The last acceptance; not an object of its own, to save memory for each fingerprint. */
  acceptedStatus: AlertStatus;
  acceptedAt: number;
  /** The newest journal record applied. */
  sequence: number;
  /** The newest record that was part of the snapshot: nothing up to it is applied again. */
  restoredSequence: number;
}

/** What every chapter begins with; shared, so never modified. */
const noEpisodes: Mutable<Episode>[] = [];

export function newHistory({ status, at }: Acceptance): AlertHistory {
  return {
    episodes: noEpisodes, acceptedStatus: status, acceptedAt: at, sequence: -1,
    restoredSequence: -1,
  };
}

/** Inserts the episode by its number; returns the episode that it replaced, or null. */
export function putEpisode(
  history: AlertHistory,
  episode: Mutable<Episode>,
): Mutable<Episode> | null {
  const { episodes } = history;
  const index = indexOfNumber(episodes, episode.number);
  const known = episodes[index];
  // Most chapters keep one episode, but `push` would allocate room for 17.
  if (episodes.length === 0) history.episodes = [episode];
  else if (known?.number !== episode.number) episodes.splice(index, 0, episode);
  else {
    episodes[index] = episode;
    return known;
  }
  return null;
}

/** Removes and returns episode `number`; null if there is none. */
export function takeEpisode({ episodes }: AlertHistory, number: number): Mutable<Episode> | null {
  const index = indexOfNumber(episodes, number);
  const [taken] = episodes[index]?.number === number ? episodes.splice(index, 1) : [];
  return taken ?? null;
}

/** Episode `number`, or the newest if `number` is null. */
export function episodeIn(
  { episodes }: AlertHistory,
  number: number | null,
): Mutable<Episode> | null {
  if (number === null) return episodes.at(-1) ?? null;
  const found = episodes[indexOfNumber(episodes, number)];
  return found?.number === number ? found : null;
}

/** The index of the first episode with at least this number. */
function indexOfNumber(episodes: readonly Episode[], number: number): number {
  return firstIndexWhere(episodes, (episode) => episode.number >= number);
}

/** What the decision on the next alert needs of the newest episode; null without one. */
export function newestSpanOf({ episodes, acceptedAt }: AlertHistory): EpisodeSpan | null {
  const [newest, previous] = [episodes.at(-1), episodes.at(-2)];
  if (newest === undefined) return null;
  return {
    number: newest.number,
    startsAt: startOf(newest),
    endsAt: newest.endsAt === null ? null : endOf(newest),
    isEndUnknown: newest.isEndUnknown,
    previousEndsAt: previous === undefined ? null : endOf(previous),
    heardAt: acceptedAt,
  };
}

export function acceptanceOf({ acceptedStatus, acceptedAt }: AlertHistory): Acceptance {
  return { status: acceptedStatus, at: acceptedAt };
}

/** Returns false for a record that the snapshot included; otherwise notes it as applied. */
export function advance(history: AlertHistory, sequence: number): boolean {
  if (sequence <= history.restoredSequence) return false;
  history.sequence = Math.max(history.sequence, sequence);
  return true;
}

/** Copies all episodes at once, as they must all be as of the same sequence number. */
export function recordsOf(history: AlertHistory): EpisodeRecord[] {
  const { episodes, sequence } = history;
  const acceptance = acceptanceOf(history);
  return episodes.map((episode, index) => ({
    episode: { ...episode },
    sequence,
    acceptance: index === episodes.length - 1 ? acceptance : null,
  }));
}

/** Whether the last report on the episode before this one called it noise. */
export function wasNoise({ episodes }: AlertHistory, number: number): boolean {
  const { conclusion = null } = episodes[indexOfNumber(episodes, number) - 1] ?? {};
  return conclusion !== null && isQuiet(conclusion);
}
