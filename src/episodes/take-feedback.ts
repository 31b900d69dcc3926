import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../lib/clock.ts';
import type { FeedbackResult, NewFeedback } from '../report/feedback.ts';
import type { Feedback } from '../report/report.ts';
import type { EpisodeBook } from './book/episode-book.ts';
import type { Episode } from './episode.ts';
import type { EpisodeJournal } from './episode-journal.ts';

/** Most pieces of feedback on one episode; more is a discussion, which belongs elsewhere. */
export const feedbackPerEpisodeMax = 20;
/** Limit of all feedback in UTF-16 units, as without a token anybody can give some. */
const feedbackWeightMax = 16 * 1024 * 1024;
/** The same feedback again within this time is one form submitted twice. */
const sentTwiceMs = 60_000;

interface TakeFeedbackPorts {
  readonly book: EpisodeBook;
  readonly clock: Clock;
  readonly journal: Pick<EpisodeJournal, 'feedback'>;
  readonly onTaken: (feedback: Feedback) => void;
}

/** Stores feedback on reports, one piece at a time for each episode. */
export class FeedbackTaker {
  readonly #ports: TakeFeedbackPorts;
  readonly #taking = new Map<Episode, Promise<unknown>>();

  constructor(ports: TakeFeedbackPorts) {
    this.#ports = ports;
  }

  /** Resolves once the feedback is on disk, or was refused. */
  async take(fingerprint: string, number: number, feedback: NewFeedback): Promise<FeedbackResult> {
    const episode = this.#ports.book.find(fingerprint, number);
    if (episode === null) return { kind: 'not_found' };
    const before = this.#taking.get(episode) ?? Promise.resolve();
    const taken = before.then(() => this.#store(episode, feedback));
    this.#taking.set(episode, taken);
    try {
      return await taken;
    } finally {
      if (this.#taking.get(episode) === taken) this.#taking.delete(episode);
    }
  }

  async #store(episode: Episode, given: NewFeedback): Promise<FeedbackResult> {
    const { book, clock, journal, onTaken } = this.#ports;
    const { fingerprint, number } = episode;
    const now = clock.now();
    const twice = sentBefore(episode.feedback.at(-1), given, now);
    if (twice !== null) return { kind: 'stored', feedback: twice };
    const isFull = episode.feedback.length >= feedbackPerEpisodeMax;
    if (isFull || book.feedback.weight >= feedbackWeightMax) return { kind: 'full' };
    // A copy: as parts of the request's body, the texts would keep all of it in memory.
    const feedback = { at: new Date(now).toISOString(), ...structuredClone(given) };
    try {
      await journal.feedback({ fingerprint, number, feedback });
    } catch {
      return { kind: 'storage_unavailable' }; // The journal has said why in the log.
    }
    if (!episode.feedback.includes(feedback)) return { kind: 'not_found' }; // Forgotten meanwhile.
    onTaken(feedback);
    return { kind: 'stored', feedback };
  }
}

/** The last feedback if it is the same as `given` and recent; otherwise null. */
function sentBefore(last: Feedback | undefined, given: NewFeedback, now: number): Feedback | null {
  if (last === undefined) return null;
  const { at, ...before } = last;
  const age = now - Date.parse(at);
  return age >= 0 && age < sentTwiceMs && isDeepStrictEqual(before, { ...given }) ? last : null;
}
