import { isListed } from './names/component-label.ts';

type Labels = Readonly<Record<string, string>>;

/** One of several series at two moments; where it has no value it counts as zero. */
export interface Contribution {
  readonly labels: Labels;
  readonly before: number;
  readonly after: number;
}

/** Values of a label whose series make most of a rise or fall. */
export interface Leaders {
  readonly label: string;
  readonly values: readonly string[];
  /** How many values of the label there are. */
  readonly of: number;
  /** Of all that moved the sum this way, between 0 and 1. */
  readonly share: number;
}

/** Who moved a sum: some, or all alike. */
export type Contributors =
  | { readonly kind: 'leaders'; readonly leaders: readonly Leaders[] }
  | { readonly kind: 'spread'; readonly label: string; readonly values: readonly string[] };

/** A sum that moved by less than this share of itself may have done so by noise. */
const movedMin = 0.1;
/** What went the other way may be at most this share of what moved the sum. */
const againstMax = 0.2;
/** Leaders make at least this share of the move, and this much more than of the sum before. */
const leadMin = 2 / 3;
const gainMin = 0.25;
/** Each leader moved by at least this share of itself, */
const ownMin = 0.5;
/** and this many times as far as any other; of two or three only more than that is no noise. */
const aheadMin = 4;
const aheadOfFewMin = 8;
const fewMax = 3;
const leadersMax = 3;
const labelsTold = 2;
const spreadMin = 3;
/** Shares of those that moved alike, as multiples of an equal share. */
const alike = { least: 0.5, most: 1.5 } as const;

/** Names that people know a thing by come first. */
const preferred = [
  'pod', 'instance', 'node', 'container', 'service', 'app', 'deployment', 'workload', 'host',
  'job', 'namespace', 'cluster', 'queue', 'topic',
];
/** Labels that are never named: parts of one histogram, and ids that mean nothing to people. */
const untold: ReadonlySet<string> = new Set(['__name__', 'le', 'quantile', 'uid', 'id']);

/**
 * Which values of which label make most of what a sum rose by, or fell by: the fewest that do, by
 * the one or two labels that say most. Null where neither they nor an even spread are clear.
 */
export function contributorsOf(
  parts: readonly Contribution[],
  direction: 'rise' | 'fall',
): Contributors | null {
  const before = sum(parts.map((part) => part.before));
  const sign = direction === 'rise' ? 1 : -1;
  const moved = sign * (sum(parts.map(({ after }) => after)) - before);
  const isUsable = parts.every((part) => part.before >= 0 && part.after >= 0);
  if (!isUsable || !Number.isFinite(moved) || moved <= 0 || moved < movedMin * before) return null;
  const groupings = labelsOf(parts).map((label) => groupingOf(parts, { label, sign }))
    .filter(({ values, against }) => values.length > 1 && against <= againstMax);
  const leading = groupings.flatMap((grouping) => leadersIn(grouping, before) ?? []);
  // Where one pod leads its node leads as well; only the narrower of the two is named.
  const finest = leading.filter(({ series, values }, index) => !leading.some((other, place) =>
    place !== index && other.values.length <= values.length &&
    [...other.series].every((each) => series.has(each)) &&
    (other.series.size < series.size || other.values.length < values.length || place < index)));
  const leaders = finest.toSorted((a, b) => b.share - a.share).slice(0, labelsTold);
  if (leaders.length > 0) {
    return {
      kind: 'leaders',
      leaders: leaders.map(({ label, values, of, share }) => ({ label, values, of, share })),
    };
  }
  const spread = groupings.find(isSpread);
  return spread === undefined ? null
    : { kind: 'spread', label: spread.label, values: spread.values.map(({ value }) => value) };
}

/** A label whose values tell `these` from each other and from all others; null without one. */
export function labelTelling(
  these: readonly Labels[],
  others: readonly Labels[] = [],
): string | null {
  const all = [...these, ...others];
  return labelsOf(these.map((labels) => ({ labels }))).find((name) => {
    return these.every((own) => valueOf(own, name) !== null &&
      all.every((other) => other === own || valueOf(other, name) !== valueOf(own, name)));
  }) ?? null;
}

interface Grouping {
  readonly label: string;
  /** Those that moved most first. */
  readonly values: readonly Group[];
  /** The sum of all that moved this way, and what went the other way as a share of it. */
  readonly all: number;
  readonly against: number;
}

interface Group {
  readonly value: string;
  readonly before: number;
  readonly moved: number;
  readonly series: ReadonlySet<number>;
}

function groupingOf(
  parts: readonly Contribution[],
  { label, sign }: { readonly label: string; readonly sign: number },
): Grouping {
  const groups = new Map<string, { before: number; moved: number; series: Set<number> }>();
  for (const [index, { labels, before, after }] of parts.entries()) {
    const value = valueOf(labels, label) ?? '';
    const group = groups.get(value) ?? { before: 0, moved: 0, series: new Set() };
    group.before += before;
    group.moved += sign * (after - before);
    group.series.add(index);
    groups.set(value, group);
  }
  const values = [...groups].map(([value, group]) => ({ value, ...group }))
    .sort((a, b) => b.moved - a.moved || (a.value < b.value ? -1 : 1));
  const all = sum(values.map(({ moved }) => Math.max(0, moved)));
  return { label, values, all, against: sum(values.map(({ moved }) => Math.max(0, -moved))) / all };
}

function leadersIn(
  { label, values, all }: Grouping,
  before: number,
): (Leaders & { readonly series: ReadonlySet<number> }) | null {
  for (let count = 1; count <= Math.min(leadersMax, values.length / 2); count += 1) {
    const first = values.slice(0, count);
    const share = sum(first.map(({ moved }) => moved)) / all;
    const farthest = Math.max(...values.slice(count).map(({ moved }) => Math.abs(moved)));
    const ahead = values.length > fewMax ? aheadMin : aheadOfFewMin;
    const areAhead = first.every((each) =>
      each.moved >= ahead * farthest && each.moved >= ownMin * each.before);
    if (share < leadMin || !areAhead) continue;
    const shareBefore = before === 0 ? 0 : sum(first.map((each) => each.before)) / before;
    if (share - shareBefore < gainMin || first.some(({ value }) => value === '')) return null;
    const series = new Set(first.flatMap((each) => [...each.series]));
    return { label, values: first.map(({ value }) => value), of: values.length, share, series };
  }
  return null;
}

function isSpread({ label, values, all }: Grouping): boolean {
  if (values.length < spreadMin || !preferred.includes(label)) return false;
  return values.every(({ moved }) => {
    const multiple = moved / all * values.length;
    return multiple >= alike.least && multiple <= alike.most;
  });
}

/** Names of labels, those that people know best first, without those of the collector itself. */
function labelsOf(parts: readonly { readonly labels: Labels }[]): string[] {
  const names = new Set(parts.flatMap(({ labels }) => Object.keys(labels)));
  const isCollectors = (name: string): boolean => untold.has(name) ||
    names.has(`exported_${name}`) || parts.some(({ labels }) =>
    isListed(labels) && (name === 'instance' || isListed({ job: valueOf(labels, name) ?? '' })));
  const rank = (name: string): number =>
    (preferred.indexOf(name.replace(/^exported_/u, '')) + 1) || preferred.length + 1;
  return [...names].filter((name) => !isCollectors(name))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

/** Never a member that objects inherit: `constructor` may be a label. */
function valueOf(labels: Labels, name: string): string | null {
  return Object.hasOwn(labels, name) ? (labels[name] ?? null) : null;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
