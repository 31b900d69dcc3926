import type { EpisodeKey } from '../alert/episode-key.ts';
import type { EpisodeBook } from './book/episode-book.ts';
import {
  encodeKey, encodeRecord, recordType, type AgainRecord, type FeedbackRecord, type OutcomeRecord,
} from './records.ts';

/** Resolves to the record's sequence number once it is on disk; rejects if it never will be. */
type Append = (type: number, parts: readonly Uint8Array[]) => Promise<number>;

/** Journals what happens to episodes, and applies it to the book once it is on disk. */
export interface EpisodeJournal {
  attempt(key: EpisodeKey): Promise<void>;
  release(key: EpisodeKey): Promise<void>;
  outcome(outcome: OutcomeRecord): Promise<void>;
  forget(key: EpisodeKey): Promise<void>;
  feedback(said: FeedbackRecord): Promise<void>;
  again(asked: AgainRecord): Promise<void>;
}

export function createEpisodeJournal(append: Append, book: EpisodeBook): EpisodeJournal {
  return {
    attempt: async (key) =>
      book.applyAttempt(await append(recordType.attempt, encodeKey(key)), key),
    release: async (key) =>
      book.applyRelease(await append(recordType.release, encodeKey(key)), key),
    outcome: async (outcome) =>
      book.applyOutcome(await append(recordType.outcome, encodeRecord(outcome)), outcome),
    forget: async (key) => book.applyForget(await append(recordType.forget, encodeKey(key)), key),
    feedback: async (said) =>
      book.applyFeedback(await append(recordType.feedback, encodeRecord(said)), said),
    again: async (asked) =>
      book.applyAgain(await append(recordType.again, encodeRecord(asked)), asked),
  };
}
