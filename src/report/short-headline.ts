import { shownName, subjectText } from './alert-place.ts';
import { capital } from './plain-text.ts';

/** What is shown next to a headline and need not be repeated in it. */
interface ShownBeside {
  /** The alert's name as sent. */
  readonly name: string;
  /** The result of `placeOf`. */
  readonly place: string;
}

/** `Firing since 02:14 UTC.`, `Recovered …`; the group holds what follows, such as recurrence. */
const times = new RegExp(
  '(^|[.!?] )(?:Firing since|Recovered|Resolved) ' +
  '(?:\\d{1,2} [A-Z][a-z]{2} (?:\\d{4} )?)?\\d\\d:\\d\\d UTC' +
  '(?: after [^,]+?|, ([^.]+(?:\\.\\d[^.]*)*))?\\.(?= |$)',
  'u',
);

/**
 * A headline without the name, place and times that are shown next to it: `HighLatency on web in
 * shop: 1.9 s, 3.8× its threshold of 500 ms. Firing since 02:14 UTC.` becomes `1.9 s, 3.8× its
 * threshold of 500 ms.` Empty if nothing else is in it; other wordings are returned unchanged.
 */
export function shortHeadline(headline: string, { name, place }: ShownBeside): string {
  const shown = shownName(name);
  const rest = afterSubject(headline, [subjectText(shown, place), place, shown]);
  const short = rest.replace(times, (_all, before: string, again?: string) =>
    again === undefined ? before.trim() : `${before}${capital(again)}.`);
  return short.trim();
}

function afterSubject(headline: string, subjects: readonly string[]): string {
  const subject = subjects.find((each) =>
    headline.startsWith(`${each}: `) || headline.startsWith(`${each}. `));
  return subject === undefined ? headline : capital(headline.slice(subject.length + 2));
}
