import { fingerprintOf } from '../alert/fingerprint.ts';
import { labelOf, type LabelSet } from '../alert/labels.ts';
import { distinctiveLabels } from '../alert/similarity.ts';
import type { Found } from '../incidents/found.ts';
import type { Learned } from '../incidents/incidents.ts';
import { placeOf } from '../report/alert-place.ts';
import { firstStepOf } from '../report/first-step.ts';
import { factsOf, type CauseFacts } from '../report/kinds.ts';
import { shorten } from '../report/plain-text.ts';
import type { Certainty, Classification, Report } from '../report/report.ts';
import { foundBehind } from './found-behind.ts';

/** What lists show of a report, kept in memory for every episode. */
export interface Conclusion extends CauseFacts {
  readonly classification: Classification;
  readonly certainty: Certainty;
  readonly headline: string;
  /** As in the verdict. Absent from old records. */
  readonly gist?: string;
  /** Where the alert fired, as lists show it. Absent from old records. */
  readonly place?: string;
  /** The most likely cause, shortened; null if there is none. Absent from old records. */
  readonly cause?: string | null;
  /** What to do first, shortened; null if nothing has to be done. Absent from old records. */
  readonly firstStep?: string | null;
  /** What its labels call the thing, as {@linkcode thingIn}; absent from old records. */
  readonly thing?: string;
  /** What fails behind the alert, for incidents; absent if nothing does, and from old records. */
  readonly found?: Found;
}

const textLengthMax = 200;

/** Labels that tell one replica, or one alert, from others of the same thing. */
const ofOne: ReadonlySet<string> = new Set([
  'alertname', 'severity', 'priority', 'instance', 'pod', 'container', 'node', 'host', 'uid', 'id',
  'replica', 'prometheus', 'prometheus_replica',
]);

/** A digest of what labels call a thing, whichever replica it is; null if they say nothing. */
export function thingIn(labels: LabelSet): string | null {
  const names = Object.keys(labels).filter((name) => !ofOne.has(name));
  const named = Object.fromEntries(names.map((name) => [name, labelOf(labels, name) ?? '']));
  return names.length === 0 ? null : fingerprintOf(named);
}

/** With these a report says only that there is nothing to do. */
const asksNothing: readonly Classification[] = ['recovered', 'informational'];

export function conclusionOf(
  report: Pick<
    Report, 'alert' | 'episode' | 'verdict' | 'next_steps' | 'hypotheses' | 'path' | 'updated_at'
  >,
): Conclusion {
  const { classification, certainty, headline, gist = headline, most_likely: cause } =
    report.verdict;
  // The most likely cause is that of the first hypothesis, unless others are as likely.
  const [leading] = report.hypotheses;
  const isNamed = cause !== null && leading !== undefined && leading.certainty !== 'inconclusive';
  const found = foundBehind(report);
  const thing = thingIn(distinctiveLabels(report.alert.labels));
  // What is none of its steps leads elsewhere, as from an alert of a storm; old steps have no id.
  const isElsewhere = report.verdict.do_first !== null &&
    report.verdict.first_step === undefined &&
    report.next_steps.every(({ id }) => id !== undefined);
  const first = asksNothing.includes(classification) || isElsewhere ? null : firstStepOf(report);
  return {
    ...(isNamed && factsOf({ ...leading, detail: undefined })),
    classification, certainty, headline, gist,
    place: report.verdict.place ?? placeOf(report.alert.labels), ...(thing !== null && { thing }),
    cause: cause === null ? null : shorten(cause, textLengthMax),
    firstStep: first === null ? null : shorten(first.text, textLengthMax),
    ...(found !== null && { found }),
  };
}

/** With what fails behind the alert, if only an earlier report says so: it may be over by now. */
export function withFoundOf(conclusion: Conclusion, earlier: Conclusion | null): Conclusion {
  const { found: now } = conclusion;
  const found = (now?.origin ?? null) === null ? earlier?.found ?? now : now;
  return found === undefined ? conclusion : { ...conclusion, found };
}

/** Whether it is noise that joins nothing; not if it leads to something that fails. */
export function isQuiet({ classification, found }: Conclusion): boolean {
  return classification === 'noisy' && (found?.origin ?? null) === null;
}

/** `learned` is as its report has it; `known` has what earlier reports found as well. */
export function learnedFrom(learned: Conclusion, known: Conclusion): Learned {
  return { isQuiet: isQuiet(learned), found: known.found ?? null };
}
