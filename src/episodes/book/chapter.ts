import type { AlertStatus } from '../../alert/alert.ts';
import type { EpisodeSpan } from '../decide.ts';
import { endOf, startOf, type Acceptance, type Episode } from '../episode.ts';
import type { EpisodeRecord } from '../records.ts';

export type Mutable<T> = { -readonly [Member in keyof T]: T[Member] };

/** All that is kept of one fingerprint. */
export interface Chapter {
  /** Ascending numbers; retention takes from the front. */
  episodes: Mutable<Episode>[];
  /** The last acceptance; not an object of its own, as there are as many as fingerprints. */
  acceptedStatus: AlertStatus;
  acceptedAt: number;
  /** Of the newest journal record applied. */
  sequence: number;
  /** Of the newest record that a snapshot held already: up to there nothing is applied again. */
  restoredSequence: number;
}

/** What every chapter begins with; never added to. */
export const noEpisodes: Mutable<Episode>[] = [];

/** Puts the episode where its number belongs; returns the one that had the number, if any. */
export function putEpisode(
  chapter: Chapter,
  episode: Mutable<Episode>,
): Mutable<Episode> | null {
  const { episodes } = chapter;
  const index = indexOfNumber(episodes, episode.number);
  const known = episodes[index];
  // Most chapters stay at one episode, and a list that grows by itself has room for 17.
  if (episodes.length === 0) chapter.episodes = [episode];
  else if (known?.number !== episode.number) episodes.splice(index, 0, episode);
  else {
    episodes[index] = episode;
    return known;
  }
  return null;
}

/** Takes episode `number` out; null when it is not there. */
export function takeEpisode({ episodes }: Chapter, number: number): Mutable<Episode> | null {
  const index = indexOfNumber(episodes, number);
  const [taken] = episodes[index]?.number === number ? episodes.splice(index, 1) : [];
  return taken ?? null;
}

/** Episode `number`, or the newest where it is null. */
export function episodeIn({ episodes }: Chapter, number: number | null): Mutable<Episode> | null {
  if (number === null) return episodes.at(-1) ?? null;
  const found = episodes[indexOfNumber(episodes, number)];
  return found?.number === number ? found : null;
}

/** Where the first stands whose number is not below: an alert that flaps has 40 000 episodes. */
function indexOfNumber(episodes: readonly Episode[], number: number): number {
  let [low, high] = [0, episodes.length];
  if ((episodes.at(-1)?.number ?? 0) < number) return high;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((episodes[middle]?.number ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What a decision on the next alert has to know of the newest episode; null without one. */
export function newestSpanOf({ episodes }: Chapter): EpisodeSpan | null {
  const [newest, previous] = [episodes.at(-1), episodes.at(-2)];
  if (newest === undefined) return null;
  return {
    number: newest.number,
    startsAt: startOf(newest),
    endsAt: newest.endsAt === null ? null : endOf(newest),
    previousEndsAt: previous === undefined ? null : endOf(previous),
  };
}

export function acceptanceOf({ acceptedStatus, acceptedAt }: Chapter): Acceptance {
  return { status: acceptedStatus, at: acceptedAt };
}

/** Whether the record is news to the chapter, which then counts as having it. */
export function advance(chapter: Chapter, sequence: number): boolean {
  if (sequence <= chapter.restoredSequence) return false;
  chapter.sequence = Math.max(chapter.sequence, sequence);
  return true;
}

/** Copied at once: all episodes of a fingerprint must be as of the one sequence. */
export function recordsOf(chapter: Chapter): EpisodeRecord[] {
  const { episodes, sequence } = chapter;
  const acceptance = acceptanceOf(chapter);
  return episodes.map((episode, index) => ({
    episode: { ...episode },
    sequence,
    acceptance: index === episodes.length - 1 ? acceptance : null,
  }));
}
