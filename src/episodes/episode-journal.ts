/** Every kind of record in the journal: its number, its bytes, and what it changes in the book. */
import type { EpisodeKey } from '../alert/episode-key.ts';
import { parseNotification, type Group } from '../alert/notification.ts';
import { FormatError, type Parser } from '../lib/parse.ts';
import type { EpisodeBook } from './book/episode-book.ts';
import { indexIn, rememberParsed } from './received-alert.ts';
import {
  againRecord, decodeNotification, encodeNotification, episodeKey, episodeRecord, feedbackRecord,
  movedRecord, outcomeRecord, parseRecordJson, recordedRecord, type Accepted, type AcceptedAlert,
  type AgainRecord, type ChangedAlert, type EpisodeRecord, type FeedbackRecord, type MovedRecord,
  type NotificationRecord, type OutcomeRecord, type RecordedRecord, type StoredNotification,
} from './records.ts';

/** `T` is what is written, `Stored` what is read back. */
interface RecordKind<T, Stored extends T = T> {
  /** Its number on disk, which must never change its meaning. */
  readonly type: number;
  encode(record: T): Uint8Array[];
  /** @throws {FormatError} When the payload is not a record of this kind. */
  decode(payload: Buffer): Stored;
  /** Whether somebody waits for it, so that it is written at once. */
  readonly isUrgent?: boolean;
  apply: Apply<Stored>;
}

type Apply<T> = (book: EpisodeBook, sequence: number, record: T) => void;

/** What happens to an episode besides notifications, by the record that tells it. */
interface Events {
  readonly attempt: EpisodeKey;
  readonly release: EpisodeKey;
  readonly outcome: OutcomeRecord;
  readonly forget: EpisodeKey;
  readonly feedback: FeedbackRecord;
  readonly again: AgainRecord;
  readonly moved: MovedRecord;
  readonly recorded: RecordedRecord;
}

type EventKinds = { readonly [Name in keyof Events]: RecordKind<Events[Name]> };

/** Journals what happens to episodes, and applies it to the book once it is on disk. */
export type EpisodeJournal = {
  readonly [Name in keyof Events]: (event: Events[Name]) => Promise<void>;
};

const events: EventKinds = {
  attempt: ofKey(2, (book, at, key) => book.applyAttempt(at, key)),
  outcome: ofJson(3, outcomeRecord, (book, at, outcome) => book.applyOutcome(at, outcome)),
  release: ofKey(4, (book, at, key) => book.applyRelease(at, key)),
  forget: ofKey(5, (book, at, key) => book.applyForget(at, key)),
  feedback: {
    ...ofJson(7, feedbackRecord, (book, at, feedback) => book.applyFeedback(at, feedback)),
    isUrgent: true,
  },
  again: {
    ...ofJson(8, againRecord, (book, at, asked) => book.applyAgain(at, asked)), isUrgent: true,
  },
  moved: ofJson(10, movedRecord, (book, at, moved) => book.applyMoved(at, moved)),
  recorded: ofJson(11, recordedRecord, (book, at, stored) => book.applyRecorded(at, stored)),
};

interface RecordKinds extends EventKinds {
  readonly notification: RecordKind<NotificationRecord, StoredNotification>;
  /** In snapshots only, as is `retired`. */
  readonly episode: RecordKind<EpisodeRecord>;
  readonly retired: RecordKind<EpisodeKey>;
}

export const recordKinds: RecordKinds = {
  ...events,
  notification: {
    type: 1, encode: encodeNotification, decode: decodeNotification, apply: replayNotification,
  },
  episode: ofJson(6, episodeRecord, (book, _, record) => book.restore(record)),
  retired: ofKey(9, (book, _, key) => book.retired.retire(key)),
};

function ofJson<T>(type: number, parser: Parser<T>, apply: Apply<T>): RecordKind<T> {
  return {
    type, apply,
    encode: (record) => [Buffer.from(JSON.stringify(record))],
    decode: (payload) => parser(parseRecordJson(payload), 'record'),
  };
}

/** A record that says no more than which episode it is about. */
function ofKey(type: number, apply: Apply<EpisodeKey>): RecordKind<EpisodeKey> {
  const { encode, decode } = ofJson(type, episodeKey, apply);
  return {
    type, apply, decode,
    encode: ({ fingerprint, number }) => encode({ fingerprint, number }),
  };
}

/** Resolves to the record's sequence number once it is on disk; rejects if it never will be. */
type Append = (
  type: number, parts: readonly Uint8Array[], isUrgent: boolean,
) => Promise<number>;

export function createEpisodeJournal(append: Append, book: EpisodeBook): EpisodeJournal {
  const writerOf = <T>({ type, encode, apply, isUrgent = false }: RecordKind<T>) =>
    async (event: T) => apply(book, await append(type, encode(event), isUrgent), event);
  const writers = Object.entries(events).map(([name, kind]) =>
    [name, writerOf(kind as RecordKind<unknown>)]);
  return Object.fromEntries(writers) as EpisodeJournal;
}

/** A record as the journal replays it; the entries of a snapshot come first. */
export interface StoredRecord {
  readonly sequence: number;
  readonly type: number;
  readonly payload: Buffer;
}

const kindsByType = new Map(
  Object.values(recordKinds).map((kind: RecordKind<unknown>) => [kind.type, kind]),
);

/**
 * Applies a record of the journal to the book, as it was applied when it was written.
 *
 * @throws {FormatError} When it is not a record that this version understands.
 */
export function applyRecord(book: EpisodeBook, { sequence, type, payload }: StoredRecord): void {
  const kind = kindsByType.get(type);
  if (kind === undefined) throw new FormatError('record', 'a known type', type);
  kind.apply(book, sequence, kind.decode(payload));
}

/** The records of a snapshot, read from the book while it goes on changing. */
export function* snapshotOf(book: EpisodeBook): Iterable<{ type: number; payload: Buffer }> {
  const { episode, retired } = recordKinds;
  for (const record of book.records()) {
    yield { type: episode.type, payload: Buffer.concat(episode.encode(record)) };
  }
  // Last, as episodes may be removed while the others are written.
  for (const key of book.retired.all()) {
    yield { type: retired.type, payload: Buffer.concat(retired.encode(key)) };
  }
}

/**
 * Applies a notification of the journal. The decisions are stored with the body, which is parsed
 * only if an episode begins or is open again.
 */
export function replayNotification(
  book: EpisodeBook,
  sequence: number,
  { receivedAt, accepted, body }: StoredNotification,
): void {
  const text = body.toString('utf8');
  const known = accepted.every(hasChange)
    ? { accepted }
    : parsed(accepted, text, receivedAt);
  book.applyNotification(sequence, { receivedAt, text, ...known });
}

function hasChange(accepted: Accepted): accepted is ChangedAlert {
  return accepted.change !== undefined;
}

function parsed(
  accepted: readonly Accepted[],
  text: string,
  receivedAt: number,
): { readonly accepted: readonly AcceptedAlert[]; readonly group: Group } {
  const notification = parseNotification(JSON.parse(text), receivedAt);
  rememberParsed(text, notification);
  const { alerts, group } = notification;
  const known: AcceptedAlert[] = [];
  for (const each of accepted) {
    const index = indexIn(alerts, each);
    const alert = alerts[index];
    if (alert !== undefined) known.push({ ...each, index, alert });
  }
  return { accepted: known, group };
}
