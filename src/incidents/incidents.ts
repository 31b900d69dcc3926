import { alertNameOf } from '../alert/alert.ts';
import { fingerprintOf } from '../alert/fingerprint.ts';
import type { LabelSet } from '../alert/labels.ts';
import { isCorrelated } from '../alert/similarity.ts';
import { layerOf } from './layer.ts';
import {
  byOpening, onsetOf, rankMembers, type Member, type Membership, type RankedMembers,
} from './member.ts';
import { OpenAlertsIndex, type Opening } from './open-alerts-index.ts';
import type { Entry, Joinable, Sought } from './posting.ts';

/** Most members of one incident; further alerts begin another one. */
export const membersMax = 500;

/** The place in the journal where an episode was opened. */
type OpeningPlace = Pick<Membership, 'sequence' | 'index'>;

/**
 * The state of an incident, kept in memory and restored from its members' {@linkcode Membership}.
 * What analyses, reports and pages are told of it are other types, in `report/`.
 */
class Incident<T extends Member> implements Joinable {
  readonly id: string;
  readonly members = new Set<T>();
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

/**
 * Groups episodes into incidents. An episode that opens joins the incidents of the open alerts it
 * belongs with, that of its notification's group, and those of a burst of alerts of its name; if
 * these are several, they are merged. If there is none, it begins an incident. An incident is over
 * when all its members have ended.
 *
 * What happens to episodes is only noted, so that senders need not wait, and is taken in later, in
 * the same order, by {@linkcode Incidents.settleSome}. Until then nothing read here knows of it.
 *
 * The result depends only on the episodes and the order in which they were opened, so that a
 * replay, with or without a snapshot, yields the same incidents with the same ids.
 */
export class Incidents<T extends Member> {
  readonly #incidents = new Map<string, Incident<T>>();
  readonly #open = new Map<T, Entry>();
  /** The current id of a merged incident by its old one; also ids that must not be used again. */
  readonly #aliases = new Map<string, string>();
  readonly #index = new OpenAlertsIndex();
  /** What has happened and is not taken in yet, in order; beginning at `#next`. */
  #noted: (() => void)[] = [];
  #next = 0;
  /** Episodes from a snapshot, which come in any order. */
  #restored = new Map<T, () => void>();

  /** Incidents with more than one member, or with one that is open. */
  get size(): number {
    return this.#incidents.size;
  }

  /** The members of the incident in the order in which they opened; empty for an unknown id. */
  membersOf(id: string): readonly T[] {
    return [...(this.#find(id)?.members ?? [])].sort(byOpening);
  }

  /** The members of the incident, likeliest origin first. */
  rankedMembersOf(id: string): RankedMembers<T> {
    const incident = this.#find(id);
    if (incident === undefined) return rankMembers<T>([]);
    incident.ranked ??= rankMembers(incident.members);
    return incident.ranked;
  }

  #find(id: string): Incident<T> | undefined {
    return this.#incidents.get(id) ?? this.#incidents.get(this.#aliases.get(id) ?? '');
  }

  /** Takes in at most `countMax` of what was noted, in order; returns whether nothing is left. */
  settleSome(countMax: number): boolean {
    this.#noteRestored();
    const end = Math.min(this.#noted.length, this.#next + countMax);
    while (this.#next < end) this.#noted[this.#next++]?.();
    if (this.#next < this.#noted.length) return false;
    this.#noted = [];
    this.#next = 0;
    return true;
  }

  /** An episode opens now, or again. */
  open(member: T, opening: Opening, place: OpeningPlace): void {
    const onset = onsetOf(member); // It may change before this is taken in.
    this.#note(() => {
      // One that is open again has no incident if it was told only when it had ended.
      if (member.incident === null) this.#place(member, opening, { ...place, onset });
    });
  }

  /** An episode that had ended is open after all. */
  reopen(member: T, opening: Opening): void {
    const onset = onsetOf(member);
    this.#note(() => this.#rejoin(member, opening, onset));
  }

  /** Adds an episode from a snapshot; `opening` is null if it has ended. */
  restore(member: T, opening: Opening | null): void {
    if (member.incident === null) return;
    const onset = onsetOf(member);
    this.#restored.set(member, () => this.#rejoin(member, opening, onset));
  }

  /** The member's start time has changed. */
  moved(member: T): void {
    const onset = onsetOf(member);
    this.#note(() => {
      const entry = this.#open.get(member);
      if (entry !== undefined) entry.onset = onset;
      const incident = this.#incidents.get(member.incident?.id ?? '');
      if (incident !== undefined) incident.ranked = null;
    });
  }

  /** The episode has ended; it remains a member. */
  close(member: T): void {
    this.#note(() => this.#close(member));
  }

  /** The episode has been removed from the book. */
  forget(member: T): void {
    if (!this.#restored.delete(member)) this.#note(() => this.#forget(member));
  }

  #place(
    member: T, opening: Opening, { onset, ...place }: OpeningPlace & { readonly onset: number },
  ): void {
    const { labels } = opening;
    if (!isCorrelated(labels)) return;
    const sought = this.#index.take(opening, onset);
    const { sequence } = place;
    const linked = this.#index.incidentsOf(sought) as Incident<T>[];
    const id = this.#merge(linked, sequence) ?? this.#newId(member, sequence);
    const layer = layerOf(alertNameOf(labels), labels);
    member.incident = { id, openedAs: id, since: sequence, layer, ...place };
    this.#addOpen(member, this.#join(id, member), sought);
  }

  #close(member: T): void {
    const entry = this.#open.get(member);
    if (entry === undefined || member.incident === null) return;
    this.#open.delete(member);
    this.#index.remove(entry);
    const incident = this.#incidents.get(member.incident.id);
    if (incident === undefined) return;
    incident.open -= 1;
    incident.ranked = null;
    this.#dropWhenOver(incident);
  }

  #forget(member: T): void {
    this.#close(member);
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
    this.#dropWhenOver(incident);
  }

  /** Merges incidents as far as they fit; returns the id of the one that began first. */
  #merge(linked: readonly Incident<T>[], sequence: number): string | null {
    if (linked.length === 1) return linked[0]?.id ?? null; // In a storm, nearly always.
    const [into, ...others] = [...linked].sort((a, b) => byOpening(a.first, b.first));
    if (into === undefined) return null;
    for (const { id, members } of others) {
      // One place is reserved for the alert that links them.
      if (into.members.size + members.size >= membersMax) continue;
      for (const member of members) this.#move(member, into.id, sequence);
      this.#incidents.delete(id);
    }
    return into.id;
  }

  #move(member: T, id: string, since: number): void {
    if (member.incident === null) return;
    member.incident = { ...member.incident, id, since };
    this.#aliases.set(member.incident.openedAs, id);
    const incident = this.#join(id, member);
    const entry = this.#open.get(member);
    if (entry === undefined) return;
    entry.incident = incident;
    incident.open += 1;
  }

  /** Derived from the first member, whose fingerprint may have led to the same id before. */
  #newId(member: Member, sequence: number): string {
    const id = idOf(member);
    const isTaken = this.#incidents.has(id) || this.#aliases.has(id);
    return isTaken ? idOf(member, { sequence: String(sequence) }) : id;
  }

  #join(id: string, member: T): Incident<T> {
    let incident = this.#incidents.get(id);
    if (incident === undefined) this.#incidents.set(id, (incident = new Incident(id, member)));
    incident.members.add(member);
    incident.ranked = null;
    if (byOpening(member, incident.first) < 0) incident.first = member;
    return incident;
  }

  #addOpen(member: T, incident: Incident<T>, sought: Sought): void {
    incident.open += 1;
    this.#open.set(member, this.#index.add(sought, incident));
  }

  /** The member goes back to the incident that it is of; `opening` is null if it has ended. */
  #rejoin(member: T, opening: Opening | null, onset: number): void {
    if (member.incident === null) return;
    const { id, openedAs } = member.incident;
    if (openedAs !== id) this.#aliases.set(openedAs, id);
    const incident = this.#join(id, member);
    if (opening !== null) this.#addOpen(member, incident, this.#index.take(opening, onset));
  }

  #note(happened: () => void): void {
    this.#noteRestored();
    this.#noted.push(happened);
  }

  /** A snapshot comes before everything else, but its episodes come in any order. */
  #noteRestored(): void {
    if (this.#restored.size === 0) return;
    const restored = [...this.#restored].sort(([a], [b]) => byOpening(a, b));
    this.#restored = new Map();
    for (const [, rejoin] of restored) this.#noted.push(rejoin);
    this.#noted.push(() => {
      for (const incident of this.#incidents.values()) this.#dropWhenOver(incident);
    });
  }

  /** Drops an incident that is over and has a single member, as it says nothing to anybody. */
  #dropWhenOver({ id, members, open }: Incident<T>): void {
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
