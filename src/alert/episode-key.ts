import type { Fingerprint } from './fingerprint.ts';

/** Identity of an episode: the alert's fingerprint, and the number of the episode among its own. */
export interface EpisodeKey {
  readonly fingerprint: Fingerprint;
  readonly number: number;
}

/** The key as fields of a log entry. */
export function loggedKey(
  { fingerprint, number }: EpisodeKey,
): { readonly fingerprint: Fingerprint; readonly episode: number } {
  return { fingerprint, episode: number };
}
