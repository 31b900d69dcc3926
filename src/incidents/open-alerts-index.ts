import { alertNameOf } from '../alert/alert.ts';
import type { LabelSet } from '../alert/labels.ts';
import {
  areApart, labelsOfObject, togetherScoreMin, type ObjectNames,
} from '../alert/similarity.ts';
import { mayBeOfOneJob, relatedScore, subjectOfLabels, type Subject } from '../alert/subject.ts';
import {
  nearbyMs, Posting, type IndexEntry, type Joinable, type IndexedAlert, type Term,
} from './alert-index.ts';
import {
  areSeenTogether, haveOneOrigin, isOnWay, isReached, mayBeBeside, subjectsIn, type Found,
  type FoundSubjects,
} from './found.ts';
import { LabelTerms } from './label-terms.ts';
import { SenderGroups } from './sender-groups.ts';

/** What is known of an alert when its episode opens. */
export interface Opening {
  /** The labels by which it is compared: few enough to be kept while it fires. */
  readonly labels: LabelSet;
  /** As in the notification; empty when unknown. */
  readonly groupKey: string;
  /** Over how long its rule looks back, in ms; 0 if that is unknown, or only one moment. */
  readonly windowMs: number;
  /** Whether it is known to be noise: then it is in no incident with others. */
  readonly isQuiet?: boolean;
  /** What its investigation found behind it; absent or null before, and if that is nothing. */
  readonly found?: Found | null;
}

/** Where it stands in the order of opening. */
type Order = Pick<IndexedAlert, 'sequence' | 'index'>;

/** Alerts of one rule and one job belong together if they begin within this time. */
const sameRuleMs = 2 * 60_000;
/** What looks back over more lingers: five minutes are usual for a rate. */
const usualWindowMs = 5 * 60_000;
/** Most open alerts that one new alert is compared with. */
const candidatesMax = 100;
/** Most of them found by one label: a label that many share tells little. */
const candidatesPerTerm = 16;
/** Lighter labels count in a comparison, but are not searched for. */
const leadingWeightMin = 0.5;
/** Most labels that are searched for, the heaviest first. */
const leadingMax = 16;
/**
 * So many alerts of one name that begin within this time have one cause, if they are in so many
 * namespaces: in two of them it may well be two teams with a fault each.
 */
const burstMin = 5;
const burstPlacesMin = 3;
const burstMs = 2 * 60_000;
/** Senders group by namespace, so that the newest alerts of a large burst are often of one. */
const burstCandidatesMax = 64;

/**
 * Finds the open alerts that a new one belongs with, without comparing it with all of them: only
 * with those that share a label, newest first. The result depends only on the open alerts and on
 * the order in which they were opened.
 */
export class OpenAlertsIndex {
  readonly #terms = new LabelTerms();
  /** By instance without port: alerts on pods name their node in another label than its own do. */
  readonly #hosts = new Map<string, Posting>();
  /** By what alerts may call by labels of different names. */
  readonly #named = new Map<string, Posting>();
  readonly #groups = new SenderGroups();
  #mark = 0;
  /** Used by one search after the other. */
  readonly #near: IndexEntry[] = [];

  /** Prepares an alert that opens for the search; it has to be added afterwards. */
  take(opening: Opening, onset: number, { sequence, index }: Order): IndexedAlert {
    const { labels: given, groupKey, windowMs, isQuiet = false } = opening;
    const labels = labelsOfObject(given);
    const terms = this.#terms.take(labels);
    const group = this.#groups.take(groupKey, alertNameOf(given));
    let weight = 0;
    for (const term of terms) weight += term.weight;
    const subject = subjectOfLabels(labels);
    const found = opening.found ? subjectsIn(opening.found) : null;
    return {
      subject, terms, group, weight, onset, isLingering: windowMs > usualWindowMs, isQuiet,
      found, keys: keysOf(subject, found), sequence, index,
    };
  }

  add(sought: IndexedAlert, incident: Joinable): IndexEntry {
    const entry = { ...sought, incident, isOpen: true, mark: 0 };
    for (const posting of this.#postingsOf(sought)) posting.add(entry);
    return entry;
  }

  /** The lists that contain an open alert. */
  #postingsOf({ subject, terms, group, keys }: IndexedAlert): Posting[] {
    const { host } = subject.names;
    const postings = [group.posting];
    for (const key of keys) postings.push(postingOf(this.#named, key));
    for (const term of terms) if (isLeading(term)) postings.push(term.posting);
    if (host !== null) postings.push(postingOf(this.#hosts, host));
    return postings;
  }

  /** Gives back what was prepared and is not added, or is no more. */
  release({ terms, group }: IndexedAlert): void {
    this.#terms.release(terms);
    this.#groups.release(group);
  }

  remove(entry: IndexEntry): void {
    entry.isOpen = false;
    for (const posting of this.#postingsOf(entry)) posting.removeClosed();
    this.release(entry);
    entry.terms = []; // A map's dead table may keep the entry alive for long.
    const { host } = entry.subject.names;
    if (host !== null && this.#hosts.get(host)?.isEmpty) this.#hosts.delete(host);
    this.#dropEmpty(entry.keys);
  }

  /** Takes in what the investigation of an open alert found; `found` stays if that is null. */
  learn(entry: IndexEntry, { isQuiet, found }: { isQuiet: boolean; found: Found | null }): void {
    entry.isQuiet = isQuiet;
    if (found === null) return;
    const known = entry.keys;
    entry.found = subjectsIn(found);
    entry.keys = keysOf(entry.subject, entry.found);
    for (const key of entry.keys) {
      if (!known.includes(key)) postingOf(this.#named, key).add(entry);
    }
    for (const key of known) {
      if (!entry.keys.includes(key)) this.#named.get(key)?.drop(entry);
    }
    this.#dropEmpty(known);
  }

  #dropEmpty(keys: readonly string[]): void {
    for (const key of keys) if (this.#named.get(key)?.isEmpty) this.#named.delete(key);
  }

  /** The incidents of the open alerts that lead where `sought` does, each once. */
  linkedByFound(sought: IndexedAlert): Joinable[] {
    const found = new FoundIncidents(this.#mark += 1);
    for (const key of sought.keys) {
      const near = this.#named.get(key)?.newest(sought.onset, candidatesPerTerm, this.#near) ?? [];
      for (const entry of near) {
        if (areLinkedByFound(sought, entry) === true) found.add(entry.incident);
      }
    }
    return found.incidents;
  }

  /** Those of `others` that belong together with an open alert. */
  linkedTo(entry: IndexEntry, others: readonly IndexEntry[]): IndexEntry[] {
    const mark = this.#mark += 1;
    for (const term of entry.terms) term.mark = mark;
    return others.filter((other) => !entry.isQuiet && !other.isQuiet &&
      (isGrouped(entry, other) || belongTogether(entry, other, mark)));
  }

  /**
   * The incidents that `sought` belongs to, each once: those of the open alerts that it belongs
   * with, that of its sender's group, and those of the burst of alerts of its name.
   */
  incidentsOf(sought: IndexedAlert): Joinable[] {
    if (sought.isQuiet) return [];
    const found = new FoundIncidents(this.#mark += 1);
    this.#addLinked(sought, found);
    this.#addGroup(sought, found);
    this.#addBurst(sought, found);
    // What looks far back may be late for one and early for the other: it makes no two one.
    return sought.isLingering ? found.incidents.slice(0, 1) : found.incidents;
  }

  #addLinked(sought: IndexedAlert, found: FoundIncidents): void {
    let left = candidatesMax;
    for (const posting of this.#leadingTo(sought, found.mark)) {
      for (const entry of posting.newest(sought.onset, candidatesPerTerm, this.#near)) {
        if (entry.mark === found.mark) continue;
        if (left <= 0) return;
        left -= 1;
        entry.mark = found.mark;
        // In a storm nearly all lead to the same incident.
        if (!found.has(entry.incident) && belongTogether(sought, entry, found.mark)) {
          found.add(entry.incident);
        }
      }
    }
  }

  /** The newest open alert of the sender's group that began near `sought`. */
  #addGroup(
    { group: { posting, name }, subject, onset }: IndexedAlert,
    found: FoundIncidents,
  ): void {
    // What the sender groups belongs together, even across clusters.
    const isOfSender = name === null;
    const withinMs = isOfSender ? nearbyMs : sameRuleMs;
    const near = posting.newest(onset, candidatesPerTerm, this.#near);
    const newest = near.find(({ onset: other, subject: its }) =>
      Math.abs(other - onset) <= withinMs && (isOfSender || mayBeOfOneJob(subject, its)));
    if (newest !== undefined) found.add(newest.incident);
  }

  /** The burst of alerts of its name that `sought` is part of, if any. */
  #addBurst({ subject: { names }, terms, onset }: IndexedAlert, found: FoundIncidents): void {
    const name = terms.find((term) => term.name === 'alertname');
    if (name === undefined) return;
    const near = name.posting.newest(onset, burstCandidatesMax, this.#near);
    if (near.every(({ incident }) => found.has(incident))) return; // As for nearly all of a burst.
    const burst = near.filter(({ onset: other, subject }) =>
      Math.abs(other - onset) <= burstMs && !areApart(names, subject.names));
    if (burst.length + 1 < burstMin) return;
    const places = new Set([names, ...burst.map(({ subject }) => subject.names)].map(burstPlaceOf));
    if (places.size < burstPlacesMin) return;
    for (const { incident } of burst) found.add(incident);
  }

  /** Marks every label of the alert; returns the lists to search, best first. */
  #leadingTo({ terms, subject, keys }: IndexedAlert, mark: number): Posting[] {
    const { names } = subject;
    const leading: Term[] = [];
    for (const term of terms) {
      term.mark = mark;
      if (isLeading(term) && !term.posting.isEmpty) leading.push(term);
    }
    leading.sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1));
    const postings: Posting[] = [];
    for (const { posting } of leading) if (postings.length < leadingMax) postings.push(posting);
    const pods = names.host === null ? undefined : this.#terms.find('node', names.host)?.posting;
    const host = names.node === null ? undefined : this.#hosts.get(names.node);
    if (pods !== undefined) postings.push(pods);
    if (host !== undefined) postings.push(host);
    for (const key of keys) {
      const named = this.#named.get(key);
      if (named !== undefined) postings.push(named);
    }
    return postings;
  }
}

/** The incidents that a search has found. */
class FoundIncidents {
  readonly incidents: Joinable[] = [];
  readonly mark: number;

  constructor(mark: number) {
    this.mark = mark;
  }

  has(incident: Joinable): boolean {
    return incident.mark === this.mark;
  }

  add(incident: Joinable): void {
    if (this.has(incident)) return;
    incident.mark = this.mark;
    this.incidents.push(incident);
  }
}

function keysOf(subject: Subject, found: FoundSubjects | null): readonly string[] {
  if (found === null) return subject.keys;
  const { own, origin, way, beside } = found;
  const all = [subject, own, ...(origin === null ? [] : [origin]), ...way, ...beside];
  return [...new Set(all.flatMap(({ keys }) => keys))];
}

/**
 * Whether what was found behind them makes two alerts one trouble: the same origin, one that is on
 * the way to the other, or two things that began to fail at one moment. False if each leads
 * elsewhere; null if it tells nothing.
 */
export function areLinkedByFound(a: IndexedAlert, b: IndexedAlert): boolean | null {
  if (areApart(a.subject.names, b.subject.names)) return false;
  if (a.found === null && b.found === null) return null;
  if (a.found !== null && b.found !== null) {
    const [here, there] = [a.found, b.found];
    const isShared = isReached(here.own, there) || isReached(there.own, here);
    const isOne = here.origin !== null && there.origin !== null && (isShared ||
      haveOneOrigin(here, there) || isOnWay(here, there) || isOnWay(there, here));
    // What works does not come from what fails elsewhere, and may be about what fails or not.
    const leadsAway = ({ isBehind, origin, isUnknown }: FoundSubjects): boolean =>
      isBehind || (origin === null && !isUnknown);
    const areTwo = !isShared && (here.isBehind || there.isBehind) &&
      leadsAway(here) && leadsAway(there);
    if (isOne || areTwo) return isOne;
    // Two that are both explained by themselves have two troubles.
    return areSeenTogether(here, there) ? !(here.isExplained && there.isExplained) : null;
  }
  const [found, other] = a.found === null ? [b.found, a] : [a.found, b];
  const { subject, onset, isLingering } = other;
  return (found !== null && (isReached(subject, found) ||
    (!isLingering && mayBeBeside(subject, onset, found)))) || null;
}

/** Whether their sender, or their rule at one moment, puts two open alerts together. */
function isGrouped(a: IndexEntry, b: IndexEntry): boolean {
  const apartMs = Math.abs(a.onset - b.onset);
  if (a.group === b.group && a.group.name === null) return apartMs <= nearbyMs;
  const isOfRule = a.group === b.group && mayBeOfOneJob(a.subject, b.subject) ||
    alertNameTerm(a) === alertNameTerm(b);
  return isOfRule && apartMs <= sameRuleMs && areLinkedByFound(a, b) !== false;
}

function alertNameTerm({ terms }: IndexEntry): Term | undefined {
  return terms.find(({ name }) => name === 'alertname');
}

/** `mark` is that of the search, which the labels of `sought` have. */
function belongTogether(sought: IndexedAlert, entry: IndexEntry, mark: number): boolean {
  const byFound = areLinkedByFound(sought, entry);
  if (byFound !== null) return byFound;
  const weights = { shared: sharedWeight(entry, mark), total: sought.weight + entry.weight };
  const seconds = (entry.onset - sought.onset) / 1000;
  return relatedScore(sought.subject, entry.subject, weights, seconds) >= togetherScoreMin;
}

/** Where an alert of a burst is; each that does not say so is in a place of its own. */
function burstPlaceOf(names: ObjectNames): unknown {
  return names.namespace ?? names.host ?? names;
}

function postingOf(postings: Map<string, Posting>, key: string): Posting {
  const known = postings.get(key);
  if (known !== undefined) return known;
  const posting = new Posting();
  postings.set(key, posting);
  return posting;
}

function isLeading({ weight }: Term): boolean {
  return weight >= leadingWeightMin;
}

function sharedWeight({ terms }: IndexEntry, mark: number): number {
  let weight = 0;
  for (const term of terms) if (term.mark === mark) weight += term.weight;
  return weight;
}
