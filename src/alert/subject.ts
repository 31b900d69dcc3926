/**
 * What an alert is about, so that two alerts can be compared: by any label, whatever it is called.
 * That two alerts come from one exporter says little where it reports on many things.
 */
import { labelOf, type LabelSet } from './labels.ts';
import type { RuleFacts } from './rule-facts.ts';
import {
  areApart, closeness, isKnownLabel, jaccard, labelWeight, objectNamesOf, pairScore,
  type ObjectNames,
} from './similarity.ts';

export interface Subject {
  readonly names: ObjectNames;
  readonly job: string | null;
  /** Labels that name the thing an exporter reports on: a queue, a disk, a database. */
  readonly parts: LabelSet;
  /** `host:port` in any label, each once. */
  readonly addresses: readonly string[];
  /** Names of what runs, in lower case, by the label that gives them. */
  readonly things: readonly Thing[];
  /** Names in labels of any other kind, which may be those of things: `server="shop2"`. */
  readonly mentioned: readonly string[];
  /** All of these, each once: what other alerts may have in labels of other names. */
  readonly keys: readonly string[];
}

interface Thing {
  readonly label: string;
  readonly name: string;
}

const naming: ReadonlySet<string> = new Set([
  'job', 'service', 'workload', 'deployment', 'statefulset', 'daemonset', 'node',
]);
/** Known labels that name a part, besides all that are not known. */
const partNames: ReadonlySet<string> = new Set(['pod', 'device', 'persistentvolumeclaim']);
/** Labels of how a target is scraped, and of what all alerts have. */
const notMentioning: ReadonlySet<string> = new Set([
  'alertname', 'severity', 'namespace', 'instance', 'endpoint', 'metrics_path', 'scheme', 'port',
  'protocol', 'method', 'code', 'status', 'container', 'prometheus', 'replica', 'cluster',
  'region', 'datacenter', 'environment', 'env', 'pod',
]);
/** Labels whose value may be an address of the web; in others it is a link, as to a runbook. */
const targeting: ReadonlySet<string> = new Set(['instance', 'target', 'url']);

const host = String.raw`[a-z\d][a-z\d.-]{0,252}|\[[\da-f:]{2,39}\]`;
const addressPattern = new RegExp(`^(${host}):(\\d{1,5})$`, 'u');
const urlPattern = new RegExp(`^([a-z]{2,9})://(${host})(?::(\\d{1,5}))?(?:[/?#]|$)`, 'u');
const schemePorts: ReadonlyMap<string, string> = new Map([['http', '80'], ['https', '443']]);
const namePattern = /^[a-z][a-z\d_.-]{2,62}$/u;
const numericHost = /^[\d.]+$|^localhost$|^\[/u;
/** Most of each kind that are kept of one alert. */
const keptMax = 6;
/** Longer values name nothing. */
const valueLengthMax = 300;

/**
 * The labels of an alert that say what it is about: what its rule asks for is added. Labels that
 * its series cannot have, as its author gave them, are left out if their names are unknown, or if
 * they name what the rule itself names.
 */
export function labelsOfSubject(labels: LabelSet, { selected, kept }: RuleFacts): LabelSet {
  const asked = [...selected].filter(([name]) =>
    isPlace(name) && labelOf(labels, name) === null);
  const isNamed = asked.some(([name]) => naming.has(name)) ||
    Object.keys(labels).some((name) => naming.has(name) && kept?.has(name));
  const own = kept === null ? labels : Object.fromEntries(Object.entries(labels)
    .filter(([name]) =>
      kept.has(name) || (isKnownLabel(name) && !(isNamed && naming.has(name)))));
  return asked.length === 0 ? own : { ...own, ...Object.fromEntries(asked) };
}

/** Whether a known label tells where something is, or what. */
function isPlace(name: string): boolean {
  return isKnownLabel(name) && name !== 'alertname' && name !== 'severity';
}

/** `labels` are those of the object; see `labelsOfObject`. */
export function subjectOfLabels(labels: LabelSet): Subject {
  const addresses = new Set<string>();
  const things: Thing[] = [];
  const mentioned = new Set<string>();
  const parts: [string, string][] = [];
  for (const name of Object.keys(labels)) {
    const value = labelOf(labels, name) ?? '';
    if (value === '' || value.length > valueLengthMax) continue;
    if (partNames.has(name) || !isKnownLabel(name)) parts.push([name, value]);
    const text = value.toLowerCase();
    const address = addressIn(text, targeting.has(name));
    if (address !== null) addresses.add(address);
    const hostName = name === 'instance' && address !== null ? hostOf(address) : null;
    if (hostName !== null) things.push({ label: name, name: hostName });
    else if (!namePattern.test(text)) continue;
    else if (naming.has(name)) things.push({ label: name, name: text });
    else if (!notMentioning.has(name)) mentioned.add(text);
  }
  const named = [...mentioned].slice(0, keptMax);
  const kept = [...addresses].slice(0, keptMax);
  return {
    names: objectNamesOf(labels), job: labelOf(labels, 'job') || null,
    parts: Object.fromEntries(parts), things, addresses: kept, mentioned: named,
    keys: [...new Set([...kept, ...things.map(({ name }) => name), ...named])],
  };
}

/** `host:port`, of an address of the web with the port of its scheme; null for anything else. */
function addressIn(text: string, mayBeUrl: boolean): string | null {
  if (!text.includes(':')) return null;
  const [, named, port] = addressPattern.exec(text) ?? [];
  if (named !== undefined) return `${known(named)}:${port}`;
  const [, scheme = '', inUrl, own] = mayBeUrl ? urlPattern.exec(text) ?? [] : [];
  const at = own ?? schemePorts.get(scheme);
  return inUrl === undefined || at === undefined ? null : `${known(inUrl)}:${at}`;
}

function known(name: string): string {
  return name === 'localhost' ? '127.0.0.1' : name;
}

/** The host's name; null if it is a number. */
function hostOf(address: string): string | null {
  const name = address.slice(0, address.lastIndexOf(':'));
  return numericHost.test(name) ? null : name;
}

/** Sums over the labels of two alerts. */
interface SharedWeight {
  /** Weight of the labels on which both agree. */
  readonly shared: number;
  /** Weight of all labels of one, and of all of the other. */
  readonly total: number;
}

export function sharedWeight(a: LabelSet, b: LabelSet): SharedWeight {
  let shared = 0;
  let total = 0;
  for (const name of Object.keys(a)) {
    const weight = labelWeight(name);
    const value = labelOf(a, name);
    if (value !== null && value === labelOf(b, name)) shared += weight;
    total += weight;
  }
  for (const name of Object.keys(b)) total += labelWeight(name);
  return { shared, total };
}

/** How strongly two alerts are related that began `seconds` apart, from 0 to 1. */
export function relatedScore(
  a: Subject, b: Subject, { shared, total }: SharedWeight, seconds: number,
): number {
  if (areApart(a.names, b.names)) return 0;
  const isOfOther = areParts(a, b);
  const weight = isOfOther ? messengerWeight(a, b) : 0;
  const likeness = jaccard(Math.max(0, shared - weight), total);
  return pairScore(likeness, isOfOther ? 0 : subjectCloseness(a, b), seconds);
}

/** Whether one exporter reports on two things, and the alerts are about one each. */
function areParts(a: Subject, b: Subject): boolean {
  return isSame(a.names.instance, b.names.instance) && a.names.node === b.names.node &&
    Object.keys(a.parts).some((name) => {
      const other = labelOf(b.parts, name);
      return other !== null && other !== labelOf(a.parts, name);
    });
}

function messengerWeight(a: Subject, b: Subject): number {
  return labelWeight('instance') + (isSame(a.job, b.job) ? labelWeight('job') : 0) +
    (isSame(a.names.service, b.names.service) ? labelWeight('service') : 0);
}

/** The same thing by its address, part of the same job, or a thing that the other one names. */
function subjectCloseness(a: Subject, b: Subject): number {
  const byNames = closeness(a.names, b.names);
  if (byNames === 1 || meet(a.addresses, b.addresses)) return 1;
  const isSameJob = isSame(a.job, b.job) && canBeOne(a, b);
  const isNamed = isAnyIn(a.things, b.mentioned) || isAnyIn(b.things, a.mentioned) ||
    a.things.some(({ label, name }) =>
      b.things.some((other) => other.name === name && other.label !== label));
  // Two instances of one job are not one for having the same name.
  const mayBeNamed = isSame(a.job, b.job) ? canBeOne(a, b) : !areElsewhere(a, b);
  const isPart = isSharedPart(a, b) && canBeOne(a, b);
  return Math.max(byNames, isSameJob ? 0.7 : 0, (isNamed && mayBeNamed) || isPart ? 0.6 : 0);
}

/** One such label may be what their author calls the team; two name a thing: group and topic. */
const sharedPartsMin = 2;

/** Whether they name the same part of something, and no two parts. */
function isSharedPart(a: Subject, b: Subject): boolean {
  const shared = Object.keys(a.parts).filter((name) => labelOf(b.parts, name) !== null);
  return shared.every((name) => labelOf(a.parts, name) === labelOf(b.parts, name)) &&
    shared.filter((name) => !notMentioning.has(name) &&
      namePattern.test((labelOf(a.parts, name) ?? '').toLowerCase())).length >= sharedPartsMin;
}

const whereNames = ['pod', 'instance', 'node', 'workload', 'service'] as const;

/** Whether no label says that they are two: one may be about the whole, and one about a part. */
function canBeOne(a: Subject, b: Subject): boolean {
  return !areElsewhere(a, b) && whereNames.every((name) =>
    a.names[name] === null || b.names[name] === null || a.names[name] === b.names[name]);
}

/** From this on two subjects are one thing, or one names the other. */
const sameThingMin = 0.6;

/** Whether two are the same thing, one is part of the other's job, or one names the other. */
export function isSameThing(a: Subject, b: Subject): boolean {
  return !areApart(a.names, b.names) && !areParts(a, b) && subjectCloseness(a, b) >= sameThingMin;
}

/** Whether no label says that two alerts of one rule are of different jobs or places. */
export function mayBeOfOneJob(a: Subject, b: Subject): boolean {
  return !areApart(a.names, b.names) && !areElsewhere(a, b) &&
    (a.job === null || b.job === null || a.job === b.job);
}

function areElsewhere(a: Subject, b: Subject): boolean {
  const [ours, theirs] = [a.names.namespace, b.names.namespace];
  return ours !== null && theirs !== null && ours !== theirs;
}

function isAnyIn(things: readonly Thing[], named: readonly string[]): boolean {
  return things.some(({ name }) => named.includes(name));
}

function meet(a: readonly string[], b: readonly string[]): boolean {
  return a.some((each) => b.includes(each));
}

function isSame(a: string | null, b: string | null): boolean {
  return a !== null && a === b;
}
