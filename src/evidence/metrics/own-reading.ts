import { labelOf, type LabelSet } from '../../alert/labels.ts';
import { replicaLabels } from '../../statistics/replica-collapse.ts';
import { workloadOfPod } from '../../statistics/names/workload-name.ts';
import type { RuleReading } from '../rule/rule-expression.ts';
import { wantedLabels, type WantedLabel } from '../rule/rule-selectors.ts';
import type { Derived } from './derive.ts';
import { namesOf } from './matching-labels.ts';

/** Labels that derived series lack, or have with another value than the raw ones. */
const derivedLabels: ReadonlySet<string> = new Set(['le', 'quantile']);

/** Makes a test for series that the rule itself reads: these are the symptom, not its cause. */
export function ownReading(
  reading: Pick<RuleReading, 'expression' | 'metrics'> | null,
  /** Of the alert's own series, or what is known of it. */
  about: LabelSet,
): (derived: Derived) => boolean {
  const selectors: Selectors = new Map();
  for (const [metric, all] of wantedLabels(reading?.expression ?? '', reading?.metrics ?? [])) {
    const family = familyName(metric);
    const known = selectors.get(family) ?? [];
    selectors.set(family, known);
    known.push(...all);
  }
  return (derived) => isRead(selectors, derived) && isOfOne(derived, about);
}

/** What the selectors of each family of metrics ask for. */
type Selectors = Map<string, (readonly WantedLabel[])[]>;

/**
 * Of a metric that the rule reads, series that its selector leaves out may explain the others:
 * `iowait` where the rule reads `idle`. Two kinds never do: those that tell of the outside, as the
 * other requests do, and states that exclude each other: a pod that is Pending is not Running.
 */
function isRead(selectors: Selectors, { metric, sources, side, labels }: Derived): boolean {
  // The load counts busy processors, so it cannot be why they are busy.
  if (selectors.has('node_cpu_seconds_total') && /^node_load\d+$/u.test(metric)) return true;
  const families = new Set(sources.map(familyName));
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

/** Equal for parts of one histogram, and for recordings that differ only in their range. */
function familyName(metric: string): string {
  const name = metric.replace(/_(sum|count|bucket)$/u, '');
  return name.includes(':') ? name.replace(/\d+(?:ms|[smhdwy])$/u, '') : name;
}

/**
 * Whether both may be about one thing: no label that both have differs, but for those of replicas,
 * whose series show the same symptom, and for a recording's range. What the rule has summed up has
 * fewer labels, and what it has joined with another series has more.
 */
function isOfOne({ labels, metric }: Derived, about: LabelSet): boolean {
  return namesOf(about).every((name) => {
    const [own, other] = [labelOf(about, name), labelOf(labels, name)];
    if (own === null || other === null || own === other || name.endsWith('window')) return true;
    if (isStateLabel(name, metric)) return true;
    if (/(?:^|_)pod(?:_name)?$/u.test(name)) return workloadOfPod(own) === workloadOfPod(other);
    return replicaLabels.has(name) && name !== 'name';
  });
}
