import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import type { InstantAnswer } from '../../../sources/prometheus-answers.ts';
import { anyOf, selector, type Matcher } from '../../../sources/promql-text.ts';
import { storeOf } from '../../../statistics/names/stores.ts';
import type { Asker } from '../asking.ts';
import type { Question } from '../question.ts';
import { addressIn, Directory } from './directory.ts';
import { thingsOf, type Thing } from './things.ts';

/** What there is on a server, or in one of its environments, at one time. */
export interface Census {
  readonly things: readonly Thing[];
  readonly directory: Directory;
  /** The address that is probed, and whether it answers. */
  readonly probes: readonly { readonly address: string; readonly answers: boolean }[];
  readonly names: Names;
  /** No target is missing. */
  readonly isWhole: boolean;
}

/** The metrics of each job or service, with their numbers of series; see {@linkcode namesKey}. */
export type Names = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Metrics of processes and their runtimes, which call nobody. */
export const ofRuntime =
  '(go|process|nodejs|python|jvm|dotnet|ruby|promhttp|scrape|net_conntrack)_.*';
/** Series of a job of which the names are counted, and of all jobs together. */
const jobSeriesMax = 20_000;
const allSeriesMax = 60_000;
const jobsMax = 25;
/** Series of a target for which the number is not known. */
const usualTargetSeries = 500;
const beforeMs = 10 * 60_000;
const roundedMs = 5 * 60_000;

/**
 * Asks for the targets, what they say they are, and the metrics of programs: the same for all
 * alerts of one time. Null if the targets are not known.
 */
export async function askCensus(
  { asker, startsAtMs }: Question,
  { world, atMs }: { readonly world: readonly Matcher[]; readonly atMs: number },
): Promise<Census | null> {
  const pastMs = Math.floor((Math.min(startsAtMs, atMs) - beforeMs) / roundedMs) * roundedMs;
  const { up, said: gauges, told, sizes } = await askThings(asker, world, { atMs, pastMs });
  if (up === null) return null;
  const things = thingsOf(up.samples, [...gauges?.samples ?? [], ...told?.samples ?? []]);
  const isGone = things.some(({ role, targets }) =>
    role === 'app' && targets.some(({ isUp }) => !isUp));
  const names = await askJobs(asker, jobsOf(things, sizes), {
    world, atMs, ...(isGone && { pastMs }),
  });
  const probes = (gauges?.samples ?? []).flatMap(({ labels, value }) => {
    const address = addressIn(labelOf(labels, 'instance') ?? '');
    const isProbe = labels['__name__'] === 'probe_success' && address !== null;
    return isProbe ? [{ address, answers: value === 1 }] : [];
  });
  const all = things.map((thing) => withRole(thing, names.get(namesKey(thing.labels))));
  const directory = new Directory(all, storeOf);
  return { things: all, directory, probes, names, isWhole: up.omitted === 0 };
}

/** Metrics of machines, containers and the objects of a cluster, which are told by an exporter. */
const ofPlatform = /^(?:node|windows|container|machine|kube|kubelet)_/u;

/** What tells mostly of its machine is an exporter, also where it does not say so. */
function withRole(thing: Thing, metrics: ReadonlyMap<string, number> | undefined): Thing {
  const names = [...metrics?.keys() ?? []];
  const isOfPlatform = 2 * names.filter((name) => ofPlatform.test(name)).length > names.length;
  return isOfPlatform && thing.role === 'app' ? { ...thing, role: 'exporter' } : thing;
}

async function askThings(
  asker: Asker,
  world: readonly Matcher[],
  { atMs, pastMs }: { readonly atMs: number; readonly pastMs: number },
): Promise<Readonly<Record<'up' | 'said' | 'told' | 'sizes', InstantAnswer | null>>> {
  const words = selector(null, [
    { name: '__name__', op: '=~', value: '[a-zA-Z0-9]+_up|probe_success|.+_build_info' },
    { name: 'job', op: '=~', value: '.+' },
    { name: '__name__', op: '!~', value: '(go|node_network)_.*' }, ...world,
  ]) ?? 'up';
  // A thing that is gone showed what it is before.
  const ago = Math.max(1, Math.round((atMs - pastMs) / 1000));
  const [up, gauges, told, sizes] = await Promise.all([
    asker.query('path', selector('up', world) ?? 'up', atMs),
    asker.query('path', `(${words}) or (${words} offset ${ago}s)`, atMs),
    // By itself, as there may be thousands.
    asker.query('path', selector('target_info', world) ?? 'target_info', atMs),
    asker.query('path',
      `sum by (job) (${selector('scrape_samples_post_metric_relabeling', world)})`, atMs),
  ]);
  return { up, said: gauges, told, sizes };
}

/** The jobs of programs, the small ones first, as far as they are not too many series. */
function jobsOf(things: readonly Thing[], sizes: InstantAnswer | null): string[] {
  const targetSizes = new Map((sizes?.samples ?? []).map(({ labels, value }) =>
    [labelOf(labels, 'job') ?? '', value] as const));
  const sizeOf = new Map<string, number>();
  for (const { labels, targets } of things.filter(({ role }) => role === 'app')) {
    const job = labelOf(labels, 'job') ?? '';
    sizeOf.set(job,
      targetSizes.get(job) ?? (sizeOf.get(job) ?? 0) + usualTargetSeries * targets.length);
  }
  const jobs = [...sizeOf].filter(([, size]) => size <= jobSeriesMax)
    .sort(([, a], [, b]) => a - b);
  let room = allSeriesMax;
  return jobs.filter(([, size]) => (room -= size) > 0).slice(0, jobsMax)
    .map(([job]) => job).sort();
}

/** The counts of metrics by job, now and before the problem; a job's runtime is left out. */
export async function askJobs(
  asker: Asker,
  jobs: readonly string[],
  { world, atMs, pastMs }: {
    readonly world: readonly Matcher[];
    readonly atMs: number;
    /** Before, where a job may be gone that had metrics then. */
    readonly pastMs?: number;
  },
): Promise<Names> {
  const query = jobs.length === 0 ? null : selector(null, [
    { name: 'job', op: '=~', value: anyOf(jobs) },
    { name: '__name__', op: '!~', value: `.+_bucket|${ofRuntime}` },
    ...world,
  ]);
  const moments = pastMs === undefined ? [atMs] : [atMs, pastMs];
  const answers = query === null ? [] : await Promise.all(moments.map((at) =>
    asker.query('path', `count by (__name__, job, exported_job) (${query})`, at)));
  const names = new Map<string, Map<string, number>>();
  for (const { labels, value } of answers.flatMap((answer) => answer?.samples ?? [])) {
    const key = namesKey(labels);
    const metrics = names.get(key) ?? new Map<string, number>();
    const metric = labelOf(labels, '__name__') ?? '';
    names.set(key, metrics.set(metric, Math.max(value, metrics.get(metric) ?? 0)));
  }
  return names;
}

/** By what metrics are counted: the service, where a collector passes them on, or the job. */
export function namesKey(labels: LabelSet): string {
  return labelOf(labels, 'exported_job') || labelOf(labels, 'job') || '';
}
