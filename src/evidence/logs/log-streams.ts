import { labelOf, type LabelSet } from '../../alert/labels.ts';
import { streamSelector } from '../../sources/loki.ts';
import type { Matcher } from '../../sources/promql-text.ts';
import {
  clusterLabels, containerLabels, containerOf, firstOf, fits, namespaceLabels, namespaceOf,
  type Level,
} from './log-levels.ts';

/** Streams of what an alert is about. */
export interface LogStreams {
  /** `{pod="cart-1",namespace="shop"}` */
  readonly selector: string;
  /** "pod cart-1", "app orders on host db-1" */
  readonly said: string;
  readonly count: number;
}

/** One selector for each label that streams may have the object in. */
export function selectorsOf({ labels, value }: Level): string[] {
  return labels.map((name) => streamSelector([{ name, ...value }]));
}

interface Found {
  readonly matchers: readonly Matcher[];
  readonly said: string;
  readonly streams: readonly LabelSet[];
}

/**
 * The narrowest streams that there are: the pod's, the workload's on its host, the workload's, the
 * host's. `found` are the streams of each level. Null where there are none.
 */
export function chooseStreams(
  alert: LabelSet,
  found: ReadonlyMap<Level, readonly LabelSet[]>,
): LogStreams | null {
  const at = (kind: Level['kind']): Level | undefined => {
    return [...found.keys()].find((level) => level.kind === kind);
  };
  const [pod, workload, host] = [at('pod'), at('workload'), at('host')];
  const of = (level: Level | undefined): Found | null => {
    const streams = level === undefined ? [] : (found.get(level) ?? []);
    return level === undefined ? null
      : within(level, { matchers: [], said: '', streams: ofSamePlace(alert, streams) });
  };
  const onHost = of(host);
  const both = onHost === null || workload === undefined ? null : within(workload, onHost);
  const chosen = of(pod) ?? both ?? of(workload) ?? onHost;
  return chosen === null ? null : whole(alert, chosen);
}

/** Of the streams those of the object, by the first label that any of them has it in. */
function within({ labels, value }: Level, { matchers, said, streams }: Found): Found | null {
  for (const name of labels) {
    const own = streams.filter((stream) => fits(value, labelOf(stream, name)));
    const [first] = own;
    if (first === undefined) continue;
    const shown = `${name} ${labelOf(first, name) ?? ''}`;
    return {
      matchers: [{ name, ...value }, ...matchers], streams: own,
      said: said === '' ? shown : `${shown} on ${said}`,
    };
  }
  return null;
}

/** Without those of another namespace or cluster, where names are the same. */
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

/** The query for the streams: with the place they share with the alert, and its container. */
function whole(alert: LabelSet, { matchers, said, streams }: Found): LogStreams {
  const container = sharedLabel(streams, containerLabels, containerOf(alert));
  const own = container === null ? streams : streams.filter((stream) => has(stream, container));
  const places = [
    sharedLabel(own, namespaceLabels, namespaceOf(alert)),
    sharedLabel(own, clusterLabels, firstOf(alert, clusterLabels)),
    container,
  ].filter((matcher) => matcher !== null)
    .filter((matcher) => !matchers.some(({ name }) => name === matcher.name));
  return { selector: streamSelector([...matchers, ...places]), said, count: own.length };
}

/** The label among the names that has this value in any of the streams. */
function sharedLabel(
  streams: readonly LabelSet[],
  names: readonly string[],
  value: string | null,
): Matcher | null {
  if (value === null) return null;
  const name = names.find((each) => streams.some((stream) => labelOf(stream, each) === value));
  return name === undefined ? null : { name, op: '=', value };
}

function has(stream: LabelSet, { name, value }: Matcher): boolean {
  return labelOf(stream, name) === value;
}
