import type { Episode } from '../episode.ts';
import { forgetParsed, ReceivedAlert } from '../received-alert.ts';
import type { Mutable } from './chapter.ts';

/**
 * What is kept of the alerts that wait for their analysis to end: of each episode its newest
 * notification, in `latest`, which only this class sets on an episode that the book holds.
 */
export class WaitingAlerts {
  #weight = 0;
  /** What came with others and shares their text, oldest first. */
  #packed: Episode[] = [];

  /** In bytes of memory. */
  get weight(): number {
    return this.#weight;
  }

  /** Keeps `latest` in place of what was kept of the episode; null keeps nothing. */
  keep(episode: Mutable<Episode>, latest: ReceivedAlert | null): void {
    this.#weight += (latest?.weight ?? 0) - (episode.latest?.weight ?? 0);
    episode.latest = latest;
  }

  /** Takes up an episode that was kept before, with what it holds. */
  add({ latest }: Episode): void {
    this.#weight += latest?.weight ?? 0;
  }

  /** Another takes the episode's place. */
  remove({ latest }: Episode): void {
    this.#weight -= latest?.weight ?? 0;
  }

  /** The episode's newest notification holds other alerts too. */
  markPacked(episode: Episode): void {
    this.#packed.push(episode);
  }

  /** Gives at most `countMax` that are packed a text of their own; true when none is left. */
  unpackSome(countMax: number): boolean {
    this.#unpack(this.#packed.splice(0, countMax));
    if (this.#packed.length > 0) return false;
    forgetParsed();
    return true;
  }

  /** Gives each of these a text of its own; nothing else waits. */
  unpackAll(waiting: readonly Episode[]): void {
    this.#packed = [];
    this.#unpack(waiting);
  }

  /** What is no longer kept by then is left as it is. */
  #unpack(episodes: readonly Episode[]): void {
    const kept = new Set(episodes.map(({ latest }) => latest).filter((latest) => latest !== null));
    this.#weight += ReceivedAlert.unpack(kept);
  }
}
