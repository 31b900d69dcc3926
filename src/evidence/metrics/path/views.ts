import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { groupBy } from '../../../lib/group-by.ts';
import type { HopFault } from '../../../report/path.ts';
import type { RangeAnswer } from '../../../sources/prometheus-answers.ts';
import { anyOf, selector, type Matcher } from '../../../sources/promql-text.ts';
import { gridOf, indexFrom, type RangeWindow } from '../../../sources/time-grid.ts';
import type { Asker } from '../asking.ts';
import { startPattern } from '../events/start-times.ts';
import { versionPattern } from '../events/version-events.ts';
import { exactMatchers, looseMatchers } from '../matching-labels.ts';
import { readCalls, type OwnCounters } from './calls.ts';
import { namesKey, ofRuntime, type Names } from './census.ts';
import type { Split } from './counting.ts';
import type { Directory } from './directory.ts';
import { isHeld, poolPairs } from './pools.ts';
import { listedFaults, listedMetrics, proxyMetrics } from './short-list.ts';
import type { Thing } from './things.ts';
import { isTimeGauge } from './times.ts';
import { isWaiting, waitFaults, waitingMetrics } from './waiting.ts';

/** What was asked of one thing, and what its answer says. */
export interface PathView {
  readonly thing: Thing;
  /** Not all of its counters were asked for. */
  readonly isCut: boolean;
  /** What is asked, as a title; absent for whom the thing calls. */
  readonly title?: string;
  readonly query: string;
  readonly answer: RangeAnswer;
  readonly counters: OwnCounters;
  /** Faults of its short list, its pools and its targets. */
  readonly listed: readonly HopFault[];
  /** That more wait in it than before. */
  readonly waiting: readonly HopFault[];
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
  /** What the alert is about; null where all things are asked about alike. */
  readonly start: Thing | null;
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

/** What waits in them is work for later. */
const brokers: ReadonlySet<string> = new Set([
  'kafka', 'rabbitmq', 'nats', 'pulsar', 'sqs', 'celery', 'sidekiq',
]);

/** Matches the metrics that show restarts, versions and configuration; anchored by the server. */
const eventMetrics = [
  startPattern, versionPattern, '.+_config_hash', '.+_config_last_reload_success_timestamp_seconds',
].join('|');

const proxyLabels: ReadonlySet<string> = new Set(['proxy', 'backend', 'server', 'upstream']);

/** Counters and gauges of times first by what they are likely to tell, then gauges of pools. */
function chosenNames(
  all: ReadonlyMap<string, number>, { targets }: Thing, ofOneMax: number,
): { readonly names: readonly string[]; readonly isAll: boolean } {
  // As many as there will be of the targets that are asked for.
  const asked = Math.max(1, Math.min(targetsMax, targets.length));
  const part = Math.min(1, targetsMax / Math.max(1, targets.length));
  const seriesOfOneMax = seriesOfMetricMax + (asked - 1) * seriesOfReplicaMax;
  const metrics = new Map([...all].map(([metric, count]) => [metric, Math.ceil(part * count)]));
  const rankOf = (metric: string): number =>
    ofCalls.test(metric) ? 0 : /error|fail|request|http|grpc|rpc/u.test(metric) ? 1 : 2;
  const counters = [...metrics]
    .filter(([metric, count]) => !runtime.test(metric) && count <= seriesOfOneMax &&
      (/_(?:total|count|sum)$/u.test(metric) || isTimeGauge(metric, count) ||
        isWaiting(metric, count) || isHeld(metric, count)))
    .sort(([a, m], [b, n]) => rankOf(a) - rankOf(b) || m - n || (a < b ? -1 : 1));
  const pools = [...poolPairs([...metrics.keys()])].flat();
  const chosen = new Set(pools);
  let length = 0;
  let room = ofOneMax - pools.reduce((sum, metric) => sum + (metrics.get(metric) ?? 0), 0);
  for (const [metric, count] of counters) {
    if (count > room || length + metric.length > namesLengthMax) continue;
    room -= count;
    length += metric.length + 1;
    chosen.add(metric);
  }
  const isAll = counters.every(([metric]) => chosen.has(metric));
  return { names: [...chosen], isAll };
}

/** What is asked of one thing. */
interface Wanted {
  readonly thing: Thing;
  /** Metrics of its own that show calls, requests, times and pools. */
  readonly counters: readonly string[];
  /** Patterns of metrics. */
  readonly metrics: readonly string[];
  readonly query: string;
  /** It is not one of many targets, or servers, that are asked for. */
  readonly isWhole: boolean;
  /** There was no room for some of its counters. */
  readonly isCut: boolean;
}

/** Null where no query can tell its series from others. */
function wantedOf(
  thing: Thing, { directory, names, world, place }: Viewing, ofOneMax = seriesMax,
): Wanted | null {
  const product = directory.productOf(thing);
  const isProxy = thing.programs.some((program) => proxies.has(program)) ||
    (product !== null && proxies.has(product));
  const { names: counters, isAll } = thing.role === 'app' && product === null || isProxy
    ? chosenNames(names.get(namesKey(thing.labels)) ?? new Map(), thing, ofOneMax)
    : { names: [], isAll: true };
  const own = exactMatchers(thing.labels, thing.selects);
  const some = thing.targets.length <= targetsMax ? [] : [{
    name: 'instance', op: '=~' as const,
    value: anyOf(thing.targets.slice(0, targetsMax)
      .map(({ labels }) => labelOf(labels, 'instance') ?? '')),
  }];
  const metrics = [
    ...counters.map(escaped), listedMetrics, eventMetrics, ...(isProxy ? [proxyMetrics] : []),
    ...(counters.length === 0 && product !== null && !brokers.has(product) ? [waitingMetrics] : []),
  ];
  // A proxy may have thousands of servers.
  const part = !isProxy ? [] : looseMatchers(place).filter(({ name }) => proxyLabels.has(name));
  const query = selector(null, [
    { name: '__name__', op: '=~', value: metrics.join('|') },
    ...own, ...some, ...part,
    ...world.filter(({ name }) => !own.some((each) => each.name === name)),
  ]);
  return query === null ? null : {
    thing, counters, metrics, query, isWhole: some.length === 0 && !isProxy,
    isCut: !isAll,
  };
}

/** Asks for the series that show whom a thing calls and whether it works; null without any. */
export async function viewOf(thing: Thing, viewing: Viewing): Promise<PathView | null> {
  const wanted = wantedOf(thing, viewing);
  const answer = wanted && await viewing.asker.queryRange('path', wanted.query, viewing.window);
  return wanted === null || answer === null ? null : read(wanted, answer, viewing);
}

function read(
  { thing, counters, query, isWhole, isCut }: Wanted,
  answer: RangeAnswer,
  { directory, split, isSlow, place, start }: Viewing,
): PathView {
  // Which target it is, its instance says.
  const own = new Set([thing.labels, ...thing.targets.map(({ labels }) => labels)]
    .flatMap((labels) => Object.keys(labels)));
  if (labelOf(thing.labels, 'instance') === null) own.delete('instance');
  return {
    thing, query, answer, isCut,
    counters: readCalls(answer, thing, {
      directory, split, isSlow, place: thing === start ? place : null, isWhole,
    }),
    listed: listedFaults(answer, { split, own, pairs: poolPairs(counters) }),
    waiting: waitFaults(answer.series, { grid: answer.grid, split, own }),
  };
}

/** Queries for the views of all things of a small environment, and series of each. */
const allQueriesMax = 4;
const allSeriesMax = 900;
/** Series of one thing among all. */
const surveyMax = 200;
/** Length of the patterns in one query. */
const allLengthMax = 4000;
/** Series of an exporter, which are not counted. */
const usualListed = 60;

/**
 * The views of as many things as a few queries hold, the first ones first: an environment of the
 * usual size is seen as a whole, and what fails in it beside the alert is known. Those of a job are
 * asked for together. The rest is left out.
 */
export async function viewsOf(
  things: readonly Thing[], viewing: Viewing,
): Promise<ReadonlyMap<Thing, PathView>> {
  const { asker, world, window, names } = viewing;
  const all = things.map((thing) => wantedOf(thing, viewing, surveyMax))
    .filter((each) => each?.isWhole === true) as readonly Wanted[];
  const jobs = groupBy(all, ({ thing }) => labelOf(thing.labels, 'job') ?? '');
  const chunks: { jobs: string[]; metrics: Set<string>; wanted: Wanted[] }[] = [];
  for (const [job, wanted] of jobs) {
    const metrics = new Set(wanted.flatMap((each) => each.metrics));
    const fitting = chunks.find((chunk) => {
      const [allJobs, union] = [[...chunk.jobs, job], new Set([...chunk.metrics, ...metrics])];
      return [...union].join('|').length <= allLengthMax &&
        sizeOf([...chunk.wanted, ...wanted], allJobs, { union, names }) <= allSeriesMax;
    });
    if (fitting !== undefined) {
      fitting.jobs.push(job);
      for (const metric of metrics) fitting.metrics.add(metric);
      fitting.wanted.push(...wanted);
    } else if (chunks.length < allQueriesMax) {
      chunks.push({ jobs: [job], metrics, wanted: [...wanted] });
    }
  }
  const views = await Promise.all(chunks.map(async ({ jobs: ofChunk, metrics, wanted }) => {
    const query = selector(null, [
      { name: '__name__', op: '=~', value: [...metrics].join('|') },
      { name: 'job', op: '=~', value: anyOf(ofChunk.toSorted()) }, ...world,
    ]);
    const answer = query === null ? null : await asker.queryRange('path', query, window);
    if (answer === null || answer.omitted > 0) return [];
    return wanted.map((each) => [each.thing, read(each, {
      ...answer, series: answer.series.filter(({ labels }) => isOf(each.thing, labels)),
    }, viewing)] as const);
  }));
  return new Map(views.flat());
}

/** How many series the metrics of some jobs have, of which only those of programs are counted. */
function sizeOf(
  wanted: readonly Wanted[], jobs: readonly string[],
  { union, names }: { readonly union: ReadonlySet<string>; readonly names: Names },
): number {
  const counted = new Set(wanted.map(({ thing }) => namesKey(thing.labels)).concat(jobs));
  const known = [...counted].flatMap((key) => [...names.get(key) ?? []])
    .filter(([metric]) => union.has(escaped(metric)));
  return known.reduce((sum, [, count]) => sum + count, 0) +
    wanted.reduce((sum, { thing }) => sum + usualListed * thing.targets.length, 0) / 2;
}

function isOf({ labels, selects }: Thing, series: LabelSet): boolean {
  return selects.every((name) => labelOf(series, name) === labelOf(labels, name));
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
