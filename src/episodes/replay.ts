import { parseNotification, type Group } from '../alert/notification.ts';
import { FormatError } from '../lib/parse.ts';
import type { EpisodeBook } from './book/episode-book.ts';
import { indexIn, rememberParsed } from './received-alert.ts';
import {
  decodeAgain, decodeEpisode, decodeFeedback, decodeKey, decodeNotification, decodeOutcome,
  recordType, type Accepted, type AcceptedAlert, type ChangedAlert, type RecordKind,
} from './records.ts';

/** A record as the journal replays it; the entries of a snapshot come first. */
export interface StoredRecord {
  readonly sequence: number;
  readonly type: number;
  readonly payload: Buffer;
}

const kinds = new Map<number, RecordKind>(
  Object.entries(recordType).map(([kind, type]) => [type, kind as RecordKind]),
);

/**
 * Applies a record of the journal to the book, as it was applied when it was written.
 *
 * @throws {FormatError} When it is not a record that this version understands.
 */
export function applyRecord(book: EpisodeBook, record: StoredRecord): void {
  const { sequence, type, payload } = record;
  const kind = kinds.get(type);
  switch (kind) {
    case 'notification': return applyNotification(book, sequence, payload);
    case 'attempt': return book.applyAttempt(sequence, decodeKey(payload));
    case 'release': return book.applyRelease(sequence, decodeKey(payload));
    case 'outcome': return book.applyOutcome(sequence, decodeOutcome(payload));
    case 'forget': return book.applyForget(sequence, decodeKey(payload));
    case 'feedback': return book.applyFeedback(sequence, decodeFeedback(payload));
    case 'again': return book.applyAgain(sequence, decodeAgain(payload));
    case 'episode': return book.restore(decodeEpisode(payload));
    case 'retired': return book.retired.retire(decodeKey(payload));
    case undefined: throw new FormatError('record', 'a known type', type);
  }
}

/** The decisions are stored with the body, which is parsed only if an episode begins. */
function applyNotification(book: EpisodeBook, sequence: number, payload: Buffer): void {
  const { receivedAt, accepted, body } = decodeNotification(payload);
  const text = body.toString('utf8');
  const known = accepted.every(hasChange)
    ? { accepted }
    : parsed(accepted, text, receivedAt);
  book.applyNotification(sequence, { receivedAt, text, ...known });
  book.settleSome(Infinity); // Nobody waits for an answer, and the body is still in the cache.
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
