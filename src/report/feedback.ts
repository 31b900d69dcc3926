/** What people say about a report: what may be said, and what becomes of it. */
import {
  boolean, fieldsOf, FormatError, oneOf, optional, shortText, text, type Parser,
} from '../lib/parse.ts';
import type { Feedback } from './report.ts';

/** Longest texts taken, in UTF-16 units. */
export const feedbackLimits = { cause: 500, note: 2000 } as const;

/** What somebody says of a report; when is for the service to say. */
export type NewFeedback = Omit<Feedback, 'at'>;

export const verdicts = ['right', 'partly', 'wrong'] as const;

/** Text without surrounding white space, its lines ended by line feeds; null when it is blank. */
function trimmedText(lengthMax: number): Parser<string | null> {
  return optional((value, path) => {
    const trimmed = text(value, path).replace(/\r\n?/g, '\n').trim();
    return trimmed === '' ? null : shortText(lengthMax)(trimmed, path);
  }, null);
}

export const newFeedback: Parser<NewFeedback> = (value, path) => {
  const field = fieldsOf(value, path);
  return {
    verdict: field('verdict', oneOf(...verdicts)),
    cause: field('cause', trimmedText(feedbackLimits.cause)),
    note: field('note', trimmedText(feedbackLimits.note)),
    noisy: field('noisy', optional(boolean, false)),
  };
};

/** As it is stored. */
export const storedFeedback: Parser<Feedback> = (value, path) => ({
  at: fieldsOf(value, path)('at', time),
  ...newFeedback(value, path),
});

const time: Parser<string> = (value, path) => {
  const at = text(value, path);
  if (Number.isNaN(Date.parse(at))) throw new FormatError(path, 'a time', value);
  return at;
};

export type FeedbackResult =
  | { readonly kind: 'stored'; readonly feedback: Feedback }
  | { readonly kind: 'not_found' }
  /** As much was said of this report, or of all of them, as is kept. */
  | { readonly kind: 'full' }
  | { readonly kind: 'storage_unavailable' };

/** What becomes of a request to analyse an alert's latest episode again. */
export type AgainResult =
  /** Also when it was queued or under way already. */
  | { readonly kind: 'queued'; readonly number: number; readonly reportUrl: string }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'too_soon'; readonly waitMs: number }
  /** The alert itself is not known any more. */
  | { readonly kind: 'forgotten' }
  | { readonly kind: 'queue_full' }
  | { readonly kind: 'storage_unavailable' };
