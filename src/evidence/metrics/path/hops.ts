/** A hop of a path, made of what is known of a thing. */
import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import type { HopFault, HopHealth, PathHop } from '../../../report/path.ts';
import type { Matcher } from '../../../sources/promql-text.ts';
import type { RangeWindow } from '../../../sources/time-grid.ts';
import type { Asker } from '../asking.ts';
import type { Split } from './counting.ts';
import { addressIn, type Directory } from './directory.ts';
import type { Thing } from './things.ts';
import type { PathView } from './views.ts';

/** A hop with the views that it rests on. */
export interface FoundHop extends Omit<PathHop, 'evidence'> {
  readonly views: readonly PathView[];
}

/** Asks for the view of a thing, once; null if there is no answer, or no query left. */
type ViewThing = (thing: Thing) => Promise<PathView | null>;

/** What a walk knows and may ask. */
export interface Walking {
  readonly view: ViewThing;
  /** The alert says that something is slow. */
  readonly isSlow: boolean;
  readonly things: readonly Thing[];
  /** Answers of probes: the address that is probed, and whether it answers. */
  readonly probes: readonly { readonly address: string; readonly answers: boolean }[];
  readonly directory: Directory;
  /** What is known of the whole environment, if that is small enough. */
  readonly views: ReadonlyMap<Thing, PathView>;
  /** How machines are asked about. */
  readonly host: HostContext;
}

/** How a machine is asked about. */
export interface HostContext {
  readonly asker: Asker;
  readonly window: RangeWindow;
  readonly split: Split;
  readonly world: readonly Matcher[];
  readonly atMs: number;
}

/** Faults of a hop that are told. */
export const faultsMax = 4;

/** What is wrong with it by its own account, most telling first. */
export function ownFaults({ counters, listed, waiting }: PathView): readonly HopFault[] {
  return [...listed, ...counters.faults, ...waiting];
}

/** Whether none of its targets answers. */
export function isDown({ thing, listed }: PathView): boolean {
  const down = listed.filter(({ metric, until }) => metric === 'up' && until === null).length;
  return down > 0 && down >= thing.targets.filter(({ isUp }) => isUp).length;
}

/** What does not answer its probe, before the thing behind that address. */
export function probedHop(fault: HopFault, view: PathView): FoundHop {
  return {
    component: labelOf(fault.labels, 'instance') ?? view.thing.name, labels: fault.labels,
    relation: null, state: 'failing', faults: [{ ...fault, labels: {} }], works: null,
    since: fault.since, views: [],
  };
}

/** The hop that a thing is, with these faults. */
export function hopOf(
  view: PathView,
  { relation, faults, walking, views = [view] }: Pick<FoundHop, 'relation' | 'faults'> & {
    readonly walking: Walking; readonly views?: readonly PathView[];
  },
): FoundHop {
  const { thing } = view;
  // Those who call it may not tell its instances apart.
  const at = faults.filter(({ seen_by: by, labels }) => by === 'itself' ||
    labelOf(labels, 'instance') !== null).map(({ labels }) => labelOf(labels, 'instance'));
  const [one = null] = at;
  const isOfOne = one !== null && at.every((each) => each === one);
  const works = healthOf(view, walking);
  const isUp = thing.isReached !== false && works.targets?.up === works.targets?.total;
  const isWorking = isUp && works.answers_probe !== false &&
    (works.targets !== null || (works.successes ?? 0) > 0);
  return {
    component: isOfOne && thing.targets.length > 1 ? `${thing.name} ${one}`
      : isDown(view) && thing.role === 'exporter' ? `exporter of ${thing.name}` : thing.name,
    labels: isOfOne ? { ...thing.labels, instance: one } : thing.labels,
    ...isOfOne && thing.targets.length > 1 && { one_of: thing.targets.length },
    relation, faults: distinct(faults).slice(0, faultsMax).map((fault) =>
      isOfOne ? { ...fault, labels: withoutInstance(fault.labels) } : fault),
    state: faults.length > 0 ? 'failing' : isWorking ? 'innocent' : 'unknown',
    works: faults.length > 0 ? null : works, since: sinceOf(faults), views,
  };
}

/** Without those that tell the same of the same part again. */
function distinct(faults: readonly HopFault[]): readonly HopFault[] {
  const keyOf = ({ kind, metric, seen_by: by, labels }: HopFault): string =>
    JSON.stringify([kind, metric, by, Object.entries(labels).sort()]);
  const keys = faults.map(keyOf);
  return faults.filter((_, index) => keys.indexOf(keys[index] ?? '') === index);
}

function withoutInstance({ instance: _, ...labels }: LabelSet): LabelSet {
  return labels;
}

function healthOf({ thing, counters }: PathView, { probes }: Walking): HopHealth {
  const own = new Set(thing.targets.map(({ labels }) =>
    addressIn(labelOf(labels, 'instance') ?? '')));
  const about = probes.filter(({ address }) => own.has(address));
  return {
    targets: thing.targets.length === 0 ? null
      : { up: thing.targets.filter(({ isUp }) => isUp).length, total: thing.targets.length },
    answers_probe: about.length === 0 ? null : about.every(({ answers }) => answers),
    ...(thing.isReached !== null && { is_reached: thing.isReached }),
    successes: counters.successes,
  };
}

/** When the first of the faults began, RFC 3339; null if unknown. */
export function sinceOf(faults: readonly HopFault[]): string | null {
  const times = faults.flatMap(({ since }) => since ?? []).sort();
  return times[0] ?? null;
}

/** Adds a fault to the last of the hops, as its first. */
export function addFault(hops: FoundHop[], fault: HopFault): void {
  const last = hops.at(-1);
  if (last === undefined) return;
  const faults = [fault, ...last.faults].slice(0, faultsMax);
  hops[hops.length - 1] = {
    ...last, state: 'failing', faults, works: null, since: sinceOf(faults),
  };
}
