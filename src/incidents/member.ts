import { parseTime } from '../alert/timestamp.ts';
import { layerRank, type Layer } from './layer.ts';

/** What makes an episode part of an incident: kept with it. */
export interface Membership {
  /** Of the incident: 16 hexadecimal digits. */
  readonly id: string;
  /** Of the incident when the episode opened; another one where two became one since. */
  readonly openedAs: string;
  /** The journal record that led to {@linkcode Membership.id}. */
  readonly since: number;
  readonly layer: Layer;
  /** The journal record that opened the episode, and the alert's place in it: the order of all. */
  readonly sequence: number;
  readonly index: number;
}

/** An episode, as far as incidents look at it. */
export interface Member {
  readonly fingerprint: string;
  readonly number: number;
  /** RFC 3339. */
  readonly startsAt: string;
  /** Null for what belongs to nothing, ever. Only set by what groups episodes. */
  incident: Membership | null;
}

/** When the member began, in milliseconds. */
export function onsetOf(member: Member): number {
  return parseTime(member.startsAt) ?? 0;
}

/** In the order in which they were opened. */
export function byOpening(a: Member | undefined, b: Member | undefined): number {
  const [left, right] = [a?.incident ?? null, b?.incident ?? null];
  if (left === null || right === null) return 0;
  return left.sequence - right.sequence || left.index - right.index;
}

/** Two beginnings this close together do not tell which one came first. */
const sameMomentMs = 1000;

export interface RankedMembers<T extends Member> {
  /** The likeliest origin first: lower layers first, then what began earlier. */
  readonly members: readonly T[];
  /** When each of them began, in milliseconds. */
  readonly onsets: readonly number[];
  /** Null when nothing sets the first one apart from the next. */
  readonly likelyOrigin: T | null;
}

/**
 * Puts the members of an incident in order of how likely each began it. A heuristic: trouble goes
 * up the layers, and a cause comes before what it causes.
 */
export function rankMembers<T extends Member>(unordered: Iterable<T>): RankedMembers<T> {
  const ranked = Array.from(unordered, (member) => ({
    member, onset: onsetOf(member), rank: layerRank(member.incident?.layer ?? 'monitoring'),
  }));
  ranked.sort((a, b) => a.rank - b.rank || a.onset - b.onset || byOpening(a.member, b.member));
  const [first, second] = ranked;
  const isAhead = first !== undefined && second !== undefined
    && (first.rank < second.rank || second.onset - first.onset > sameMomentMs);
  return {
    members: ranked.map(({ member }) => member),
    onsets: ranked.map(({ onset }) => onset),
    likelyOrigin: isAhead ? first.member : null,
  };
}
