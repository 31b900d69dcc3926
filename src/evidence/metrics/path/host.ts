/**
 * What runs beside the last thing of a path: whether its machine has nothing left of something, and
 * which process or container there uses it.
 */
import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { groupBy } from '../../../lib/group-by.ts';
import { escapeRegex } from '../../../lib/promql-string.ts';
import type { HopFault } from '../../../report/path.ts';
import type { RangeAnswer } from '../../../sources/prometheus-answers.ts';
import { anyOf, selector, type Matcher } from '../../../sources/promql-text.ts';
import { machineLabels } from '../../place.ts';
import { exactMatchers } from '../matching-labels.ts';
import { isoAt } from '../series-data.ts';
import { countedBy, Presence, rateOf, type Split } from './counting.ts';
import { sinceOf, type FoundHop, type HostContext } from './hops.ts';
import { stretchOf, sumAt, timesOf } from './short-list.ts';
import type { PathView } from './views.ts';

type Series = RangeAnswer['series'][number];

/** From this share of the time on, a disk or the processors have nothing left. */
const busyMin = 0.9;
/** A processor that is slower than this share of its usual speed was slowed down. */
const slowedMax = 0.6;
/** Series that show the same moment are apart by so much. */
const momentMs = 45_000;
/** Points of the mean of what is used now. */
const recently = 3;
/** Who has this share of what is used more than before is who uses it. */
const shareMin = 0.6;

const ofRequests: ReadonlySet<HopFault['kind']> = new Set(['fails', 'slow', 'waiting']);

type Resource = 'disk' | 'processor';

/** Counters of what containers use, and of what processes and units do; anchored by the server. */
const uses: Readonly<Record<Resource, readonly [ofContainers: string, ofOthers: string]>> = {
  disk: ['container_fs_(reads|writes)_bytes_total',
    'namedprocess_namegroup_(read|write)_bytes_total'],
  processor: ['container_cpu_usage_seconds_total',
    'namedprocess_namegroup_cpu_seconds_total|systemd_unit_cpu_seconds_total'],
};
const nameLabels = ['pod', 'groupname', 'name'] as const;
/** Length of the names of all pods of a machine in one query. */
const podsLengthMax = 4000;

interface Machine {
  readonly name: string;
  /** Its names and addresses. */
  readonly hosts: readonly string[];
  /** The label of its targets with that name; null if only their addresses have it. */
  readonly node: string | null;
  /** The pod that is looked at, where it is one. */
  readonly pod: string | null;
}

/**
 * The machine of the last hop, if that is one process that fails and the machine has had nothing
 * left of something since then; and who else there uses it. Empty otherwise.
 */
export async function hostHops(hop: FoundHop, context: HostContext): Promise<readonly FoundHop[]> {
  const [view] = hop.views;
  const sinceMs = Date.parse(hop.since ?? '');
  const target = view === undefined ? null : oneTarget(view, hop);
  // What is wrong with it otherwise needs no machine to explain it.
  const isToldByRequests = hop.faults.every(({ kind }) => ofRequests.has(kind));
  if (view === undefined || target === null || !isToldByRequests || Number.isNaN(sinceMs)) {
    return [];
  }
  const machine = await machineOf(target, context);
  if (machine === null) return [];
  const answer = await askMachine(machine, context);
  if (answer === null) return [];
  const faults = machineFaults(answer, context.split).filter((fault) =>
    Date.parse(fault.since ?? '') <= sinceMs + momentMs && fault.until === null);
  const [fault] = faults;
  if (fault === undefined) return [];
  const onHost = (query: string, of: RangeAnswer, listed: readonly HopFault[]): PathView => ({
    ...view, title: `What ${machine.name} has left, and who uses it`, query, answer: of, listed,
    counters: { calls: [], faults: [], successes: null, slowing: null }, waiting: [],
  });
  const common = { works: null, state: 'failing' as const };
  const host: FoundHop = {
    ...common, component: machine.name, labels: {}, relation: 'host', faults,
    since: sinceOf(faults), views: [onHost(answer.query, answer, faults)],
  };
  if (fault.kind !== 'busy') return [host];
  const used = await askUsers(machine, resourceOf(fault), context);
  const user = used === null ? null : userIn(used, resourceOf(fault), context.split);
  // That it uses all of the machine itself is no reason for what it does.
  if (user !== null && (user.name === machine.pod || hop.component.startsWith(user.name))) {
    return [];
  }
  if (used === null || user === null) return [host];
  return [host, {
    ...common, component: user.name, labels: user.labels, relation: 'beside',
    faults: [user.fault], since: user.fault.since,
    views: [onHost(used.query, used, [user.fault])],
  }];
}

/** The target of a hop that is one process; null where it is several. */
function oneTarget({ thing: { targets } }: PathView, { labels }: FoundHop): LabelSet | null {
  // What a collector passes on does not run where the collector does.
  if (labelOf(labels, 'exported_job') !== null) return null;
  const instance = labelOf(labels, 'instance');
  const [target, ...others] = targets.filter((each) =>
    instance === null || labelOf(each.labels, 'instance') === instance);
  return target === undefined || others.length > 0 ? null : target.labels;
}

async function machineOf(
  target: LabelSet, { asker, world, atMs }: HostContext,
): Promise<Machine | null> {
  const named = machineLabels.map((name) => labelOf(target, name)).find((value) => value) ?? null;
  const pod = labelOf(target, 'pod');
  if (pod !== null && named === null) {
    const text = selector('kube_pod_info',
      [...exactMatchers(target, ['namespace', 'pod']), ...world]);
    const [found, ...others] = text === null ? []
      : (await asker.query('path', text, atMs))?.samples ?? [];
    const node = found === undefined ? null : labelOf(found.labels, 'node');
    const ip = found === undefined ? null : labelOf(found.labels, 'host_ip');
    return node === null || others.length > 0 ? null
      : { name: node, hosts: [node, ...(ip === null ? [] : [ip])], node, pod };
  }
  const address = (labelOf(target, 'instance') ?? '').replace(/:\d+$/u, '');
  const name = named ?? address;
  return name === '' ? null
    : { name, hosts: [...new Set([name, ...(pod === null && address !== '' ? [address] : [])])],
      node: named, pod };
}

/** Selects the series of exporters on the machine. */
function onMachine({ hosts }: Machine): Matcher {
  return {
    name: 'instance', op: '=~', value: `(?:${hosts.map(escapeRegex).join('|')})(?::[0-9]+)?`,
  };
}

const machineMetrics = 'node_disk_io_time_seconds_total|node_cpu_scaling_frequency_hertz';

async function askMachine(
  machine: Machine, { asker, window, world }: HostContext,
): Promise<RangeAnswer & { readonly query: string } | null> {
  const places: Matcher[][] = [[onMachine(machine)],
    ...(machine.node === null ? [] : [[{ name: 'node', op: '=' as const, value: machine.node }]])];
  const texts = places.flatMap((place) => [
    selector(null, [{ name: '__name__', op: '=~', value: machineMetrics }, ...place, ...world]),
    selector('node_cpu_seconds_total', [{ name: 'mode', op: '=', value: 'idle' }, ...place,
      ...world]),
  ]).filter((text) => text !== null);
  const query = texts.join(' or ');
  const answer = await asker.queryRange('path', query, window);
  return answer === null || answer.series.length === 0 ? null : { ...answer, query };
}

function machineFaults(answer: RangeAnswer, split: Split): HopFault[] {
  const { series, grid } = answer;
  const presence = new Presence(answer);
  const context = { grid, split, own: new Set<string>() };
  const named = (metric: string): Series[] =>
    series.filter(({ labels }) => labels['__name__'] === metric);
  // Over two steps, as one late scrape counts twice.
  const shareOf = (group: readonly Series[]): ((index: number) => number) => {
    const { gains } = countedBy(group, grid, presence);
    const seconds = 2 * grid.stepMs / 1000 * group.length;
    return (index) => index < 1 ? Number.NaN
      : ((gains[index] ?? 0) + (gains[index - 1] ?? 0)) / seconds;
  };
  const busyFault = (
    metric: string, group: readonly Series[],
    { what, labels, share }: {
      readonly what: Resource; readonly labels: LabelSet; readonly share: (at: number) => number;
    },
  ): HopFault[] => {
    const isBad = (index: number): boolean | null => index < 2 || group.length === 0 ? null
      : share(index) >= busyMin;
    const span = stretchOf(isBad, context);
    return span === null ? [] : [{
      kind: 'busy', seen_by: 'itself', what, metric, labels, value: Math.min(1, share(span.last)),
      before: share(split.before), limit: null, ...timesOf(span, context),
    }];
  };
  const disks = groupBy(named('node_disk_io_time_seconds_total'), ({ labels }) =>
    labelOf(labels, 'device') ?? '');
  const idle = named('node_cpu_seconds_total');
  const left = shareOf(idle);
  return [
    ...slowedFault(named('node_cpu_scaling_frequency_hertz'), context),
    ...[...disks].flatMap(([device, group]) => busyFault('node_disk_io_time_seconds_total', group,
      { what: 'disk', labels: { device }, share: shareOf(group) })),
    ...busyFault('node_cpu_seconds_total', idle,
      { what: 'processor', labels: {}, share: (index) => 1 - left(index) }),
  ];
}

/** The processors run far slower than before, as where they are too hot. */
function slowedFault(
  group: readonly Series[], context: Parameters<typeof timesOf>[1],
): HopFault[] {
  if (group.length === 0) return [];
  const meanAt = (index: number): number => sumAt(group, index) / group.length;
  const usual = meanAt(context.split.before);
  const span = usual > 0
    ? stretchOf((index) => meanAt(index) <= slowedMax * usual, context) : null;
  return span === null ? [] : [{
    kind: 'throttled', seen_by: 'itself', what: 'processor',
    metric: 'node_cpu_scaling_frequency_hertz', labels: {}, value: meanAt(span.last),
    before: usual, limit: null, ...timesOf(span, context),
  }];
}

function resourceOf({ what }: HopFault): Resource {
  return what === 'disk' ? 'disk' : 'processor';
}

async function askUsers(
  machine: Machine, resource: Resource, { asker, window, world, atMs }: HostContext,
): Promise<RangeAnswer & { readonly query: string } | null> {
  const [ofContainers, ofOthers] = uses[resource];
  const placed = selector('kube_pod_info',
    [{ name: 'node', op: '=', value: machine.node ?? '' }, ...world]);
  const known = machine.node === null || placed === null ? null
    : await asker.query('path', placed, atMs);
  const pods = anyOf([...new Set((known?.samples ?? []).map(({ labels }) =>
    labelOf(labels, 'pod') ?? ''))].filter((pod) => pod !== '').sort());
  const where: Matcher = pods !== '' && pods.length <= podsLengthMax
    ? { name: 'pod', op: '=~', value: pods } : onMachine(machine);
  const texts = [
    selector(null, [{ name: '__name__', op: '=~', value: ofContainers }, where, ...world]),
    selector(null, [{ name: '__name__', op: '=~', value: ofOthers }, onMachine(machine), ...world]),
  ].filter((text) => text !== null);
  const query = texts.join(' or ');
  const answer = await asker.queryRange('path', query, window);
  return answer === null ? null : { ...answer, query };
}

interface User {
  readonly name: string;
  readonly labels: LabelSet;
  readonly fault: HopFault;
}

/** Who has most of what is used more than before; null where it is nobody in particular. */
function userIn(answer: RangeAnswer, resource: Resource, split: Split): User | null {
  const { series, grid } = answer;
  const presence = new Presence(answer);
  // A pod has a series for each of its containers, and may have one for all of them.
  const isOfOne = series.some(({ labels }) => (labelOf(labels, 'container') ?? '') !== '');
  const own = series.filter(({ labels }) => !isOfOne || labelOf(labels, 'container') !== '');
  const users = groupBy(own, ({ labels }) => JSON.stringify(
    ['namespace', ...nameLabels, '__name__'].map((name) => labelOf(labels, name))));
  const grown = [...users.values()].map((group) => {
    const counted = countedBy(group, grid, presence);
    const before = rateOf(counted, 1, split.before);
    const now = rateOf(counted, split.until - recently, split.until);
    return { labels: group[0].labels, counted, before, now, more: Math.max(0, now - before) };
  }).sort((a, b) => b.more - a.more);
  const [first] = grown;
  const all = grown.reduce((sum, { more }) => sum + more, 0);
  if (first === undefined || first.more <= 0 || first.more < shareMin * all) return null;
  const name = nameLabels.map((label) => labelOf(first.labels, label) ?? '')
    .find((value) => value !== '');
  if (name === undefined) return null;
  const least = (first.before + first.more / 4) * grid.stepMs / 1000;
  const from = first.counted.gains.findIndex((gain, index) =>
    index > split.before && gain >= least);
  const namespace = labelOf(first.labels, 'namespace') ?? '';
  return {
    name, labels: namespace === '' ? {} : { namespace, pod: name },
    fault: {
      kind: 'uses', seen_by: 'itself', what: resource, labels: {},
      metric: labelOf(first.labels, '__name__') ?? '', value: first.now, before: first.before,
      limit: null, since: from < 0 ? null : isoAt(grid, from), until: null,
    },
  };
}
