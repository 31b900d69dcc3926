import { labelOf, noLabels, type LabelSet } from '../../../alert/labels.ts';
import { noComponent, type ChangeCandidate } from '../../../statistics/change-candidate.ts';
import { labelsApart } from '../../../statistics/labels-apart.ts';
import {
  chooseComponentLabel, isFromKubeStateMetrics, type ComponentLabel,
} from '../../../statistics/names/component-label.ts';
import { onsetOf } from '../../../statistics/onset.ts';
import { rankChanges, type ChangeRanking } from '../../../statistics/rank-changes.ts';
import type { RankedSeries } from '../../../statistics/rank-series.ts';
import { measureChange } from '../../../statistics/robust-change.ts';
import { notableZ } from '../../../statistics/strength.ts';
import { withoutEarlier, type EarlierTrouble } from '../../../statistics/without-earlier.ts';
import type { Component } from '../../metric-facts.ts';
import type { RuleReading } from '../../rule/rule-expression.ts';
import type { Derived } from './derive.ts';
import { isOfNode, type Host } from './node-hop.ts';
import { readByRule } from './read-by-rule.ts';

export interface Ranked {
  readonly ranking: ChangeRanking;
  readonly componentLabel: string;
  readonly ownComponent: string | null;
  readonly ownOnsetIndex: number | null;
  readonly componentOf: (labels: LabelSet) => Component | null;
  readonly derivedOf: ReadonlyMap<string, Derived>;
}

interface RankContext {
  readonly alert: LabelSet;
  /** Labels of the alert's own series; null if unknown. */
  readonly ownLabels: LabelSet | null;
  /** Labels that all series of its rule share, as those of their one target. */
  readonly place: LabelSet;
  readonly own: Float64Array | null;
  /** Null for none. */
  readonly earlier: EarlierTrouble | null;
  /** The rule; null if unknown. */
  readonly reading: RuleReading | null;
  readonly split: number;
  /** Index of the first point that is left out. */
  readonly until: number;
  readonly node: Host | null;
}

const noLabel: ComponentLabel = { label: 'component', valueOf: () => null };

/** Ranks the derived series by component, using the label that separates components best. */
export function rankDerived(derived: readonly Derived[], context: RankContext): Ranked {
  const { alert, ownLabels, place, own, earlier, split, until, node } = context;
  const local = derived.filter(({ metric }) => node === null || !isOfNode(metric));
  const choice = chooseComponentLabel(local.map(({ labels }) => labels)) ?? noLabel;
  const componentOf = (labels: LabelSet): Component | null => {
    const value = choice.valueOf(labels);
    return value === null ? fallback(labels) : { label: choice.label, value };
  };
  const nameOf = (labels: LabelSet): string | null => componentOf(labels)?.value ?? null;
  const placed = derived.map((each) => {
    const isMachine = node !== null && isOfNode(each.metric);
    const named = isMachine ? { label: 'node', value: node.name } : componentOf(each.labels);
    const component = isMachine ? `node ${node.name}` : (named?.value ?? noComponent);
    return { ...each, component, named, values: each.values.subarray(0, until) };
  });
  const apart = labelsApart(placed);
  const isOfOther = ofOtherObject({ ...ownLabels, ...alert });
  const isKnownBefore = knownBefore(placed, split);
  const candidates: ChangeCandidate[] = placed.map((each) => {
    const weight = (each.weight ?? 1) * (isOfOther(each.labels) ? otherWeight : 1);
    const values = isKnownBefore(each) ? fromNothing(each.values) : each.values;
    return { ...each, values, weight, apart: apart.get(each) ?? [] };
  });
  const ownComponent = [alert, ownLabels ?? noLabels, place].map(nameOf)
    .find((name) => name !== null) ?? null;
  const isOwn = readByRule(context.reading, ownLabels ?? alert, (labels) =>
    ownComponent !== null && nameOf(labels) === ownComponent);
  const ownIds = new Set(derived.filter(isOwn).map(({ id }) => id));
  return {
    ranking: rankChanges(candidates, {
      split, own: own?.subarray(0, until) ?? null, earlier, ownIds, ownComponent,
    }),
    componentLabel: choice.label,
    ownComponent,
    ownOnsetIndex: own === null ? null
      : ownOnset(withoutEarlier(own.subarray(0, until), earlier), split),
    componentOf,
    derivedOf: new Map(derived.map((each) => [each.id, each])),
  };
}

type Placed = Derived & Pick<ChangeCandidate, 'component' | 'named'>;

/** What is counted or used, of which there was none where it was not told. */
const amounts: ReadonlySet<string> = new Set(['utilization', 'saturation', 'traffic']);

/**
 * Tells the series that began around the split on a target that told the same of others before: a
 * process or a client that is new there, and of which there was nothing. A new target, or a new
 * pod, tells nothing of before.
 */
function knownBefore(all: readonly Placed[], split: number): (each: Placed) => boolean {
  const keyOf = ({ metric, made, labels }: Placed): string =>
    JSON.stringify([metric, made, labelOf(labels, 'job'), labelOf(labels, 'instance')]);
  const isThere = ({ values }: Placed): boolean =>
    values.subarray(0, split).some(Number.isFinite);
  const known = new Set(all.filter(isThere).map(keyOf));
  return (each) => amounts.has(each.signal) && each.made !== 'mean' && each.made !== 'quantile' &&
    labelOf(each.labels, 'instance') !== null && labelOf(each.labels, 'pod') === null &&
    !isThere(each) && each.values.some(Number.isFinite) && known.has(keyOf(each));
}

function fromNothing(values: Float64Array): Float64Array {
  const first = values.findIndex(Number.isFinite);
  return values.map((value, index) => (index < first ? 0 : value));
}

/** Labels of what one program keeps or uses several of. */
const objectLabels = [
  'queue', 'topic', 'consumergroup', 'datname', 'relname', 'slot_name', 'database', 'mountpoint',
  'device',
];
/** Score of a series about another queue or database than the alert's, compared with its own. */
const otherWeight = 0.5;

/** Tells the series about another object of the kind that the alert names. */
function ofOtherObject(alert: LabelSet): (labels: LabelSet) => boolean {
  const named = objectLabels.filter((name) => (labelOf(alert, name) ?? '') !== '');
  return (labels) => named.some((name) => {
    const value = labelOf(labels, name) ?? '';
    return value !== '' && value !== labelOf(alert, name);
  });
}

/** When a series left its usual level; null if it did not move notably. */
function ownOnset(values: Float64Array, split: number): number | null {
  const change = measureChange(values, split);
  if (change === null || Math.abs(change.z) < notableZ) return null;
  return onsetOf(values, change, split);
}

const fallbackLabels = [
  'service', 'app', 'deployment', 'statefulset', 'pod', 'instance', 'node', 'job',
];

function fallback(labels: LabelSet): Component | null {
  for (const label of fallbackLabels) {
    const value = labelOf(labels, label);
    if (label === 'instance' && isFromKubeStateMetrics(labels)) continue;
    if (value !== null && value !== '') return { label, value };
  }
  return null;
}

/** The series worth an item of their own: those that moved, and the first few in any case. */
export function listedLines({ series }: ChangeRanking, max: number): RankedSeries[] {
  return series
    .filter(({ strength }, place) => strength !== 'weak' || place < quietShown)
    .slice(0, Math.max(0, max));
}

const quietShown = 5;
