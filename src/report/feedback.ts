/** People's feedback on a report: its format and limits, and the outcome of submitting it. */
import {
  boolean, FormatError, objectOf, oneOf, optional, shortText, text, type Parser,
} from '../lib/parse.ts';
import type { Feedback } from './report.ts';

/** Longest texts accepted, in UTF-16 units. */
export const feedbackLimits = { cause: 500, note: 2000 } as const;

/** Feedback as submitted; the service adds the time. */
export type NewFeedback = Omit<Feedback, 'at'>;

export const verdicts = ['right', 'partly', 'wrong'] as const;

/** Text without surrounding white space and with LF line ends; null if it is blank. */
function trimmedText(lengthMax: number): Parser<string | null> {
  return optional((value, path) => {
    const trimmed = text(value, path).replace(/\r\n?/g, '\n').trim();
    return trimmed === '' ? null : shortText(lengthMax)(trimmed, path);
  }, null);
}

const time: Parser<string> = (value, path) => {
  const at = text(value, path);
  if (Number.isNaN(Date.parse(at))) throw new FormatError(path, 'a time', value);
  return at;
};

const submitted = {
  verdict: oneOf(...verdicts),
  cause: trimmedText(feedbackLimits.cause), note: trimmedText(feedbackLimits.note),
  noisy: optional(boolean, false),
};

export const newFeedback: Parser<NewFeedback> = objectOf<NewFeedback>(submitted);

export const storedFeedback: Parser<Feedback> = objectOf<Feedback>({ at: time, ...submitted });

export type FeedbackResult =
  | { readonly kind: 'stored'; readonly feedback: Feedback }
  | { readonly kind: 'not_found' }
  /** The limit of feedback on this report, or on all of them, is reached. */
  | { readonly kind: 'full' }
  | { readonly kind: 'storage_unavailable' };

/** Outcome of a request to analyse an alert's latest episode again. */
export type AgainResult =
  /** Also if it was already queued or under way. */
  | { readonly kind: 'queued'; readonly number: number; readonly reportUrl: string }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'too_soon'; readonly waitMs: number }
  /** The alert itself is no longer known. */
  | { readonly kind: 'forgotten' }
  | { readonly kind: 'queue_full' }
  | { readonly kind: 'storage_unavailable' };
