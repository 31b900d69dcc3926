import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { formatQuantity } from '../../../lib/quantity.ts';
import { isoTime } from '../../../report/time-text.ts';
import { timeAt, type TimeGrid } from '../../../sources/time-grid.ts';
import {
  hostNameOf, loneNamesOf, nameKeyOf, type LoneName,
} from '../../../statistics/lone-names.ts';
import { lonePartsOf, type LonePart } from '../../../statistics/lone-parts.ts';
import { strengthOf } from '../../../statistics/strength.ts';
import type { LoneFact, LonePartFact } from '../../lone-fact.ts';
import type { RankingFacts } from '../../metric-facts.ts';
import type { FactWriter } from '../fact-writer.ts';
import { rounded, seriesData, spanOf } from '../series-data.ts';
import { distinctiveWords } from './choose-names.ts';
import type { Derived } from './derive.ts';
import type { AskedMachine } from './lone-machine.ts';
import type { Ranked } from './rank.ts';
import type { CloseLine } from './scrape-detail.ts';

/** Things that are told, and metrics of each. */
const namesMax = 4;
const partsMax = 6;
/** One of so many is worth telling, whatever it is. */
const manyMin = 10;

/** What the alert is about, as far as it decides which things have to do with it. */
interface LoneContext {
  readonly ranked: Ranked;
  readonly ruleMetrics: readonly string[];
  /** Labels of the alert and of its place. */
  readonly own: LabelSet;
  readonly alertName: string;
  readonly grid: TimeGrid;
  readonly split: number;
  /** Index of the first point that is left out. */
  readonly until: number;
}

/** A thing that moved alone, with how each of its metrics has to do with the alert. */
export interface FoundLone {
  readonly name: LoneName<Derived>;
  readonly parts: readonly FoundPart[];
}

interface FoundPart {
  readonly part: LonePart<Derived>;
  readonly isOfRule: boolean;
  readonly isAkin: boolean;
}

/**
 * The things that moved alone among those of their kind, the ones that have to do with the alert
 * first. None that the alert names itself.
 */
export function findLone(context: LoneContext): FoundLone[] {
  const { ranked, grid, split, until, own } = context;
  const derived = [...ranked.derivedOf.values()]
    .filter(({ side, signal, kind }) => side !== 'skip' && signal !== 'skip' &&
      kind !== 'timestamp' && kind !== 'info');
  const parts = lonePartsOf(derived, {
    split, until, stepSeconds: grid.stepMs / 1000,
  });
  const ownKeys = new Set(Object.entries(own).map(([label, value]) => nameKeyOf(label, value)));
  const isOwn = ({ labels }: LoneName<Derived>): boolean =>
    labels.some(({ label, value }) => ownKeys.has(nameKeyOf(label, value)));
  return loneNamesOf(parts.filter((part) => !isAllThatIsOwn(part, derived, own)))
    .filter((name) => !isOwn(name))
    .map((name) => ({ name, parts: name.parts.map((part) => kinOf(part, context)) }))
    .filter((each) => each.parts.length > 1 ||
      each.parts.some(({ isAkin, part: { of } }) => isAkin || of >= manyMin))
    .sort((a, b) => nearness(b) - nearness(a))
    .slice(0, namesMax);
}

/** Whether what the alert is about has only this one, so that it is the alert again. */
function isAllThatIsOwn(
  { label, value, lead }: LonePart<Derived>,
  derived: readonly Derived[],
  own: LabelSet,
): boolean {
  const { metric, made } = lead.series;
  const names = Object.keys(own).filter((name) => name !== label);
  const isOfOwn = (labels: LabelSet): boolean => names.every((name) => {
    const known = labelOf(labels, name);
    return known === null || known === labelOf(own, name);
  });
  if (!isOfOwn(lead.series.labels)) return false;
  return derived.every((each) => each.metric !== metric || each.made !== made ||
    !isOfOwn(each.labels) || labelOf(each.labels, label) === value);
}

/** That it is of the rule's own metric counts more than another metric that shows it. */
function nearness({ parts }: FoundLone): number {
  return parts.length + (parts.some(({ isOfRule }) => isOfRule) ? 2 : 0) +
    (parts.some(({ isAkin }) => isAkin) ? 1 : 0);
}

/** Words of what anything is that is asked for something. */
const plainWords: ReadonlySet<string> = new Set([
  'http', 'grpc', 'duration', 'latency', 'request', 'response', 'error', 'client', 'time',
  'microsecond', 'm', 'message', 'failed', 'success', 'app', 'process', 'usage', 'used',
]);

function kinOf(
  part: LonePart<Derived>,
  { ruleMetrics, alertName, ranked, own }: LoneContext,
): FoundPart {
  const { metric, labels } = part.lead.series;
  const base = (name: string): string => name.replace(/_(?:sum|count|bucket|total)$/u, '');
  const isOfRule = ruleMetrics.some((name) => base(name) === base(metric));
  const about = new Set([alertName, ...ruleMetrics].flatMap(distinctiveWords));
  const shares = distinctiveWords(metric).some((word) => about.has(word) && !plainWords.has(word));
  const component = ranked.componentOf(labels)?.value ?? null;
  const job = labelOf(own, 'job');
  // A collector has the series of many under its own job.
  const isAtHome = component !== null && ranked.ownComponent !== null
    ? component === ranked.ownComponent : job !== null && labelOf(labels, 'job') === job;
  return { part, isOfRule, isAkin: isOfRule || shares || isAtHome };
}

/**
 * The first machine among them, without domain and port; null if there is none. Other labels may
 * call it so as well: what its clients know as a leaf is a target of that name.
 */
export function machineIn(found: readonly FoundLone[]): string | null {
  return found.flatMap(({ name, parts }) => {
    const keys = new Set(name.labels.map(({ label, value }) => nameKeyOf(label, value)));
    return [
      ...name.labels.map(({ label, value }) => [label, value] as const),
      ...parts.flatMap(({ part }) => Object.entries(part.lead.series.labels))
        .filter(([label, value]) => keys.has(nameKeyOf(label, value))),
    ];
  }).map(([label, value]) => hostNameOf(label, value)).find((name) => name !== null) ?? null;
}

/** Their leading series, to be looked at once more at the interval of the scrapes. */
export function closeLinesOf(found: readonly FoundLone[]): CloseLine[] {
  return found.flatMap(({ parts }) => {
    const level = parts.find(({ part: { lead } }) => lead.series.made === undefined);
    const looked = new Set([...(level === undefined ? [] : [level]), ...parts.slice(0, closeMax)]);
    return [...looked].map(({ part }) => lineOf(part));
  });
}

const closeMax = 2;
/** So many deviations are far enough to tell when it left its level, however far it went on. */
const farDeviations = 20;

function lineOf({ lead, z, scale, onsetIndex }: LonePart<Derived>): CloseLine {
  const way = lead.after - lead.before;
  const far = scale > 0 ? Math.min(Math.abs(way), farDeviations * scale) : Math.abs(way);
  return {
    candidate: lead.series, before: lead.before, after: lead.before + Math.sign(way) * far, scale,
    onsetIndex, z, isState: false, strength: strengthOf(z),
  };
}

/** Adds an item for each of them, as long as there is room. */
export function addLone(
  writing: FactWriter,
  found: readonly FoundLone[],
  { grid, split, close, ranked, room, machine }: {
    readonly grid: TimeGrid; readonly split: number; readonly close: RankingFacts['close'];
    readonly ranked: Ranked; readonly room: number; readonly machine: AskedMachine | null;
  },
): LoneFact[] {
  const { ledger, add } = writing;
  return found.slice(0, Math.max(0, ledger.room - room)).map((each): LoneFact => {
    const { name, parts } = each;
    const facts = parts.slice(0, partsMax).map(({ part, isOfRule, isAkin }): LonePartFact => {
      const { lead: { series }, onsetIndex, label, value, of, within, before, after } = part;
      const { othersBefore, othersAfter, z, stoodStill } = part;
      return {
        candidate: {
          ...series, component: ranked.componentOf(series.labels)?.value ?? '', named: null,
        },
        label, value, of, within, before, after, othersBefore, othersAfter, z, stoodStill,
        onsetMs: close.get(series.id)?.onsetMs ?? timeAt(grid, onsetIndex),
        isExact: close.get(series.id)?.onsetMs != null, isOfRule, isAkin,
      };
    });
    const [first] = facts;
    const who = name.labels.map(({ label, value }) => `${label} ${value}`).join(', ');
    const told = facts.map(({ candidate: { metric, unit }, before, after }) =>
      `${metric} from ${formatQuantity(before, unit)} to ${formatQuantity(after, unit)}`);
    const lead = parts[0]?.part.lead.series ?? null;
    const evidence = add({
      kind: 'series', title: `What ${who} alone did`, ...spanOf(grid),
      query: lead === null || first === undefined ? null : queryOf(lead, first),
      summary: `Of ${first?.of ?? 0}, ${who} alone moved: ${told.join('; ')}.`,
      data: lead === null ? {} : seriesData(
        { labels: lead.labels, unit: lead.unit, grid, values: lead.values, split },
        {
          before: rounded(parts[0]?.part.lead.before ?? Number.NaN),
          after: rounded(parts[0]?.part.lead.after ?? Number.NaN),
          z: rounded(first?.z ?? Number.NaN),
          onset: first === undefined ? null : isoTime(first.onsetMs),
          ...(lead.made === 'rate' && { is_rate: true }),
        }),
    });
    const fact = { labels: name.labels, parts: facts, evidence };
    return machine === null || machine.host !== machineIn([each]) ? fact
      : { ...fact, machine: { changes: machine.changes, evidence: addMachine(writing, machine) } };
  });
}

function addMachine({ add }: FactWriter, { query, changes }: AskedMachine): string {
  return add({
    kind: 'series', title: 'What goes on in that machine', query,
    state: 'ok', summary: changes.map(({ candidate: { metric, unit }, before, after, limit }) =>
      `${metric} from ${formatQuantity(before, unit)} to ${formatQuantity(after, unit)}` +
      (limit === null ? '' : ` of ${formatQuantity(limit, unit)}`)).join('; '),
    data: {
      series: changes.map(({ candidate: { metric, labels }, before, after, limit }) => ({
        labels: { __name__: metric, ...labels }, before: rounded(before), after: rounded(after),
        ...limit !== null && { limit: rounded(limit) },
      })),
    },
  });
}

/** All values of the label side by side. */
function queryOf({ metric, made, query }: Derived, { label, within }: LonePartFact): string {
  if (made === 'mean' || made === 'quantile' || !/^[a-zA-Z_]\w*$/u.test(label)) return query;
  const matchers = Object.entries(within)
    .filter(([name]) => /^[a-zA-Z_]\w*$/u.test(name))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',');
  const selected = matchers === '' ? metric : `${metric}{${matchers}}`;
  return `topk(10, sum by (${label}) (${made === 'rate' ? `rate(${selected}[5m])` : selected}))`;
}
