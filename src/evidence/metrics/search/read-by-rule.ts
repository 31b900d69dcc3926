import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { workloadOfPod } from '../../../statistics/names/workload-name.ts';
import { replicaLabels } from '../../../statistics/replica-collapse.ts';
import type { RuleReading } from '../../rule/rule-expression.ts';
import { wantedLabels, type WantedLabel } from '../../rule/rule-selectors.ts';
import { namesOf } from '../matching-labels.ts';
import type { Derived } from './derive.ts';

/** Labels that derived series lack or have with another value. */
const derivedLabels: ReadonlySet<string> = new Set(['le', 'quantile']);

/** A test for series that the rule itself reads: they are the symptom, not its cause. */
export function readByRule(
  reading: Pick<RuleReading, 'expression' | 'metrics'> | null,
  /** Labels of the alert's own series, or else of the alert. */
  about: LabelSet,
  /** Whether labels are of the alert's own component, of which other parts may be as ill. */
  isOwnComponent: (labels: LabelSet) => boolean,
): (derived: Derived) => boolean {
  const selectors: Selectors = new Map();
  for (const [metric, all] of wantedLabels(reading?.expression ?? '')) {
    for (const family of [familyName(metric), ...recordedFrom(metric)]) {
      const known = selectors.get(family) ?? [];
      selectors.set(family, known);
      known.push(...all);
    }
  }
  const isOfPods = reading?.metrics.some((metric) => podStates.test(metric)) === true;
  return (derived) => {
    const isOwn = isOwnComponent(derived.labels);
    return (isOfPods && isOwn && podStates.test(derived.metric)) ||
      (isRead(selectors, derived) && (isOwn || isOfOne(derived, about)));
  };
}

/** Whether pods are there and ready, of each and counted: all follow from one another. */
const podStates = new RegExp('^kube_(?:pod_status_(?:phase|ready)|pod_container_status_' +
  '(?:ready|running|waiting)|(?:deployment|replicaset|statefulset|daemonset)_status_' +
  '(?:\\w*(?:replicas|number)\\w*|condition))$', 'u');

/** What the selectors of each family of metrics ask for. */
type Selectors = Map<string, (readonly WantedLabel[])[]>;

/**
 * Whether the rule reads the series. Series of the same metric that its selector leaves out may
 * explain the others, as `iowait` explains `idle`, except for two kinds: those seen from outside,
 * such as requests with other codes, and mutually exclusive states, such as Pending and Running.
 */
function isRead(selectors: Selectors, { metric, sources, side, labels }: Derived): boolean {
  // The load counts busy CPUs, so it cannot be why they are busy.
  if (selectors.has('node_cpu_seconds_total') && /^node_load\d+$/u.test(metric)) return true;
  const families = new Set(sources.flatMap((source) =>
    [familyName(source), ...recordedFrom(source)]));
  return [...families].flatMap((family) => selectors.get(family) ?? []).some((wanted) => {
    return side !== 'internal' || wanted.every(({ label, values }) =>
      derivedLabels.has(label) || isStateLabel(label, metric) ||
      values.test(labelOf(labels, label) ?? ''));
  });
}

function isStateLabel(label: string, metric: string): boolean {
  return label === 'phase' || label === 'color' ||
    (label === 'status' && metric.endsWith('_condition')) ||
    (label === 'state' && metric.endsWith('_state'));
}

/** RabbitMQ's messages: by state, by where they are held, and each in bytes as well. */
const queueParts =
  /(_queue_messages)(?:_(?:ready|unacked|unacknowledged|persistent|ram|paged_out|bytes))+$/u;

/** What was computed from the same measurements; a `_max` without a unit is often a limit. */
const computedParts = /_(?:(?:min|max|mean|avg|stddev|median|p\d+)(?=_seconds$)|(?:stddev|p\d+)$)/u;

/** Equal for the parts of a histogram or of a queue, and for recordings of different ranges. */
function familyName(metric: string): string {
  const name = metric.replace(/_(sum|count|bucket)$/u, '')
    // The peak, the data and what the allocator holds all follow the memory used.
    .replace(/^redis_(?:memory_used|allocator)_\w+$/u, 'redis_memory_used')
    .replace(/^rabbitmq_(?:detailed_|channel_(?=messages_unacked$))/u, 'rabbitmq_queue_')
    .replace(/^rabbitmq_queue_queue_/u, 'rabbitmq_queue_')
    .replace(queueParts, '$1')
    .replace(computedParts, '');
  return name.includes(':') ? name.replace(/(?<!\d)\d+(?:ms|[smhdwy])$/u, '') : name;
}

/**
 * What a recording rule was made from, by the usual `level:metric:operations`: its metric may have
 * lost `_total`.
 */
function recordedFrom(metric: string): string[] {
  const [level, recorded = '', operations] = metric.split(':');
  if (level === '' || recorded === '' || operations === undefined) return [];
  return [familyName(recorded), `${recorded}_total`];
}

/**
 * Whether both may be about the same thing: the labels that both have are equal, except for those
 * of replicas, which show the same symptom, and for the range of a recording rule. Either may have
 * further labels: the rule may aggregate or join.
 */
function isOfOne({ labels, metric }: Derived, about: LabelSet): boolean {
  return namesOf(about).every((name) => {
    const [own, other] = [labelOf(about, name), labelOf(labels, name)];
    if (own === null || other === null || own === other || name.endsWith('window')) return true;
    // Each caller of what a mesh measures sees the same symptom.
    if (isStateLabel(name, metric) || name.startsWith('source_')) return true;
    if (/(?:^|_)pod(?:_name)?$/u.test(name)) return workloadOfPod(own) === workloadOfPod(other);
    return replicaLabels.has(name) && name !== 'name';
  });
}
