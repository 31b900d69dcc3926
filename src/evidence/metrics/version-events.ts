import { labelOf, type LabelSet } from '../../alert/labels.ts';
import { compareText } from '../../lib/compare-text.ts';
import type { RangeSeries } from '../../sources/prometheus-answers.ts';
import { workloadOfPod } from '../../statistics/names/workload-name.ts';
import { imagesApart } from '../shown-images.ts';
import { eventOf, objectOf, timeOf, type EventContext, type FoundEvent } from './found-event.ts';

/** Names of metrics whose labels tell versions. */
export const versionNames: RegExp = /^kube_pod_container_info$|_build_info$|^target_info$/;

interface VersionSighting {
  readonly version: string;
  readonly index: number;
  readonly labels: LabelSet;
  count: number;
}

/**
 * Changes of a workload's image or version. Pods with the same image come and go, so only the first
 * sighting of each version counts.
 */
export function versionEvents(series: readonly RangeSeries[], context: EventContext): FoundEvent[] {
  const workloads = new Map<string, Map<string, VersionSighting>>();
  const owners = new Map<string, Set<string>>();
  for (const { labels, values } of series) {
    const said = versionOf(labels);
    const index = values.findIndex(Number.isFinite);
    if (said === null || index < 0) continue;
    owners.set(said.place, (owners.get(said.place) ?? new Set()).add(said.key));
    const known = workloads.get(said.key) ?? new Map<string, VersionSighting>();
    workloads.set(said.key, known);
    const earlier = known.get(said.version);
    if (earlier === undefined || index < earlier.index) {
      const count = (earlier?.count ?? 0) + 1;
      known.set(said.version, { version: said.version, index, labels, count });
    } else earlier.count += 1;
  }
  return [...workloads.values()].flatMap((sightings) => successions(sightings, context)
    .map((event) => {
      return { ...event, owners: owners.get(versionOf(event.labels)?.place ?? '')?.size ?? 1 };
    }));
}

function successions(
  sightings: ReadonlyMap<string, VersionSighting>,
  context: EventContext,
): FoundEvent[] {
  const ordered = [...sightings.values()].sort((a, b) =>
    a.index - b.index || compareText(a.version, b.version));
  return ordered.slice(1).flatMap((next, place) => {
    const previous = ordered[place];
    if (previous === undefined || next.index <= previous.index) return [];
    const { labels } = next;
    const component = context.componentOf(labels);
    const name = component?.value ?? objectOf(labels) ?? labels['container'] ?? 'a component';
    const [before, after] = imagesApart(previous.version, next.version);
    const what = labels['__name__'] === 'kube_pod_container_info' ? 'image' : 'version';
    return [{
      ...eventOf('version', labels, { component, atMs: timeOf(next.index, context.grid) }),
      count: next.count, text: `The ${what} of ${name} changed from ${before} to ${after}`,
      before, after,
    }];
  });
}

/** The version, whose it is by what tells it from others, and where its owner is. */
function versionOf(
  labels: LabelSet,
): { key: string; place: string; version: string } | null {
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
  const whose = `${owner}\u0000${place}`;
  return { key: whose, place: pod === null ? place : whose, version };
}
