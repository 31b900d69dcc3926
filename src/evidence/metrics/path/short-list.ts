/**
 * What is looked at in a store, a broker, a proxy or a pool, whichever alert came first: whether it
 * answers, what of its limits is used and by whom, who keeps locks, alarms, consumers, replication
 * and servers. Each is a fault only if it began since the problem may have begun.
 */
import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { groupBy } from '../../../lib/group-by.ts';
import type { HopFault } from '../../../report/path.ts';
import type { RangeAnswer } from '../../../sources/prometheus-answers.ts';
import type { IndexSpan } from '../../../sources/time-grid.ts';
import { isoAt } from '../series-data.ts';
import { isOver, lastStretch, type Split } from './counting.ts';
import { pairKey, pooledIn } from './pools.ts';

type Series = RangeAnswer['series'][number];
type Grid = RangeAnswer['grid'];

/** Amounts of which no more than a limit is possible. */
interface Limited {
  readonly what: string;
  readonly used: RegExp;
  readonly limit: RegExp;
  /** Kept back from the limit for others. */
  readonly reserved?: RegExp;
  /** Each series has a limit of its own, with the same labels. */
  readonly isPair?: true;
}

const limited: readonly Limited[] = [
  {
    what: 'connections', used: /^pg_stat_activity_count$/u,
    limit: /^pg_settings_max_connections$/u,
    reserved: /^pg_settings_superuser_reserved_connections$/u,
  },
  {
    what: 'connections', used: /^mysql_global_status_threads_connected$/u,
    limit: /^mysql_global_variables_max_connections$/u,
  },
  {
    what: 'connections', used: /^pgbouncer_databases_current_connections$/u,
    limit: /^pgbouncer_databases_(?:max_connections|pool_size)$/u,
  },
  { what: 'clients', used: /^redis_connected_clients$/u, limit: /^redis_config_maxclients$/u },
  { what: 'memory', used: /^redis_memory_used_bytes$/u, limit: /^redis_memory_max_bytes$/u },
  {
    what: 'memory', used: /^rabbitmq_process_resident_memory_bytes$/u,
    limit: /^rabbitmq_resident_memory_limit_bytes$/u,
  },
  {
    what: 'connections', used: /^memcached_current_connections$/u,
    limit: /^memcached_max_connections$/u,
  },
  {
    what: 'sessions', used: /^haproxy_(?:frontend|server|backend)_current_sessions$/u,
    limit: /^haproxy_(?:frontend|server|backend)_limit_sessions$/u,
  },
];

/** States that are bad at 0, or at 1, and were not before. */
interface Flag {
  readonly kind: HopFault['kind'];
  readonly metric: RegExp;
  readonly bad: 'zero' | 'above zero';
  readonly what?: 'memory' | 'disk';
  /** The state that is meant, for a metric with a series for each. */
  readonly state?: string;
}

const flags: readonly Flag[] = [
  { kind: 'down', metric: /^[a-z0-9]+_up$/u, bad: 'zero' },
  { kind: 'alarm', metric: /_alarms?_mem/u, bad: 'above zero', what: 'memory' },
  { kind: 'alarm', metric: /_alarms?_.*disk/u, bad: 'above zero', what: 'disk' },
  { kind: 'no_consumer', metric: /_queue_consumers$|consumergroup_members$/u, bad: 'zero' },
  {
    kind: 'link_down', bad: 'zero',
    metric: /master_link_up$|(?:slave|replica)(?:_status)?_.*_running$/u,
  },
  { kind: 'no_server', metric: /backend_active_servers$|membership_healthy$/u, bad: 'zero' },
  { kind: 'down', metric: /^haproxy_server_status$/u, bad: 'zero', state: 'UP' },
  { kind: 'down', metric: /^(?:haproxy|traefik_service)_server_up$/u, bad: 'zero' },
];

/** Sessions that keep a transaction open and do nothing. */
const idleState = /^idle in transaction/u;
const idleSessions = /^pg_stat_activity_count$/u;
const idleFor = /^pg_stat_activity_max_tx_duration$/u;
const idleSecondsMin = 5;

/** Locks that keep everybody from a table; usually one is gone by the next scrape. */
const exclusiveLocks = /^pg_locks_count$/u;
const exclusiveMode = /^accessexclusivelock$/u;

const policyInfo = /^redis_instance_info$/u;

/** Matches every metric that the list reads; anchored by the server. */
export const listedMetrics: string = [
  'up', '[a-z0-9]+_up', 'probe_success',
  ...limited.flatMap(({ used, limit, reserved }) =>
    [used, limit, ...(reserved === undefined ? [] : [reserved])].map(textOf)),
  '.+_alarms?_(mem|.*disk).*', '.+_queue_consumers', '.+consumergroup_members',
  '.+master_link_up', 'mysql_slave_status_slave_.*_running', 'mysql_replica_status_.*_running',
  '.+backend_active_servers', '.+membership_healthy', textOf(idleFor), textOf(policyInfo),
  textOf(exclusiveLocks),
].join('|');

/** The same of proxies: of each of their servers. */
export const proxyMetrics = 'haproxy_server_status|(haproxy|traefik_service)_server_up';

function textOf({ source }: RegExp): string {
  return source.slice(1, -1).replaceAll('(?:', '(');
}

/** The part of a limit from which on it counts as used up. */
const fullShare = 0.95;
const loweredShare = 0.9;
/** From this share of a rise on, a label's value tells who it is. */
const holderShare = 0.8;

/** The faults that began since the split, the most telling first; `targets` are label names. */
export function listedFaults(
  { series, grid }: Pick<RangeAnswer, 'series' | 'grid'>,
  { split, own, pairs }: {
    readonly split: Split; readonly own: ReadonlySet<string>;
    /** Metrics of pools, each with that of its limit. */
    readonly pairs: ReadonlyMap<string, string>;
  },
): HopFault[] {
  const context = { grid, split, own: new Set([...own, ...constantLabels(series)]) };
  const named = (pattern: RegExp): Series[] =>
    series.filter(({ labels }) => pattern.test(labelOf(labels, '__name__') ?? ''));
  const isEvicting = named(policyInfo).some(({ labels }) =>
    !/^noeviction$/u.test(labelOf(labels, 'maxmemory_policy') ?? 'noeviction'));
  return [
    ...named(/^up$/u).flatMap((each) => flagFault(each, downFlag, context)),
    ...flags.flatMap((flag) => named(flag.metric)
      .flatMap((each) => flagFault(each, flag, context))),
    ...lockedFaults(named(idleSessions), named(idleFor), context),
    ...named(exclusiveLocks).flatMap((each) => exclusiveFault(each, context)),
    ...limited.flatMap((each) =>
      each.what === 'memory' && isEvicting && each.used.source.includes('redis') ? []
        : limitFaults(each, named, context)),
    ...[...pairs].flatMap(([used, limit]) => limitFaults({
      what: pooledIn(used), used: exactly(used), limit: exactly(limit), isPair: true,
    }, named, context)),
  ];
}

const constantMin = 5;

/** Labels with the same value on all of many series, such as the address of the store. */
function constantLabels(series: readonly Series[]): string[] {
  const values = new Map<string, Map<string, number>>();
  for (const { labels } of series) {
    for (const [name, value] of Object.entries(labels)) {
      const counts = values.get(name) ?? new Map<string, number>();
      values.set(name, counts.set(value, (counts.get(value) ?? 0) + 1));
    }
  }
  return [...values].filter(([name, counts]) => name !== '__name__' && name !== 'instance' &&
    counts.size === 1 && [...counts.values()].every((count) => count >= constantMin))
    .map(([name]) => name);
}

function exactly(metric: string): RegExp {
  return new RegExp(`^${metric.replaceAll('.', '\\.')}$`, 'u');
}

const downFlag: Flag = { kind: 'down', metric: /^up$/u, bad: 'zero' };

/** What faults are told with. */
export interface Context {
  readonly grid: Grid;
  readonly split: Split;
  /** Labels of the targets, which say nothing of a part. */
  readonly own: ReadonlySet<string>;
}

/** The last value at this point or up to two before it; NaN if it is gone. */
function valueAt(values: Float64Array, index: number): number {
  for (let at = index; at >= Math.max(0, index - 2); at -= 1) {
    const value = values[at] ?? Number.NaN;
    if (Number.isFinite(value)) return value;
  }
  return Number.NaN;
}

/**
 * Where a condition holds that did not before; null if it does not, ended some minutes ago, or held
 * all the time. It must have been known not to hold.
 */
export function stretchOf(
  isBad: (index: number) => boolean | null, context: Context,
): IndexSpan | null {
  const { split, grid } = context;
  const found = lastStretch((index) => isBad(index) === true,
    { before: 0, until: split.until });
  if (found === null || isOver(found, split, grid.stepMs / 1000)) return null;
  let good = found.first - 1;
  while (good >= 0 && isBad(good) === null) good -= 1;
  return good < 0 || found.first <= split.before ? null : found;
}

/** When a stretch began, and when it ended if it did. */
export function timesOf(
  { first, last }: IndexSpan,
  { grid, split }: Context,
): Pick<HopFault, 'since' | 'until'> {
  return { since: isoAt(grid, first), until: last >= split.until - 1 ? null : isoAt(grid, last) };
}

function flagFault({ labels, values }: Series, flag: Flag, context: Context): HopFault[] {
  if (flag.state !== undefined && labelOf(labels, 'state') !== flag.state) return [];
  const isBad = (index: number): boolean | null => {
    const value = valueAt(values, index);
    return Number.isNaN(value) ? null : flag.bad === 'zero' ? value === 0 : value > 0;
  };
  const span = stretchOf(isBad, context);
  // One failed scrape is no outage.
  if (span === null || (span.first === span.last && isBad(span.last + 1) === false)) return [];
  return [{
    kind: flag.kind, seen_by: 'itself', what: flag.what ?? null,
    metric: labelOf(labels, '__name__') ?? '', labels: partOf(labels, context),
    value: valueAt(values, span.last), before: valueAt(values, span.first - 1), limit: null,
    ...timesOf(span, context),
  }];
}

function partOf(labels: LabelSet, { own }: Context): LabelSet {
  return Object.fromEntries(Object.entries(labels).filter(([name]) =>
    name !== '__name__' && name !== 'job' && !own.has(name)));
}

function lockedFaults(
  sessions: readonly Series[],
  durations: readonly Series[],
  context: Context,
): HopFault[] {
  const idle = sessions.filter(({ labels }) => idleState.test(labelOf(labels, 'state') ?? ''));
  return idle.flatMap(({ labels, values }): HopFault[] => {
    const span = stretchOf((index) => {
      const value = valueAt(values, index);
      return Number.isNaN(value) ? null : value > 0;
    }, context);
    if (span === null) return [];
    const part = partOf(labels, context);
    const duration = durations.find((each) => Object.entries(part).every(([name, value]) =>
      labelOf(each.labels, name) === value));
    const seconds = duration === undefined ? Number.NaN : valueAt(duration.values, span.last);
    if (!(seconds >= idleSecondsMin)) return [];
    return [{
      kind: 'locked', seen_by: 'itself', what: 'locks', metric: 'pg_stat_activity_count',
      labels: part, value: seconds, before: null, limit: null, ...timesOf(span, context),
    }];
  });
}

function exclusiveFault({ labels, values }: Series, context: Context): HopFault[] {
  if (!exclusiveMode.test(labelOf(labels, 'mode') ?? '')) return [];
  const span = stretchOf((index) => {
    const value = valueAt(values, index);
    return Number.isNaN(value) ? null : value > 0;
  }, context);
  if (span === null || span.first === span.last) return [];
  return [{
    kind: 'locked', seen_by: 'itself', what: 'table', metric: 'pg_locks_count',
    labels: partOf(labels, context), value: valueAt(values, span.last), before: 0, limit: null,
    ...timesOf(span, context),
  }];
}

const placeLabels = ['job', 'instance', 'proxy', 'server'] as const;

function limitFaults(
  { what, used, limit, reserved, isPair }: Limited,
  named: (pattern: RegExp) => Series[],
  context: Context,
): HopFault[] {
  const placed = (series: readonly Series[]): Map<string, [Series, ...Series[]]> =>
    groupBy(series, ({ labels }) => isPair === true ? pairKey(labels)
      : JSON.stringify(placeLabels.map((name) => labelOf(labels, name))));
  const limits = placed(named(limit));
  const kept = reserved === undefined ? null : placed(named(reserved));
  return [...placed(named(used))].flatMap(([key, group]) => {
    const of = limits.get(key);
    return of === undefined ? []
      : limitFault(what, { group, of, kept: kept?.get(key) ?? [] }, context);
  });
}

function limitFault(
  what: Limited['what'],
  { group, of, kept }: {
    readonly group: readonly [Series, ...Series[]]; readonly of: readonly Series[];
    readonly kept: readonly Series[];
  },
  context: Context,
): HopFault[] {
  const { before } = context.split;
  const usedAt = (index: number): number => sumAt(group, index);
  const limitAt = (index: number): number => {
    const values = of.map(({ values: each }) => valueAt(each, index)).filter(Number.isFinite);
    return values.length === 0 ? Number.NaN : Math.max(...values);
  };
  const isFull = (index: number): boolean | null => {
    const [value, whole] = [usedAt(index), limitAt(index) - sumAt(kept, index)];
    return !(whole > 0) || Number.isNaN(value) ? null : value >= fullShare * whole;
  };
  const span = stretchOf(isFull, context);
  if (span === null) return [];
  const good = Math.min(before, span.first - 1);
  const [limit, limitBefore] = [limitAt(span.last), limitAt(good)];
  const isLowered = limit < loweredShare * limitBefore;
  return [{
    kind: isLowered ? 'limit_lowered' : 'full', seen_by: 'itself', what,
    metric: labelOf(group[0].labels, '__name__') ?? '',
    labels: holders(group, { first: good, last: span.last }, context),
    value: usedAt(span.last), before: isLowered ? limitBefore : usedAt(good), limit,
    ...timesOf(span, context),
  }];
}

/** The sum of the last values at this point; 0 if there is none. */
export function sumAt(series: readonly Series[], index: number): number {
  return series.reduce((sum, { values }) => {
    const value = valueAt(values, index);
    return Number.isNaN(value) ? sum : sum + value;
  }, 0);
}

/** Labels whose one value has nearly all of the rise: whose it is. */
export function holders(
  group: readonly Series[],
  { first, last }: { readonly first: number; readonly last: number },
  context: Context,
): LabelSet {
  const rise = sumAt(group, last) - sumAt(group, first);
  if (group.length < 2 || rise <= 0) return {};
  const names = new Set(group.flatMap(({ labels }) => Object.keys(partOf(labels, context))));
  const known = [...names].flatMap((name) =>
    [...groupBy(group, ({ labels }) => labelOf(labels, name) ?? '')]
      .filter(([value, each]) => value !== '' &&
        sumAt(each, last) - sumAt(each, first) >= holderShare * rise)
      .map(([value]) => [name, value] as const));
  return Object.fromEntries(known.slice(0, 3));
}
