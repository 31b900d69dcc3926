import type { LabelSet } from '../alert/labels.ts';
import { labelsOfObject } from '../alert/similarity.ts';
import { isSameThing, subjectOfLabels } from '../alert/subject.ts';
import {
  haveOneOrigin, isOnWay, subjectsIn, type Found, type FoundSubjects,
} from './found.ts';

interface Investigated {
  /** Null before the first report. */
  readonly conclusion: { readonly found?: Found } | null;
  /** Null or absent where its labels are not kept. */
  readonly identity?: { readonly labels: LabelSet } | null;
}

/** The deepest thing that the investigations of an incident's alerts reached. */
export interface Origin<T> {
  readonly found: Found;
  /** The alerts that lead there, those that are about it among them; in the given order. */
  readonly reachedBy: readonly T[];
  /** The alerts that are about it. */
  readonly at: readonly T[];
}

/** Most members whose paths are compared with each other. */
const comparedMax = 50;

/**
 * The origin that is on nobody's way to a deeper one; of several, where most alerts lead, then one
 * to which others lead. Null if no investigation found one, and if nothing tells which is first.
 *
 * @param members The first to begin first.
 */
export function deepestOrigin<T extends Investigated>(members: readonly T[]): Origin<T> | null {
  const reported = members.flatMap((member) => {
    const { found } = member.conclusion ?? {};
    return found === undefined ? [] : [{ member, found, subjects: subjectsIn(found) }];
  }).slice(0, comparedMax);
  const candidates: { found: Found; subjects: FoundSubjects; reached: typeof reported }[] = [];
  for (const each of reported) {
    const { found, subjects } = each;
    if (candidates.some(({ reached }) => reached.includes(each))) continue;
    const reached = reported.filter((other) => haveOneOrigin(subjects, other.subjects));
    const isPassed = reported.some((other) =>
      !reached.includes(other) && isOnWay(subjects, other.subjects));
    if (reached.length > 0 && !isPassed) candidates.push({ found, subjects, reached });
  }
  const isLed = ({ reached }: typeof candidates[number]): boolean =>
    reached.some(({ subjects: { isBehind } }) => isBehind);
  const [best, second] = candidates.toSorted((a, b) =>
    b.reached.length - a.reached.length || Number(isLed(b)) - Number(isLed(a)));
  if (best === undefined) return null;
  // Nothing tells which of those that fail beside each other is first, until most lead there.
  const isTied = second !== undefined && second.reached.length === best.reached.length;
  const isOneOfMany = best.found.isSymptom === true && best.reached.length === 1 &&
    members.length > 1;
  if ((isTied || isOneOfMany) && !isLed(best)) return null;
  const { found, subjects, reached } = best;
  const about = reached.filter((other) => !other.subjects.isBehind);
  return {
    found: about[0]?.found ?? found, reachedBy: reached.map(({ member }) => member),
    at: members.slice(0, comparedMax).filter((each) =>
      about.some(({ member }) => member === each) || isAbout(each, subjects)),
  };
}

/** Whether the labels of an alert that nothing was found behind are those of the origin. */
function isAbout({ conclusion, identity }: Investigated, { origin }: FoundSubjects): boolean {
  if (conclusion?.found !== undefined || !identity || origin === null) return false;
  return isSameThing(subjectOfLabels(labelsOfObject(identity.labels)), origin);
}
