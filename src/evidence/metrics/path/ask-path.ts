import { labelOf, noLabels, type LabelSet } from '../../../alert/labels.ts';
import type { HopFault } from '../../../report/path.ts';
import { isoTime } from '../../../report/time-text.ts';
import type { Matcher } from '../../../sources/promql-text.ts';
import type { RangeWindow } from '../../../sources/time-grid.ts';
import { workloadOfPod } from '../../../statistics/names/workload-name.ts';
import type { Window } from '../../metric-facts.ts';
import type { AlertPlace } from '../../place.ts';
import type { RuleReading } from '../../rule/rule-expression.ts';
import { testedAt } from '../cause-tests.ts';
import { exactMatchers } from '../matching-labels.ts';
import type { Question } from '../question.ts';
import { besideOf, type FoundBeside } from './beside.ts';
import { askCensus, askJobs, namesKey, type Census } from './census.ts';
import type { Directory } from './directory.ts';
import type { FoundHop } from './hops.ts';
import { isNamespace, worldLabelsIn, type Thing } from './things.ts';
import { areOfTime } from './times.ts';
import { splitOf, viewOf, viewsOf, type PathView } from './views.ts';
import { walkFrom } from './walk.ts';

/** Views of one walk, each of which takes a query. */
const viewsMax = 10;
/** A cause may begin this long before the rule can show it. */
const marginMs = 180_000;
const beforeMs = 10 * 60_000;
const roundedMs = 5 * 60_000;
/** What went on after the moment that is looked at distinguishes a blip from an outage. */
const afterMs = 2 * 60_000;
const pointsMax = 120;
const stepSecondsMin = 15;

/** The way from the alert's own thing to the deepest one that fails, and what fails beside it. */
export interface FoundPath {
  readonly hops: readonly FoundHop[];
  readonly beside: readonly FoundBeside[];
}

const noPath: FoundPath = { hops: [], beside: [] };

/**
 * Follows the calls from the alert's own thing; nothing where the alert has no place that is
 * scraped. After the census, a few questions for all things of a small environment, or one for each
 * that is looked at in a large one.
 */
export async function askPath(
  question: Question,
  placing: Promise<AlertPlace>,
  { window: { onMs, splitMs }, early, reading }: {
    readonly window: Pick<Window, 'onMs' | 'splitMs'>;
    /** What was asked of the whole server as of now; null if the alert ended long ago. */
    readonly early: Promise<Census | null> | null;
    /** The rule; null if it is unknown. */
    readonly reading: RuleReading | null;
  },
): Promise<FoundPath> {
  const { asker } = question;
  const untilMs = lookedAt(question, onMs - splitMs);
  const [beganMs, earliestMs] = [Math.min(splitMs, onMs), Math.min(splitMs, onMs) - marginMs];
  const window = windowOf(earliestMs, Math.min(question.now, untilMs + afterMs));
  const common = {
    asker, window, split: splitOf(window, { earliestMs, beganMs, untilMs }),
    isSlow: areOfTime(reading?.metrics ?? []),
  };
  const survey = askSurvey(await early, common);
  const place = await placing;
  const job = labelOf(place.target, 'job') ?? labelOf(place.labels, 'job');
  if (job === null) return noPath;
  const world = worldOf({ ...place.labels, ...place.target });
  const census = await censusFor(question, { world, atMs: untilMs, early });
  if (census === null) return noPath;
  const { things, directory, probes } = census;
  const started = startOf(things, { job, place, directory });
  if (started === null) return noPath;
  const { thing: start, isProbed } = started;
  const ownJob = labelOf(start.labels, 'job') ?? '';
  const names = start.role !== 'app' || census.names.has(namesKey(start.labels)) ? census.names
    : new Map([...census.names, ...await askJobs(asker, [ownJob], { world, atMs: untilMs })]);
  const viewing = { ...common, directory, names, world, place: place.labels, start };
  const near = things.filter((thing) => isSeen(thing, directory) && directory.isNear(thing, start));
  const own = viewOf(start, viewing);
  const surveyed = await (survey?.views ?? viewsOf(near, viewing));
  const seenOfStart = await own;
  const all = new Map([...surveyed].filter(([thing]) => near.includes(thing)));
  if (seenOfStart !== null) all.set(start, seenOfStart);
  const views = new Map<Thing, Promise<PathView | null>>([[start, own]]);
  const view = (thing: Thing): Promise<PathView | null> => {
    const seen = all.get(thing);
    if (seen?.isCut === false) return Promise.resolve(seen);
    const known = views.get(thing);
    if (known !== undefined || views.size >= viewsMax) return known ?? Promise.resolve(null);
    const asked = viewOf(thing, viewing);
    views.set(thing, asked);
    return asked;
  };
  const hops = await walkFrom(start, {
    view, isSlow: common.isSlow, things, probes, directory, views: all,
    host: { asker, window, split: common.split, world, atMs: untilMs },
  }, {
    labels: place.labels,
    isProbed: isProbed ? probeFault(place, onMs) : null,
  });
  return { hops, beside: besideOf(start, hops, onMs, { views: all, directory }) };
}

type Common = Parameters<typeof viewsOf>[1];

/**
 * Asks about all things while the alert's place is looked for, where they are of one environment:
 * then it makes no difference. Null where it may.
 */
function askSurvey(
  census: Census | null,
  common: Pick<Common, 'asker' | 'window' | 'split' | 'isSlow'>,
): { readonly views: Promise<ReadonlyMap<Thing, PathView>> } | null {
  if (census?.isWhole !== true) return null;
  const { things, directory, names } = census;
  const isOne = things.every(({ world }) => Object.keys(world).every(isNamespace));
  if (!isOne) return null;
  const views = viewsOf(things.filter((thing) => isSeen(thing, directory)),
    { ...common, directory, names, world: [], place: noLabels, start: null });
  // Whoever waits for it gets the error.
  views.catch(() => {});
  return { views };
}

/** Whether what it measures may be what fails: a program, or what works for programs. */
function isSeen(thing: Thing, directory: Directory): boolean {
  return thing.role === 'app' || (thing.role === 'exporter' && directory.productOf(thing) !== null);
}

/** Now, or while the alert that has ended still fired. */
function lookedAt(question: Question, rangeMs: number): number {
  return question.endsAtMs === null ? question.now : testedAt(question, rangeMs / 1000);
}

/** The early one, unless the server has too many targets for it. */
async function censusFor(
  question: Question,
  { world, atMs, early }: {
    readonly world: readonly Matcher[]; readonly atMs: number;
    readonly early: Promise<Census | null> | null;
  },
): Promise<Census | null> {
  const known = await early;
  return known?.isWhole === true ? known : askCensus(question, { world, atMs });
}

/** Matchers for the environment of the alert, other than its namespace, which calls may leave. */
function worldOf(labels: LabelSet): Matcher[] {
  const names = worldLabelsIn([labels]).filter((name) => !isNamespace(name));
  return exactMatchers(labels, names);
}

/** The thing that the alert is about; of a probe, what is probed. */
function startOf(
  things: readonly Thing[],
  { job, place, directory }: {
    readonly job: string; readonly place: AlertPlace; readonly directory: Directory;
  },
): { readonly thing: Thing; readonly isProbed: boolean } | null {
  const placeLabels = { ...place.labels, ...place.target };
  const fits = ({ labels, targets }: Thing): boolean =>
    labelOf(labels, 'job') === job && [labels, ...targets.map((target) => target.labels)]
      .some((each) => Object.entries(each).every(([name, value]) =>
        (labelOf(placeLabels, name) ?? value) === value));
  // What is told apart by more labels is nearer to the alert than all of its job.
  const nearness = ({ labels, selects }: Thing): number => selects.filter((name) =>
    labelOf(placeLabels, name) === labelOf(labels, name)).length;
  const fitting = things.filter(fits);
  const nearest = Math.max(...fitting.map(nearness));
  const [thing, ...others] = fitting.filter((each) => nearness(each) === nearest);
  if (thing === undefined || others.length > 0 || thing.role === 'monitoring') return null;
  if (thing.role !== 'prober') {
    return { thing: workloadIn(place, thing, directory) ?? thing, isProbed: false };
  }
  const probed = directory.find(labelOf(placeLabels, 'instance') ?? '', thing);
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

/** Some time before the problem, up to its end or now. */
function windowOf(splitMs: number, untilMs: number): RangeWindow {
  const fromMs = Math.floor((splitMs - beforeMs) / roundedMs) * roundedMs;
  const seconds = Math.max(0, untilMs - fromMs) / 1000;
  const stepSeconds = Math.max(stepSecondsMin,
    Math.ceil(seconds / pointsMax / stepSecondsMin) * stepSecondsMin);
  return { fromMs, toMs: Math.max(untilMs, fromMs + 4 * stepSeconds * 1000), stepSeconds };
}
