import { alertNameOf } from '../alert/alert.ts';
import { fingerprintOf } from '../alert/fingerprint.ts';
import type { LabelSet } from '../alert/labels.ts';
import { isCorrelated } from '../alert/similarity.ts';
import type { IndexEntry, IndexedAlert } from './alert-index.ts';
import type { Found } from './found.ts';
import { Incident, membersMax } from './incident.ts';
import { layerOf } from './layer.ts';
import {
  byOpening, memberOnset, rankMembers, type Member, type Membership, type RankedMembers,
} from './member.ts';
import { areLinkedByFound, OpenAlertsIndex, type Opening } from './open-alerts-index.ts';
import { connected } from './regroup.ts';

/** With more that are open, no incident is parted, but what is noise leaves it. */
const partedMax = 24;

/** What the report of an alert says that tells where it belongs. */
export interface Learned {
  /** It is noise. */
  readonly isQuiet: boolean;
  /** Null if its investigation found nothing of the kind. */
  readonly found: Found | null;
}

/** The place in the journal where an episode was opened. */
type OpeningPlace = Pick<Membership, 'sequence' | 'index'>;

/**
 * Groups episodes into incidents. An episode that opens joins the incidents of the open alerts it
 * belongs with, that of its notification's group, and those of a burst of alerts of its name; if
 * these are several, they are merged. If there is none, it begins an incident. An incident is over
 * when all its members have ended.
 *
 * What happens to episodes is only noted, so that senders need not wait, and is taken in later, in
 * the same order, by {@linkcode Incidents.assignSome}. Until then nothing read here knows of it.
 *
 * The result depends only on the episodes and the order in which they were opened, so that a
 * replay, with or without a snapshot, yields the same incidents with the same ids.
 */
export class Incidents<T extends Member> {
  readonly #incidents = new Map<string, Incident<T>>();
  readonly #open = new Map<T, IndexEntry>();
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
  assignSome(countMax: number): boolean {
    this.#noteRestored();
    const end = Math.min(this.#noted.length, this.#next + countMax);
    while (this.#next < end) this.#noted[this.#next++]?.();
    if (this.#next < this.#noted.length) return false;
    this.#noted = [];
    this.#next = 0;
    return true;
  }

  /** An episode opens now, or again. */
  open(member: T, given: Opening, place: OpeningPlace): void {
    const opening = withFound(member, given);
    const onset = memberOnset(member); // It may change before this is taken in.
    this.#note(() => {
      // One that is open again has no incident if it was notified only when it had ended.
      if (member.incident === null) this.#place(member, opening, { ...place, onset });
    });
  }

  /** An episode that had ended is open after all. */
  reopen(member: T, given: Opening): void {
    const opening = withFound(member, given);
    const onset = memberOnset(member);
    this.#note(() => this.#rejoin(member, opening, onset));
  }

  /** Adds an episode from a snapshot; `opening` is null if it has ended. */
  restore(member: T, given: Opening | null): void {
    if (member.incident === null) return;
    const opening = given && withFound(member, given);
    const onset = memberOnset(member);
    this.#restored.set(member, () => this.#rejoin(member, opening, onset));
  }

  /** The member's start time has changed. */
  moved(member: T): void {
    const onset = memberOnset(member);
    this.#note(() => {
      const entry = this.#open.get(member);
      if (entry !== undefined) entry.onset = onset;
      const incident = this.#incidents.get(member.incident?.id ?? '');
      if (incident !== undefined) incident.ranked = null;
    });
  }

  /** Its report, whose outcome is in the record `sequence`, tells where it belongs. */
  learn(member: T, learned: Learned, sequence: number): void {
    const onset = memberOnset(member);
    this.#note(() => this.#learn(member, { ...learned, onset }, sequence));
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
    const sought = this.#index.take(opening, onset, place);
    const { sequence } = place;
    const linked = this.#index.incidentsOf(sought) as Incident<T>[];
    const id = this.#merge(linked, sequence) ?? this.#newId(member, sequence);
    const layer = layerOf(alertNameOf(labels), labels);
    const { isQuiet, isLingering } = sought;
    member.incident = {
      id, openedAs: id, since: sequence, layer, ...place,
      ...(isQuiet && { isQuiet }), ...(isLingering && { isLingering }),
    };
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
    const { id } = member.incident;
    const incident = this.#incidents.get(id);
    incident?.members.delete(member);
    this.#dropAlias(member.incident, incident?.members ?? []);
    if (incident === undefined) return void this.#aliases.delete(id);
    incident.ranked = null;
    const [first] = incident.first === member ? this.membersOf(id) : [];
    if (first !== undefined) incident.first = first;
    this.#dropWhenOver(incident);
  }

  /** Others of the members may have opened under the same id, and were merged together with it. */
  #dropAlias({ id, openedAs }: Membership, left: Iterable<T>): void {
    if (openedAs === id) return;
    if (![...left].some((each) => each.incident?.openedAs === openedAs)) {
      this.#aliases.delete(openedAs);
    }
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

  #addOpen(member: T, incident: Incident<T>, sought: IndexedAlert): void {
    incident.open += 1;
    this.#open.set(member, this.#index.add(sought, incident));
  }

  /** The member goes back to the incident that it is of; `opening` is null if it has ended. */
  #rejoin(member: T, opening: Opening | null, onset: number): void {
    if (member.incident === null) return;
    const { id, openedAs } = member.incident;
    if (openedAs !== id) this.#aliases.set(openedAs, id);
    const incident = this.#join(id, member);
    if (opening === null) return;
    const known = { ...opening, isQuiet: member.incident.isQuiet ?? false };
    this.#addOpen(member, incident, this.#index.take(known, onset, member.incident));
  }

  #learn(
    member: T, { isQuiet, found, onset }: Learned & { readonly onset: number }, sequence: number,
  ): void {
    if (member.incident === null) return;
    const { isQuiet: was = false, ...kept } = member.incident;
    if (found === null && isQuiet === was) return; // As of nearly every alert of a storm.
    const since = isQuiet === was ? kept.since : sequence;
    member.incident = { ...kept, since, ...(isQuiet && { isQuiet }) };
    const entry = this.#open.get(member);
    if (entry !== undefined) this.#index.learn(entry, { isQuiet, found });
    if (entry === undefined && !isQuiet && found !== null) {
      this.#learnOfEnded(member, found, { onset, sequence });
    }
    const incident = this.#incidents.get(member.incident.id);
    if (incident === undefined) return;
    incident.ranked = null;
    if (isQuiet) this.#leave(member, incident, sequence);
    // Only for a reason: what linked the others may have ended since.
    if (isQuiet || (entry !== undefined && this.#isElsewhere(entry, incident))) {
      this.#part(incident, sequence);
    }
    if (entry === undefined || isQuiet) return;
    const own = this.#incidents.get(member.incident.id);
    const linked = this.#index.incidentsOf(entry) as Incident<T>[];
    if (own !== undefined) this.#merge([...new Set([own, ...linked])], sequence);
  }

  /** It may have ended before it was investigated: then it joins what is still open. */
  #learnOfEnded(
    member: T, found: Found, at: { readonly onset: number; readonly sequence: number },
  ): void {
    if (member.incident === null) return;
    const opening = { labels: found.own, groupKey: '', windowMs: 0, found };
    const sought = this.#index.take(opening, at.onset, member.incident);
    const linked = this.#index.linkedByFound(sought) as Incident<T>[];
    this.#index.release(sought);
    const own = this.#incidents.get(member.incident.id);
    if (own !== undefined) return void this.#merge([...new Set([own, ...linked])], at.sequence);
    const [into] = linked;
    if (into !== undefined) this.#moveOut(member, into.id, at.sequence);
  }

  /** Whether an open member leads elsewhere than another one does. */
  #isElsewhere(entry: IndexEntry, { members, open }: Incident<T>): boolean {
    return open <= partedMax && [...members].some((each) => {
      const other = this.#open.get(each);
      return other !== undefined && areLinkedByFound(entry, other) === false;
    });
  }

  /** Parts an incident whose open members turn out to have nothing to do with each other. */
  #part(incident: Incident<T>, sequence: number): void {
    if (incident.open < 2 || incident.open > partedMax) return;
    const open = [...incident.members].filter((each) => this.#open.has(each)).sort(byOpening);
    const entries = new Map(open.flatMap((each) => {
      const entry = this.#open.get(each);
      return entry === undefined ? [] : [[entry, each] as const];
    }));
    const parts = connected([...entries.keys()], (entry, others) =>
      this.#index.linkedTo(entry, others));
    for (const part of parts.slice(1)) {
      const members = part.flatMap((entry) => entries.get(entry) ?? []);
      const [first] = members;
      const id = first && this.#newId(first, sequence);
      for (const each of members) if (id !== undefined) this.#moveOut(each, id, sequence);
    }
  }

  #leave(member: T, incident: Incident<T>, sequence: number): void {
    if (incident.members.size < 2) return;
    this.#moveOut(member, this.#newId(member, sequence), sequence);
    this.#dropWhenOver(incident);
    const own = this.#incidents.get(member.incident?.id ?? '');
    if (own !== undefined) this.#dropWhenOver(own);
  }

  /** Moves a member into an incident that begins with it, or that others were moved into. */
  #moveOut(member: T, id: string, sequence: number): void {
    if (member.incident === null) return;
    const from = this.#incidents.get(member.incident.id);
    const entry = this.#open.get(member);
    if (from !== undefined) {
      from.members.delete(member);
      from.ranked = null;
      this.#dropAlias(member.incident, from.members);
      if (entry !== undefined) from.open -= 1;
      const [first] = from.first === member ? [...from.members].sort(byOpening) : [];
      if (first !== undefined) from.first = first;
    }
    member.incident = { ...member.incident, id, openedAs: id, since: sequence };
    const incident = this.#join(id, member);
    if (entry === undefined) return;
    entry.incident = incident;
    incident.open += 1;
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

/** As it is known now: what is learned later counts from then on. */
function withFound({ conclusion }: Member, opening: Opening): Opening {
  return { ...opening, found: conclusion?.found ?? null };
}

function idOf({ fingerprint, number }: Member, more: LabelSet = {}): string {
  return fingerprintOf({ fingerprint, episode: String(number), ...more });
}
