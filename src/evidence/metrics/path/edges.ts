import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { metricWords } from '../../../statistics/names/metric-words.ts';
import { isOfOwnCalls } from '../../../statistics/names/own-calls.ts';
import { addressIn, type Directory, type NamedBy } from './directory.ts';
import type { Thing } from './things.ts';

/** One thing calls, uses or feeds another, as a series of the first shows. */
export interface Edge {
  /** Null for something that is measured by those who call it alone. */
  readonly to: Thing | null;
  /** As the series names it. */
  readonly value: string;
  /** The label that names it. */
  readonly label: string;
  /** How it is known: a label may also be one that by its name or its other values names things. */
  readonly by: NamedBy | 'label';
  /** It is the other one that calls. */
  readonly isCaller: boolean;
}

/** Distinct values of a label that are looked up. */
const valuesMax = 300;
/** From this share of its values on that name things, a label names things by all of them. */
const shareMin = 0.5;

/** Labels that usually name what is called, whatever their values. */
const calleeLabels = new RegExp('^(?:dependency|peer|target|upstream|downstream|remote|callee|' +
  '(?:server|net_peer|peer|remote|upstream|destination|target)_' +
  '(?:address|name|service|host|workload|service_name|app)|db_system(?:_name)?|' +
  'messaging_system)$', 'u');
/** Labels that name who calls. */
const callerLabels = /^(?:source|src|caller|client|consumer|requester|origin|from)(?:_|$)/u;
/** Labels that name a part of a thing; its name may be that of another thing. */
const partLabels = new RegExp('^(?:queue|topic|table|relname|collection|stream|bucket|index|' +
  'vhost|route|path|uri|url_path|handler|endpoint|operation|op|method|command|cmd|query|action|' +
  'status|code|type|kind|name|le|quantile|version|error|reason|result|outcome|state|event)$' +
  '|_code$', 'u');
/** Labels whose values name databases, which may be called like a service. */
const databaseLabels = /^(?:db|database|datname|db_name|schema|pool|data_?source)$/u;

/**
 * Which edge each of a thing's series shows; null for those about itself. The values of a label
 * decide: one names things if half of its values are names of things that are known, or addresses.
 */
export function edgesOf(
  series: readonly LabelSet[],
  from: Thing,
  directory: Directory,
): (labels: LabelSet) => Edge | null {
  const shares = namingLabels(series, from, directory);
  const edges = new Map<string, Edge | null>();
  const edgeOf = (label: string, value: string, metric: string): Edge | null => {
    const key = JSON.stringify([label, value]);
    if (!edges.has(key)) edges.set(key, lookUp(label, value, { from, directory }));
    const edge = edges.get(key) ?? null;
    // A client's own metrics name whom it calls, also as `client_name`.
    return edge !== null && callerLabels.test(label) && !isOfOwnCalls(metric)
      ? { ...edge, isCaller: true } : edge;
  };
  return (labels) => {
    const metric = labelOf(labels, '__name__') ?? '';
    const names = Object.keys(labels)
      .filter((name) => shares.has(name) && (labels[name] ?? '') !== '')
      .filter((name) => (shares.get(name) ?? 0) >= shareMin || calleeLabels.test(name) ||
        isOfOwnCalls(metric))
      .sort((a, b) => Number(callerLabels.test(a)) - Number(callerLabels.test(b)) ||
        Number(calleeLabels.test(b)) - Number(calleeLabels.test(a)) ||
        (shares.get(b) ?? 0) - (shares.get(a) ?? 0));
    for (const name of names) {
      const edge = edgeOf(name, labels[name] ?? '', metric);
      if (edge !== null) return edge;
    }
    return byMetric(metric, { from, directory });
  };
}

/** A metric may name what is called itself, as `redis_commands_total` does. */
function byMetric(metric: string, { from, directory }: LookupContext): Edge | null {
  const found = directory.findProduct(metric, from);
  const common = { label: '__name__', isCaller: false } as const;
  if (found !== null && found !== from) {
    return { ...common, to: found, value: found.name, by: 'product' };
  }
  if (found !== null || !ofDatabase.test(metricWords(metric))) return null;
  const database = directory.onlyDatabase(from);
  return database === null
    ? { ...common, to: null, value: `database of ${from.name}`, by: 'label' }
    : { ...common, to: database, value: database.name, by: 'product' };
}

/** For each label that may name things, the share of its values that do. */
function namingLabels(
  series: readonly LabelSet[],
  from: Thing,
  directory: Directory,
): Map<string, number> {
  const values = new Map<string, Set<string>>();
  for (const labels of series) {
    for (const [name, value] of Object.entries(labels)) {
      if (name === '__name__' || isOfTarget(name, from)) continue;
      const seen = values.get(name) ?? new Set();
      if (seen.size < valuesMax) seen.add(value);
      values.set(name, seen);
    }
  }
  const shares = new Map<string, number>();
  for (const [name, seen] of values) {
    const known = [...seen].filter((value) => value !== '');
    const naming = known.filter((value) => {
      const edge = lookUp(name, value, { from, directory });
      return edge !== null && (edge.by !== 'label' || isRemote(name, value, from));
    });
    const share = known.length === 0 ? 0 : naming.length / known.length;
    if (share > 0 || calleeLabels.test(name) || callerLabels.test(name)) shares.set(name, share);
  }
  return shares;
}

/** Metrics that a program counts its queries by, whatever database they go to. */
const ofDatabase = new RegExp('(?:^|_)(?:db|sql|database|jdbc)_(?:[a-z0-9]+_)*(?:quer(?:y|ies)|' +
  'statements?|client|operations?|calls?|requests?|transactions?)(?:_|$)', 'u');

/** A host and a port, as of what is called; it need not be scraped. An exporter's is its own. */
function isRemote(label: string, value: string, { role }: Thing): boolean {
  return role === 'app' && !callerLabels.test(label) && (addressIn(value) ?? '').includes('.');
}

const nameMax = 200;
/** What is written where no name is known. */
const nobody = /^[\s\W_]*$|^(?:unknown|none|null|nil|other|n\/a|undefined|true|false|\d+)$/iu;

interface LookupContext {
  readonly from: Thing;
  readonly directory: Directory;
}

function lookUp(
  label: string,
  value: string,
  { from, directory }: LookupContext,
): Edge | null {
  if (value.length > nameMax || nobody.test(value)) return null;
  const found = directory.find(value, from);
  const isPart = partLabels.test(label) && found?.by !== 'address';
  const isOnlyNamed = databaseLabels.test(label) && found !== null &&
    directory.productOf(found.thing) === null;
  if (found?.thing === from) return null;
  if (found !== null && !isPart && !isOnlyNamed) {
    return { to: found.thing, value, label, by: found.by, isCaller: false };
  }
  return isPart || isOnlyNamed || databaseLabels.test(label) ? null
    : { to: null, value, label, by: 'label', isCaller: false };
}

/** It is a label of the target, which names the thing itself. */
function isOfTarget(name: string, { targets }: Thing): boolean {
  return name === 'job' || name === 'instance' ||
    targets.some(({ labels }) => Object.hasOwn(labels, name));
}
