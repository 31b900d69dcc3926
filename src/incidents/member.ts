import { parseTime } from '../alert/timestamp.ts';
import type { Found } from './found.ts';
import { layerRank, type Layer } from './layer.ts';
import { deepestOrigin, type Origin } from './origin.ts';

/** An episode's membership in an incident, stored with the episode. */
export interface Membership {
  /** The incident's id: 16 hexadecimal digits. */
  readonly id: string;
  /** The incident's id when the episode opened; differs from `id` after a merge. */
  readonly openedAs: string;
  /** The journal record that led to {@linkcode Membership.id}. */
  readonly since: number;
  readonly layer: Layer;
  /** The journal record that opened the episode, and the alert's index in it: the order of all. */
  readonly sequence: number;
  readonly index: number;
  /** It is known to be noise, and alone; absent otherwise. */
  readonly isQuiet?: true;
  /** Its rule looks far back, so that its start tells little; absent otherwise. */
  readonly isLingering?: true;
}

/** An episode, as seen by incidents. */
export interface Member {
  readonly fingerprint: string;
  readonly number: number;
  /** RFC 3339. */
  readonly startsAt: string;
  /** RFC 3339; null while firing. */
  readonly endsAt: string | null;
  /** Null for an episode that never belongs to an incident. Set only by `Incidents`. */
  incident: Membership | null;
  /** What its report found; null before the first. */
  readonly conclusion: { readonly found?: Found } | null;
}

/** When the member began, in ms since the epoch. */
export function memberOnset(member: Member): number {
  return parseTime(member.startsAt) ?? 0;
}

/** The rank of the layer that its alert watches. */
export function layerRankOf({ incident }: Member): number {
  return layerRank(incident?.layer ?? 'monitoring');
}

/** Compares by the order in which the members were opened. */
export function byOpening(a: Member | undefined, b: Member | undefined): number {
  const [left, right] = [a?.incident ?? null, b?.incident ?? null];
  if (left === null || right === null) return 0;
  return left.sequence - right.sequence || left.index - right.index;
}

/** Each alert's newest member, in the given order: one that flaps has several. */
export function newestOfEach<T extends Member>(members: readonly T[]): T[] {
  const newest = new Map<string, T>();
  for (const member of members) {
    const known = newest.get(member.fingerprint);
    if (known === undefined || known.number < member.number) newest.set(member.fingerprint, member);
  }
  return members.filter((member) => newest.get(member.fingerprint) === member);
}

/** If two members began this close together, neither counts as the first. */
const sameMomentMs = 1000;
/** Prometheus evaluates a rule once in this time by default: of two it may see either first. */
const roundMs = 60_000;
/**
 * Below it are layers that others share: what hits five machines at once is one origin, but not
 * what hits a disk and a network.
 */
const firstUnshared = layerRank('pod');

export interface RankedMembers<T extends Member> {
  /** Likeliest origin first: alerts about the deepest origin, by layer, then by start time. */
  readonly members: readonly T[];
  /** When each of them began, in ms since the epoch. */
  readonly onsets: readonly number[];
  /** What fails deepest; null if no investigation found such a thing. */
  readonly origin: Origin<T> | null;
  /** The first that can be it; null when nothing sets it apart from the runner-up. */
  readonly likelyOrigin: T | null;
  /**
   * The first of the others that can be it. If its layer is shared, one of the same moment that
   * watches something else there, or else the first of a layer above.
   */
  readonly runnerUp: T | null;
}

/**
 * Ranks the members of an incident by how likely each is its origin: first those that are about
 * what fails deepest, if any investigation found that. Else a heuristic: trouble spreads up the
 * layers, and a cause begins before its effects. An alert that had ended before another began that
 * still fires did not cause that one, unless it fires again; and the start of one that looks far
 * back tells nothing.
 */
export function rankMembers<T extends Member>(unordered: Iterable<T>): RankedMembers<T> {
  const ranked = Array.from(unordered, (member) => ({
    member, onset: memberOnset(member), rank: layerRankOf(member),
  }));
  ranked.sort((a, b) => a.onset - b.onset || byOpening(a.member, b.member));
  const origin = deepestOrigin(ranked.map(({ member }) => member));
  const about = new Set(origin?.at);
  ranked.sort((a, b) => Number(about.has(b.member)) - Number(about.has(a.member)) ||
    a.rank - b.rank || a.onset - b.onset || byOpening(a.member, b.member));
  const firing = ranked.filter(({ member }) => member.endsAt === null);
  const lastOnset = firing.reduce((last, { onset }) => Math.max(last, onset), -Infinity);
  const isFiring = new Set(firing.map(({ member }) => member.fingerprint));
  const possible = ranked.filter(({ member }) =>
    (origin === null ? member.incident?.isLingering !== true : about.has(member)) &&
    (isFiring.has(member.fingerprint) ||
      (parseTime(member.endsAt ?? '') ?? Infinity) >= lastOnset));
  const [first] = possible;
  const isRival = ({ member, onset, rank }: typeof ranked[number]): boolean =>
    first !== undefined && rank === first.rank && onset - first.onset <= sameMomentMs &&
    member.incident?.layer !== first.member.incident?.layer;
  const above = first === undefined || first.rank >= firstUnshared ? undefined
    : possible.find(({ rank }) => rank > first.rank);
  const second = possible.find(isRival) ?? above
    ?? possible.find(({ member }) => member.fingerprint !== first?.member.fingerprint);
  const aheadMsMin = (first?.rank ?? 0) < firstUnshared ? sameMomentMs : roundMs;
  const isAhead = first !== undefined && second !== undefined
    && (first.rank < second.rank || second.onset - first.onset > aheadMsMin);
  const isOrigin = origin === null ? isAhead : first !== undefined && ranked.length > 1;
  return {
    members: ranked.map(({ member }) => member),
    onsets: ranked.map(({ onset }) => onset),
    origin,
    likelyOrigin: isOrigin ? first?.member ?? null : null,
    runnerUp: second?.member ?? null,
  };
}
