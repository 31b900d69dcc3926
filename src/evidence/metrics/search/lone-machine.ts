/**
 * What goes on in a machine that stands alone among others: what of it is used up, what took one
 * step, and what it counts as failed since then.
 */
import { labelOf } from '../../../alert/labels.ts';
import { escapeRegex } from '../../../lib/promql-string.ts';
import { selector, type Matcher } from '../../../sources/promql-text.ts';
import { gridOf, timeAt } from '../../../sources/time-grid.ts';
import { stepNear } from '../../../statistics/rank-series.ts';
import { measureChange } from '../../../statistics/robust-change.ts';
import { strongZ } from '../../../statistics/strength.ts';
import { timesApart } from '../../../statistics/times-apart.ts';
import type { MachineChange } from '../../lone-fact.ts';
import type { Window } from '../../metric-facts.ts';
import type { Asker } from '../asking.ts';
import { deriveSeries, type Derived } from './derive.ts';

/** What exporters tell of a machine, without what has a series for each of many parts. */
const ofMachine: readonly Matcher[] = [
  { name: 'job', op: '!=', value: '' },
  { name: '__name__', op: '=~', value: '(?:node|windows)_.+' },
  {
    name: '__name__', op: '!~',
    value: 'node_(?:cpu|scrape|schedstat|softnet|interrupts|textfile|time)_.+|.+_bucket',
  },
];
const changesMax = 3;
/** No name is longer (RFC 1035). */
const hostLengthMax = 253;
/** From this share of its limit on it is used up; it was not before. */
const fullMin = 0.97;

/** What the machine was asked. */
export interface AskedMachine {
  readonly host: string;
  readonly query: string;
  readonly changes: readonly MachineChange[];
}

/** `host` has no domain and no port. Null where nothing changed, or nothing is known. */
export async function askMachine(
  asker: Asker,
  host: string,
  { window, split, world }: {
    readonly window: Window; readonly split: number; readonly world: readonly Matcher[];
  },
): Promise<AskedMachine | null> {
  // A matcher that is too long would be left out, and all machines answer.
  if (host.length > hostLengthMax) return null;
  const name = `${escapeRegex(host)}(?:[.][^:]+)?`;
  const query = [['instance', `${name}(?::[0-9]+)?`], ['node', name]]
    .map(([label = '', value = '']) =>
      selector(null, [...ofMachine, { name: label, op: '=~', value }, ...world]) ?? '')
    .join(' or ');
  const answer = await asker.queryRange('search', query, window);
  if (answer === null) return null;
  const grid = gridOf(window);
  const derived = deriveSeries(answer.series, grid.stepMs / 1000);
  const changes = changesIn(derived, split).slice(0, changesMax)
    .map(({ index, ...change }) => ({ ...change, sinceMs: timeAt(grid, index) }));
  return changes.length === 0 ? null : { host, query, changes };
}

type Change = Omit<MachineChange, 'sinceMs'> & { readonly index: number };

/** What is used up first, then what took a step, then what fails, each by how far it moved. */
function changesIn(derived: readonly Derived[], split: number): Change[] {
  const limits = new Map(derived.map((each) => [keyOf(each.metric, each), each]));
  const kinds: [Change[], Change[], Change[]] = [[], [], []];
  for (const each of derived) {
    const full = fullOf(each, limits, split);
    const step = full === null ? stepNear(each, split) : null;
    if (full !== null) kinds[0].push(full);
    else if (step !== null) kinds[1].push(changeOf(each, step, null));
    else if (each.signal === 'errors') kinds[2].push(...failing(each, split));
  }
  const factor = ({ before, after }: Change): number => timesApart(before, after);
  return kinds.flatMap((changes) => changes.sort((a, b) => factor(b) - factor(a)));
}

function changeOf(
  { what: _, sources: __, query: ___, ...candidate }: Derived,
  { index, before, after }: Pick<Change, 'index' | 'before' | 'after'>,
  limit: number | null,
): Change {
  return {
    candidate: { ...candidate, component: '', named: null }, before, after, limit, index,
  };
}

/** It reached the limit that a metric beside it tells. */
function fullOf(
  each: Derived,
  others: ReadonlyMap<string, Derived>,
  split: number,
): Change | null {
  const { metric, values } = each;
  const stem = metric.replace(/_[a-z]+$/u, '');
  const limit = [metric, stem].flatMap((name) => ['limit', 'max', 'maximum'].flatMap((end) =>
    others.get(keyOf(`${name}_${end}`, each)) ?? []))[0];
  if (limit === undefined || limit === each) return null;
  const shareAt = (index: number): number =>
    (values[index] ?? Number.NaN) / (limit.values[index] ?? Number.NaN);
  const index = values.findIndex((__, at) => at >= split - 1 && shareAt(at) >= fullMin);
  const before = values[split - 2] ?? Number.NaN;
  const last = values.findLastIndex(Number.isFinite);
  return index < 0 || !(shareAt(split - 2) < fullMin) || !(shareAt(last) >= fullMin) ? null
    : changeOf(each, { index, before, after: values[last] ?? Number.NaN },
      limit.values[last] ?? null);
}

function keyOf(metric: string, { labels }: Derived): string {
  return JSON.stringify([metric, ...Object.entries(labels).sort()]);
}

function failing(each: Derived, split: number): Change[] {
  const change = measureChange(each.values, split);
  return change === null || change.z < strongZ || labelOf(each.labels, 'quantile') !== null ? []
    : [changeOf(each, { index: split, ...change }, null)];
}
