/**
 * Keeps queries to the world of an alert. One server often has several of everything,
 * distinguished by a label of any name: clusters, environments, regions, tenants. Twins of a thing
 * in another world explain nothing, however ill they are.
 */
import { labelOf, type LabelSet } from '../../alert/labels.ts';
import { parsePromql, selectorsIn, type Selector } from '../../lib/promql/promql-tree.ts';
import { selector, type Matcher } from '../../sources/promql-text.ts';
import { machineLabels, labelNamesOf, type AlertPlace } from '../place.ts';
import { narrowQuery, selectorText } from '../rule/rule-selectors.ts';
import type { Asker } from './asking.ts';

/** Labels of a target that say which process it is, and not in which world. */
const ofProcess: ReadonlySet<string> = new Set([
  'job', 'instance', 'namespace', 'pod', 'container', 'service', 'endpoint', 'metrics_path', 'node',
]);
/** What selects one target. */
const targetLabels = ['instance', 'pod'] as const;
/** A label with which at least this share of all jobs are is that of a world. */
const jobsShareMin = 0.5;
const labelsMax = 8;
const plainName = /^[a-zA-Z_]\w*$/u;

/** What distinguishes the things around an alert from others. */
export interface World {
  /** Labels that all of its world has, and that series of other worlds have with other values. */
  readonly shared: LabelSet;
  /** Other labels of the alert that its series have, which a query need not ask for. */
  readonly own: LabelSet;
}

/** A query bound to a world, or why it cannot be, as a sentence. */
export type Bound = { readonly query: string } | { readonly why: string };

/** The world of an alert at this place; most have no label of one, and then nothing is asked. */
export async function askWorld(
  asker: Asker,
  alert: LabelSet,
  { place, expression, atMs }: {
    readonly place: AlertPlace; readonly expression: string | null; readonly atMs: number;
  },
): Promise<World> {
  const names = Object.keys(place.target)
    // Most jobs may have a target on one machine, which is no world for that.
    .filter((name) => !ofProcess.has(name) && !machineLabels.includes(name) && plainName.test(name))
    .slice(0, labelsMax);
  const rows = names.length === 0 ? null
    : await asker.query('place', `count by (${['job', ...names].join(', ')}) (up)`, atMs);
  const samples = rows?.samples.map(({ labels }) => labels) ?? [];
  const jobs = new Set(samples.map((labels) => labelOf(labels, 'job')));
  const isShared = (name: string): boolean => {
    const own = samples.filter((labels) => labelOf(labels, name) === place.target[name]);
    return rows === null || rows.omitted > 0 ||
      new Set(own.map((labels) => labelOf(labels, 'job'))).size >= jobsShareMin * jobs.size;
  };
  // Where there is only one world, nothing is taken for another's.
  const hasOthers = (name: string): boolean => rows === null || rows.omitted > 0 ||
    samples.some((labels) => labelOf(labels, name) !== place.target[name]);
  const shared = names.filter((name) => hasOthers(name) && isShared(name));
  const tree = expression === null ? null : parsePromql(expression);
  const matched = new Set((tree === null ? [] : selectorsIn(tree))
    .flatMap(({ matchers }) => matchers.map(({ label }) => label)));
  const own = labelNamesOf(alert).filter((name) => !shared.includes(name) &&
    !ofProcess.has(name) && !matched.has(name) && plainName.test(name) &&
    labelOf(place.labels, name) === labelOf(alert, name)).slice(0, labelsMax);
  return { shared: picked(place.target, shared), own: picked(place.labels, own) };
}

/** Matchers for series of the world, for queries of whatever is in it. */
export function worldMatchers({ shared }: World): Matcher[] {
  return Object.entries(shared).map(([name, value]) => ({ name, op: '=', value }));
}

/** Binds queries of things near an alert to its world; asks once for equal selectors. */
export class WorldBinder {
  readonly #asker: Asker;
  readonly #world: World;
  readonly #atMs: number;
  readonly #known = new Map<string, Promise<readonly LabelSet[] | null>>();

  constructor(asker: Asker, world: World, atMs: number) {
    this.#asker = asker;
    this.#world = world;
    this.#atMs = atMs;
  }

  /**
   * Every selector of the query keeps the labels of the world that its series have, and one that
   * selects no single target those of the alert as well. Unbound where they lack a label of which
   * there are several values: nothing tells whose they are.
   */
  async bind(query: string): Promise<Bound> {
    const { shared, own } = this.#world;
    const tree = parsePromql(query);
    const all = { ...shared, ...own };
    if (tree === null || Object.keys(all).length === 0) return { query };
    const selectors = selectorsIn(tree);
    const mentioned = new Set(tree.tokens().map(({ text }) => text));
    const names = Object.keys(all).filter((name) => !mentioned.has(name));
    if (names.length === 0) return { query };
    const added = new Map<string, Matcher[]>();
    for (const each of selectors) {
      const known = await this.#rowsOf(each, names);
      if (known === null && Object.keys(shared).length > 0) {
        return { why: 'Whose series they are could not be asked.' };
      }
      const rows = known ?? [];
      const isOfTarget = targetLabels.some((name) => equalityIn(each, name) !== null);
      const kept = names.filter((name) => !isOfTarget || labelOf(shared, name) !== null);
      const has = (name: string): boolean => rows.some((row) => (labelOf(row, name) ?? '') !== '');
      const lacking = kept.find((name) => rows.length > 0 && !has(name) &&
        labelOf(shared, name) !== null);
      if (lacking !== undefined && await this.#hasTwins(each, lacking)) {
        const why = `Its series have no label ${lacking}, by which those of others differ: whose ` +
          'they are is not known.';
        return { why };
      }
      added.set(selectorText(each), kept.filter(has)
        .map((name) => ({ name, op: '=', value: all[name] ?? '' })));
    }
    return { query: narrowQuery(query, (each) => added.get(selectorText(each)) ?? []) };
  }

  /** Which combinations of these labels the series of a selector have. */
  #rowsOf(each: Selector, names: readonly string[]): Promise<readonly LabelSet[] | null> {
    return this.#ask(`count by (${names.join(', ')}) (${selectorText(each)})`);
  }

  /** Whether the targets that the series may be of are in several worlds. */
  async #hasTwins(each: Selector, name: string): Promise<boolean> {
    const matchers = ['job', ...targetLabels].flatMap((label): Matcher[] => {
      const value = equalityIn(each, label);
      return value === null ? [] : [{ name: label, op: '=', value }];
    });
    const valuesIn = async (text: string): Promise<number> =>
      (await this.#ask(`count by (${name}) (${text})`))?.length ?? Infinity;
    const near = await valuesIn(selector('up', matchers) ?? 'up');
    // What has no `up` of its own may be of any world.
    return (near === 0 ? await valuesIn('up') : near) > 1;
  }

  #ask(query: string): Promise<readonly LabelSet[] | null> {
    const known = this.#known.get(query) ?? this.#asker.query('tests', query, this.#atMs)
      .then((answer) => answer?.samples.map(({ labels }) => labels) ?? null);
    this.#known.set(query, known);
    return known;
  }
}

function equalityIn({ matchers }: Selector, label: string): string | null {
  return matchers.find((each) => each.label === label && each.sign === '=')?.value ?? null;
}

function picked(labels: LabelSet, names: readonly string[]): LabelSet {
  return Object.fromEntries(names.map((name) => [name, labels[name] ?? '']));
}
