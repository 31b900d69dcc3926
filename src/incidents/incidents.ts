import { alertNameOf } from '../alert/alert.ts';
import { fingerprintOf } from '../alert/fingerprint.ts';
import type { LabelSet } from '../alert/labels.ts';
import { isCorrelated } from '../alert/similarity.ts';
import { layerOf } from './layer.ts';
import {
  byOpening, onsetOf, rankMembers, type Member, type Membership, type RankedMembers,
} from './member.ts';
import { OpenAlertsIndex } from './open-alerts-index.ts';
import { nearbyMs, type Admits, type Entry, type Sought } from './posting.ts';

/** Members of one incident at most: more of the same begin another one. */
export const membersMax = 500;

/** Alerts of one name that a sender does not group belong together when they begin this close. */
const sameNameMs = 5 * 60_000;

/** What is known of an alert when its episode opens. Looked at only when all is settled. */
interface Opening {
  /** Those by which it is compared: few enough to be kept while it fires. */
  readonly labels: LabelSet;
  /** As the notification has it; empty when unknown. */
  readonly groupKey: string;
}

/** Where in the journal an episode was opened. */
type OpeningPlace = Pick<Membership, 'sequence' | 'index'>;

interface Incident<T extends Member> {
  readonly members: Set<T>;
  /** The one that opened first. */
  first: T;
  open: number;
  /** Null until somebody wants to know: each alert of a storm asks this of all the others. */
  ranked: RankedMembers<T> | null;
}

/** An episode that has opened and is not yet told what it belongs to. */
interface Opened<T> extends OpeningPlace {
  readonly member: T;
  readonly opening: Opening;
}

interface OpenMember {
  readonly entry: Entry;
  readonly group: string;
}

/**
 * Which episodes belong together. An episode that opens joins the incident of every open alert it
 * belongs with and of its notification's group: where these were several, they become one. Else it
 * begins an incident. An incident is over when all its members have ended.
 *
 * Nothing here depends on more than the episodes and the order in which they were opened, so that
 * a replay, with or without a snapshot, comes to the same incidents under the same ids.
 */
export class Incidents<T extends Member> {
  readonly #incidents = new Map<string, Incident<T>>();
  readonly #open = new Map<T, OpenMember>();
  /** By its old id, the incident that another became part of; and ids not to be used again. */
  readonly #aliases = new Map<string, string>();
  readonly #index = new OpenAlertsIndex();
  readonly #admits: Admits = (id) => (this.#incidents.get(id)?.members.size ?? 0) < membersMax;
  #unsettled: Opened<T>[] = [];
  /** From a snapshot, which tells them in any order. */
  #restored = new Map<T, Opening | null>();

  /** Incidents with more than one member, or with one that is open. */
  get size(): number {
    this.settle();
    return this.#incidents.size;
  }

  /** The incident's members in the order in which they opened; empty when there is no such one. */
  membersOf(id: string): readonly T[] {
    this.settle();
    return [...(this.#find(id)?.members ?? [])].sort(byOpening);
  }

  /** The same, in the order of how likely each began it. */
  rankedMembersOf(id: string): RankedMembers<T> {
    this.settle();
    const incident = this.#find(id);
    if (incident === undefined) return rankMembers<T>([]);
    incident.ranked ??= rankMembers(incident.members);
    return incident.ranked;
  }

  #find(id: string): Incident<T> | undefined {
    return this.#incidents.get(id) ?? this.#incidents.get(this.#aliases.get(id) ?? '');
  }

  /**
   * Takes up an episode that opens now. What it belongs to is settled when somebody wants to know,
   * in the order of opening and as of now: senders are not kept waiting for it.
   */
  open(member: T, opening: Opening, { sequence, index }: OpeningPlace): void {
    this.#unsettled.push({ member, opening, sequence, index });
  }

  /** Settles what every episode that has opened belongs to: then its `incident` can be read. */
  settle(): void {
    this.settleSome(Infinity);
  }

  /** Settles at most `countMax` of them, in order; returns whether all are settled. */
  settleSome(countMax: number): boolean {
    if (this.#restored.size > 0) this.#takeUpRestored();
    if (this.#unsettled.length === 0) return true; // Asked for every episode of a list.
    for (const opened of this.#unsettled.splice(0, countMax)) this.#settleOne(opened);
    return this.#unsettled.length === 0;
  }

  #settleOne({ member, opening, sequence, index }: Opened<T>): void {
    const { labels, groupKey } = opening;
    if (!isCorrelated(labels)) return;
    const name = alertNameOf(labels);
    const group = groupOf(groupKey, name);
    const sought = this.#index.take(labels, onsetOf(member));
    const linked = this.#index.linkedTo(sought, this.#admits);
    const withinMs = tells(groupKey) ? nearbyMs : sameNameMs;
    const near = { onset: sought.onset, withinMs, admits: this.#admits };
    const inGroup = this.#index.inGroup(group, near);
    if (inGroup !== null) linked.add(inGroup.incident);
    const id = this.#becomeOne(linked, sequence) ?? this.#newId(member, sequence);
    const layer = layerOf(name, labels);
    member.incident = { id, openedAs: id, since: sequence, layer, sequence, index };
    this.#addOpen(member, this.#join(id, member), { id, sought, group });
  }

  /** Takes up an episode from a snapshot; `opening` is null when it has ended. */
  restore(member: T, opening: Opening | null): void {
    if (member.incident !== null) this.#restored.set(member, opening);
  }

  /** Its beginning turned out to be another than was known when all was settled. */
  moved(member: T): void {
    this.settle();
    const open = this.#open.get(member);
    if (open !== undefined) open.entry.onset = onsetOf(member);
    const incident = this.#incidents.get(member.incident?.id ?? '');
    if (incident !== undefined) incident.ranked = null;
  }

  /** The episode has ended; it stays a member. */
  close(member: T): void {
    this.settle();
    const open = this.#open.get(member);
    if (open === undefined || member.incident === null) return;
    this.#open.delete(member);
    this.#index.remove(open.entry, open.group);
    const incident = this.#incidents.get(member.incident.id);
    if (incident === undefined) return;
    incident.open -= 1;
    this.#dropWhenOver(member.incident.id, incident);
  }

  /** The episode is forgotten. */
  forget(member: T): void {
    if (this.#unsettled.length > 0) this.settle(); // What opened before may belong with it.
    if (this.#restored.delete(member)) return;
    this.close(member);
    if (member.incident === null) return;
    const { id, openedAs } = member.incident;
    const incident = this.#incidents.get(id);
    incident?.members.delete(member);
    // Others may have opened under the same name, and all of them are where this one was.
    const isLastOfName = openedAs !== id
      && ![...(incident?.members ?? [])].some((each) => each.incident?.openedAs === openedAs);
    if (isLastOfName) this.#aliases.delete(openedAs);
    if (incident === undefined) return void this.#aliases.delete(id);
    incident.ranked = null;
    const [first] = incident.first === member ? this.membersOf(id) : [];
    if (first !== undefined) incident.first = first;
    this.#dropWhenOver(id, incident);
  }

  /** Puts incidents together as far as they fit; returns the id of the one that began first. */
  #becomeOne(ids: ReadonlySet<string>, sequence: number): string | null {
    const [earliest, ...others] = [...ids].sort((a, b) =>
      byOpening(this.#incidents.get(a)?.first, this.#incidents.get(b)?.first));
    const into = earliest === undefined ? undefined : this.#incidents.get(earliest);
    if (earliest === undefined || into === undefined) return null;
    for (const id of others) {
      const { members } = this.#incidents.get(id) ?? { members: new Set<T>() };
      // One place is for the alert that brings them together.
      if (into.members.size + members.size >= membersMax) continue;
      for (const member of members) this.#move(member, earliest, sequence);
      this.#incidents.delete(id);
    }
    return earliest;
  }

  #move(member: T, id: string, since: number): void {
    if (member.incident === null) return;
    member.incident = { ...member.incident, id, since };
    this.#aliases.set(member.incident.openedAs, id);
    const incident = this.#join(id, member);
    const open = this.#open.get(member);
    if (open === undefined) return;
    open.entry.incident = id;
    incident.open += 1;
  }

  /** Told by the first member. A fingerprint that was forgotten may have led to the same before. */
  #newId(member: Member, sequence: number): string {
    const id = idOf(member);
    const isTaken = this.#incidents.has(id) || this.#aliases.has(id);
    return isTaken ? idOf(member, { sequence: String(sequence) }) : id;
  }

  #join(id: string, member: T): Incident<T> {
    const incident = this.#incidents.get(id)
      ?? { members: new Set<T>(), first: member, open: 0, ranked: null };
    this.#incidents.set(id, incident);
    incident.members.add(member);
    incident.ranked = null;
    if (byOpening(member, incident.first) < 0) incident.first = member;
    return incident;
  }

  #addOpen(
    member: T,
    incident: Incident<T>,
    { id, sought, group }: { id: string; sought: Sought; group: string },
  ): void {
    incident.open += 1;
    this.#open.set(member, { entry: this.#index.add(sought, id, group), group });
  }

  #takeUpRestored(): void {
    const restored = [...this.#restored].sort(([a], [b]) => byOpening(a, b));
    this.#restored = new Map();
    for (const [member, opening] of restored) {
      if (member.incident === null) continue;
      const { id, openedAs } = member.incident;
      if (openedAs !== id) this.#aliases.set(openedAs, id);
      const incident = this.#join(id, member);
      if (opening === null) continue;
      const group = groupOf(opening.groupKey, alertNameOf(opening.labels));
      const sought = this.#index.take(opening.labels, onsetOf(member));
      this.#addOpen(member, incident, { id, sought, group });
    }
    for (const [id, incident] of this.#incidents) this.#dropWhenOver(id, incident);
  }

  /** One that is over and has a single member tells nobody anything: it is not kept. */
  #dropWhenOver(id: string, { members, open }: Incident<T>): void {
    if (open > 0 || members.size > 1) return;
    this.#incidents.delete(id);
    const [last] = members;
    // The id comes from a member that was forgotten. Should that open again, it needs another id.
    if (last !== undefined && idOf(last) !== id) this.#aliases.set(id, id);
  }
}

function idOf({ fingerprint, number }: Member, more: LabelSet = {}): string {
  return fingerprintOf({ fingerprint, episode: String(number), ...more });
}

/** Alertmanager's key ends with the group's labels; without any it says nothing of the alerts. */
function tells(groupKey: string): boolean {
  return groupKey !== '' && !groupKey.endsWith(':{}');
}

/** What the sender itself holds for one group; alerts it does not group are taken by name. */
function groupOf(groupKey: string, name: string): string {
  return tells(groupKey) ? groupKey : `${groupKey}\n${name}`;
}
