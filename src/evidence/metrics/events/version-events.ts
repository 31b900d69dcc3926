import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { compareText } from '../../../lib/compare-text.ts';
import { groupBy } from '../../../lib/group-by.ts';
import type { RangeSeries } from '../../../sources/prometheus-answers.ts';
import { chooseComponentLabel } from '../../../statistics/names/component-label.ts';
import { workloadOfPod } from '../../../statistics/names/workload-name.ts';
import type { Component } from '../../metric-facts.ts';
import { imagesApart } from '../../shown-images.ts';
import {
  eventOf, exporterOf, isOfExporter, timeOf, objectIn, type EventContext, type FoundEvent,
  type EventTime,
} from './found-event.ts';
import { processIn, startsOf, type StartOf } from './process-starts.ts';

/** Matches metrics whose labels tell the version of what runs there; a pattern for RE2 as well. */
export const versionPattern: string =
  '(?:.+_)?(?:build|release|deploy|deployment|app|application|service|server|version|instance)' +
  '_info|target_info|(?:.+_)?(?:app|application|service|build|release)_version';
/** Names of metrics whose labels tell versions. */
export const versionNames: RegExp = new RegExp(`^(?:kube_pod_container_info|${versionPattern})$`);
/** Labels that tell one, the most usual first; else one of a product's, like `redis_version`. */
const versionLabels = [
  'version', 'service_version', 'app_version', 'release', 'revision', 'commit', 'tag',
] as const;
const ofProduct = /_version$/u;

/** A version that came up, after others or for the first time. */
interface VersionSighting {
  readonly version: string;
  readonly index: number;
  readonly labels: LabelSet;
  /** How many series have the version. */
  readonly count: number;
}

/** Points that may be missing of a version that is there all the time. */
const missingMax = 2;

/**
 * Changes of a workload's image or version. Pods with the same image come and go, so only the first
 * sighting of a version counts, and the first after it was gone while another was there.
 */
export function versionEvents(series: readonly RangeSeries[], context: EventContext): FoundEvent[] {
  const workloads = new Map<string, Map<string, RangeSeries[]>>();
  const places = new Map<string, RangeSeries[]>();
  for (const each of series) {
    const now = versionOf(each.labels);
    if (now === null || !each.values.some(Number.isFinite)) continue;
    places.set(now.place, [...(places.get(now.place) ?? []), each]);
    const known = workloads.get(now.key) ?? new Map<string, RangeSeries[]>();
    workloads.set(now.key, known);
    known.set(now.version, [...(known.get(now.version) ?? []), each]);
  }
  const startOf = startsOf(series);
  const ownerIn = ownersIn(series, context);
  return [...workloads.values()].flatMap((versions) => {
    const own = [...versions.values()].flat();
    const sightings = [...versions].flatMap(([version, all]) =>
      sightingsOf(version, all, own.filter((each) => !all.includes(each))));
    const beside = places.get((own[0] && versionOf(own[0].labels)?.place) ?? '') ?? [];
    const before = replacedBy(sightings, beside);
    const all = before === null ? sightings : [before, ...sightings];
    const events = successions(all, { ...context, componentOf: ownerIn, series, startOf });
    if (events.length === 0) return [];
    const owners = new Set(atEnd(beside).map(targetIn)).size;
    return events.map((event) => {
      const having = versions.get(versionOf(event.labels)?.version ?? '') ?? [];
      const left = atEnd(having);
      const targets = new Set((left.length > 0 ? left : having).map(targetIn));
      return { ...event, owners, targets: [...targets].sort() };
    });
  });
}

/**
 * Whose version it is. A collector passes on versions of several owners, which labels of these
 * series name and others of its target do not have.
 */
function ownersIn(
  series: readonly RangeSeries[],
  { componentOf }: EventContext,
): EventContext['componentOf'] {
  const byName = groupBy(series.map(({ labels }) => labels)
    .filter((labels) => versionOf(labels) !== null), ({ __name__: name }) => name ?? '');
  const choices = new Map([...byName].map(([name, all]) => {
    const targets = groupBy(all, processIn);
    const choice = chooseComponentLabel(all);
    const isPassedOn = choice !== null && [...targets.values()].some((own) =>
      new Set(own.map(choice.valueOf)).size > 1);
    return [name, { choice, isPassedOn }];
  }));
  return (labels) => {
    const { choice = null, isPassedOn = false } = choices.get(labels['__name__'] ?? '') ?? {};
    const value = choice?.valueOf(labels) ?? null;
    const named = choice === null || value === null ? null : { label: choice.label, value };
    return isPassedOn ? named ?? componentOf(labels) : componentOf(labels) ?? named;
  };
}

/**
 * The version beside which an owner came up that is itself new, with a version new among its
 * replicas: a canary, or a release that replaces machines. Null for any other.
 */
function replacedBy(
  sightings: readonly VersionSighting[],
  beside: readonly RangeSeries[],
): VersionSighting | null {
  const [first] = sightings.toSorted((a, b) => a.index - b.index);
  if (first === undefined || first.index <= missingMax) return null;
  const seen = ({ values }: RangeSeries): number => values.findIndex(Number.isFinite);
  const same = beside.filter(({ labels }) => versionOf(labels)?.version === first.version);
  if (same.some((each) => seen(each) <= missingMax)) return null;
  const other = beside.find((each) => !same.includes(each) && seen(each) < first.index &&
    each.values.subarray(first.index - missingMax).some(Number.isFinite));
  const version = other && versionOf(other.labels)?.version;
  if (other === undefined || version === undefined) return null;
  return { version, index: first.index - 1, labels: other.labels, count: 1 };
}

/** Those that have values at the end. */
function atEnd(all: readonly RangeSeries[]): RangeSeries[] {
  return all.filter(({ values }) => values.subarray(-1 - missingMax).some(Number.isFinite));
}

/** The pod or instance that has the version. */
function targetIn({ labels }: RangeSeries): string {
  return labelOf(labels, 'pod') ?? labelOf(labels, 'instance') ?? '';
}

/**
 * When one version came up: in the series of any of its pods, after it was in none. Where another
 * one was there instead meanwhile, and is gone again, no time is too short.
 */
function sightingsOf(
  version: string,
  all: readonly RangeSeries[],
  others: readonly RangeSeries[],
): VersionSighting[] {
  const found: VersionSighting[] = [];
  let last = -Infinity;
  const length = Math.max(...all.map(({ values }) => values.length));
  for (let index = 0; index < length; index += 1) {
    const there = all.filter(({ values }) => Number.isFinite(values[index]));
    const [first] = there;
    if (first === undefined) continue;
    const isAfterOther = index - last > 1 && isThereAt(others, index - 1) &&
      !isThereAt(others, index);
    if (index - last - 1 > missingMax || isAfterOther) {
      found.push({ version, index, labels: first.labels, count: all.length });
    }
    last = index;
  }
  return found;
}

function isThereAt(all: readonly RangeSeries[], index: number): boolean {
  return all.some(({ values }) => Number.isFinite(values[index]));
}

interface SuccessionContext extends EventContext {
  readonly series: readonly RangeSeries[];
  readonly startOf: StartOf;
}

function successions(
  sightings: readonly VersionSighting[],
  context: SuccessionContext,
): FoundEvent[] {
  const ordered = sightings.toSorted((a, b) =>
    a.index - b.index || compareText(a.version, b.version));
  return ordered.slice(1).flatMap((next, place) => {
    const previous = ordered[place];
    if (previous === undefined || next.index <= previous.index) return [];
    if (next.version === previous.version) return [];
    const { labels } = next;
    const component = programIn(labels, context.series) ?? context.componentOf(labels);
    const owner = component?.value ?? objectIn(labels) ?? labels['container'] ?? 'a component';
    const name = isOfExporter(labels, context.series) ? exporterOf(owner) : owner;
    const [before, after] = imagesApart(previous.version, next.version);
    const isImage = labels['__name__'] === 'kube_pod_container_info';
    const isBack = isReturn(ordered, place + 1);
    const later = ordered[place + 2];
    const isTakenBack = later !== undefined && later.version === previous.version &&
      isReturn(ordered, place + 2);
    const did = isBack ? 'went back' : 'changed';
    return [{
      ...eventOf('version', labels, { component, ...cameUp(next, previous, context) }),
      count: next.count, subject: name, verb: isImage ? 'image_changed' : 'version_changed',
      text: `The ${isImage ? 'image' : 'version'} of ${name} ${did} from ${before} to ${after}`,
      before, after, ...(name !== owner && { isOfExporter: true }),
      release: {
        on: null, of: null, isBack,
        takenBackMs: isTakenBack ? cameUp(later, next, context).atMs : null,
      },
    }];
  });
}

/** Labels by which a target that tells the versions of several programs names each. */
const programLabels = ['app', 'application', 'service', 'service_name', 'program', 'component'];

/** The program whose version it is, where one target tells those of several. */
function programIn(labels: LabelSet, series: readonly RangeSeries[]): Component | null {
  const same = ['__name__', 'job', 'instance', 'pod'];
  const beside = series.filter((other) =>
    same.every((name) => labelOf(other.labels, name) === labelOf(labels, name)));
  const label = programLabels.find((name) => labelOf(labels, name) !== null &&
    new Set(beside.map((other) => labelOf(other.labels, name))).size > 1);
  return label === undefined ? null : { label, value: labelOf(labels, label) ?? '' };
}

/** Whether the version at that place had run before the one it replaces, and for longer. */
function isReturn(ordered: readonly VersionSighting[], place: number): boolean {
  const [next, replaced] = [ordered[place], ordered[place - 1]];
  if (next === undefined || replaced === undefined) return false;
  return ordered.slice(0, place - 1).some(({ version, index }, at) => version === next.version &&
    // What runs at the first point has run for nobody knows how long.
    (index <= missingMax ||
      (ordered[at + 1]?.index ?? index) - index >= next.index - replaced.index));
}

/** When the version was first there; its process tells exactly when it started. */
function cameUp(
  next: VersionSighting,
  previous: VersionSighting,
  context: SuccessionContext,
): EventTime {
  const { atMs, sinceMs } = timeOf(next.labels, next.index, context);
  const last = context.rawOf?.(previous.labels)?.timesMs.findLast((ms) => ms < atMs);
  const startMs = context.startOf(next.labels, next.index);
  if (startMs !== null && startMs <= atMs && startMs >= atMs - startedBeforeMs) {
    return { atMs: startMs };
  }
  return { atMs, sinceMs: last ?? sinceMs ?? atMs };
}

/** From its start to its first scrape, a process takes no longer than this. */
const startedBeforeMs = 3 * 60_000;

/**
 * The version that labels tell. `key` tells its owner, a workload or an instance, from others;
 * instances with the same `place` are replicas of each other.
 */
function versionOf(labels: LabelSet): { key: string; place: string; version: string } | null {
  const name = labels['__name__'] ?? '';
  if (!versionNames.test(name)) return null;
  const isImage = name === 'kube_pod_container_info';
  const version = isImage ? (labelOf(labels, 'image_spec') ?? labelOf(labels, 'image'))
    : [...versionLabels, ...Object.keys(labels).filter((label) => ofProduct.test(label)).sort()]
      .map((label) => labelOf(labels, label)).find((value) => value !== null) ?? null;
  if (version === null || version === '') return null;
  const pod = labelOf(labels, 'pod');
  // With `exported_` labels, a collector passes on what others measured.
  const owner = pod !== null ? workloadOfPod(pod)
    : labelOf(labels, 'exported_instance') ?? labelOf(labels, 'instance') ?? '';
  const place = [name, ...['namespace', 'job', 'exported_job', 'app', 'container']
    .map((label) => labelOf(labels, label) ?? '')].join('\u0000');
  // Pods of a place may belong to different workloads.
  const key = `${owner}\u0000${place}`;
  return { key, place: pod === null ? place : key, version };
}
