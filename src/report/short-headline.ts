import { shownName, subjectText } from './alert-place.ts';
import { capital } from './plain-text.ts';

/** What a headline is shown beside. */
export interface ShownBeside {
  /** The alert's name as sent. */
  readonly name: string;
  /** As `placeOf` says it. */
  readonly place: string;
}

/** `Firing since 02:14 UTC.`, which may go on with how often it came back; `Recovered …`. */
const times = new RegExp(
  '(^|[.!?] )(?:Firing since|Recovered) (?:\\d{1,2} [A-Z][a-z]{2} (?:\\d{4} )?)?\\d\\d:\\d\\d UTC'
  + '(?: after [^,]+?|, ([^.]+(?:\\.\\d[^.]*)*))?\\.(?= |$)',
  'u',
);

/**
 * A headline without what stands beside it anyway: name, place and since when. `1.9 s, 3.8× its
 * threshold of 500 ms.` of `HighLatency on web in shop: 1.9 s, 3.8× its threshold of 500 ms. Firing
 * since 02:14 UTC.` Empty where nothing else is in it; a headline in other words stays as it is.
 */
export function shortHeadline(headline: string, { name, place }: ShownBeside): string {
  const shown = shownName(name);
  const rest = afterSubject(headline, [subjectText(shown, place), place, shown]);
  const short = rest.replace(times, (_all, before: string, again?: string) =>
    again === undefined ? before.trim() : `${before}${capital(again)}.`);
  return short.trim();
}

function afterSubject(headline: string, subjects: readonly string[]): string {
  const subject = subjects.find((each) => each !== '' && /^[:.] /u.test(startOf(headline, each)));
  return subject === undefined ? headline : headline.slice(subject.length + 2);
}

/** The two characters after the beginning; empty where it begins in another way. */
function startOf(headline: string, subject: string): string {
  return headline.startsWith(subject) ? headline.slice(subject.length, subject.length + 2) : '';
}
