import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import type { SharedOutage } from '../../metric-facts.ts';
import { hostOf } from '../../named-in-labels.ts';
import { machineLabels } from '../../place.ts';

/** Fewer targets, or those of one job, may be down for any reason of their own. */
const targetsMin = 3;
const jobsMin = 2;
/** At least this share of the others answers: else much more is wrong than what they share. */
const othersUpMin = 0.7;

/** What targets are known by, which says nothing of what they share. */
const ofOne: ReadonlySet<string> = new Set(['__name__', 'job', 'instance', 'pod', 'container']);

interface Target {
  readonly labels: LabelSet;
  readonly value: number;
}

/**
 * What a target that is down shares with others that are all down as well, while most others
 * answer: its host, its rack, its network. If there are several, the one that most of them share.
 * Null if it is down alone.
 */
export function sharedOutageOf(all: readonly Target[], down: LabelSet): SharedOutage | null {
  const found = [...Object.keys(down).filter((name) => !ofOne.has(name)), null].flatMap((label) => {
    const value = label === null ? addressOf(down) : labelOf(down, label);
    if (value === null || value === '') return [];
    const isIn = ({ labels }: Target): boolean =>
      (label === null ? addressOf(labels) : labelOf(labels, label)) === value;
    const those = all.filter(isIn);
    const others = all.filter((each) => !isIn(each));
    const jobs = new Set(those.map(({ labels }) => labelOf(labels, 'job'))).size;
    const isShared = those.length >= targetsMin && jobs >= jobsMin &&
      those.every((each) => each.value === 0) &&
      others.filter((each) => each.value === 1).length >= othersUpMin * others.length;
    const isHost = label === null || machineLabels.includes(label);
    return isShared ? [{ label: label ?? 'host', value, isHost, targets: those.length, jobs }] : [];
  });
  return found.toSorted((a, b) =>
    b.targets - a.targets || Number(b.isHost) - Number(a.isHost))[0] ?? null;
}

/** By its address alone. */
function addressOf(labels: LabelSet): string | null {
  return hostOf({ instance: labelOf(labels, 'instance') ?? '' });
}
