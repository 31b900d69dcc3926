import { alertNameOf } from '../alert/alert.ts';
import { fingerprintOf } from '../alert/fingerprint.ts';
import type { LabelSet } from '../alert/labels.ts';
import { isCorrelated, labelWeight } from '../alert/similarity.ts';
import { layerOf } from './layer.ts';
import {
  byOpening, onsetOf, rankMembers, type Member, type Membership, type RankedMembers,
} from './member.ts';
import { OpenAlertsIndex } from './open-alerts-index.ts';
import { nearbyMs, type Admits, type Entry, type Sought } from './posting.ts';

/** Most members of one incident; further alerts begin another one. */
export const membersMax = 500;

/** Ungrouped alerts with the same name belong together if they begin within this time. */
const sameNameMs = 5 * 60_000;

/** What is known of an alert when its episode opens. Read only when the episode is settled. */
interface Opening {
  /** The labels by which it is compared: few enough to be kept while it fires. */
  readonly labels: LabelSet;
  /** As in the notification; empty when unknown. */
  readonly groupKey: string;
}

/** The place in the journal where an episode was opened. */
type OpeningPlace = Pick<Membership, 'sequence' | 'index'>;

/**
 * The state of an incident, kept in memory and restored from its members' {@linkcode Membership}.
 * What analyses, reports and pages are told of it are other types, in `report/`.
 */
interface Incident<T extends Member> {
  readonly members: Set<T>;
  /** The member that opened first. */
  first: T;
  /** How many members are open. */
  open: number;
  /** A cache, as every alert of a storm asks for this; null after a change. */
  ranked: RankedMembers<T> | null;
}

/** An episode that has opened and whose incident is not determined yet. */
interface Opened<T> extends OpeningPlace {
  readonly member: T;
  readonly opening: Opening;
}

/**
 * Groups episodes into incidents. An episode that opens joins the incidents of the open alerts it
 * belongs with, that of its notification's group, and those of a burst of alerts of its name; if
 * these are several, they are merged. If there is none, it begins an incident. An incident is over
 * when all its members have ended.
 *
 * The result depends only on the episodes and the order in which they were opened, so that a
 * replay, with or without a snapshot, yields the same incidents with the same ids.
 */
export class Incidents<T extends Member> {
  readonly #incidents = new Map<string, Incident<T>>();
  readonly #open = new Map<T, { readonly entry: Entry; readonly group: string }>();
  /** The current id of a merged incident by its old one; also ids that must not be used again. */
  readonly #aliases = new Map<string, string>();
  readonly #index = new OpenAlertsIndex();
  readonly #admits: Admits = (id) => (this.#incidents.get(id)?.members.size ?? 0) < membersMax;
  #unsettled: Opened<T>[] = [];
  /** Episodes from a snapshot, which come in any order. */
  #restored = new Map<T, Opening | null>();

  /** Incidents with more than one member, or with one that is open. */
  get size(): number {
    this.settle();
    return this.#incidents.size;
  }

  /** The members of the incident in the order in which they opened; empty for an unknown id. */
  membersOf(id: string): readonly T[] {
    this.settle();
    return [...(this.#find(id)?.members ?? [])].sort(byOpening);
  }

  /** The members of the incident, likeliest origin first. */
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
   * Adds an episode that opens now. Its incident is determined later, when it is asked for, so that
   * senders need not wait; the result is as if it were determined now.
   */
  open(member: T, opening: Opening, { sequence, index }: OpeningPlace): void {
    this.#unsettled.push({ member, opening, sequence, index });
  }

  /** Determines the incident of every opened episode, so that its `incident` can be read. */
  settle(): void {
    this.settleSome(Infinity);
  }

  /** Determines the incidents of at most `countMax` episodes, in order; returns whether all are. */
  settleSome(countMax: number): boolean {
    if (this.#restored.size > 0) this.#addRestored();
    if (this.#unsettled.length === 0) return true; // The usual case, hit for every row of a list.
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
    const isOfSender = isTelling(groupKey);
    const inGroup = this.#index.inGroup(group, sought, {
      withinMs: isOfSender ? nearbyMs : sameNameMs, isOfSender, admits: this.#admits,
    });
    if (inGroup !== null) linked.add(inGroup.incident);
    for (const each of this.#index.inBurst(sought, this.#admits)) linked.add(each);
    const id = this.#merge(linked, sequence) ?? this.#newId(member, sequence);
    const layer = layerOf(name, labels);
    member.incident = { id, openedAs: id, since: sequence, layer, sequence, index };
    this.#addOpen(member, this.#join(id, member), { id, sought, group });
  }

  /** Adds an episode from a snapshot; `opening` is null if it has ended. */
  restore(member: T, opening: Opening | null): void {
    if (member.incident !== null) this.#restored.set(member, opening);
  }

  /** The member's start time has changed. */
  moved(member: T): void {
    this.settle();
    const open = this.#open.get(member);
    if (open !== undefined) open.entry.onset = onsetOf(member);
    const incident = this.#incidents.get(member.incident?.id ?? '');
    if (incident !== undefined) incident.ranked = null;
  }

  /** The episode has ended; it remains a member. */
  close(member: T): void {
    this.settle();
    const open = this.#open.get(member);
    if (open === undefined || member.incident === null) return;
    this.#open.delete(member);
    this.#index.remove(open.entry, open.group);
    const incident = this.#incidents.get(member.incident.id);
    if (incident === undefined) return;
    incident.open -= 1;
    incident.ranked = null;
    this.#dropWhenOver(member.incident.id, incident);
  }

  /** The episode has been removed from the book. */
  forget(member: T): void {
    if (this.#unsettled.length > 0) this.settle(); // Episodes opened earlier may belong with it.
    if (this.#restored.delete(member)) return;
    this.close(member);
    if (member.incident === null) return;
    const { id, openedAs } = member.incident;
    const incident = this.#incidents.get(id);
    incident?.members.delete(member);
    // Other members may have opened under the same id, and were merged together with this one.
    const isLastOfAlias = openedAs !== id
      && ![...(incident?.members ?? [])].some((each) => each.incident?.openedAs === openedAs);
    if (isLastOfAlias) this.#aliases.delete(openedAs);
    if (incident === undefined) return void this.#aliases.delete(id);
    incident.ranked = null;
    const [first] = incident.first === member ? this.membersOf(id) : [];
    if (first !== undefined) incident.first = first;
    this.#dropWhenOver(id, incident);
  }

  /** Merges incidents as far as they fit; returns the id of the one that began first. */
  #merge(ids: ReadonlySet<string>, sequence: number): string | null {
    const [earliest, ...others] = [...ids].sort((a, b) =>
      byOpening(this.#incidents.get(a)?.first, this.#incidents.get(b)?.first));
    const into = earliest === undefined ? undefined : this.#incidents.get(earliest);
    if (earliest === undefined || into === undefined) return null;
    for (const id of others) {
      const { members } = this.#incidents.get(id) ?? { members: new Set<T>() };
      // One place is reserved for the alert that links them.
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

  /** Derived from the first member, whose fingerprint may have led to the same id before. */
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

  #addRestored(): void {
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

  /** Drops an incident that is over and has a single member, as it says nothing to anybody. */
  #dropWhenOver(id: string, { members, open }: Incident<T>): void {
    if (open > 0 || members.size > 1) return;
    this.#incidents.delete(id);
    const [last] = members;
    // The id comes from a removed member; should that open again, it has to get another id.
    if (last !== undefined && idOf(last) !== id) this.#aliases.set(id, id);
  }
}

function idOf({ fingerprint, number }: Member, more: LabelSet = {}): string {
  return fingerprintOf({ fingerprint, episode: String(number), ...more });
}

const quoted = String.raw`"(?:[^"\\]|\\.)*"`;
const groupLabel = String.raw`([^"={}]*(?:${quoted})?)=${quoted}`;
const groupLabels = new RegExp(String.raw`:\{((?:${groupLabel})*)\}$`, 's');

/**
 * Alertmanager's key ends with the group's labels. Without any, or with those alone that all alerts
 * of a Prometheus or of a severity have, it says nothing of the alerts.
 */
function isTelling(groupKey: string): boolean {
  const labels = groupLabels.exec(groupKey)?.[1];
  if (labels === undefined) return groupKey !== '';
  return [...labels.matchAll(new RegExp(groupLabel, 'gs'))].some(([, name = '']) =>
    labelWeight(name.replace(/^, /, '')) > labelWeight('severity'));
}

/** The sender's group; alerts that it does not group are grouped by name. */
function groupOf(groupKey: string, name: string): string {
  return isTelling(groupKey) ? groupKey : `${groupKey}\n${name}`;
}
