import type { Joinable } from './alert-index.ts';
import type { Member, RankedMembers } from './member.ts';

/** Most members of one incident; further alerts begin another one. */
export const membersMax = 500;

/**
 * The state of an incident, kept in memory and restored from its members' {@linkcode Membership}.
 * What analyses, reports and pages get of it are other types, in `report/`.
 */
export class Incident<T extends Member> implements Joinable {
  readonly id: string;
  readonly members: Set<T> = new Set<T>();
  /** The member that opened first. */
  first: T;
  /** How many members are open. */
  open = 0;
  /** A cache, as every alert of a storm asks for this; null after a change. */
  ranked: RankedMembers<T> | null = null;
  mark = 0;

  constructor(id: string, first: T) {
    this.id = id;
    this.first = first;
  }

  get isFull(): boolean {
    return this.members.size >= membersMax;
  }
}
