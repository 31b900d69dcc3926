import type { Episode } from '../episode.ts';
import { forgetParsed, ReceivedAlert } from '../received-alert.ts';
import type { Mutable } from './alert-history.ts';

/**
 * Keeps the alerts whose analysis has not ended: the newest notification of each episode, in its
 * `latest`. For episodes in the book, only this class sets that member.
 */
export class WaitingAlerts {
  #weight = 0;
  /**
   * Episodes whose alert still shares the text of its notification with others, oldest first;
   * beginning at `#next`, as to cut off the front of a long list takes time in proportion to it.
   */
  #packed: Episode[] = [];
  #next = 0;

  /** Memory taken, in bytes. */
  get weight(): number {
    return this.#weight;
  }

  /** Replaces what is kept of the episode; null frees it. */
  keep(episode: Mutable<Episode>, latest: ReceivedAlert | null): void {
    this.#weight += (latest?.weight ?? 0) - (episode.latest?.weight ?? 0);
    episode.latest = latest;
  }

  /** Counts an episode that already has its `latest`. */
  add({ latest }: Episode): void {
    this.#weight += latest?.weight ?? 0;
  }

  /** Stops counting an episode that was replaced. */
  remove({ latest }: Episode): void {
    this.#weight -= latest?.weight ?? 0;
  }

  /** To be called if the episode's newest notification contains other alerts too. */
  markPacked(episode: Episode): void {
    this.#packed.push(episode);
  }

  /** Gives at most `countMax` alerts their own text; returns whether none is left. */
  unpackSome(countMax: number): boolean {
    const end = Math.min(this.#packed.length, this.#next + countMax);
    this.#unpack(this.#packed.slice(this.#next, end));
    this.#next = end;
    if (end < this.#packed.length) return false;
    this.#forgetPacked();
    forgetParsed();
    return true;
  }

  /** Gives the alerts of these episodes, which are all that wait, their own text. */
  unpackAll(waiting: readonly Episode[]): void {
    this.#forgetPacked();
    this.#unpack(waiting);
  }

  #forgetPacked(): void {
    this.#packed = [];
    this.#next = 0;
  }

  /** Skips episodes whose alert is no longer kept. */
  #unpack(episodes: readonly Episode[]): void {
    const kept = new Set(episodes.map(({ latest }) => latest).filter((latest) => latest !== null));
    this.#weight += ReceivedAlert.unpack(kept);
  }
}
