import type { Alert } from '../../../src/alert/alert.ts';
import type { LabelSet } from '../../../src/alert/labels.ts';
import { EpisodeBook } from '../../../src/episodes/book/episode-book.ts';
import type { Conclusion } from '../../../src/episodes/conclusion.ts';
import { settled } from '../settled.ts';
import { anAlert } from './alerts.ts';

/** One episode to put into the book. */
export interface Told {
  readonly labels: LabelSet;
  /** Default 1. */
  readonly number?: number;
  /** Seconds after {@linkcode bookStart}. */
  readonly began: number;
  /** Null while it fires. */
  readonly ended?: number | null;
  readonly conclusion?: Partial<Conclusion> | null;
}

export const bookStart: number = Date.parse('2026-11-20T00:00:00Z');

/**
 * A book with these episodes, each opened by its own notification; all are resolved at the end,
 * unless a later episode of the same alert began before.
 */
export function filledBook(all: readonly Told[]): EpisodeBook {
  const book = new EpisodeBook();
  let sequence = 0;
  const tell = (kind: 'opened' | 'resolved', alert: Alert, number: number): void => {
    sequence += 1;
    const accepted = { fingerprint: alert.fingerprint, kind, number, index: 0, alert };
    const text = JSON.stringify({ alerts: [alert] });
    const receivedAt = alert.endsAt === null ? bookStart : Date.parse(alert.endsAt);
    book.applyNotification(sequence, { receivedAt, text, accepted: [accepted] });
  };
  const alerts = all.map((told) => ({
    number: 1, ...told, alert: anAlert({ labels: told.labels, startsAt: timeOf(told.began) }),
  }));
  for (const { alert, number, conclusion } of alerts) {
    tell('opened', alert, number);
    if (conclusion === null) continue;
    sequence += 1;
    book.applyOutcome(sequence, {
      fingerprint: alert.fingerprint, number, state: 'reported', revision: 1,
      conclusion: {
        classification: 'actionable', certainty: 'likely', headline: 'It is slow.', ...conclusion,
      },
    });
  }
  for (const { alert, number, ended = null } of alerts) {
    if (ended === null) continue;
    tell('resolved', { ...alert, status: 'resolved', endsAt: timeOf(ended) }, number);
  }
  return settled(book);
}

function timeOf(seconds: number): string {
  return new Date(bookStart + seconds * 1000).toISOString();
}
