import type { LabelSet } from '../alert/labels.ts';
import {
  areApart, closeness, jaccard, labelsOfObject, objectNamesOf, pairScore, togetherScoreMin,
  type ObjectNames,
} from '../alert/similarity.ts';
import { LabelTerms } from './label-terms.ts';
import { Posting, type Admits, type Entry, type Sought, type Term } from './posting.ts';

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
  readonly #groups = new Map<string, Posting>();
  #mark = 0;

  /** Prepares an alert that opens for the search; it has to be added afterwards. */
  take(told: LabelSet, onset: number): Sought {
    const labels = labelsOfObject(told);
    const terms = this.#terms.take(labels);
    let weight = 0;
    for (const term of terms) weight += term.weight;
    return { names: objectNamesOf(labels), terms, weight, onset };
  }

  /** `group` is the key by which {@linkcode OpenAlertsIndex.inGroup} finds it. */
  add({ names, terms, weight, onset }: Sought, incident: string, group: string): Entry {
    const postings: Posting[] = [];
    for (const term of terms) if (isLeading(term)) postings.push(term.posting);
    if (names.host !== null) postings.push(postingOf(this.#hosts, names.host));
    postings.push(postingOf(this.#groups, group));
    const entry = { incident, onset, names, terms, weight, postings, isOpen: true, mark: 0 };
    for (const posting of postings) posting.add(entry);
    return entry;
  }

  remove(entry: Entry, group: string): void {
    entry.isOpen = false;
    for (const posting of entry.postings) posting.removeClosed();
    this.#terms.release(entry.terms);
    // A map's dead table may keep the entry alive for long, so free what it holds.
    entry.terms = [];
    entry.postings = [];
    const { host } = entry.names;
    if (host !== null && this.#hosts.get(host)?.isEmpty) this.#hosts.delete(host);
    if (this.#groups.get(group)?.isEmpty) this.#groups.delete(group);
  }

  /** The newest open alert of the group that `sought` began at most `withinMs` from. */
  inGroup(
    group: string,
    { names, onset }: Sought,
    { withinMs, isOfSender, admits }: {
      readonly withinMs: number;
      /** The sender groups them, even across clusters. */
      readonly isOfSender: boolean;
      readonly admits: Admits;
    },
  ): Entry | null {
    const found = this.#groups.get(group)?.newest(onset, candidatesPerTerm, admits) ?? [];
    return found.find((entry) =>
      Math.abs(entry.onset - onset) <= withinMs &&
      (isOfSender || !areApart(names, entry.names))) ?? null;
  }

  /** The incidents of the burst of alerts of its name that `sought` is part of, if it is of one. */
  inBurst({ names, terms, onset }: Sought, admits: Admits): Set<string> {
    const name = terms.find((term) => term.name === 'alertname');
    const burst = (name?.posting.newest(onset, burstCandidatesMax, admits) ?? []).filter((entry) =>
      Math.abs(entry.onset - onset) <= burstMs && !areApart(names, entry.names));
    const places = new Set([names, ...burst.map((entry) => entry.names)].map(burstPlaceOf));
    const isBurst = burst.length + 1 >= burstMin && places.size >= burstPlacesMin;
    return new Set(isBurst ? burst.map(({ incident }) => incident) : []);
  }

  /** The incidents with an open alert that `sought` belongs with. */
  linkedTo(sought: Sought, admits: Admits): Set<string> {
    const mark = (this.#mark += 1);
    const linked = new Set<string>();
    let left = candidatesMax;
    for (const posting of this.#leadingTo(sought, mark)) {
      for (const entry of posting.newest(sought.onset, candidatesPerTerm, admits)) {
        if (entry.mark === mark) continue;
        if (left <= 0) return linked;
        left -= 1;
        entry.mark = mark;
        if (areApart(sought.names, entry.names)) continue;
        const likeness = jaccard(sharedWeight(entry, mark), sought.weight + entry.weight);
        const topology = closeness(sought.names, entry.names);
        const score = pairScore(likeness, topology, (entry.onset - sought.onset) / 1000);
        if (score >= togetherScoreMin) linked.add(entry.incident);
      }
    }
    return linked;
  }

  /** Marks every label of the alert; returns the lists to search, best first. */
  #leadingTo({ terms, names }: Sought, mark: number): Posting[] {
    const leading: Term[] = [];
    for (const term of terms) {
      term.mark = mark;
      if (isLeading(term) && !term.posting.isEmpty) leading.push(term);
    }
    leading.sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1));
    const postings = leading.slice(0, leadingMax).map(({ posting }) => posting);
    const pods = names.host === null ? undefined : this.#terms.find('node', names.host)?.posting;
    const host = names.node === null ? undefined : this.#hosts.get(names.node);
    return [...postings, pods, host].filter((posting) => posting !== undefined);
  }
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

function sharedWeight({ terms }: Entry, mark: number): number {
  let weight = 0;
  for (const term of terms) if (term.mark === mark) weight += term.weight;
  return weight;
}
