import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import type { HopFault } from '../../../report/path.ts';
import { isoTime } from '../../../report/time-text.ts';
import type { InstantAnswer } from '../../../sources/prometheus-answers.ts';
import { selector, type Matcher } from '../../../sources/promql-text.ts';
import type { RangeWindow } from '../../../sources/time-grid.ts';
import { storeOf } from '../../../statistics/names/stores.ts';
import { workloadOfPod } from '../../../statistics/names/workload-name.ts';
import type { Window } from '../../metric-facts.ts';
import type { AlertPlace } from '../../place.ts';
import type { Asker } from '../asking.ts';
import { testedAt } from '../cause-tests.ts';
import { exactMatchers } from '../matching-labels.ts';
import type { Question } from '../question.ts';
import { addressIn, Directory } from './directory.ts';
import { isNamespace, thingsOf, worldLabelsIn, type Thing } from './things.ts';
import { askNames, splitOf, viewOf, type View } from './views.ts';
import { walkFrom, type FoundHop } from './walk.ts';

/** Views of one walk, each of which takes a query. */
const viewsMax = 10;
/** A cause may begin this long before the rule can show it. */
const marginMs = 180_000;
const beforeMs = 10 * 60_000;
const roundedMs = 5 * 60_000;
/** What went on after the moment that is looked at tells a blip from an outage. */
const afterMs = 2 * 60_000;
const pointsMax = 120;
const stepSecondsMin = 15;
/** Series of a job of which the names are counted, and of all jobs together. */
const jobSeriesMax = 20_000;
const allSeriesMax = 60_000;
const jobsMax = 25;
/** Of a target of which that is not known. */
const usualTargetSeries = 500;

/**
 * The way from the alert's own thing to the deepest one that fails, as hops; empty where the alert
 * has no place that is scraped. The targets, their programs and sizes, the names of metrics, then
 * one question for each thing that is looked at.
 */
export async function askPath(
  question: Question,
  place: AlertPlace,
  { onMs, splitMs }: Pick<Window, 'onMs' | 'splitMs'>,
): Promise<readonly FoundHop[]> {
  const { asker } = question;
  const job = labelOf(place.target, 'job') ?? labelOf(place.labels, 'job');
  if (job === null) return [];
  const untilMs = lookedAt(question, onMs - splitMs);
  const world = worldOf({ ...place.labels, ...place.target });
  const window = windowOf(Math.min(splitMs, onMs) - marginMs,
    Math.min(question.now, untilMs + afterMs));
  const times = { atMs: untilMs, beforeMs: window.fromMs };
  const { up, said, sizes } = await askThings(asker, world, times);
  if (up === null) return [];
  const things = thingsOf(up.samples, said?.samples ?? []);
  const directory = new Directory(things, storeOf);
  const probe = (said?.samples ?? []).filter(({ labels }) =>
    labels['__name__'] === 'probe_success');
  const started = startOf(things, { job, place, directory });
  if (started === null) return [];
  const { thing: start, isProbed } = started;
  const jobs = jobsOf(start, things, sizes);
  const isGone = things.some(({ role, targets }) =>
    role === 'app' && targets.some(({ isUp }) => !isUp));
  const names = await askNames(asker, jobs, { world, times: isGone ? times : { atMs: untilMs } });
  const split = splitOf(window, {
    earliestMs: Math.min(splitMs, onMs) - marginMs, beganMs: Math.min(splitMs, onMs), untilMs,
  });
  const viewing = {
    asker, directory, window, split, names, world, place: place.labels,
  };
  const views = new Map<Thing, Promise<View | null>>();
  const view = (thing: Thing): Promise<View | null> => {
    const known = views.get(thing);
    if (known !== undefined || views.size >= viewsMax) return known ?? Promise.resolve(null);
    const asked = viewOf(thing, viewing);
    views.set(thing, asked);
    return asked;
  };
  return walkFrom(start, {
    view, things, productOf: (thing) => directory.productOf(thing),
    find: (value, from) => directory.find(value, from)?.thing ?? null,
    probes: probe.flatMap(({ labels, value }) => {
      const address = addressIn(labelOf(labels, 'instance') ?? '');
      return address === null ? [] : [{ address, answers: value === 1 }];
    }),
  }, {
    labels: place.labels,
    isProbed: isProbed ? probeFault(place, onMs) : null,
  });
}

/** Now, or while the alert that has ended still fired. */
function lookedAt(question: Question, rangeMs: number): number {
  return question.endsAtMs === null ? question.now : testedAt(question, rangeMs / 1000);
}

/** Matchers for the environment of the alert, other than its namespace, which calls may leave. */
function worldOf(labels: LabelSet): Matcher[] {
  const names = worldLabelsIn([labels]).filter((name) => !isNamespace(name));
  return exactMatchers(labels, names);
}

async function askThings(
  asker: Asker,
  world: readonly Matcher[],
  { atMs, beforeMs }: { readonly atMs: number; readonly beforeMs: number },
): Promise<Readonly<Record<'up' | 'said' | 'sizes', InstantAnswer | null>>> {
  const words = selector(null, [
    { name: '__name__', op: '=~', value: '[a-zA-Z0-9]+_up|probe_success|.+_build_info' },
    { name: 'job', op: '=~', value: '.+' },
    { name: '__name__', op: '!~', value: '(go|node_network)_.*' }, ...world,
  ]) ?? 'up';
  // What is gone had said what it is before.
  const ago = Math.max(1, Math.round((atMs - beforeMs) / 1000));
  const [up, said, sizes] = await Promise.all([
    asker.query('path', selector('up', world) ?? 'up', atMs),
    asker.query('path', `${words} or ${words} offset ${ago}s`, atMs),
    asker.query('path',
      `sum by (job) (${selector('scrape_samples_post_metric_relabeling', world)})`, atMs),
  ]);
  return { up, said, sizes };
}

/** The thing that the alert is about; of a probe, what is probed. */
function startOf(
  things: readonly Thing[],
  { job, place, directory }: {
    readonly job: string; readonly place: AlertPlace; readonly directory: Directory;
  },
): { readonly thing: Thing; readonly isProbed: boolean } | null {
  const told = { ...place.labels, ...place.target };
  const fits = ({ labels, targets }: Thing): boolean =>
    labelOf(labels, 'job') === job && [labels, ...targets.map((target) => target.labels)]
      .some((each) => Object.entries(each).every(([name, value]) =>
        (labelOf(told, name) ?? value) === value));
  const [thing, ...others] = things.filter(fits);
  if (thing === undefined || others.length > 0 || thing.role === 'monitoring') return null;
  if (thing.role !== 'prober') {
    return { thing: workloadIn(place, thing, directory) ?? thing, isProbed: false };
  }
  const probed = directory.find(labelOf(told, 'instance') ?? '', thing);
  return probed === null ? null : { thing: probed.thing, isProbed: true };
}

/** Labels by which a collector, such as kube-state-metrics, names what it reports on. */
const workloadLabels = ['deployment', 'statefulset', 'daemonset', 'workload', 'container'] as const;

/** The thing that the alert names, where another one reports on it. */
function workloadIn({ labels }: AlertPlace, from: Thing, directory: Directory): Thing | null {
  // The labels of its own targets name itself.
  const valueOf = (name: string): string => {
    const value = labelOf(labels, name) ?? '';
    return from.targets.some((target) => labelOf(target.labels, name) === value) ? '' : value;
  };
  const values = [...workloadLabels.map(valueOf), workloadOfPod(valueOf('pod'))];
  return values.map((value) => directory.find(value, from)?.thing)
    .find((thing) => thing !== undefined) ?? null;
}

function probeFault({ labels }: AlertPlace, onMs: number): HopFault {
  const instance = labelOf(labels, 'instance');
  return {
    kind: 'down', seen_by: 'probe', what: null, metric: 'probe_success',
    labels: instance === null ? {} : { instance }, value: 0, before: 1, limit: null,
    since: isoTime(onMs), until: null,
  };
}

/** The alert's own job, and the programs of others as far as they are not too many series. */
function jobsOf(
  start: Thing,
  things: readonly Thing[],
  sizes: InstantAnswer | null,
): string[] {
  const own = labelOf(start.labels, 'job') ?? '';
  const told = new Map((sizes?.samples ?? []).map(({ labels, value }) =>
    [labelOf(labels, 'job') ?? '', value] as const));
  const sizeOf = new Map<string, number>();
  for (const { labels, targets } of things.filter(({ role }) => role === 'app')) {
    const job = labelOf(labels, 'job') ?? '';
    sizeOf.set(job, told.get(job) ?? (sizeOf.get(job) ?? 0) + usualTargetSeries * targets.length);
  }
  const jobs = [...sizeOf].filter(([, size]) => size <= jobSeriesMax)
    .sort(([, a], [, b]) => a - b);
  let room = allSeriesMax;
  const some = jobs.filter(([, size]) => (room -= size) > 0).slice(0, jobsMax);
  return [...new Set([...some.map(([job]) => job), own])].sort();
}

/** Some time before the problem, up to its end or now. */
function windowOf(splitMs: number, untilMs: number): RangeWindow {
  const fromMs = Math.floor((splitMs - beforeMs) / roundedMs) * roundedMs;
  const seconds = Math.max(0, untilMs - fromMs) / 1000;
  const stepSeconds = Math.max(stepSecondsMin,
    Math.ceil(seconds / pointsMax / stepSecondsMin) * stepSecondsMin);
  return { fromMs, toMs: Math.max(untilMs, fromMs + 4 * stepSeconds * 1000), stepSeconds };
}
