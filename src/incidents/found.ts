import type { LabelSet } from '../alert/labels.ts';
import { isSameThing, subjectOfLabels, type Subject } from '../alert/subject.ts';
import { parseTime } from '../alert/timestamp.ts';

/** What the investigation of an alert found behind it, as far as incidents need it. */
export interface Found {
  /** Labels of its own thing, as its series have them. */
  readonly own: LabelSet;
  /**
   * The deepest thing that fails, by its labels; equal to `own` if nothing behind it fails. Null if
   * its own thing is measured and works, or is not, and nothing behind it fails.
   */
  readonly origin: LabelSet | null;
  /** What fails on the way there, the alert's own thing left out. */
  readonly way: readonly LabelSet[];
  /** The name of the origin; empty without one, as are the others. */
  readonly name: string;
  /** What fails there, as a sentence without its full stop. */
  readonly text: string;
  /** Since when, RFC 3339; null if unknown. */
  readonly since: string | null;
  /** What else began to fail at that moment; absent if nothing did, as are those below. */
  readonly beside?: readonly LabelSet[];
  /** When the alert's own thing began to fail, RFC 3339. */
  readonly moment?: string;
  /** Nothing tells whether its own thing works. */
  readonly isUnknown?: true;
  /** Why its own thing fails is known, and lies there: it needs no other's fault. */
  readonly isExplained?: true;
  /** The origin is known only by its requests going wrong, which may come from elsewhere. */
  readonly isSymptom?: true;
}

/** The same with what it is compared by. */
export interface FoundSubjects {
  readonly own: Subject;
  readonly origin: Subject | null;
  readonly way: readonly Subject[];
  /** Whether the origin is another thing than the alert's own. */
  readonly isBehind: boolean;
  /** In ms; null if unknown. */
  readonly since: number | null;
  readonly beside: readonly Subject[];
  /** In ms; null if unknown. */
  readonly moment: number | null;
  readonly isUnknown: boolean;
  readonly isExplained: boolean;
}

/** Kept while it is in use, as ranking compares each with many. */
const subjects = new WeakMap<Found, FoundSubjects>();

export function subjectsIn(found: Found): FoundSubjects {
  const known = subjects.get(found);
  if (known !== undefined) return known;
  const { own, origin, way } = found;
  const [ofOwn, ofOrigin] = [subjectOfLabels(own), origin && subjectOfLabels(origin)];
  const isBehind = ofOrigin !== null && !isSameThing(ofOwn, ofOrigin);
  const since = parseTime(found.since ?? '');
  const made = {
    own: ofOwn, origin: ofOrigin, way: way.map(subjectOfLabels), isBehind, since,
    beside: (found.beside ?? []).map(subjectOfLabels), moment: parseTime(found.moment ?? ''),
    isUnknown: found.isUnknown === true, isExplained: found.isExplained === true,
  };
  subjects.set(found, made);
  return made;
}

/** What fails at one place, and begins to further apart, is two troubles. */
const oneTroubleMs = 2 * 60_000;

/** Whether they have one origin, as far as is known of one moment. */
export function haveOneOrigin(a: FoundSubjects, b: FoundSubjects): boolean {
  const apartMs = a.since === null || b.since === null ? 0 : Math.abs(a.since - b.since);
  return a.origin !== null && b.origin !== null && apartMs <= oneTroubleMs &&
    isSameThing(a.origin, b.origin);
}

/** Whether the origin of one is on the other's way to a deeper one. */
export function isOnWay({ origin }: FoundSubjects, { way, own }: FoundSubjects): boolean {
  return origin !== null && [own, ...way].some((each) => isSameThing(origin, each));
}

/** Whether what works according to one fails according to the other. */
export function isReached(own: Subject, { origin, way }: FoundSubjects): boolean {
  return (origin !== null && isSameThing(own, origin)) ||
    way.some((each) => isSameThing(own, each));
}

/** Whether one of them began to fail when the other did, by what an investigation saw. */
export function areSeenTogether(a: FoundSubjects, b: FoundSubjects): boolean {
  const apartMs = a.moment === null || b.moment === null ? 0 : Math.abs(a.moment - b.moment);
  return apartMs <= oneTroubleMs && (isBeside(a.own, b) || isBeside(b.own, a));
}

function isBeside(own: Subject, { beside }: FoundSubjects): boolean {
  return beside.some((each) => isSameThing(own, each));
}

/** An alert fires this long after its thing began to fail, at most, and hardly before. */
const [firesWithinMs, firesEarlyMs] = [5 * 60_000, 60_000];

/** The same for an alert that is not investigated yet, and began to fire at `onset`, in ms. */
export function mayBeBeside(own: Subject, onset: number, other: FoundSubjects): boolean {
  const lateMs = other.moment === null ? 0 : onset - other.moment;
  return lateMs >= -firesEarlyMs && lateMs <= firesWithinMs && isBeside(own, other);
}
