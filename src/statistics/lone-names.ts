/** What parts that moved alone have in common: the thing that all of them name. */
import { compareText } from '../lib/compare-text.ts';
import { groupBy } from '../lib/group-by.ts';
import type { LonePart, LoneSeries } from './lone-parts.ts';

/** A thing that moved alone, by the name that parts of several metrics have. */
export interface LoneName<T extends LoneSeries = LoneSeries> {
  /** The labels that name it, the one with most parts first. */
  readonly labels: readonly { readonly label: string; readonly value: string }[];
  /** The parts that it is, farthest first; one for each metric. */
  readonly parts: readonly LonePart<T>[];
}

/** Labels of machines and targets, whose values have a port or a domain. */
const ofHosts = new RegExp(
  '(?:^|_)(?:instance|host|hostname|node|nodename|server|target|machine|peer|upstream)$', 'u');

/** A shorter value, or a number, is the same as another by chance. */
const telling = /^(?!\d+$).{3,}$/u;

/** The same for one thing whatever label has its name: `leaf-07` of `leaf-07.example:9100`. */
export function nameKeyOf(label: string, value: string): string {
  if (!telling.test(value)) return `${label}=${value}`;
  return (hostNameOf(label, value) ?? value).toLowerCase();
}

/** A machine without port and domain, or its address without the port; null for other labels. */
export function hostNameOf(label: string, value: string): string | null {
  if (!ofHosts.test(label)) return null;
  const host = value.replace(/:\d+$/u, '');
  return /^[\d.]+$|^\[|:/u.test(host) ? host : host.split('.')[0] ?? host;
}

/**
 * The things that moved alone, those with most metrics first. Names of the very same series are one
 * thing, and so is a name with those that contain it: the host of a rack, if the rest of the rack
 * stood still.
 */
export function loneNamesOf<T extends LoneSeries>(parts: readonly LonePart<T>[]): LoneName<T>[] {
  const byKey = groupBy(parts, ({ label, value }) => nameKeyOf(label, value));
  const keys = [...byKey.keys()];
  const all = [...byKey].map(([key, own]) => {
    const contained = keys.filter((other) => other !== key && isWordIn(key, other));
    return nameOf(own, [...own, ...contained.flatMap((other) => byKey.get(other) ?? [])]);
  }).sort(byEvidence);
  const kept: LoneName<T>[] = [];
  for (const name of all) {
    const same = kept.findIndex((other) => isWithin(name, other));
    const first = kept[same];
    if (first === undefined) kept.push(name);
    else if (isSame(name, first)) {
      kept[same] = { ...first, labels: withLabels(first.labels, name.labels) };
    } else if (isNarrower(name, first)) kept[same] = name;
  }
  return kept;
}

const labelsMax = 2;

function isHost({ label, value }: LoneName['labels'][number]): boolean {
  return hostNameOf(label, value) !== null;
}

/** Adds what says more than the labels that are known: not `recon` beside `recon-2`. */
function withLabels(
  known: LoneName['labels'],
  others: LoneName['labels'],
): LoneName['labels'] {
  const added = others.filter((other) =>
    !isHost(other) && !known.some(({ value }) => value.includes(other.value)));
  const left = known.filter(({ value }) =>
    !added.some((other) => other.value !== value && other.value.includes(value)));
  return [...left, ...added].slice(0, labelsMax);
}

/** `ranker_v3` in `/v2/models/ranker_v3/infer`. */
function isWordIn(word: string, text: string): boolean {
  const at = text.indexOf(word);
  const isPart = (char: string | undefined): boolean =>
    char !== undefined && /[a-z0-9]/iu.test(char);
  return at >= 0 && telling.test(word) && !isPart(text[at - 1]) && !isPart(text[at + word.length]);
}

function nameOf<T extends LoneSeries>(
  own: readonly LonePart<T>[],
  parts: readonly LonePart<T>[],
): LoneName<T> {
  // A mean says more to people than a quantile of the same.
  const size = ({ z, lead: { series: { made } } }: LonePart): number =>
    Math.abs(z) * (made === 'quantile' ? 1e-9 : 1);
  const best = [...groupBy(parts, ({ lead }) => familyOf(lead.series.metric)).values()]
    .map((group) => group.toSorted((a, b) => size(b) - size(a))[0])
    .filter((each) => each !== undefined)
    .sort((a, b) => size(b) - size(a));
  const byLabel = groupBy(own, ({ label, value }) => `${label}\u0000${value}`);
  const labels = [...byLabel.values()]
    .sort((a, b) => Number(isHost(a[0])) - Number(isHost(b[0])) || b.length - a.length ||
      compareText(a[0].label, b[0].label))
    .map(([{ label, value }]) => ({ label, value }));
  return { labels: labels.slice(0, 1), parts: best };
}

/** A histogram and its parts are one metric. */
function familyOf(metric: string): string {
  return metric.replace(/_(?:sum|count|bucket|total)$/u, '');
}

function byEvidence(a: LoneName, b: LoneName): number {
  const z = ({ parts }: LoneName): number =>
    parts.reduce((sum, part) => sum + Math.log1p(Math.min(50, Math.abs(part.z))), 0);
  const isOfHost = ({ labels: [first] }: LoneName): boolean =>
    first !== undefined && isHost(first);
  return b.parts.length - a.parts.length || Number(isOfHost(a)) - Number(isOfHost(b)) ||
    z(b) - z(a);
}

/** Each of its parts consists of the very series of one of the other's. */
function isSame(name: LoneName, other: LoneName): boolean {
  const idsOf = ({ ids }: LonePart): string => ids.toSorted().join('\n');
  const known = new Set(other.parts.map(idsOf));
  return name.parts.every((part) => known.has(idsOf(part)));
}

/** The same series lead all of its parts as lead some of the other's. */
function isWithin(name: LoneName, other: LoneName): boolean {
  const known = new Set(other.parts.map(({ lead }) => lead.series.id));
  return name.parts.every(({ lead }) => known.has(lead.series.id));
}

/** It is a part of the other, and nearly all that the other shows is its doing. */
function isNarrower(name: LoneName, other: LoneName): boolean {
  const sizes = new Map(other.parts.map(({ lead, ids }) => [lead.series.id, ids.length]));
  return 2 * name.parts.length >= other.parts.length &&
    name.parts.every(({ lead, ids }) => ids.length < (sizes.get(lead.series.id) ?? 0));
}
