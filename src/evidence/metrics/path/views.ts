import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import type { HopFault } from '../../../report/path.ts';
import type { RangeAnswer } from '../../../sources/prometheus-answers.ts';
import { anyOf, selector, type Matcher } from '../../../sources/promql-text.ts';
import { gridOf, indexFrom, type RangeWindow } from '../../../sources/time-grid.ts';
import type { Asker } from '../asking.ts';
import { restartNames } from '../events/restart-events.ts';
import { exactMatchers, looseMatchers } from '../matching-labels.ts';
import { readCalls, type OwnCounters } from './calls.ts';
import { ofRuntime, type Names } from './census.ts';
import type { Split } from './counting.ts';
import type { Directory } from './directory.ts';
import { poolPairs } from './pools.ts';
import { listedFaults, listedMetrics, proxyMetrics } from './short-list.ts';
import type { Thing } from './things.ts';
import { isTimeGauge } from './times.ts';

/** What was asked of one thing, and what its answer says. */
export interface PathView {
  readonly thing: Thing;
  readonly query: string;
  readonly answer: RangeAnswer;
  readonly counters: OwnCounters;
  /** Faults of its short list, its pools and its targets. */
  readonly listed: readonly HopFault[];
}

/** What all views of one investigation share. */
interface Viewing {
  readonly asker: Asker;
  readonly directory: Directory;
  readonly window: RangeWindow;
  readonly split: Split;
  readonly names: Names;
  /** Matchers of the alert's environment. */
  readonly world: readonly Matcher[];
  /** Labels of the alert's own series. */
  readonly place: LabelSet;
  /** What the alert is about. */
  readonly start: Thing;
  /** It says that something is slow. */
  readonly isSlow: boolean;
}

const runtime = new RegExp(`^${ofRuntime}$`, 'u');
const ofCalls = /client|dependenc|upstream|outgoing|downstream|remote|backend|server_http_resp/u;
/** Series of one metric of one target, of each further one, and of one view. */
const seriesOfMetricMax = 250;
const seriesOfReplicaMax = 25;
const seriesMax = 1000;
/** Length of all their names, as a longer matcher would be left out. */
const namesLengthMax = 2500;
/** Targets of a thing that are looked at, where it has more. */
const targetsMax = 12;
/** Proxies count requests to others among what is looked at anyway. */
const proxies: ReadonlySet<string> = new Set(['haproxy', 'traefik', 'envoy', 'istio', 'nginx']);

/** Matches the metrics that show restarts, versions and configuration; anchored by the server. */
const eventMetrics = [
  ...[...restartNames].filter((name) => !/^(?:kube|container|node)_/u.test(name)),
  '.+_build_info', '.+_config_hash', '.+_config_last_reload_success_timestamp_seconds',
].join('|');

const proxyLabels: ReadonlySet<string> = new Set(['proxy', 'backend', 'server', 'upstream']);

/** Counters and gauges of times first by what they are likely to tell, then gauges of pools. */
function chosenNames(all: ReadonlyMap<string, number>, { targets }: Thing): string[] {
  // As many as there will be of the targets that are asked for.
  const asked = Math.max(1, Math.min(targetsMax, targets.length));
  const part = Math.min(1, targetsMax / Math.max(1, targets.length));
  const seriesOfOneMax = seriesOfMetricMax + (asked - 1) * seriesOfReplicaMax;
  const metrics = new Map([...all].map(([metric, count]) => [metric, Math.ceil(part * count)]));
  const rankOf = (metric: string): number =>
    ofCalls.test(metric) ? 0 : /error|fail|request|http|grpc|rpc/u.test(metric) ? 1 : 2;
  const counters = [...metrics]
    .filter(([metric, count]) => !runtime.test(metric) && count <= seriesOfOneMax &&
      (/_(?:total|count|sum)$/u.test(metric) || isTimeGauge(metric, count)))
    .sort(([a, m], [b, n]) => rankOf(a) - rankOf(b) || m - n || (a < b ? -1 : 1));
  const pools = [...poolPairs([...metrics.keys()])].flat();
  const chosen = new Set(pools);
  let length = 0;
  let room = seriesMax - pools.reduce((sum, metric) => sum + (metrics.get(metric) ?? 0), 0);
  for (const [metric, count] of counters) {
    if (count > room || length + metric.length > namesLengthMax) continue;
    room -= count;
    length += metric.length + 1;
    chosen.add(metric);
  }
  return [...chosen];
}

/** Asks for the series that show whom a thing calls and whether it works; null without any. */
export async function viewOf(
  thing: Thing,
  { asker, directory, window, split, names, world, place, start, isSlow }: Viewing,
): Promise<PathView | null> {
  const job = labelOf(thing.labels, 'job') ?? '';
  const product = directory.productOf(thing);
  const isProxy = thing.programs.some((program) => proxies.has(program)) ||
    (product !== null && proxies.has(product));
  const counters = thing.role === 'app' && product === null || isProxy
    ? chosenNames(names.get(job) ?? new Map(), thing) : [];
  const pairs = poolPairs(counters);
  const own = exactMatchers(thing.labels, ['job', ...Object.keys(thing.world)]);
  const some = thing.targets.length <= targetsMax ? [] : [{
    name: 'instance', op: '=~' as const,
    value: anyOf(thing.targets.slice(0, targetsMax)
      .map(({ labels }) => labelOf(labels, 'instance') ?? '')),
  }];
  const metrics = [
    ...counters.map(escaped), listedMetrics, eventMetrics, ...(isProxy ? [proxyMetrics] : []),
  ];
  // A proxy may have thousands of servers.
  const part = !isProxy ? [] : looseMatchers(place).filter(({ name }) => proxyLabels.has(name));
  const query = selector(null, [
    { name: '__name__', op: '=~', value: metrics.join('|') },
    ...own, ...some, ...part,
    ...world.filter(({ name }) => !own.some((each) => each.name === name)),
  ]);
  if (query === null) return null;
  const answer = await asker.queryRange('path', query, window);
  if (answer === null) return null;
  const targets = new Set(Object.keys(thing.labels));
  return {
    thing, query, answer,
    counters: readCalls(answer, thing, {
      directory, split, isSlow, place: thing === start ? place : null, isWhole: some.length === 0,
    }),
    listed: listedFaults(answer, { split, own: targets, pairs }),
  };
}

function escaped(metric: string): string {
  return metric.replaceAll('.', '\\.');
}

/** Where on the grid of a window the trouble may begin, has begun and ends; times in ms. */
export function splitOf(
  window: RangeWindow,
  { earliestMs, beganMs, untilMs }: Readonly<Record<'earliestMs' | 'beganMs' | 'untilMs', number>>,
): Split {
  const grid = gridOf(window);
  const last = Math.floor((untilMs - grid.startMs) / grid.stepMs);
  const until = Math.min(grid.count - 1, Math.max(2, last));
  const before = Math.min(Math.max(1, indexFrom(grid, earliestMs) - 1), until - 1);
  return { before, began: Math.min(Math.max(before + 1, indexFrom(grid, beganMs)), until), until };
}
