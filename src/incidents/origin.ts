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
 * The origin that is on nobody's way to a deeper one; of several, where most alerts lead, then that
 * of the first. Null if no investigation found one.
 *
 * @param members The first to begin first.
 */
export function deepestOrigin<T extends Investigated>(members: readonly T[]): Origin<T> | null {
  const reported = members.flatMap((member) => {
    const { found } = member.conclusion ?? {};
    return found === undefined ? [] : [{ member, found, subjects: subjectsIn(found) }];
  }).slice(0, comparedMax);
  let deepest: Origin<T> | null = null;
  for (const { found, subjects } of reported) {
    const reached = reported.filter((other) => haveOneOrigin(subjects, other.subjects));
    if (reached.length <= (deepest?.reachedBy.length ?? 0)) continue;
    const isPassed = reported.some((other) =>
      !reached.includes(other) && isOnWay(subjects, other.subjects));
    if (isPassed) continue;
    const about = reached.filter(({ subjects: { isBehind } }) => !isBehind);
    deepest = {
      found: about[0]?.found ?? found, reachedBy: reached.map(({ member }) => member),
      at: members.slice(0, comparedMax).filter((each) =>
        about.some(({ member }) => member === each) || isAbout(each, subjects)),
    };
  }
  return deepest;
}

/** Whether the labels of an alert that nothing was found behind are those of the origin. */
function isAbout({ conclusion, identity }: Investigated, { origin }: FoundSubjects): boolean {
  if (conclusion?.found !== undefined || !identity || origin === null) return false;
  return isSameThing(subjectOfLabels(labelsOfObject(identity.labels)), origin);
}
