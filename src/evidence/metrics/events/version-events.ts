import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { compareText } from '../../../lib/compare-text.ts';
import type { RangeSeries } from '../../../sources/prometheus-answers.ts';
import { timeAt } from '../../../sources/time-grid.ts';
import { workloadOfPod } from '../../../statistics/names/workload-name.ts';
import { imagesApart } from '../../shown-images.ts';
import {
  eventOf, exporterOf, isOfExporter, objectOf, type EventContext, type FoundEvent,
} from './found-event.ts';

/** Names of metrics whose labels tell versions. */
export const versionNames: RegExp = /^kube_pod_container_info$|_build_info$|^target_info$/;

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
    const said = versionOf(each.labels);
    if (said === null || !each.values.some(Number.isFinite)) continue;
    places.set(said.place, [...(places.get(said.place) ?? []), each]);
    const known = workloads.get(said.key) ?? new Map<string, RangeSeries[]>();
    workloads.set(said.key, known);
    known.set(said.version, [...(known.get(said.version) ?? []), each]);
  }
  return [...workloads.values()].flatMap((versions) => {
    const sightings = [...versions].flatMap(([version, all]) => sightingsOf(version, all));
    const [[first] = []] = versions.values();
    const beside = places.get((first && versionOf(first.labels)?.place) ?? '') ?? [];
    const before = replacedBy(sightings, beside);
    const all = before === null ? sightings : [before, ...sightings];
    const events = successions(all, series, context);
    const owners = events.length === 0 ? 0 : keysAtEnd(beside);
    return events.map((event) => ({ ...event, owners }));
  });
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

/** How many owners are there at the end. */
function keysAtEnd(all: readonly RangeSeries[]): number {
  const left = all.filter(({ values }) => values.subarray(-1 - missingMax).some(Number.isFinite));
  return new Set(left.map(({ labels }) => versionOf(labels)?.key)).size;
}

/** When one version came up: in the series of any of its pods, after it was in none. */
function sightingsOf(version: string, all: readonly RangeSeries[]): VersionSighting[] {
  const found: VersionSighting[] = [];
  let last = -Infinity;
  const length = Math.max(...all.map(({ values }) => values.length));
  for (let index = 0; index < length; index += 1) {
    const there = all.filter(({ values }) => Number.isFinite(values[index]));
    const [first] = there;
    if (first === undefined) continue;
    if (index - last - 1 > missingMax) {
      found.push({ version, index, labels: first.labels, count: all.length });
    }
    last = index;
  }
  return found;
}

function successions(
  sightings: readonly VersionSighting[],
  series: readonly RangeSeries[],
  context: EventContext,
): FoundEvent[] {
  const ordered = sightings.toSorted((a, b) =>
    a.index - b.index || compareText(a.version, b.version));
  return ordered.slice(1).flatMap((next, place) => {
    const previous = ordered[place];
    if (previous === undefined || next.index <= previous.index) return [];
    if (next.version === previous.version) return [];
    const { labels } = next;
    const component = context.componentOf(labels);
    const owner = component?.value ?? objectOf(labels) ?? labels['container'] ?? 'a component';
    const name = isOfExporter(labels, series) ? exporterOf(owner) : owner;
    const [before, after] = imagesApart(previous.version, next.version);
    const what = labels['__name__'] === 'kube_pod_container_info' ? 'image' : 'version';
    return [{
      ...eventOf('version', labels, { component, atMs: timeAt(context.grid, next.index) }),
      count: next.count, text: `The ${what} of ${name} changed from ${before} to ${after}`,
      before, after, ...(name !== owner && { isOfExporter: true }),
    }];
  });
}

/**
 * The version that labels tell. `key` tells its owner, a workload or an instance, from others;
 * instances with the same `place` are replicas of each other.
 */
function versionOf(labels: LabelSet): { key: string; place: string; version: string } | null {
  const name = labels['__name__'] ?? '';
  if (!versionNames.test(name)) return null;
  const isImage = name === 'kube_pod_container_info';
  const version = isImage ? (labelOf(labels, 'image_spec') ?? labelOf(labels, 'image'))
    : (labelOf(labels, 'version') ?? labelOf(labels, 'service_version') ??
      labelOf(labels, 'revision'));
  if (version === null || version === '') return null;
  const pod = labelOf(labels, 'pod');
  const owner = pod === null ? (labelOf(labels, 'instance') ?? '') : workloadOfPod(pod);
  const place = [name, ...['namespace', 'job', 'container']
    .map((label) => labelOf(labels, label) ?? '')].join('\u0000');
  // Pods of a place may belong to different workloads.
  const key = `${owner}\u0000${place}`;
  return { key, place: pod === null ? place : key, version };
}
