import { parseNotification, type Group } from '../alert/notification.ts';
import type { EpisodeBook } from './book/episode-book.ts';
import { indexIn, rememberParsed } from './received-alert.ts';
import type { Accepted, AcceptedAlert, ChangedAlert, StoredNotification } from './records.ts';

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
