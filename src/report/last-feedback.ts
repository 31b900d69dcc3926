import type { CaseFile } from './case-file.ts';
import type { History, Report } from './report.ts';
import { shownClause, shownText } from './shown-text.ts';
import { formatMoment, formatSpan, momentOf } from './time-text.ts';

type LastFeedback = NonNullable<History['last_said']>;

/** Longest cause and longest note shown, in UTF-16 units each. */
const textLengthMax = 200;

/** The latest cause or note that people gave on an earlier episode of the alert, or null. */
export function lastFeedbackIn(
  { feedback, alert, episode, earlier }: CaseFile,
): LastFeedback | null {
  const given = feedback.find(({ fingerprint, number, cause, note }) =>
    fingerprint === alert.fingerprint && number < episode.number && (cause ?? note) !== null);
  if (given === undefined) return null;
  const { number, startsAt, cause, note, reportUrl } = given;
  const endsAt = earlier.find((past) => past.number === number)?.endsAt ?? null;
  return { number, starts_at: startsAt, ends_at: endsAt, cause, note, report_url: reportUrl };
}

/** `20:30 UTC, 13 min`, by the day of the report. */
export function lastFeedbackTime(
  { starts_at: from, ends_at: to }: LastFeedback,
  report: Report,
): string {
  const now = momentOf(report.updated_at, 0);
  return `${formatMoment(from, now)}${to === null ? '' : `, ${formatSpan(from, to, now)}`}`;
}

/** `checkout-1 had a bad disk. Replaced node, see INC-77`. */
export function lastFeedbackText({ cause, note }: LastFeedback): string {
  const texts = [
    cause && shownClause(cause, textLengthMax), note && shownText(note, textLengthMax),
  ];
  return texts.filter(Boolean).join('. ');
}
