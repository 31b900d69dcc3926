import { isIP } from 'node:net';
import { clusterLabels, labelOf, type LabelSet } from '../../alert/labels.ts';
import { streamSelector } from '../../sources/loki.ts';
import type { Matcher } from '../../sources/promql-text.ts';
import { containerOf, firstOf, namespaceLabels, namespaceOf } from '../named-in-labels.ts';
import {
  containerLabels, fits, hasPodInstance, hostLabels, type AlertObject,
} from './alert-objects.ts';

export interface LogStreams {
  /** `{pod="cart-1",namespace="shop"}` */
  readonly selector: string;
  /** "pod cart-1", "app orders on host db-1" */
  readonly owner: string;
  readonly count: number;
}

/** One selector for each way in which the object's streams may be labelled. */
export function selectorsOf({ matchers }: AlertObject): string[] {
  return matchers.map((matcher) => streamSelector([matcher]));
}

interface Found {
  readonly matchers: readonly Matcher[];
  readonly owner: string;
  readonly streams: readonly LabelSet[];
}

/**
 * Chooses the narrowest streams: the pod's, else the workload's on its host, the workload's, the
 * host's. `found` has the streams of each object. Null if there are none.
 */
export function chooseStreams(
  alert: LabelSet,
  found: ReadonlyMap<AlertObject, readonly LabelSet[]>,
): LogStreams | null {
  const at = (kind: AlertObject['kind']): AlertObject | undefined =>
    [...found.keys()].find((object) => object.kind === kind);
  const [pod, workload, host] = [at('pod'), at('workload'), at('host')];
  const own = (object: AlertObject | undefined): Found | null => {
    const streams = object === undefined ? [] : (found.get(object) ?? []);
    return object === undefined ? null
      : within(object, { matchers: [], owner: '', streams: ofSamePlace(alert, streams) });
  };
  const [ofPod, ofWorkload, ofHost] = [own(pod), own(workload), own(host)];
  const onHost = ofHost === null || workload === undefined ? null : within(workload, ofHost);
  const isElsewhere = host !== undefined &&
    ofWorkload?.streams.some((stream) => isOfOtherHost(stream, host)) === true;
  const chosen = ofPod ?? onHost ?? (isElsewhere ? null : ofWorkload) ??
    (host === undefined ? null : ofMachine(alert, host, found.get(host) ?? []));
  return chosen === null ? null : streamsOf(alert, chosen);
}

/** The host's own logs, of systemd units and plain containers; those of its pods are left out. */
function ofMachine(alert: LabelSet, host: AlertObject, all: readonly LabelSet[]): Found | null {
  const own = all.filter((stream) => firstOf(stream, namespaceLabels) === null);
  const inUse = namespaceLabels.filter((name) =>
    all.some((stream) => labelOf(stream, name) !== null));
  const matchers = inUse.map((name): Matcher => ({ name, op: '=', value: '' }));
  return within(host, { matchers, owner: '', streams: ofSamePlace(alert, own) });
}

function isOfContainer(stream: LabelSet): boolean {
  return firstOf(stream, [...namespaceLabels, ...containerLabels]) !== null ||
    hasPodInstance(stream);
}

/** Whether a stream is of the same program on another host; containers may run on any host. */
function isOfOtherHost(stream: LabelSet, { name, matchers }: AlertObject): boolean {
  if (isIP(name) !== 0 || isOfContainer(stream)) return false;
  const isOfHost = firstOf(stream, hostLabels) !== null;
  return isOfHost && !matchers.some((matcher) => fits(stream, matcher));
}

/** The streams of the object, by its first matcher that fits any of them. */
function within(object: AlertObject, { matchers, owner, streams }: Found): Found | null {
  for (const matcher of object.matchers) {
    const { name } = matcher;
    const own = streams.filter((stream) => fits(stream, matcher));
    const [first, ...others] = new Set(own.map((stream) => labelOf(stream, name) ?? ''));
    if (first === undefined) continue;
    const shown = `${plainName(name)} ${others.length === 0 ? first : object.name}`;
    return {
      matchers: [matcher, ...matchers], streams: own,
      owner: owner === '' ? shown : `${shown} on ${owner}`,
    };
  }
  return null;
}

/** "pod" for `k8s_pod_name`, "app" for `app_kubernetes_io_name`, "host" for `hostname` */
function plainName(label: string): string {
  return label.replace(/^(?:k8s|kubernetes)_/, '').replace(/(?<=.)(?:_kubernetes_io)?_?name$/, '')
    .replaceAll('_', ' ');
}

/** Leaves out streams of the same name in another namespace or cluster. */
function ofSamePlace(alert: LabelSet, streams: readonly LabelSet[]): LabelSet[] {
  const places = [
    { names: namespaceLabels, value: namespaceOf(alert) },
    { names: clusterLabels, value: firstOf(alert, clusterLabels) },
  ];
  return streams.filter((stream) => places.every(({ names, value }) => {
    const own = firstOf(stream, names);
    return value === null || own === null || own === value;
  }));
}

/** The selector for the streams, with the alert's namespace, cluster and container if shared. */
function streamsOf(alert: LabelSet, { matchers, owner, streams }: Found): LogStreams {
  const container = sharedLabel(streams, containerLabels, containerOf(alert));
  const own = container === null ? streams : streams.filter((stream) => fits(stream, container));
  const places = [
    sharedLabel(own, namespaceLabels, namespaceOf(alert)),
    sharedLabel(own, clusterLabels, firstOf(alert, clusterLabels)),
    container,
  ].filter((matcher) => matcher !== null)
    .filter((matcher) => !matchers.some(({ name }) => name === matcher.name));
  const isOnHost = matchers.some(({ name }) => hostLabels.includes(name));
  const units = own.filter((stream) => !isOfContainer(stream));
  return {
    selector: streamSelector([...matchers, ...places]), count: own.length,
    owner: owner + inPlaces(own, namespaceLabels, 'namespaces') +
      inPlaces(own, clusterLabels, 'clusters') +
      (isOnHost ? '' : inPlaces(units, hostLabels, 'hosts')),
  };
}

/** " of 2 namespaces", if the streams are of several because the alert names none. */
function inPlaces(streams: readonly LabelSet[], names: readonly string[], what: string): string {
  const all = new Set(streams.flatMap((stream) => firstOf(stream, names) ?? []));
  return all.size < 2 ? '' : ` of ${all.size} ${what}`;
}

/** A matcher for the first of the labels that has this value in any of the streams. */
function sharedLabel(
  streams: readonly LabelSet[],
  names: readonly string[],
  value: string | null,
): Matcher | null {
  if (value === null) return null;
  const name = names.find((each) => streams.some((stream) => labelOf(stream, each) === value));
  return name === undefined ? null : { name, op: '=', value };
}
